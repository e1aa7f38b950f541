"""What a folder, a disk or a port refuses, in one sentence with its remedy; standard library only."""

from __future__ import annotations

import errno
import os

_SHUT = {errno.EACCES, errno.EPERM, errno.EROFS}
_FULL = {errno.ENOSPC, errno.EDQUOT}


def told(error: OSError) -> str:
    """Return the sentence about an error of the system; empty where it is none that anybody could mend."""
    place = str(error.filename) if error.filename else "the folder of this checkout"
    reason = os.strerror(error.errno) if error.errno else str(error)
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
