"""Whether a list of packages is pinned: every one that `<name>.in` asks for stands in `<name>.txt`, with hashes.

Run by scripts/deploy as a command of its own; needs neither network nor anything installed.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
_EXACT = re.compile(r"==\s*([^\s;,\\]+)")


def problems(asked: Path) -> list[str]:
    """Return a sentence for everything that is asked for and not pinned, or pinned and not protected."""
    pinned = asked.with_suffix(".txt")
    if not pinned.exists():
        return [f"{pinned.name} is missing"]
    locked = dict(_locked(pinned.read_text()))
    chosen = [f"{name} has no hash in {pinned.name}" for name, (_, hashes) in locked.items() if not hashes]
    for name, version in _asked(asked.read_text()):
        if name not in locked:
            chosen.append(f"{name} is asked for and not pinned in {pinned.name}")
        elif version and locked[name][0] != version:
            chosen.append(f"{name} {version} is asked for and {locked[name][0]} is pinned in {pinned.name}")
    return chosen


def _asked(text: str) -> Iterator[tuple[str, str]]:
    for line in text.splitlines():
        words = line.partition("#")[0].strip()
        name = _NAME.match(words)
        if name:
            exact = _EXACT.search(words)
            yield _plain(name[0]), exact[1] if exact else ""


def _locked(text: str) -> Iterator[tuple[str, tuple[str, int]]]:
    for entry in text.replace("\\\n", " ").splitlines():
        name, exact = _NAME.match(entry), _EXACT.search(entry)
        if name and exact:
            yield _plain(name[0]), (exact[1], entry.count("--hash=sha256:"))


def _plain(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def main(paths: list[str]) -> int:
    """Print what is wrong; 1 when anything is."""
    found = [problem for path in paths for problem in problems(Path(path))]
    for problem in found:
        print(problem, file=sys.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
