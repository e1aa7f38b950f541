"""scripts/test --pythons: whichever other Pythons are here are tested, and those that are not are named."""

import hashlib
import stat
from pathlib import Path
from typing import Any

import pytest

from testing import other_pythons

# It asks each Python that it finds for its version.
pytestmark = pytest.mark.process
PYTHON = """#!/bin/sh
if [ "$1" = "-c" ]; then echo {version}; exit 0; fi
for word in "$@"; do case "$word" in --junitxml=*) report="${{word#--junitxml=}}";; esac; done
echo '<testsuites><testsuite tests="{tests}" failures="{failed}" errors="0" skipped="1"/></testsuites>' > "$report"
exit {code}
"""


def program(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return path


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A machine without any Python but what a test puts there."""
    monkeypatch.setenv("PATH", f"{tmp_path}/bin:/usr/bin:/bin")
    monkeypatch.setenv("PYENV_ROOT", str(tmp_path / "pyenv"))
    monkeypatch.setattr(other_pythons, "ENVIRONMENTS", tmp_path / "pythons")
    return tmp_path


def has_python(machine: Path, version: str, *, tests: int = 9, failed: int = 0) -> None:
    """Put a Python there, with its environment set up."""
    minor = version.rpartition(".")[0]
    text = PYTHON.format(version=version, tests=tests, failed=failed, code=int(failed > 0))
    program(machine / "pyenv" / "versions" / version / "bin" / f"python{minor}", text)
    program(machine / "pythons" / version / "bin" / "python", text)
    digest = hashlib.sha256(other_pythons.LOCK.read_bytes()).hexdigest()
    (machine / "pythons" / version / "installed").write_text(digest)


def test_what_was_found_and_what_passed_stands_in_a_table(machine: Path, capsys: Any):
    """One that is not there fails nothing, and is named."""
    has_python(machine, "3.97.2")
    assert other_pythons.run(("3.97", "3.98")) == 0
    rows = [line.split() for line in capsys.readouterr().out.splitlines()[-4:]]
    assert rows[0] == ["version", "found", "passed"]
    assert rows[1][:6] == ["3.97.2", f"{machine}/pyenv/versions/3.97.2/bin/python3.97", "8", "of", "9", "tests"]
    assert rows[2] == ["3.98", "no", "-"]


def test_a_python_under_which_tests_fail_fails_the_run(machine: Path, capsys: Any):
    """Although another passes."""
    has_python(machine, "3.97.2", failed=2)
    has_python(machine, "3.98.0")
    assert other_pythons.run(("3.97", "3.98")) == 1
    assert "FAILED: 6 of 9 tests (1 skipped)" in capsys.readouterr().out


def test_a_machine_without_another_python_has_tested_nothing(machine: Path):
    """Which is not the same as that all is well."""
    assert other_pythons.run(("3.97",)) == 1


def test_a_program_that_only_says_that_the_version_was_not_chosen_is_passed_over(machine: Path):
    """As pyenv puts on PATH for every version that it has."""
    program(machine / "bin" / "python3.97", "#!/bin/sh\necho 'pyenv: python3.97: command not found' >&2\nexit 127\n")
    assert other_pythons.find("3.97") is None
    has_python(machine, "3.97.2")
    assert other_pythons.find("3.97") == (machine / "pyenv/versions/3.97.2/bin/python3.97", "3.97.2")


def test_a_lock_that_cannot_be_installed_is_told_as_that(machine: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any):
    """And is tried again by the next run."""
    has_python(machine, "3.97.2")
    (machine / "pythons" / "3.97.2" / "installed").write_text("another lock")
    monkeypatch.setattr(other_pythons.setting_up, "ensure_uv", lambda: Path("/bin/false"))
    assert other_pythons.run(("3.97",)) == 1
    assert "tests/requirements.txt cannot be installed" in capsys.readouterr().out
    assert not (machine / "pythons" / "3.97.2").exists()
