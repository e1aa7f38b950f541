"""`each` goes through every case of a table within one test, and a case that fails is told by its values."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.each import MOST_TOLD, each

ROOT = Path(__file__).parents[1]
PLANTED = """
import asyncio
import pytest
from tests.each import each

tried = []

@pytest.fixture
def made():
    tried.append("made")

@each("text, number", [("a", 1), ("b", 2), ("c", 3)])
@each("sign", "+-")
def test_a_product(text, number, sign, made):
    tried.append((text, number, sign))
    assert (text, sign) != ("b", "-"), "planted"

def test_every_case_was_tried_on_one_fixture():
    assert len(tried) == 7 and tried.count("made") == 1

@each("seconds", [0, 1], ids=["at once", "later"])
async def test_what_is_awaited(seconds):
    await asyncio.sleep(0)
    if seconds:
        pytest.fail("planted too")

class TestOfAClass:
    @each("number", range(50), ids=lambda number: f"no. {number}")
    def test_all_wrong(self, number):
        raise KeyError(number)
"""


@pytest.mark.process
def test_every_case_is_tried_and_those_that_fail_are_named(tmp_path):
    """Tables stack to their product; fixtures are made once; very many failures are cut short and counted."""
    (tmp_path / "test_planted.py").write_text(PLANTED)
    options = ("-p", "no:cacheprovider", "-q", "-o", "asyncio_mode=auto", "-W", "ignore")
    command = [sys.executable, "-m", "pytest", *options, f"--rootdir={tmp_path}", "test_planted.py"]
    done = subprocess.run(
        command, cwd=tmp_path, capture_output=True, text=True, env={**os.environ, "PYTHONPATH": str(ROOT)}
    )
    out = done.stdout
    assert " test_a_product [text='b', number=2, sign='-'] " in out
    assert "in the case text='b', number=2, sign='-'" in out
    assert " test_what_is_awaited [later] " in out
    assert f"{MOST_TOLD} cases failed; the {50 - MOST_TOLD} after them were not tried" in out
    assert out.count(" TestOfAClass.test_all_wrong [no. ") == MOST_TOLD
    assert out.count("SUBFAILED") == MOST_TOLD + 2
    assert "FAILED test_planted.py::test_every_case" not in out


def test_a_table_that_tests_nothing_is_refused():
    """Nor is one whose cases do not fit."""
    with pytest.raises(ValueError, match="there is no case for number"):
        each("number", [])
    with pytest.raises(ValueError, match=r"case 1 has 1 values for a, b: \(2,\)"):
        each("a, b", [(1, 2), (2,)])
    with pytest.raises(ValueError, match="case 0 is a "):
        each("number", [pytest.param(1, id="one")])
