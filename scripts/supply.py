"""Licences, pins and known vulnerabilities of the packages that a deployment installs."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

import setting_up
from command_line import CommandLine

LIST = Path("functions/requirements.txt")
_PIN = re.compile(r"^([A-Za-z0-9][\w.-]*)(?:\[[^]]*\])?==([^\s;\\]+)([^\\]*)", re.MULTILINE)
# Those that ask nothing of whoever runs a changed copy as a service. MPL asks for changes to its own files only.
ALLOWED = re.compile(
    r"\b(?:MIT|BSD|Apache|ISC|PSF|Python Software Foundation|MPL|Mozilla|Unlicense|Zlib|CC0|0BSD)\b", re.I
)
REFUSED = re.compile(r"\b(?:AGPL|GPL|SSPL|BUSL)\b|Affero|General Public", re.I)
_WORDS = 60


@dataclass(frozen=True, slots=True)
class Package:
    """A pinned package and what it says of its licence; empty where it says nothing or is not installed here."""

    name: str
    version: str
    licence: str

    @property
    def is_allowed(self) -> bool:
        """Whether it may be shipped."""
        return bool(ALLOWED.search(self.licence)) and not REFUSED.search(self.licence)


def main(arguments: Sequence[str]) -> int:
    """Do what the command line says; 1 when something has to be looked at."""
    line = CommandLine("scripts/check_supply", "Look at licences, pins and known vulnerabilities.")
    line.add_argument("--list", action="store_true", help="print every package with its licence")
    line.add_argument("--offline", action="store_true", help="ask nobody for vulnerabilities")
    options = line.parse_args(arguments)
    text = (setting_up.ROOT / LIST).read_text()
    found = list(packages(text))
    if options.list:
        width = max(len(f"{p.name} {p.version}") for p in found)
        for package in found:
            print(f"{package.name} {package.version}".ljust(width), "", package.licence or "(not told)")
    problems = [f"{name} is pinned without a hash" for name in unhashed(text)]
    problems += [f"{p.name} {p.version}: {p.licence or 'tells no licence'}" for p in found if not p.is_allowed]
    for problem in problems:
        print(problem, file=sys.stderr)
    print(f"{len(found)} packages, {len(problems)} to look at")
    return max(bool(problems), 0 if options.offline else _audited())


def packages(text: str) -> Iterator[Package]:
    """Yield what a list of requirements pins, without what this platform does not install."""
    for name, version, marker in _PIN.findall(text):
        if is_needed(marker):
            yield Package(name, version, _licence(name))


def is_needed(marker: str) -> bool:
    """Tell whether a pin's marker holds here."""
    from packaging.markers import Marker

    condition = marker.partition(";")[2].strip()
    return not condition or Marker(condition).evaluate()


def unhashed(text: str) -> list[str]:
    """Return the pins that have no hash."""
    joined = text.replace("\\\n", " ")
    pinned = [line for line in joined.splitlines() if _PIN.match(line)]
    return [line.split("==")[0] for line in pinned if "--hash=sha256:" not in line]


def _licence(name: str) -> str:
    try:
        told = metadata.metadata(name)
    except metadata.PackageNotFoundError:
        return ""
    classified = [c.rpartition(" :: ")[2] for c in told.get_all("Classifier") or () if c.startswith("License ::")]
    words = told.get("License-Expression") or "; ".join(classified) or (told.get("License") or "").partition("\n")[0]
    return words[:_WORDS]


def _audited() -> int:
    command = [sys.executable, "-m", "pip_audit", "--disable-pip", "--require-hashes", "-r", str(LIST)]
    print("== pip-audit", flush=True)
    return subprocess.run([*command, "--strict"], cwd=setting_up.ROOT).returncode
