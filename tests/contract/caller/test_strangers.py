"""What strangers are told when something is used up: which share it is, when there is more, and what would work."""

import re
from datetime import UTC, datetime

import pytest

from switchboard.contract.caller.strangers import rules_for, used_up
from switchboard.contract.error import ErrorType
from switchboard.contract.policy import STRANGERS, Thing
from switchboard.contract.window import Window, duration, left_s
from tests.each import each

NOW = datetime(2027, 3, 10, 15, 22, 30, tzinfo=UTC)
TO_VISITORS = (Thing.VISITS, Thing.MESSAGES, Thing.MODEL_TURNS, Thing.VOICE_SESSIONS)
CELLS = [(thing, rule) for thing in Thing for rule in rules_for(thing) if rule.window_s]
pytestmark = pytest.mark.requirement("004-134")


@each("thing, rule", CELLS)
def test_a_refusal_says_truly_which_share_is_used_up_and_what_would_work(thing, rule):
    """Every cell of the table: the limit and its span, that nothing was done, and the time when there is more."""
    refused = used_up(thing, Window(rule, "p", NOW), NOW)
    assert refused.type is ErrorType.RATE_LIMIT
    assert refused.meta == {"reason": rule.scope, "retryAfterS": left_s(NOW, rule)}
    assert f"({rule.limit} in " in refused.message and thing.value in refused.message
    works = refused.message.partition("Nothing was done. ")[2]
    assert works and "{" not in refused.message
    waits = duration(left_s(NOW, rule))
    assert waits in works or "Wait a moment" in works or "business has what was left" in works


@each("thing", list(Thing))
def test_each_reader_is_spoken_to(thing):
    """A visitor is told of their own address, and of nobody who would have to be verified; a model of its caller."""
    for rule in rules_for(thing):
        if not rule.window_s:
            continue
        text = used_up(thing, Window(rule, "p", NOW), NOW).message
        if thing in TO_VISITORS:
            assert "Verify" not in text and "this visitor" not in text
        elif thing is not Thing.SPOKEN_TURNS:
            assert "Verify the caller" in text or "verify the caller" in text


def test_every_row_has_its_words_and_its_cells():
    """No thing without a limit of a visit or an address, or of all together, and each with what would work."""
    assert set(STRANGERS) == set(Thing)
    for thing, share in STRANGERS.items():
        assert share.visit is not None or share.address is not None or thing is Thing.BOOKINGS
        assert share.withheld is None or share.withheld > (share.number or 0)


@each(
    "seconds, words",
    [
        (1, "1 minute"),
        (61, "2 minutes"),
        (3_600, "1 hour"),
        (5_401, "2 hours"),
        (80_000, "23 hours"),
        (86_400, "1 day"),
    ],
)
def test_a_time_to_wait_is_rounded_up(seconds, words):
    """Whoever comes again then has not come too early."""
    assert duration(seconds) == words
    assert re.fullmatch(r"\d+ \w+", words)
