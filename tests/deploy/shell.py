"""A shell in which scripts/deploy is run as people run it, in front of stand-ins for gcloud and firebase."""

import json
import shlex
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.architecture.house import ROOT

DEPLOY = ROOT / "scripts" / "deploy"
KMS = "projects/my-project/locations/us-central1/keyRings/r/cryptoKeys/k"
SIGNED_IN = ("gcloud auth", "firebase projects:list")
FAKE = f"""#!{sys.executable}
import json, os, re, sys
words = [os.path.basename(sys.argv[0]), *sys.argv[1:]]
with open(os.environ["FAKE_LOG"], "a") as log:
    log.write(json.dumps(words) + "\\n")
line = " ".join(words)
for pattern, text in json.loads(os.environ.get("FAKE_PRINTS") or "{{}}").items():
    if re.search(pattern, line):
        print(text)
if re.search(os.environ.get("FAKE_FAILS") or "(?!)", line):
    sys.exit("it cannot be done")
if "versions describe" in line and "--format" in line:
    print(os.environ.get("FAKE_VERSION", "7"))
if "value(projectNumber)" in line:
    print("123456789012")
if "auth list" in line:
    print(os.environ.get("FAKE_ACCOUNT", "somebody@example.com"))
"""


@dataclass
class Deployment:
    """The command, and what it had run."""

    folder: Path
    environ: dict[str, str]

    def run(self, *arguments: str, **environ: str) -> subprocess.CompletedProcess[str]:
        """Run it on my-project unless another is named, and return what it said."""
        named = () if "--project" in arguments else ("--project", "my-project")
        command = [sys.executable, str(DEPLOY), *named, *arguments]
        return subprocess.run(command, env={**self.environ, **environ}, capture_output=True, text=True)

    def typed(self, script: str) -> list[str]:
        """Return the command lines of gcloud and firebase that a shell runs for what a dry run has shown."""
        log = self.folder / "typed"
        environ = {**self.environ, "FAKE_LOG": str(log)}
        subprocess.run(["bash", "-e"], input=script, env=environ, cwd=ROOT, text=True, check=True, capture_output=True)
        return self.ran(log)

    def ran(self, log: Path | None = None) -> list[str]:
        """Return the command lines of gcloud and firebase, in order, without the looks at who is signed in."""
        log = log or self.folder / "log"
        lines = [" ".join(json.loads(line)) for line in log.read_text().splitlines()] if log.exists() else []
        return [line for line in lines if not line.startswith(SIGNED_IN)]


@pytest.fixture
def deployment(tmp_path: Path) -> Deployment:
    """A shell in which gcloud and firebase only write down how they are called."""
    programs = tmp_path / "programs"
    programs.mkdir()
    for name in ("gcloud", "firebase"):
        (programs / name).write_text(FAKE)
        (programs / name).chmod(0o755)
    environ = {"PATH": f"{programs}:/usr/bin:/bin", "FAKE_LOG": str(tmp_path / "log"), "SWITCHBOARD_KMS_KEY": KMS}
    return Deployment(tmp_path, environ)


def commands(text: str) -> list[str]:
    """Return what a dry run would type, without reasons."""
    return [line for line in text.splitlines() if line.strip() and not line.startswith("#")]


def options(line: str) -> Mapping[str, str]:
    """Return the options of a command line that have values."""
    return dict(word[2:].split("=", 1) for word in shlex.split(line) if word.startswith("--") and "=" in word)
