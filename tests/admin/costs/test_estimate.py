"""What a month took at Firestore is computed from what was measured, and says what the documentation says."""

import re

import pytest

from switchboard.admin.costs.estimate import (
    ACTION,
    BOOKING,
    LOOK_UP,
    PHONE_CALL,
    PHONE_TURN,
    TURN,
    DocumentCounts,
    estimated_documents,
)
from tests.architecture.house import ROOT


def measured(work: str) -> DocumentCounts:
    """Return what one of some work takes, as the table in docs/operations.md says."""
    text = (ROOT / "docs/operations.md").read_text()
    row = re.search(rf"^\| {re.escape(work)} \| (\d+), (\d+), (\d+) \|", text, re.MULTILINE)
    assert row is not None, work
    return DocumentCounts(*map(int, row.groups()))


def less(one: DocumentCounts, *others: DocumentCounts) -> DocumentCounts:
    """Return what is left of one without the others."""
    for other in others:
        one += other.times(-1)
    return one


@pytest.mark.requirement("004-805")
def test_the_figures_are_those_that_were_measured() -> None:
    """`scripts/bench dollars` makes the table: one that has become dearer has its figure here to be mended."""
    search, check = measured("look-ups (`search_knowledge`)"), measured("look-ups (`check_availability`)")
    assert check == LOOK_UP
    assert measured("actions (`take_message`)") == ACTION
    assert measured("bookings (`book_appointment`)") == BOOKING
    assert less(measured("portal turns, with a look-up"), check) == TURN
    # Somebody else asked for the same day a moment before: what is taken then was read for both.
    shared = less(check, DocumentCounts(reads=2))
    assert less(measured("phone calls of three turns"), PHONE_TURN.times(3), search, shared, search) == PHONE_CALL


@pytest.mark.requirement("004-805")
def test_each_thing_that_was_counted_is_in_the_estimate_once() -> None:
    sums = {
        "toolCalls": {"look": 3, "book_appointment": 2, "take_message": 1},
        "kinds": {"retrieval": 3, "action": 3},
        "conversations": {"phone": {"count": 1, "turns": 3}, "portal": {"count": 1, "turns": 1}},
    }
    counting = DocumentCounts(6 + 2, 2, 0)
    expected = LOOK_UP.times(3) + BOOKING.times(2) + ACTION + TURN + PHONE_TURN.times(3) + PHONE_CALL + counting
    assert estimated_documents(sums) == expected
    assert estimated_documents({}) == DocumentCounts()
