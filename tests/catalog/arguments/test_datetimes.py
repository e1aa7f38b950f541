"""Daylight saving: no local time is silently moved, in any zone."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo, available_timezones

import pytest

from switchboard.catalog.arguments.coercion import read_moment
from tests.each import each

HOUR = timedelta(hours=1)
ZONES = sorted(available_timezones())


def changes(zone: ZoneInfo) -> Iterator[tuple[datetime, timedelta]]:
    """Yield each change of a zone's clocks from 2026 to 2028: the last moment before it, and by how much they jump."""
    moment = datetime(2026, 1, 1, tzinfo=UTC)
    while moment.year < 2029:
        before, after = (m.astimezone(zone).utcoffset() for m in (moment, moment + 24 * HOUR))
        assert before is not None and after is not None
        if before != after:
            low, high = moment, moment + 24 * HOUR
            while high - low > timedelta(minutes=1):
                middle = low + (high - low) // 2
                low, high = (middle, high) if middle.astimezone(zone).utcoffset() == before else (low, middle)
            yield low.replace(second=0, microsecond=0), after - before
        moment += 24 * HOUR


@each("initial", sorted({zone[0] for zone in ZONES}))
def test_no_change_of_any_zone_moves_a_time(initial: str):
    """Every gap is refused with two times that exist, every overlap with two that mean different moments."""
    for name in (zone for zone in ZONES if zone.startswith(initial)):
        zone = ZoneInfo(name)
        for before, jump in changes(zone):
            shown = before.astimezone(zone).replace(tzinfo=None)
            inside = shown + timedelta(minutes=2) if jump > timedelta(0) else shown - timedelta(minutes=2)
            with pytest.raises(ValueError, match="clocks") as caught:
                read_moment(inside.isoformat(), zone)
            words = [word.rstrip(";") for word in str(caught.value).split() if word[:2] == "20"]
            # in UTC, because times of one zone are compared by what its clocks show
            one, two = (read_moment(word, zone).astimezone(UTC) for word in words)
            assert two - one == (abs(jump) if jump < timedelta(0) else jump)


@pytest.mark.parametrize(
    ("zone", "day", "first"),
    [
        ("Africa/Cairo", "2026-04-24", "2026-04-24T01:00:00+03:00"),  # midnight is skipped
        ("America/Havana", "2026-11-01", "2026-11-01T00:00:00-04:00"),  # midnight comes twice
        ("Europe/Berlin", "2026-03-29", "2026-03-29T00:00:00+01:00"),
    ],
)
def test_a_bare_date_is_the_first_moment_of_that_day(zone: str, day: str, first: str):
    """Nobody asked for 00:00: a date is never refused because the clocks skip or repeat midnight."""
    assert read_moment(day, ZoneInfo(zone)).isoformat() == first


def test_a_bare_date_is_no_time_for_what_is_to_happen_then():
    """Nobody who names a day wants to come at midnight; what would do is said."""
    with pytest.raises(ValueError, match="needs a time of day as well, such as 2026-12-17T14:00"):
        read_moment("2026-12-17", ZoneInfo("Europe/Berlin"), with_time=True)
    named = read_moment("2026-12-17T00:00", ZoneInfo("Europe/Berlin"), with_time=True)
    assert named.isoformat() == "2026-12-17T00:00:00+01:00"
    with pytest.raises(ValueError, match="not a real date"):
        read_moment("2026-02-30", ZoneInfo("Europe/Berlin"), with_time=True)


@each(
    "text",
    [
        "2026-W10-1",
        "20260305T140000",
        "2026-03-05T14",
        "2026-03-05T14:00:00+1",
        "2026-03-05T14:00:00 Europe/Berlin",
        "2026-03-05T14:00:60Z",
        "٢٠٢٦-03-05",
        "",
        "9999-12-31T23:59:59-14:00",
    ],
)
def test_only_plain_forms_are_read(text: str):
    """What other readers could understand differently is asked again."""
    with pytest.raises(ValueError, match=r"date and time"):
        read_moment(text, ZoneInfo("Asia/Tokyo"))


@pytest.mark.parametrize(
    ("zone", "text"),
    [
        ("America/Phoenix", "9999-12-31T23:59:59"),
        ("America/Phoenix", "9999-12-31T17:00:00-07:00"),
        ("Asia/Tokyo", "0001-01-01"),
        ("Asia/Tokyo", "0001-01-01T08:59:59"),
    ],
)
def test_a_time_whose_instant_lies_outside_the_calendar_is_refused(zone: str, text: str):
    """Whoever compares it with another zone's time would otherwise fail on it."""
    with pytest.raises(ValueError, match=r"not a real date|too long ago"):
        read_moment(text, ZoneInfo(zone))
