"""Who started whom, as Linux tells it in /proc."""

from collections.abc import Iterator
from pathlib import Path


def stat(pid: int) -> tuple[str, int, int] | None:
    """Return state, parent and start time of a process; None if there is none, or only its corpse."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return None
    return None if fields[0] == "Z" else (fields[0], int(fields[1]), int(fields[19]))


def descendants_of(root: int) -> Iterator[tuple[int, tuple[str, int]]]:
    """Yield state and start time of each process below `root`, by its id."""
    known = {int(folder.name): stat(int(folder.name)) for folder in Path("/proc").glob("[0-9]*")}
    parents = {pid: found[1] for pid, found in known.items() if found}
    for pid, found in known.items():
        above = pid
        while above in parents and above != root:
            above = parents[above]
        if above == root and pid != root and found:
            yield pid, (found[0], found[2])
