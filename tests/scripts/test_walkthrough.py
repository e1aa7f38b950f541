"""`docs/tools.md`, adding a tool and an integration: its files are written and its commands run in a fresh checkout."""

import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from http.client import HTTPConnection, HTTPException
from pathlib import Path

import pytest

import setting_up

DOCUMENT = setting_up.ROOT / "docs/tools.md"
TOOL, INTEGRATION = "### Add a tool: three files", "### Add an integration: one folder"
ENDS = {TOOL: INTEGRATION, INTEGRATION: "\n## Tools that owners make"}
FILE = r"(?:^\*\*(?P<file>[\w/.]+)\*\*\n\n)?"
BLOCK = re.compile(FILE + r"^(?P<fence>`{3,})(?P<kind>\w*)\n(?P<text>.*?)^(?P=fence)$", re.S | re.M)
# What a checkout is made of; what was built in it is made anew.
PARTS = ("functions", "scripts", "seeds", "tests", "pyproject.toml", "requirements.txt", "docs", "README.md")
WITHIN_S = 60.0
SERVICE, SERVER = 9100, 8080


@dataclass(frozen=True)
class Step:
    """A command of the walk, and what is printed below it."""

    command: str
    printed: str


def chapter(title: str) -> str:
    """Return the text under a heading, up to the next one; those in its examples are none."""
    text = DOCUMENT.read_text().partition(f"{title}\n")[2]
    return text.partition(ENDS[title])[0]


def files(title: str) -> dict[str, str]:
    """Return the files that a chapter has one write, by their paths."""
    return {found["file"]: found["text"] for found in BLOCK.finditer(chapter(title)) if found["file"]}


def steps(title: str) -> list[Step]:
    """Return the commands of a chapter in their order."""
    blocks = [found for found in BLOCK.finditer(chapter(title)) if not found["file"]]
    after = [*(found["text"] if not found["kind"] else "" for found in blocks[1:]), ""]
    return [Step(own["text"], printed) for own, printed in zip(blocks, after, strict=True) if own["kind"] == "sh"]


@dataclass(frozen=True)
class Checkout:
    """A copy of the house in a folder of its own."""

    root: Path
    ports: Mapping[int, int]

    def write(self, texts: Mapping[str, str]) -> None:
        """Write new files; none of those that are there is changed."""
        for name, text in texts.items():
            path = self.root / name
            assert not path.exists(), name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)

    def run(self, step: Step) -> None:
        """Run a command as it stands, and hold what it prints against what is printed below it."""
        line = ["bash", "-eu", "-c", self._here(step.command)]
        done = subprocess.run(
            line, cwd=self.root, env=self._environ, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        )
        assert done.returncode == 0, done.stdout
        at = 0
        for piece in filter(None, ("".join(part.split()) for part in step.printed.split("…"))):
            found = "".join(done.stdout.split()).find(piece, at)
            assert found >= 0, f"{step.command}\nanswers\n{done.stdout}\nwhich has no (further)\n{piece}"
            at = found + len(piece)

    @contextmanager
    def beside(self, step: Step, port: int, options: str = "") -> Iterator[None]:
        """Run a command while the block lasts, once its port answers."""
        line = ["bash", "-c", f"{self._here(step.command).rstrip()} {options}"]
        log = self.root / f"{port}.log"
        with log.open("w") as out:
            child = subprocess.Popen(
                line, cwd=self.root, env=self._environ, stdout=out, stderr=out, start_new_session=True
            )
        try:
            deadline = time.monotonic() + WITHIN_S
            while not _answers(self.ports[port]):
                assert child.poll() is None and time.monotonic() < deadline, log.read_text()
                time.sleep(0.05)
            yield
        finally:
            os.killpg(child.pid, signal.SIGTERM)
            child.wait(WITHIN_S)

    def _here(self, command: str) -> str:
        for usual, port in self.ports.items():
            command = command.replace(str(usual), str(port))
        return command

    @property
    def _environ(self) -> dict[str, str]:
        # What searches by meaning takes longer to load than all the rest.
        return {"PATH": os.environ["PATH"], "HOME": os.environ.get("HOME", ""), "SWITCHBOARD_EMBEDDINGS": "none"}


def _answers(port: int) -> bool:
    connection = HTTPConnection("127.0.0.1", port, timeout=2)
    try:
        connection.request("GET", "/healthz")
        connection.getresponse()
    except (OSError, HTTPException):
        return False
    finally:
        connection.close()
    return True


def _free() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    """The house as it stands, without what was built in it; the packages are those that are installed."""
    skipped = {"__pycache__", "venv", ".pytest_cache", "tool_registry.json", "business_templates.json"}
    for part in PARTS:
        source = setting_up.ROOT / part
        for path in sorted(source.rglob("*")) if source.is_dir() else [source]:
            target = tmp_path / path.relative_to(setting_up.ROOT)
            if path.is_file() and not skipped.intersection(path.parts[len(setting_up.ROOT.parts) :]):
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(path.read_bytes())
                target.chmod(path.stat().st_mode)
    environment = tmp_path / ".venv"
    environment.mkdir()
    for path in setting_up.VENV.resolve().iterdir():
        if path != setting_up.STAMP.resolve():
            (environment / path.name).symlink_to(path)
    # It is whole, and nobody installs anything into it.
    stamp = "import setting_up as s; name = 'tests/requirements.txt'; s._write_stamp({name: s._digest(s.ROOT / name)})"
    subprocess.run([sys.executable, "-c", stamp], cwd=tmp_path / "scripts", check=True)
    return Checkout(tmp_path, {SERVICE: _free(), SERVER: _free()})


@pytest.mark.process
@pytest.mark.requirement("001-86")
def test_a_tool_is_three_files(checkout: Checkout):
    """It is built and called as the document says; nothing else is written or changed by hand."""
    written = files(TOOL)
    assert sorted(Path(name).name for name in written) == ["guide.md", "handler.py", "schema.json"]
    checkout.write(written)
    for step in steps(TOOL):
        checkout.run(step)


@pytest.mark.process
@pytest.mark.requirement("001-94")
def test_an_integration_is_one_folder(checkout: Checkout):
    """Its tool is offered once an owner has connected it, and answers with what the service says."""
    written = files(INTEGRATION)
    own = [Path(name) for name in written if "/tools/" not in name and not name.startswith("tests/")]
    assert {path.parent.as_posix() for path in own} == {"functions/switchboard/integrations/weather"}
    assert sorted(path.name for path in own) == ["integration.py", "toolkit.json"]
    checkout.write(written)
    built, misled, service, server, calls = steps(INTEGRATION)
    checkout.run(built)
    checkout.run(misled)
    options = f"--store memory --port {checkout.ports[SERVER]} --no-admin --no-stand-ins"
    with checkout.beside(service, SERVICE), checkout.beside(server, SERVER, options):
        checkout.run(calls)
