"""`scripts/test` runs all tests in groups, and ends with a table of what came of them."""

import os
import subprocess
import sys

import pytest

import setting_up
from testing import suite

REPORT = """<?xml version="1.0" encoding="utf-8"?>
<testsuites><testsuite name="pytest" errors="0" failures="2" skipped="1" tests="6" time="9.0">
<testcase classname="tests.desk.test_phone" name="test_a" time="0.250" />
<testcase classname="tests.desk.test_phone.TestHeard" name="test_b[x.y]" time="2.000"><failure /></testcase>
<testcase classname="tests.channels.phone.test_voice" name="test_c" time="0.100"><skipped /></testcase>
<testcase classname="tests.test_each" name="test_d" time="0.100" />
<testcase classname="" name="tests.admin.test_access" time="0.000"><error /></testcase>
</testsuite></testsuites>
"""


@pytest.fixture
def group(monkeypatch, tmp_path):
    """A group that was run."""
    monkeypatch.setattr(suite, "REPORTS", tmp_path)
    found = suite.Group("some tests", "emulator", is_parallel=True)
    found.report.write_text(REPORT)
    return found


def test_the_table_tells_tests_seconds_and_the_slowest_of_each_folder(group, capsys):
    """And below it, by the name that pytest takes, whatever failed, also a file that could not be read."""
    suite.print_table(suite.read_report(group.report))
    assert capsys.readouterr().out.splitlines()[1:] == [
        "folder     tests  seconds  slowest test",
        "admin          1      0.0  0.0 s test_access.py::tests.admin.test_access",
        "channels       1      0.1  0.1 s phone/test_voice.py::test_c",
        "desk           2      2.2  2.0 s test_phone.py::TestHeard::test_b[x.y]",
        "tests          1      0.1  0.1 s test_each.py::test_d",
        "FAILED tests/admin/test_access.py::tests.admin.test_access",
        "FAILED tests/desk/test_phone.py::TestHeard::test_b[x.y]",
        "",
    ]


def test_the_last_line_counts_the_tests_of_all_groups(group):
    """A group that left no report adds nothing, and has failed by its exit code."""
    missing = suite.Group("gone", "heavy", is_parallel=False)
    assert suite.closing_line([[group, missing], [group]]) == "4 passed, 4 failed, 2 skipped"


def test_every_test_is_in_exactly_one_group():
    """What a group leaves to the other is what the other takes."""
    for marks in [(), ("browser",), ("heavy",), ("browser", "emulator"), ("heavy", "process"), ("emulator",)]:
        holding = [group.name for stage in suite.EVERYTHING for group in stage if _is_chosen(group, marks)]
        assert len(holding) == 1, marks
        assert not _is_chosen(suite.FAST[0][0], marks) or not marks


def _is_chosen(group, marks):
    known = {mark: mark in marks for mark in ("browser", "heavy", "emulator", "process")}
    return eval(group.marks, {"__builtins__": {}}, known)


def test_bytecode_is_kept_beside_the_environment_where_it_is_unwanted_in_the_tree(monkeypatch):
    """Else where Python itself keeps it."""
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")
    monkeypatch.delenv("PYTHONPYCACHEPREFIX", raising=False)
    suite.may_keep_bytecode()
    assert "PYTHONDONTWRITEBYTECODE" not in os.environ
    assert os.environ["PYTHONPYCACHEPREFIX"] == str(setting_up.VENV / "bytecode")
    monkeypatch.delenv("PYTHONPYCACHEPREFIX")
    suite.may_keep_bytecode()
    assert "PYTHONPYCACHEPREFIX" not in os.environ


@pytest.mark.process
def test_a_test_that_starts_a_process_without_saying_so_fails(tmp_path):
    """Or else the fast part of the suite would grow slow."""
    (tmp_path / "test_planted.py").write_text(
        "import pytest, subprocess, sys\n"
        "def test_silent():\n    subprocess.run([sys.executable, '--version'])\n"
        "@pytest.mark.process\ndef test_told():\n    subprocess.run([sys.executable, '--version'])\n"
        "def test_neither():\n    pass\n"
    )
    options = ("-q", "-p", "no:cacheprovider", "-p", "tests.own_processes", "-W", "ignore", f"--rootdir={tmp_path}")
    command = [sys.executable, "-m", "pytest", *options, "test_planted.py"]
    environment = {**os.environ, "PYTHONPATH": str(setting_up.ROOT)}
    out = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, env=environment).stdout
    assert "mark it with pytest.mark.process" in out
    assert "1 failed, 2 passed" in out
