"""What set-up installs, and what it does when something cannot be had."""

import errno
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

import disk_trouble
import setting_up


@pytest.fixture
def checkout(tmp_path, monkeypatch):
    """A checkout with an environment in which nothing is installed yet, and installers that only tell their lines."""
    lines, refused = [], []

    def run(line, silent=False):
        told = [str(part) for part in line]
        lines.append(told)
        return int(any(word in told for word in refused))

    for name, path in [("ROOT", "."), ("VENV", "v"), ("PYTHON", "v/python"), ("UV", "v/uv"), ("STAMP", "v/stamp.json")]:
        monkeypatch.setattr(setting_up, name, (tmp_path / path).resolve())
    monkeypatch.setattr(setting_up, "LOCK", tmp_path / "lock")
    monkeypatch.setattr(setting_up, "_run", run)
    monkeypatch.setattr(setting_up, "_prepare", lambda: None)
    for name in ("v/python", "requirements.txt", "functions/requirements.txt", setting_up.ALONE):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(name)
    return tmp_path, lines, refused


def installed(lines):
    return [(line[-1].rsplit("/", 1)[-1], "--no-deps" in line, "--require-hashes" in line) for line in lines]


def test_the_model_is_installed_by_its_hash_and_without_what_it_declares_to_need(checkout):
    """Which would be five gigabytes; and only once."""
    _, lines, _ = checkout
    for _ in range(2):
        setting_up.ensure("requirements.txt")
    assert installed(lines) == [("requirements.txt", False, True), ("requirements-no-deps.txt", True, True)]


def test_deployments_do_without_the_model(checkout):
    """They name a provider, or use the list of concepts."""
    _, lines, _ = checkout
    setting_up.ensure("functions/requirements.txt")
    assert installed(lines) == [("requirements.txt", False, True)]


def test_another_version_of_the_model_is_installed(checkout):
    """Although nothing else has changed."""
    root, lines, _ = checkout
    setting_up.ensure("requirements.txt")
    (root / setting_up.ALONE).write_text("newer")
    setting_up.ensure("requirements.txt")
    assert len(lines) == 4


def test_where_the_model_cannot_be_had_everything_else_is_set_up(checkout, capsys):
    """And what would bring it is told."""
    _, lines, refused = checkout
    refused.append("--no-deps")
    setting_up.ensure("requirements.txt")
    assert "the embedding model cannot be had here" in capsys.readouterr().err
    before = len(lines)
    setting_up.ensure("requirements.txt")
    assert len(lines) == before


def test_where_anything_else_cannot_be_had_set_up_stops(checkout):
    """With the line that shows why."""
    _, _, refused = checkout
    refused.append("--require-hashes")
    with pytest.raises(SystemExit, match=r"installing requirements\.txt failed\. To see it again: "):
        setting_up.ensure("requirements.txt")


@pytest.fixture
def copied():
    """A checkout that others may read, of as much as set-up needs, with nothing installed."""
    root = Path(tempfile.mkdtemp())
    root.chmod(0o755)
    for name in ("scripts/setting_up.py", "scripts/disk_trouble.py", "scripts/command_line.py", "scripts/secrets"):
        (root / name).parent.mkdir(exist_ok=True)
        shutil.copy(setting_up.ROOT / name, root / name)
    (root / "functions").mkdir()
    shutil.copy(setting_up.ROOT / "functions/requirements.txt", root / "functions/requirements.txt")
    yield root
    root.chmod(0o755)
    shutil.rmtree(root)


def run(root, before=(), **options):
    """Run a command of the checkout as somebody who has no environment yet; return its code and what it says."""
    environ = {name: value for name, value in os.environ.items() if not name.startswith(("PIP_", "UV_", "VIRTUAL"))}
    environ |= {"PYTHONDONTWRITEBYTECODE": "1", **options.pop("environ", {})}
    base = getattr(sys, "_base_executable", None) or sys.executable
    done = subprocess.run(
        [*before, base, root / "scripts" / "secrets", "--help"],
        env=environ,
        capture_output=True,
        text=True,
        timeout=300,
        **options,
    )
    return done.returncode, done.stderr


@pytest.mark.process
def test_a_folder_that_cannot_be_written_is_told_in_a_sentence(copied):
    """By whoever else's it is: the remedy is another folder."""
    copied.chmod(0o555)
    # Nothing is shut to root, unless it goes without.
    dropped = ["setpriv", "--bounding-set=-dac_override"] if os.geteuid() == 0 else []
    if dropped and shutil.which(dropped[0]) is None:
        pytest.skip("root without setpriv can write everywhere")
    code, said = run(copied, dropped)
    assert (code, said.count("\n")) == (1, 1), said
    assert said.startswith(f"set-up: {copied}/.venv.lock cannot be written (") and "to a folder that is yours" in said


@pytest.mark.process
def test_where_no_packages_can_be_fetched_one_sentence_says_so(copied):
    """Without what installers say of every single try, and with what would help."""
    nowhere = {"PIP_INDEX_URL": "http://127.0.0.1:9/simple", "PIP_RETRIES": "0", "PIP_CONFIG_FILE": os.devnull}
    code, said = run(copied, environ=nowhere)
    assert code == 1 and "Traceback" not in said and "WARNING" not in said, said
    *_, last = said.splitlines()
    assert last.startswith(
        "set-up: no index of packages can be reached from here: connect this machine, or name a proxy"
    )
    assert "HTTPS_PROXY" in last and "it goes on where it stopped" in last


def test_a_disk_that_is_full_is_told_in_a_sentence(checkout, monkeypatch):
    """Wherever set-up notices it first."""

    def full(*_):
        raise OSError(errno.ENOSPC, "No space left on device", "/somewhere/.venv.lock")

    monkeypatch.setattr(setting_up.os, "open", full)
    with pytest.raises(SystemExit) as caught:
        setting_up.ensure("requirements.txt")
    assert str(caught.value) == (
        "set-up: no room is left on the disk of /somewhere/.venv.lock (No space left on device): free a gigabyte, then "
        "run it again, it goes on."
    )


@pytest.mark.parametrize(
    ("output", "says"),
    [
        ("ERROR: Could not install packages due to an OSError: [Errno 28] No space left on device", "no room is left"),
        ("error: failed to write to file `x`: No space left on device (os error 28)", "no room is left"),
        ("Failed to establish a new connection: [Errno 111] Connection refused", "no index of packages can be reached"),
        ("error: Request failed: dns error: failed to lookup address information", "no index of packages can be"),
        ("OSError: [Errno 30] Read-only file system: '/x/.venv/lib'", "cannot be written"),
        (
            "ERROR: THESE PACKAGES DO NOT MATCH THE HASHES FROM THE REQUIREMENTS FILE.",
            "installing requirements.txt failed",
        ),
    ],
)
def test_what_an_installer_failed_by_is_told_with_what_helps(checkout, monkeypatch, output, says):
    """In one sentence, unless only its own words can tell."""
    _, _, refused = checkout
    refused.append("--require-hashes")
    monkeypatch.setattr(setting_up, "_last_words", [output])
    with pytest.raises(SystemExit, match=says):
        setting_up.ensure("requirements.txt")


@pytest.mark.parametrize("number", [errno.EACCES, errno.EROFS, errno.ENOSPC, errno.EADDRINUSE])
def test_what_the_machine_refuses_any_command_is_a_sentence(number):
    """No command ends in a traceback for it."""
    assert os.strerror(number) in disk_trouble.told(OSError(number, os.strerror(number), "/x"))
    assert disk_trouble.told(OSError(errno.EIO, "x")) == ""
