"""`scripts/mutate`: the files that it changes are there, and the tests notice what it does to one of them."""

import runpy
import subprocess

import pytest

import setting_up

MUTATE = setting_up.ROOT / "scripts" / "mutate"


def test_every_file_that_is_usually_changed_is_there():
    """A file that has moved would leave its tests unasked."""
    known = runpy.run_path(str(MUTATE))
    assert [name for name in known["USUAL"] if not (known["PIPELINE"] / f"{name}.py").is_file()] == []


@pytest.mark.process
def test_small_wrong_changes_of_the_table_of_states_are_noticed():
    """By the tests of the ledger alone."""
    command = [MUTATE, "ledger/states", "--tests", "tests/pipeline/ledger/test_states.py", "--least", "80"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "noticed" in done.stdout
