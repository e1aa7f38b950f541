"""Ids from outside, as every channel reads them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from switchboard.contract.caller.outside_id import outside_id
from tests.each import each

NOTHING = (
    *("", " ", " \t\r\n", "\x00", "\u00a0", "\u2003\u3000", "\u200b", "\u200d\ufeff", "\u2060", "\u202e", "\u00ad"),
    *("\u2800", "\u3164", "\ufe0f", "\u034f", "\u180e", "\ue000", "\U000e0041", " \u200b \u2028"),
)


@pytest.mark.requirement("004-925")
@each("text", NOTHING)
def test_an_id_of_which_nothing_can_be_seen_names_nothing(text):
    """Blanks, what joins letters or turns their direction, fillers."""
    assert outside_id(text) == ""


@pytest.mark.requirement("004-925")
@each("around", NOTHING)
def test_what_nobody_sees_around_an_id_is_no_part_of_it(around):
    """What stands within is."""
    assert outside_id(f"{around}s 1{around}") == "s 1"
    assert outside_id(f"{around}ä\u200b1{around}") == "ä\u200b1"


@pytest.mark.requirement("004-925")
@given(st.text())
def test_an_id_that_was_read_is_read_as_itself(text):
    """So that it may be read at each door that it goes through."""
    assert outside_id(outside_id(text)) == outside_id(text)
