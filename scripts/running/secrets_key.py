"""The key with which a run on this machine keeps secrets encrypted at rest; standard library only.

Where the data ends with the run, so does its key. An emulator that outlives the run holds what was encrypted, so that
key is made once and kept in a file that only its owner can read.
"""

from __future__ import annotations

import base64
import os
import secrets
import tempfile
from collections.abc import Mapping
from pathlib import Path

from command_line import Problem

VARIABLE = "SWITCHBOARD_SECRETS_KEY"
_BYTES = 32
_FILE = "secrets_key"


def secrets_key(environ: Mapping[str, str], is_lasting: bool) -> str:
    """Return the key in base64: the one that the environment names, else one of ours; never to be printed.

    Args:
        environ: What the person has set.
        is_lasting: Whether the data outlives the run, and a later run must be able to read it.

    Raises:
        Problem: The file can be neither read nor written.
    """
    named = environ.get(VARIABLE)
    if named:
        return named
    return _kept(state_folder(environ) / _FILE) if is_lasting else _new()


def state_folder(environ: Mapping[str, str]) -> Path:
    """Return where runs keep what has to outlive them, as the XDG base directories have it."""
    home = environ.get("XDG_STATE_HOME")
    return (Path(home) if home else Path.home() / ".local" / "state") / "switchboard"


def _kept(path: Path) -> str:
    try:
        if not path.exists():
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            _write_once(path)
        return path.read_text().strip()
    except OSError as error:
        raise Problem(
            f"the key for secrets cannot be kept in {path} ({error.strerror}); set {VARIABLE} to 32 random bytes in "
            "base64, or XDG_STATE_HOME to a folder that can be written."
        ) from None


def _write_once(path: Path) -> None:
    """Put a new key there, unless somebody else does so at the same moment; nobody ever reads half of one."""
    descriptor, draft = tempfile.mkstemp(dir=path.parent)
    try:
        with os.fdopen(descriptor, "w") as file:
            file.write(_new())
        os.link(draft, path)
    except FileExistsError:
        pass
    finally:
        os.unlink(draft)


def _new() -> str:
    return base64.b64encode(secrets.token_bytes(_BYTES)).decode()
