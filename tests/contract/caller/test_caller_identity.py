"""What a conversation has established about who is calling, as it is kept in the session's document."""

from datetime import UTC, datetime, timedelta

import pytest

from switchboard.contract.caller.caller_identity import (
    LEVELS,
    STANDING_LASTS,
    Standing,
    level_of,
    place_of,
    read_standing,
)
from switchboard.contract.channel import Channel
from switchboard.contract.store import Document
from tests.each import each

NOW = datetime(2027, 3, 10, 15, 0, tzinfo=UTC)
ANNA = Standing("match", "clr_anna", "+15185550161", NOW)
FIELDS = ANNA.to_fields()["verification"]


def session(**data):
    return Document("businesses/b/sessions/s", data, NOW, NOW)


@pytest.mark.parametrize("standing", [ANNA, Standing("code", "clr_tom", None, NOW, "browser")])
def test_a_standing_is_read_back_as_it_was_written(standing):
    """Among whatever else a session's document holds."""
    assert read_standing(session(channel="phone", **standing.to_fields())) == standing


@each(
    "wrong",
    [
        {"level": "none"},
        {"level": "CODE"},
        {"level": ["code"]},
        {"level": None},
        {"callerId": ""},
        {"callerId": 7},
        {"at": "2027-03-10T15:00:00Z"},
        {"at": NOW.replace(tzinfo=None)},
        {"at": None},
    ],
)
def test_what_cannot_be_read_is_no_standing(wrong):
    """A document that somebody has meddled with verifies nobody."""
    assert read_standing(session(verification=FIELDS | wrong)) is None


@pytest.mark.parametrize("document", [None, session(), session(verification="code"), session(verification=None)])
def test_a_session_without_one_has_none(document):
    """Nor has a session that does not exist yet."""
    assert read_standing(document) is None


@pytest.mark.requirement("004-81")
def test_a_standing_holds_where_it_was_established():
    """Whoever opened a link is not who was on the line, nor the other way round; earlier versions did not say where."""
    for channel in Channel:
        standing = Standing("match", "clr_anna", None, NOW, place_of(channel))
        held = [other for other in Channel if standing.holds_on(other)]
        is_line = channel is Channel.PHONE
        assert held == [other for other in Channel if (other is Channel.PHONE) is is_line]
    assert all(ANNA.holds_on(channel) for channel in Channel)


@pytest.mark.parametrize(
    ("age", "is_current"),
    [
        (timedelta(0), True),
        (STANDING_LASTS - timedelta(seconds=1), True),
        (STANDING_LASTS, False),
        (timedelta(days=1), False),
        (timedelta(minutes=-1), True),
        (timedelta(hours=-1), False),
    ],
)
def test_a_standing_holds_for_thirty_minutes(age, is_current):
    """Clocks may differ by minutes; a standing from the future is none."""
    assert ANNA.is_current(NOW + age) is is_current


@pytest.mark.parametrize("had", LEVELS[1:])
@pytest.mark.parametrize("asked", LEVELS)
def test_a_standing_is_enough_for_its_level_and_those_below(had, asked):
    """A business that asks for a code from now on is not content with a match."""
    enough = Standing(had, "clr_anna", None, NOW).is_enough_for(asked)
    assert enough is not (had == "match" and asked == "code")


@pytest.mark.parametrize(
    ("word", "level"),
    [
        (None, "none"),
        ("none", "none"),
        ("match", "match"),
        ("code", "code"),
        ("Match", "code"),
        ("", "code"),
        (1, "code"),
    ],
)
def test_an_unknown_level_asks_for_the_most(word, level):
    """A misspelt level must not leave the door open; a missing one asks for nothing."""
    assert level_of(word) == level
