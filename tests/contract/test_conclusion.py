"""What came of a conversation: booked, handed over, answered or left, by what was done in it and how it broke off."""

import pytest

from switchboard.contract.conclusion import OUTCOMES, Conclusion, concluded
from switchboard.conversation.event import TurnOutcome
from tests.each import each

BOOK, MOVE, CANCEL = "book_appointment", "reschedule_appointment", "cancel_appointment"
pytestmark = pytest.mark.requirement("000-350")


def receipt(tool: str, *ids: str) -> tuple[str, dict[str, object]]:
    return tool, {"what": "a cut", "effectIds": list(ids)}


@each(
    ("outcome", "turns", "is_asked", "receipts", "expected"),
    [
        ("answered", 3, False, [], "answered"),
        ("ended", 3, False, [], "answered"),
        ("", 0, False, [], "left"),
        ("ended", 0, False, [], "left"),
        ("interrupted", 2, False, [], "left"),
        ("failed", 2, False, [], "left"),
        # "Shall I book it?", and nothing more.
        ("answered", 2, True, [], "left"),
        ("transferred", 2, False, [], "handed_over"),
        ("answered", 2, False, [receipt("take_message", "m1")], "handed_over"),
        # Put through in vain, it went on.
        ("answered", 3, False, [receipt("transfer_call")], "answered"),
        ("answered", 3, False, [receipt(BOOK, "b1")], "booked"),
        ("interrupted", 3, True, [receipt(BOOK, "b1")], "booked"),
        ("transferred", 3, False, [receipt(BOOK, "b1")], "booked"),
        ("answered", 3, False, [receipt(MOVE, "b1")], "booked"),
        ("answered", 3, False, [receipt(BOOK, "b1"), receipt(CANCEL, "b1")], "answered"),
        ("answered", 3, False, [receipt(CANCEL, "b0"), receipt(BOOK, "b1")], "booked"),
        ("answered", 3, False, [receipt(BOOK, "b1"), receipt(BOOK, "b2"), receipt(CANCEL, "b1")], "booked"),
        ("answered", 3, False, [receipt(CANCEL, "b0")], "answered"),
        # A receipt of an earlier version, or of nobody's making.
        ("answered", 3, False, [(BOOK, {"effectIds": "b1"})], "booked"),
        ("answered", 3, False, [(BOOK, {})], "booked"),
    ],
)
def test_what_was_done_decides_and_then_how_it_broke_off(outcome, turns, is_asked, receipts, expected):
    """An appointment that stands is what an owner wants to see first."""
    assert concluded(outcome, turns=turns, is_asked=is_asked, receipts=receipts) == expected


@each("conclusion", Conclusion)
def test_what_was_concluded_once_is_concluded_again(conclusion):
    """A record that is ended a second time, with nothing said in between, says the same."""
    receipts = [receipt(BOOK, "b1")] if conclusion is Conclusion.BOOKED else []
    assert concluded(conclusion.value, turns=2, is_asked=False, receipts=receipts) is conclusion


def test_whatever_a_record_may_say_can_be_filtered_and_counted():
    """What a turn can end in, and what a conversation can come to."""
    assert set(OUTCOMES) == {outcome.value for outcome in TurnOutcome} | {one.value for one in Conclusion}
