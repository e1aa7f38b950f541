"""Events as people's programs write them: what they come to, and what is refused rather than guessed."""

from contextlib import suppress
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from switchboard.contract.business.calendar import CalendarEntry
from switchboard.integrations.caldav import content
from tests.each import each
from tests.integrations.caldav.premises import DAY, ZONE

NEXT_DAY = DAY + timedelta(days=1)


def of(*events: str) -> str:
    """Return an object that holds events."""
    body = "".join(f"BEGIN:VEVENT\nUID:u1\nDTSTAMP:20270101T000000Z\n{event}\nEND:VEVENT\n" for event in events)
    return f"BEGIN:VCALENDAR\nVERSION:2.0\nPRODID:x\n{body}END:VCALENDAR\n".replace("\n", "\r\n")


def clocks(text: str, start: datetime = DAY, end: datetime = NEXT_DAY) -> list[str]:
    """Return when an object's occurrences begin, where the business is."""
    found = content.occurrences(text, "", ZONE, start, end)
    return [f"{it.entry.start.astimezone(ZONE):%d %H:%M}" for it in found]


@each(
    ("events", "expected"),
    [
        (["DTSTART:20270309T150000Z\nRRULE:FREQ=DAILY;COUNT=5"], ["10 10:00"]),
        (["DTSTART:20270301T150000Z\nRRULE:FREQ=SECONDLY;COUNT=3"], []),
        (["DTSTART;VALUE=DATE:20270301\nRRULE:FREQ=WEEKLY;BYDAY=WE"], ["10 00:00"]),
        (
            ["DTSTART:20270310T080000\nRRULE:FREQ=HOURLY;INTERVAL=4;UNTIL=20270310T170000"],
            ["10 08:00", "10 12:00", "10 16:00"],
        ),
        (["DTSTART:20270301T150000Z\nRDATE:20270310T170000Z,20270311T170000Z"], ["10 12:00"]),
        (["DTSTART:20270301T150000Z\nRDATE;VALUE=PERIOD:20270310T170000Z/PT2H"], ["10 12:00"]),
        # An invitation to one occurrence of a series that the account never saw.
        (["RECURRENCE-ID:20270310T150000Z\nDTSTART:20270310T180000Z"], ["10 13:00"]),
        (
            [
                "DTSTART:20270309T150000Z\nRRULE:FREQ=DAILY;COUNT=3\nEXDATE:20270311T150000Z",
                "RECURRENCE-ID:20270309T150000Z\nDTSTART:20270310T200000Z",
                "RECURRENCE-ID:20270310T150000Z\nDTSTART:20270310T150000Z\nSTATUS:CANCELLED",
            ],
            ["10 15:00"],
        ),
    ],
)
def test_repetitions_of_every_kind_are_worked_out(events: list[str], expected: list[str]):
    """With what was added, removed, moved and cancelled."""
    found = content.occurrences(of(*events), "", ZONE, DAY, NEXT_DAY)
    busy = sorted(it.entry.start for it in found if it.entry.is_busy)
    assert [f"{start.astimezone(ZONE):%d %H:%M}" for start in busy] == expected


@each(
    ("event", "why"),
    [
        ("DTSTART:20270310T150000Z\nRRULE:FREQ=SECONDLY", "too often"),
        ("DTSTART:20200310T150000Z\nRRULE:FREQ=MINUTELY;INTERVAL=5", "too often"),
        (
            "DTSTART:19700310T150000Z\nRRULE:FREQ=DAILY;BYHOUR=1,2,3;BYMINUTE=" + ",".join(map(str, range(60))),
            "too often",
        ),
        ("DTSTART:20270310T150000Z\nRRULE:FREQ=SOMETIMES", ""),
        ("DTSTART:20270310T150000Z\nRRULE:COUNT=3", ""),
        ("SUMMARY:without a start", "not one of it"),
        ("DTSTART:tomorrow", "DTSTART"),
        ("DTSTART:20270310T150000Z\nDTEND;VALUE=DATE:20270311", "another kind"),
        ("DTSTART;TZID=Nowhere/Land:20270310T100000", "nobody knows its zone"),
        ("DTSTART;TZID=Nowhere/Land:20270310T100000\nRRULE:FREQ=DAILY", "nobody knows its zone"),
        (
            "DTSTART:20270310T150000Z\nRRULE:FREQ=DAILY\nEXDATE;TZID=Nowhere/Land:20270310T100000",
            "nobody knows its zone",
        ),
        ("DTSTART:20270310T150000Z\nDTEND;TZID=Nowhere/Land:20270310T100000", "nobody knows its zone"),
        ("DTSTART:20270310T150000Z\nDURATION:long", "DURATION"),
    ],
)
def test_what_cannot_be_understood_is_refused(event: str, why: str):
    """Left out, or taken for something else, it would call its time free."""
    with pytest.raises(content.UnreadableEvent) as caught:
        content.occurrences(of(event), "", ZONE, DAY, NEXT_DAY)
    assert why in str(caught.value)


@each("text", ["", "hello", "BEGIN:VCALENDAR\r\n", of().replace("VCALENDAR", "VCARD"), of(), "\x00" * 40])
def test_what_is_no_event_is_refused(text: str):
    """Also an object that holds none."""
    with pytest.raises(content.UnreadableEvent):
        content.find(text, "", ZONE)


@given(st.text(st.characters(codec="utf-8"), max_size=60), st.sampled_from(["SUMMARY", "DTSTART", "RRULE", "DURATION"]))
def test_whatever_stands_in_a_property_it_is_read_or_refused(value: str, name: str):
    """Nothing else comes of it."""
    text = of(f"DTSTART:20270310T150000Z\n{name}:{value}")
    with suppress(content.UnreadableEvent):
        assert all(isinstance(it.entry, CalendarEntry) for it in content.occurrences(text, "", ZONE, DAY, NEXT_DAY))


@settings(max_examples=60)
@given(
    minute=st.integers(0, 3 * 366 * 24 * 60),
    length=st.integers(1, 480),
    words=st.text(st.characters(codec="utf-8", exclude_categories=["Cs", "Cc"]), max_size=90),
)
def test_any_moment_of_three_years_comes_back_as_itself(minute: int, length: int, words: str):
    """The clocks change, words are of any language, and the instant stays what it was."""
    start = datetime(2026, 1, 1, tzinfo=UTC) + timedelta(minutes=minute)
    end = start + timedelta(minutes=length)
    entry = CalendarEntry(id="bk1", start=start.astimezone(ZONE), end=end.astimezone(ZONE), title=words, booking_id="b")
    text = content.to_text(entry, ZONE, start)
    (found,) = content.occurrences(text, "1", ZONE, start, end)
    assert (found.entry.start.astimezone(UTC), found.entry.end.astimezone(UTC)) == (start, end)
    assert (found.entry.title, found.entry.booking_id, found.entry.version) == (words, "b", "1")
    later = content.moved(text, end, end + timedelta(hours=1), end)
    assert content.find(later, "2", ZONE).entry.start == end


def test_a_length_in_hours_is_as_long_in_the_night_in_which_the_clocks_change():
    """And one in days ends at the same time of the day."""
    for length, ends in (("PT8H", "06:00"), ("P1D", "21:00")):
        text = of(f"DTSTART;TZID=America/New_York:20270313T210000\nDURATION:{length}")
        (found,) = content.occurrences(text, "", ZONE, DAY, DAY + timedelta(days=7))
        assert f"{found.entry.end.astimezone(ZONE):%H:%M}" == ends
