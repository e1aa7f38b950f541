"""What a test run brings along beside our own packages: others' come by their lock, whole, and once."""

import json
from pathlib import Path

import pytest

import setting_up
from testing import outside_parts

NPM = """#!/bin/sh
echo "$@" >> {told}
echo half > half
exit {code}
"""

UV = """#!/bin/sh
echo "$1 $2" >> {told}
if [ "$1" = venv ]; then for last; do :; done; /bin/mkdir -p "$last/bin"; fi
"""


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A machine with a checkout, a browser and node, and no apt-get."""
    for name, value in (("ROOT", tmp_path), ("VENV", tmp_path / ".venv")):
        monkeypatch.setattr(setting_up, name, value)
    monkeypatch.setattr(outside_parts, "NODE_FOLDER", tmp_path / ".venv" / "node")
    monkeypatch.setattr(outside_parts, "OLDER_CLIENTS_FOLDER", tmp_path / "older")
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    monkeypatch.setenv("FIRESTORE_EMULATOR_HOST", "127.0.0.1:1")
    for path in (*outside_parts.NODE_LISTS, outside_parts.OLDER_CLIENTS_LIST, ".venv/pyvenv.cfg"):
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(f"{path}")
    for name in ("chromium", "node"):
        program(tmp_path / "bin" / name, "#!/bin/sh\n")
    uv = tmp_path / "uv"
    program(uv, UV.format(told=tmp_path / "uv-told"))
    monkeypatch.setattr(setting_up, "ensure_uv", lambda: uv)
    (tmp_path / "older").mkdir()
    (tmp_path / "older" / outside_parts.STAMP).write_text(outside_parts._older_clients_digest())
    return tmp_path


def program(path: Path, text: str) -> None:
    path.parent.mkdir(exist_ok=True)
    path.write_text(text)
    path.chmod(0o755)


def has_npm(machine: Path, code: int = 0) -> None:
    program(machine / "bin" / "npm", NPM.format(told=machine / "told", code=code))


def told(machine: Path) -> list[str]:
    """The lines that npm was asked with."""
    return (machine / "told").read_text().splitlines()


@pytest.mark.process
def test_npms_packages_are_installed_by_their_lock_once_and_again_when_it_changes(machine: Path) -> None:
    """None of their scripts runs."""
    has_npm(machine)
    assert outside_parts.missing() == [outside_parts.NO_NODE_PACKAGES]
    for _ in range(2):
        outside_parts.bring_missing()
    assert told(machine) == ["ci --ignore-scripts --include=dev --prefer-offline --no-audit --no-fund"]
    assert (outside_parts.find_node(), outside_parts.missing()) == (str(machine / "bin/node"), [])
    locked = [path.name for path in outside_parts.NODE_LISTS]
    assert {path.name for path in outside_parts.NODE_FOLDER.iterdir()} >= {*locked, "half"}
    (machine / outside_parts.NODE_LISTS[1]).write_text("changed")
    assert outside_parts.find_node() is None
    outside_parts.bring_missing()
    assert len(told(machine)) == 2
    assert (outside_parts.NODE_FOLDER / locked[1]).read_text() == "changed"


@pytest.mark.process
def test_an_installation_that_fails_is_not_taken_for_one_and_leaves_nothing_behind(machine: Path) -> None:
    """The tests are run all the same, and told what is missing."""
    has_npm(machine, code=1)
    outside_parts.bring_missing()
    assert outside_parts.missing() == [outside_parts.NO_NODE_PACKAGES]
    assert [path.name for path in setting_up.VENV.iterdir()] == ["pyvenv.cfg"]
    has_npm(machine)
    outside_parts.bring_missing()
    assert outside_parts.missing() == []


def test_whoever_has_no_npm_is_told_what_brings_it(machine: Path) -> None:
    """Without root and apt-get nothing is tried."""
    outside_parts.bring_missing()
    assert outside_parts.missing() == [outside_parts.NO_NODE]


def test_npms_lock_pins_every_package_by_hash_and_names_no_registry() -> None:
    """Everyone installs from the registry they use."""
    packages = json.loads((setting_up.ROOT / outside_parts.NODE_LISTS[1]).read_text())["packages"]
    assert len(packages) > 1
    for name, package in packages.items():
        assert "resolved" not in package, name
        assert not name or package["integrity"].startswith("sha512-"), name


@pytest.mark.process
def test_older_clients_are_installed_by_their_lock_once_and_again_when_it_changes(machine: Path) -> None:
    """In an environment of their own, which is there as a whole or not at all."""
    once = ["venv --quiet", "pip install"]
    (machine / "older" / outside_parts.STAMP).unlink()
    for _ in range(2):
        outside_parts.bring_missing()
    assert (machine / "uv-told").read_text().splitlines() == once
    assert outside_parts.find_older_clients() == machine / "older/bin/python"
    (machine / outside_parts.OLDER_CLIENTS_LIST).write_text("changed")
    assert outside_parts.find_older_clients() is None and outside_parts.NO_OLDER_CLIENTS in outside_parts.missing()
    program(machine / "uv", "#!/bin/sh\nexit 1\n")
    outside_parts.bring_missing()
    assert outside_parts.find_older_clients() is None
    program(machine / "uv", UV.format(told=machine / "uv-told"))
    outside_parts.bring_missing()
    assert outside_parts.find_older_clients() is not None
    assert (machine / "uv-told").read_text().splitlines() == 2 * once
