"""Opening times of a business, as aware local times."""

from datetime import UTC, date, datetime, time
from zoneinfo import ZoneInfo

import pytest

from switchboard.contract.error import ErrorType, ToolError
from switchboard.desk.bookings.hours import Hours, day_of, exists, first_existing, open_stretches
from tests.desk.front_desk import NOW, call, salon

HOURS = Hours()


def spans(day):
    return [(f"{s.start:%d %H:%M}", f"{s.end:%d %H:%M}") for s in day.openings]


@pytest.mark.parametrize(
    ("day", "expected", "is_exception"),
    [
        (date(2027, 3, 16), [("16 09:00", "16 18:00")], False),
        (date(2027, 3, 18), [("18 09:00", "18 12:30"), ("18 13:00", "18 18:00")], False),
        (date(2027, 3, 14), [], False),
        (date(2027, 3, 24), [], True),
        (date(2027, 3, 25), [("25 10:00", "25 12:00")], True),
    ],
    ids=["weekday", "with a break", "closed", "closed as an exception", "other hours as an exception"],
)
@pytest.mark.requirement("000-20", "000-53")
def test_a_day_has_the_hours_of_the_business_document(day, expected, is_exception):
    """The weekly pattern, unless the date is an exception (seed 000, get_working_hours)."""
    found = HOURS.on(call(salon()), day)
    assert (spans(found), found.is_exception) == (expected, is_exception)


def test_the_week_begins_with_the_local_today():
    """Late in the evening it is still the business's own day, whatever UTC says."""
    late = datetime(2027, 3, 11, 3, 30, tzinfo=UTC)
    days = HOURS.week(call(salon(), now=late))
    assert [day.date for day in days] == [date(2027, 3, d) for d in range(10, 17)]


@pytest.mark.parametrize(
    ("now", "is_open"),
    [
        (NOW, True),
        (datetime(2027, 3, 10, 14, 0, tzinfo=UTC), True),
        (datetime(2027, 3, 10, 23, 0, tzinfo=UTC), False),
        (datetime(2027, 3, 11, 17, 45, tzinfo=UTC), False),
    ],
    ids=["in the middle", "at the opening minute", "at the closing minute", "in the break"],
)
def test_open_now_counts_the_opening_minute_and_not_the_closing_one(now, is_open):
    """The end of an opening does not belong to it."""
    assert HOURS.is_open(call(salon(), now=now)) is is_open


def test_openings_that_touch_are_one_stretch_also_across_midnight():
    """A visit may last from one into the other."""
    night = salon(
        workingHours={
            "friday": [{"open": "12:00", "close": "18:00"}, {"open": "18:00", "close": "24:00"}],
            "saturday": [{"open": "00:00", "close": "02:00"}, {"open": "01:00", "close": "03:00"}],
        }
    )
    (stretch,) = open_stretches(night, date(2027, 3, 19), date(2027, 3, 20))
    assert (stretch.start, stretch.end) == (
        datetime(2027, 3, 19, 16, 0, tzinfo=UTC),
        datetime(2027, 3, 20, 7, 0, tzinfo=UTC),
    )


def test_the_end_of_a_day_is_the_next_midnight():
    """24:00 is told as midnight of the following day."""
    always = salon(workingHours={"tuesday": [{"open": "00:00", "close": "24:00"}]})
    assert spans(day_of(always, date(2027, 3, 16))) == [("16 00:00", "17 00:00")]


@pytest.mark.parametrize(
    ("zone", "day", "hours"),
    [
        ("America/New_York", date(2027, 3, 14), 23),
        ("America/New_York", date(2027, 11, 7), 25),
        ("America/Santiago", date(2027, 9, 5), 23),
        ("Australia/Lord_Howe", date(2027, 10, 3), 23.5),
        ("Antarctica/Troll", date(2027, 3, 28), 22),
        ("Asia/Kolkata", date(2027, 3, 28), 24),
    ],
)
def test_a_day_is_as_long_as_it_is(zone, day, hours):
    """A business that never closes is open 22 to 25 hours on the days the clocks change."""
    always = salon(
        timezone=zone, workingHours={n: [{"open": "00:00", "close": "24:00"}] for n in ("saturday", "sunday", "monday")}
    )
    (opening,) = day_of(always, day).openings
    assert (opening.end.astimezone(UTC) - opening.start.astimezone(UTC)).total_seconds() == hours * 3600


@pytest.mark.parametrize(
    ("opens", "closes", "expected"),
    [
        ("01:00", "04:00", [("14 01:00", "14 04:00")]),
        ("02:30", "04:00", [("14 03:00", "14 04:00")]),
        ("01:00", "02:30", [("14 01:00", "14 03:00")]),
        ("02:10", "02:50", []),
    ],
    ids=["around the gap", "opening in it", "closing in it", "within it"],
)
def test_an_opening_in_a_gap_moves_to_the_first_minute_that_exists(opens, closes, expected):
    """At 2:00 the clocks in New York show 3:00; nothing is ever open backwards."""
    early = salon(workingHours={"sunday": [{"open": opens, "close": closes}]})
    assert spans(day_of(early, date(2027, 3, 14))) == expected


def test_a_closing_time_that_comes_twice_means_the_first():
    """Better closed an hour too long than a customer before a locked door."""
    early = salon(workingHours={"sunday": [{"open": "00:30", "close": "01:30"}]})
    (opening,) = day_of(early, date(2027, 11, 7)).openings
    assert opening.end.astimezone(UTC) - opening.start.astimezone(UTC) == datetime(1, 1, 2) - datetime(1, 1, 1, 23)


def test_a_gap_of_a_whole_day_is_survived():
    """Apia had no December 30 in 2011; the first minute after it is the next day's."""
    assert first_existing(ZoneInfo("Pacific/Apia"), date(2011, 12, 30), time(12)) == datetime(
        2011, 12, 30, 10, 0, tzinfo=UTC
    )


@pytest.mark.parametrize(
    ("text", "is_real"), [("2027-03-14T01:59", True), ("2027-03-14T02:00", False), ("2027-03-14T03:00", True)]
)
def test_a_time_the_clocks_skip_does_not_exist(text, is_real):
    """The gap in New York reaches from 2:00 to 3:00."""
    assert exists(datetime.fromisoformat(text).replace(tzinfo=ZoneInfo("America/New_York"))) is is_real


@pytest.mark.parametrize("year", [1, 1970, 9001, 9999])
def test_an_absurd_year_is_refused(year):
    """Zone arithmetic would overflow; the caller meant something else."""
    with pytest.raises(ToolError) as caught:
        HOURS.on(call(salon()), date(year, 1, 1))
    assert caught.value.type is ErrorType.VALIDATION
