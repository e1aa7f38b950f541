"""What a file, a folder, a disk or a port refuses, in one sentence with its remedy; standard library only."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path

_SHUT = {errno.EACCES, errno.EPERM, errno.EROFS}
_ELSEWHERE = {
    errno.ENOENT: "{place} is not there ({reason}): name a place that is, or make its folder first",
    errno.ENOTDIR: "{place} lies below a file ({reason}): name a place in a folder",
    errno.EISDIR: "{place} is a folder ({reason}): name a file in it",
    errno.ENAMETOOLONG: "{place:.80}… is too long a name ({reason}): choose a shorter one",
}
"""What is wrong with a place that somebody has named."""
_CHECKOUT = Path(__file__).resolve().parents[1]
_FULL = {errno.ENOSPC, errno.EDQUOT}


def told(error: OSError) -> str:
    """Return the sentence about an error of the system; empty where it is none that anybody could mend."""
    place = os.fsdecode(error.filename) if isinstance(error.filename, str | bytes) else ""
    reason = os.strerror(error.errno) if error.errno else str(error)
    if error.errno in _ELSEWHERE:
        return _ELSEWHERE[error.errno].format(place=place, reason=reason) if place else ""
    if error.errno in _SHUT and place and not Path(os.path.abspath(place)).is_relative_to(_CHECKOUT):
        return f"{place} is not yours to use ({reason}): name a place that is, or have whoever owns it let you"
    place = place or "the folder of this checkout"
    if error.errno in _SHUT:
        return (
            f"{place} cannot be written ({reason}): copy the checkout to a folder that is yours, or have whoever owns "
            "this one run the command once"
        )
    if error.errno in _FULL:
        return f"no room is left on the disk of {place} ({reason}): free a gigabyte, then run it again, it goes on"
    if error.errno == errno.EADDRINUSE:
        return f"a port that this needs is taken ({reason}): end what listens there, or choose another by its option"
    return ""


def refusal(path: Path) -> str:
    """Return why no file can be written at a place, as `told` says it; empty where one can.

    Tried by opening it, since nothing else tells for sure; of a file that was not there nothing is left.
    """
    try:
        was_there = path.exists()
        if was_there and not stat.S_ISREG(path.stat().st_mode) and not path.is_dir():
            # A pipe or a terminal: to open it could wait for whoever reads, or be taken for the whole by them.
            return ""
        os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o666))
        if not was_there:
            path.unlink()
    except OSError as error:
        return told(error) or f"{path} cannot be written ({error.strerror})"
    return ""
