"""Licences, pins and known vulnerabilities of the packages that others have made."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from importlib import metadata
from pathlib import Path

import setting_up
from command_line import CommandLine, Problem

SHIPPED = (Path("functions/requirements.txt"), Path("requirements.txt"), Path(setting_up.ALONE))
"""What a deployment installs, what the admin pages need beside it, and the embedding model."""
LISTS = (
    *SHIPPED,
    Path("tests/requirements.txt"),
    Path("tests/channels/mcp/older_clients/requirements.txt"),
    Path("scripts/claims/requirements.txt"),
)
"""Every lock file: tools run on developers' machines, and so are audited, but nobody ships them."""
TO_LOOK_AT, NOT_ALL_AUDITED = 1, 3
USAGE = """Licences: what is shipped (the functions, the admin pages, the embedding model). Pins and vulnerabilities:
every lock file, also of the tests' tools. Vulnerabilities are asked of PyPI.

The exit code is 0 when nothing was found, 1 when something has to be looked at, and 3 when nothing was found but not
every package could be audited; which and why is told."""
_PIN = re.compile(r"^([A-Za-z0-9][\w.-]*)(?:\[[^]]*\])?==([^\s;\\]+)([^\\]*)", re.MULTILINE)
# Those that ask nothing of whoever runs a changed copy as a service. MPL asks for changes to its own files only.
ALLOWED = re.compile(
    r"\b(?:MIT|BSD|Apache|ISC|PSF|Python Software Foundation|MPL|Mozilla|Unlicense|Zlib|CC0|0BSD)\b", re.I
)
REFUSED = re.compile(r"\b(?:AGPL|GPL|SSPL|BUSL)\b|Affero|General Public", re.I)
_WORDS = 60
_NAMED = 5


@dataclass(frozen=True, slots=True)
class Package:
    """A pinned package and what it says of its licence; empty where it says nothing or is not installed here."""

    name: str
    version: str
    licence: str

    @property
    def is_allowed(self) -> bool:
        """Whether it may be shipped; of licences that it is offered under by choice (`A OR B`) one will do."""
        offers = self.licence.split(" OR ")
        return any(ALLOWED.search(offer) and not REFUSED.search(offer) for offer in offers)


@dataclass(slots=True)
class Audit:
    """What is known of vulnerabilities.

    Attributes:
        found: A sentence per vulnerability.
        audited: How many packages were looked up.
        skipped: Those that could not be, by why.
    """

    found: list[str] = field(default_factory=list)
    audited: int = 0
    skipped: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))

    def __str__(self) -> str:
        """Return how many were audited, and why the others were not."""
        count = sum(map(len, self.skipped.values()))
        text = f"audited {self.audited} of {self.audited + count} packages"
        because = (f"{len(names)}: {why} ({_some(names)})" for why, names in self.skipped.items())
        return f"{text}, because {'; '.join(because)}" if count else text


def main(arguments: Sequence[str], ask: Callable[[], str] | None = None) -> int:
    """Do what the command line says.

    Returns 0, 1 when something has to be looked at, 3 when nothing was found but not every package could be audited.
    """
    line = CommandLine("scripts/check_supply", "Look at licences, pins and known vulnerabilities.", USAGE)
    line.add_argument("--list", action="store_true", help="print every package that is shipped, with its licence")
    line.add_argument("--offline", action="store_true", help="ask nobody for vulnerabilities")
    options = line.parse_args(arguments)
    packages_shipped = sorted({package for path in SHIPPED for package in packages(_text(path))}, key=lambda p: p.name)
    if options.list:
        width = max(len(f"{p.name} {p.version}") for p in packages_shipped)
        for package in packages_shipped:
            print(f"{package.name} {package.version}".ljust(width), "", package.licence or "(not told)")
    problems = [f"{path}: {name} is pinned without a hash" for path in LISTS for name in unhashed(_text(path))]
    problems += [
        f"{p.name} {p.version}: {p.licence or 'tells no licence'}" for p in packages_shipped if not p.is_allowed
    ]
    _print(problems)
    print(f"{len(packages_shipped)} packages are shipped, {len(problems)} to look at", flush=True)
    if options.offline:
        return TO_LOOK_AT if problems else 0
    try:
        audit = read_audit((ask or ask_pip_audit)())
    except Problem as problem:
        _print([f"scripts/check_supply: {problem}"])
        return TO_LOOK_AT if problems else NOT_ALL_AUDITED
    _print(audit.found)
    print(audit)
    if problems or audit.found:
        return TO_LOOK_AT
    return NOT_ALL_AUDITED if audit.skipped else 0


def ask_pip_audit() -> str:
    """Return what pip-audit says of every lock file, as its JSON."""
    lists = [word for path in LISTS for word in ("-r", str(path))]
    options = ("--disable-pip", "--require-hashes", "--format", "json", "--progress-spinner", "off")
    done = subprocess.run(
        [sys.executable, "-m", "pip_audit", *options, *lists], cwd=setting_up.ROOT, capture_output=True, text=True
    )
    if not done.stdout.strip():
        lines = done.stderr.strip().splitlines() or [f"it ended with {done.returncode}"]
        raise Problem(f"audited nothing, because pip-audit failed: {lines[-1]}")
    return done.stdout


def read_audit(text: str) -> Audit:
    """Return what pip-audit's JSON says.

    Raises:
        Problem: It is not what pip-audit writes.
    """
    audit = Audit()
    try:
        # A package that stands in several lists is told of once.
        for row in {row["name"]: row for row in json.loads(text)["dependencies"]}.values():
            if "skip_reason" in row:
                audit.skipped[row["skip_reason"].partition(":")[0]].append(row["name"])
                continue
            audit.audited += 1
            for known in row["vulns"]:
                fixed = ", ".join(known["fix_versions"]) or "no version yet"
                audit.found.append(f"{row['name']} {row['version']}: {known['id']}, fixed in {fixed}")
    except (ValueError, KeyError, TypeError, AttributeError):
        raise Problem("audited nothing, because pip-audit's answer cannot be read") from None
    return audit


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
        package = metadata.metadata(name)
    except metadata.PackageNotFoundError:
        return ""
    classified = [c.rpartition(" :: ")[2] for c in package.get_all("Classifier") or () if c.startswith("License ::")]
    words = (
        package.get("License-Expression") or "; ".join(classified) or (package.get("License") or "").partition("\n")[0]
    )
    return words[:_WORDS]


def _some(names: Sequence[str]) -> str:
    return ", ".join([*names[:_NAMED], *(["..."] if len(names) > _NAMED else [])])


def _text(path: Path) -> str:
    return (setting_up.ROOT / path).read_text()


def _print(sentences: Sequence[str]) -> None:
    for sentence in sentences:
        print(sentence, file=sys.stderr, flush=True)
