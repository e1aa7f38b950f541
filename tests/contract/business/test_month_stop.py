"""What of a month is used up holds for that month alone, by the business's clock, and for the channels that use it."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from switchboard.contract.business.business import Business, read_business
from switchboard.contract.business.month_stop import MONTHLY_UNITS, read_month_stop
from switchboard.contract.channel import Channel

NEW_YORK = ZoneInfo("America/New_York")
AT = datetime(2027, 11, 9, 12, tzinfo=UTC)


def stopped(*units: str, month: str = "2027-11") -> Business:
    """Return a business in New York that has used these up."""
    note = {"month": month, "since": dict.fromkeys(units, AT)}
    return read_business("salon", {"name": "Salon", "timezone": NEW_YORK.key, "monthStop": note})


@pytest.mark.requirement("004-842")
@pytest.mark.parametrize(
    ("moment", "holds"),
    [
        (datetime(2027, 11, 1, tzinfo=NEW_YORK) - timedelta(seconds=1), False),
        (datetime(2027, 11, 1, tzinfo=NEW_YORK), True),
        (datetime(2027, 12, 1, tzinfo=NEW_YORK) - timedelta(seconds=1), True),
        (datetime(2027, 12, 1, tzinfo=NEW_YORK), False),
        (datetime(2028, 11, 9, tzinfo=NEW_YORK), False),
    ],
)
def test_a_stop_does_not_outlive_its_month_also_where_the_clocks_change(moment: datetime, holds: bool) -> None:
    """November begins there in summer time and ends in winter time; nobody has to count for it to be over."""
    assert bool(stopped("texts").stopped(moment.astimezone(UTC))) is holds


@pytest.mark.requirement("004-844")
@pytest.mark.parametrize(
    ("unit", "channels"),
    [
        ("texts", set(Channel)),
        ("phoneMinutes", {Channel.PORTAL, Channel.BROWSER_VOICE}),
        ("modelTokens", set()),
        ("cost", set()),
    ],
)
def test_a_unit_stops_the_conversations_that_use_it(unit: str, channels: set[Channel]) -> None:
    """Texts stop none."""
    business = stopped(unit)
    assert {channel for channel in Channel if business.begins_conversations(channel, AT)} == channels


@pytest.mark.parametrize(
    "note",
    [None, "2027-11", [], {"month": 11}, {"month": "2027-11"}, {"month": "2027-11", "since": {"texts": "today"}}],
)
def test_what_cannot_be_read_stops_nothing(note: object) -> None:
    """A note that somebody has spoilt by hand does not silence a business; the next pass writes it anew."""
    assert read_month_stop(note).units(AT, NEW_YORK) == frozenset()
    assert read_business("salon", {"name": "Salon", "timezone": "UTC", "monthStop": note}).problems == ()


def test_what_is_noted_is_read_as_it_was_written() -> None:
    """Every unit."""
    note = stopped(*MONTHLY_UNITS).month_stop
    assert read_month_stop(note.to_document()) == note
    assert note.units(AT, NEW_YORK) == set(MONTHLY_UNITS)
