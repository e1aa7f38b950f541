"""The port `Calendar`, kept by Google: every request goes over the wire to the stand-in, which checks it."""

import asyncio
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from switchboard.contract.business.calendar import CalendarEntry, EntryChanged, IdTaken, NoSuchEntry
from switchboard.contract.error import ErrorType, ToolError
from switchboard.integrations.google_calendar import calendar as calendar_module
from tests.integrations.google_calendar.premises import DAY, EVENTS_SCOPE, NEW_YORK, Premises, at, visit

OWNER = "owner@example.com"


async def test_an_entry_comes_back_as_it_was_entered(premises: Premises):
    """Times in the business's zone, title, words, place, attendees, and the booking that it belongs to."""
    calendar = await premises.calendar()
    entry = visit(description="+15185550171", location="Chair 2", attendees=("ana@example.com",))
    kept = await calendar.insert(entry)
    assert replace(kept, version="", link="") == entry
    assert kept.version and kept.link.startswith("https://")
    assert await calendar.find(entry.id) == kept


async def test_google_is_told_the_zone_and_whose_booking_it_is(premises: Premises):
    """A person who opens the event sees local time; our own mark is private to this calendar."""
    await (await premises.calendar()).insert(visit())
    event = premises.google.book("primary").find("bk00001")
    assert event["start"] == {"dateTime": "2027-03-10T10:00:00-05:00", "timeZone": "America/New_York"}
    assert event["extendedProperties"] == {"private": {"bookingId": "bk_1"}}


async def test_nobody_is_mailed_about_what_we_do(premises: Premises):
    """Every change says so itself, whatever Google's default is."""
    calendar = await premises.calendar()
    kept = await calendar.insert(visit(attendees=("ana@example.com",)))
    await calendar.move(kept.id, kept.start, kept.end, kept.version)
    await calendar.delete(kept.id)
    writes = premises.asked("events.insert", "events.patch", "events.delete")
    assert len(writes) == 3
    assert all("sendUpdates=none" in line["query"] for line in writes)


async def test_an_id_that_is_or_was_in_use_is_said_to_be_taken(premises: Premises):
    """Also one whose entry was deleted: Google never forgets an id."""
    calendar = await premises.calendar()
    await calendar.insert(visit())
    with pytest.raises(IdTaken):
        await calendar.insert(visit(hour=12))
    await calendar.delete("bk00001")
    with pytest.raises(IdTaken):
        await calendar.insert(visit())
    found = await calendar.find("bk00001")
    assert found is not None and found.is_cancelled and not found.is_busy


@pytest.mark.requirement("004-480")
@pytest.mark.parametrize("is_removed", [True, False])
async def test_an_entry_that_is_kept_under_another_id_is_taken_back(
    premises: Premises, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, is_removed: bool
):
    """Nobody would find it again: whoever wanted it is told no, and what cannot be taken back stands in the log."""
    calendar, book = await premises.calendar(), premises.google.book("primary")
    insert = book.insert
    monkeypatch.setattr(book, "insert", lambda body: insert({**body, "id": "another1"}))
    if not is_removed:
        premises.fail("events.delete", "403-forbidden", None)
    with pytest.raises(ToolError) as refused:
        await calendar.insert(visit())
    assert refused.value.type is ErrorType.PERMANENT
    assert not refused.value.partial_side_effects
    (event,) = book.events.values()
    assert (event["status"] == "cancelled") is is_removed
    assert ("calendar entry left behind" in caplog.text) is not is_removed


async def test_what_never_was_is_not_found(premises: Premises):
    """None, and no failure."""
    assert await (await premises.calendar()).find("never") is None


async def test_an_entry_is_moved_only_from_the_version_that_was_seen(premises: Premises):
    """Somebody's change in between is not overwritten."""
    calendar = await premises.calendar()
    first = await calendar.insert(visit())
    later = first.start + timedelta(hours=3)
    moved = await calendar.move(first.id, later, later + timedelta(hours=1), first.version)
    assert (moved.start, moved.title, moved.booking_id) == (later, first.title, "bk_1")
    with pytest.raises(EntryChanged):
        await calendar.move(first.id, first.start, first.end, first.version)
    assert await calendar.find(first.id) == moved


@pytest.mark.requirement("003-423")
async def test_an_entry_is_reworded_only_from_the_version_that_was_seen(premises: Premises):
    """Its times and our mark stay; somebody's change in between is not overwritten."""
    calendar = await premises.calendar()
    first = await calendar.insert(visit())
    again = await calendar.reword(first.id, "Haircut: Danny", "Phone: +15185550199", first.version)
    assert (again.start, again.title, again.description) == (first.start, "Haircut: Danny", "Phone: +15185550199")
    assert again.booking_id == "bk_1"
    with pytest.raises(EntryChanged):
        await calendar.reword(first.id, "Haircut: Ana", "", first.version)
    assert await calendar.find(first.id) == again


async def test_an_entry_without_a_known_version_is_not_moved(premises: Premises):
    """Without a condition the change would be made whatever happened meanwhile."""
    calendar = await premises.calendar()
    with pytest.raises(EntryChanged):
        await calendar.move("bk00001", DAY, DAY + timedelta(hours=1), "")
    assert premises.asked() == []


async def test_an_entry_that_was_made_to_last_all_day_can_be_moved_to_a_time(premises: Premises):
    """The date is cleared along with it; Google allows only one of the two."""
    calendar = await premises.calendar()
    await calendar.insert(visit())
    book = premises.google.book("primary")
    days = {"start": {"date": "2027-03-10", "dateTime": None, "timeZone": None}}
    days["end"] = days["start"] | {"date": "2027-03-11"}
    book.change("bk00001", days, None, whole=False)
    found = await calendar.find("bk00001")
    assert found is not None and found.is_all_day
    moved = await calendar.move(found.id, DAY.replace(hour=9), DAY.replace(hour=10), found.version)
    assert (moved.is_all_day, moved.start) == (False, DAY.replace(hour=9))


async def test_moving_what_was_removed_says_so(premises: Premises):
    """Gone without a trace, or kept as cancelled at the version that was seen."""
    calendar = await premises.calendar()
    with pytest.raises(NoSuchEntry):
        await calendar.move("bk00001", DAY, DAY + timedelta(hours=1), '"1"')
    kept = await calendar.insert(visit())
    await calendar.delete(kept.id)
    gone = await calendar.find(kept.id)
    assert gone is not None
    with pytest.raises(NoSuchEntry):
        await calendar.move(kept.id, kept.start, kept.end, gone.version)


async def test_removing_twice_or_what_never_was_is_fine(premises: Premises):
    """It counts as removed."""
    calendar = await premises.calendar()
    await calendar.insert(visit())
    for id in ("bk00001", "bk00001", "never"):
        await calendar.delete(id)
    assert [line["status"] for line in premises.asked("events.delete")] == [204, 410, 404]


@pytest.mark.parametrize("scopes", [None, [EVENTS_SCOPE]], ids=["free/busy", "events only"])
@pytest.mark.requirement("001-54")
async def test_only_what_keeps_others_out_is_busy(premises: Premises, scopes: list[str] | None):
    """Cancelled, declined, transparent events, birthdays and working places take no time; an absence does."""
    calendar = await premises.calendar(**({"scopes": scopes} if scopes else {}))
    deleted = premises.enter(start=at(8), end=at(9))
    premises.google.book("primary").delete(deleted["id"], None)
    declined = [{"email": OWNER, "responseStatus": "declined"}]
    premises.enter(start=at(9), end=at(10), attendees=declined)
    premises.enter(start=at(10), end=at(11), transparency="transparent")
    premises.enter(start=at(11), end=at(12), eventType="birthday")
    premises.enter(start=at(12), end=at(13), eventType="workingLocation")
    premises.enter(start=at(14), end=at(15), eventType="outOfOffice")
    premises.enter(start=at(16), end=at(17), attendees=[{"email": "guest@example.com", "responseStatus": "declined"}])
    busy = await calendar.busy(DAY, DAY + timedelta(days=1))
    assert [(b.start.astimezone(NEW_YORK).hour, b.end.astimezone(NEW_YORK).hour) for b in busy] == [(14, 15), (16, 17)]


@pytest.mark.parametrize("scopes", [None, [EVENTS_SCOPE]], ids=["free/busy", "events only"])
async def test_a_day_off_is_busy_from_midnight_to_midnight_where_the_calendar_is(
    premises: Premises, scopes: list[str] | None
):
    """Not in UTC, and not where the business says it is, if that is elsewhere."""
    premises.google.book("primary").zone = (tokyo := ZoneInfo("Asia/Tokyo"))
    calendar = await premises.calendar(**({"scopes": scopes} if scopes else {}))
    premises.enter(start={"date": "2027-03-10"}, end={"date": "2027-03-11"})
    (block,) = await calendar.busy(DAY - timedelta(days=2), DAY + timedelta(days=2))
    assert block.start == datetime(2027, 3, 10, tzinfo=tokyo)
    assert block.end == datetime(2027, 3, 11, tzinfo=tokyo)


@pytest.mark.parametrize(("scopes", "method"), [(None, "freebusy.query"), ([EVENTS_SCOPE], "events.list")])
async def test_free_busy_is_asked_only_where_the_permission_opens_it(premises: Premises, scopes, method):
    """`calendar.events` alone does not: Google would refuse it, so the events themselves are read."""
    calendar = await premises.calendar(**({"scopes": scopes} if scopes else {}))
    premises.enter()
    assert len(await calendar.busy(DAY, DAY + timedelta(days=1))) == 1
    assert [(line["method"], line["status"]) for line in premises.asked()] == [("token", 200), (method, 200)]


async def test_a_calendar_that_cannot_be_read_is_never_called_free(premises: Premises):
    """Google says so inside a success."""
    calendar = replace(await premises.calendar(), calendar_id="nobody@example.com")
    with pytest.raises(ToolError) as caught:
        await calendar.busy(DAY, DAY + timedelta(days=1))
    assert caught.value.type is ErrorType.PERMANENT
    assert premises.asked("freebusy.query")[0]["status"] == 200


async def test_a_year_is_asked_in_parts(premises: Premises):
    """Google refuses free/busy over more than some three months."""
    calendar = await premises.calendar()
    for month in (4, 8, 12):
        day = DAY.replace(month=month)
        premises.enter(start=at(10, day=day), end=at(11, day=day))
    busy = await calendar.busy(DAY, DAY + timedelta(days=365))
    assert [b.start.astimezone(NEW_YORK).month for b in busy] == [4, 8, 12]


@pytest.mark.requirement("001-40")
async def test_each_occurrence_stands_by_itself_in_order(premises: Premises):
    """Also across the change of the clocks, at the same local time, and without the one that was cancelled."""
    calendar = await premises.calendar()
    weekly = premises.enter(recurrence=["RRULE:FREQ=WEEKLY;COUNT=3"])
    premises.enter(start=at(9), end=at(10), summary="before")
    found = await calendar.entries(DAY, DAY + timedelta(days=30))
    assert [e.title for e in found] == ["before", *["a person's"] * 3]
    assert [e.start.astimezone(NEW_YORK).hour for e in found] == [9, 10, 10, 10]
    await calendar.delete(found[2].id)
    rest = await calendar.entries(DAY, DAY + timedelta(days=30))
    assert [e.id for e in rest] == [found[0].id, found[1].id, found[3].id]
    assert all(e.id.startswith(weekly["id"]) for e in rest[1:])


@pytest.mark.requirement("001-38", "001-39")
async def test_a_list_is_read_page_by_page_up_to_the_limit(premises: Premises):
    """More than a page, and no more than asked for; an empty range is an empty list."""
    calendar = await premises.calendar()
    for minute in range(0, 60, 6):
        for hour in range(30):
            day = DAY + timedelta(hours=hour, minutes=minute)
            premises.enter(start=at(day.hour, day.minute, day), end=at(day.hour, day.minute + 3, day))
    everything = await calendar.entries(DAY, DAY + timedelta(days=3), limit=1_000)
    assert len(everything) == 300
    assert [e.start for e in everything] == sorted(e.start for e in everything)
    assert await calendar.entries(DAY, DAY + timedelta(days=3), limit=7) == everything[:7]
    assert await calendar.entries(DAY - timedelta(days=9), DAY - timedelta(days=8)) == []
    assert await calendar.entries(DAY, DAY) == []
    assert len(await calendar.busy_entries(DAY, DAY + timedelta(days=3))) == 300


async def test_what_keeps_busy_is_read_whole_or_not_at_all_and_without_its_words(
    premises: Premises, monkeypatch: pytest.MonkeyPatch
):
    """Events that were left out would count as free; descriptions would only take time."""
    monkeypatch.setattr(calendar_module, "_PAGE", 3)
    calendar = await premises.calendar()
    for hour in range(9, 17):
        premises.enter(start=at(hour), end=at(hour + 1))
    found = await calendar.busy_entries(DAY, DAY + timedelta(days=1))
    assert [entry.start.astimezone(NEW_YORK).hour for entry in found] == list(range(9, 17))
    monkeypatch.setattr(calendar_module, "_MOST_PAGES", 2)
    with pytest.raises(ToolError) as caught:
        await calendar.busy_entries(DAY, DAY + timedelta(days=1))
    assert caught.value.type is ErrorType.TRANSIENT


@pytest.mark.requirement("001-56")
async def test_requests_go_to_the_calendar_that_the_business_names(premises: Premises):
    """And to the account's own where it names none; ids are escaped in the path."""
    await (await premises.calendar(calendarId="team@group.calendar.google.com")).insert(visit())
    await (await premises.calendar()).insert(visit())
    kept = {book.id for book in premises.google.books.values() if book.events}
    assert kept == {"team@group.calendar.google.com", OWNER}


async def test_what_we_take_from_google_is_plain_and_what_we_send_is_bare(premises: Premises):
    """Uncompressed answers, whose size is what arrives."""
    await (await premises.calendar()).find("never")
    assert {line["acceptEncoding"] for line in premises.asked()} == {"identity"}


async def test_many_at_once_each_get_their_own_answer(premises: Premises):
    """The library's own transport mixed answers up between threads; ours does not, from any loop."""
    calendar = await premises.calendar()
    ids = [f"bk{number:05}" for number in range(40)]
    await asyncio.gather(*(calendar.insert(visit(id, title=id)) for id in ids))

    def elsewhere() -> list[CalendarEntry | None]:
        async def read() -> list[CalendarEntry | None]:
            try:
                return await asyncio.gather(*(calendar.find(id) for id in ids))
            finally:
                await premises.http.close()

        return asyncio.run(read())

    here = await asyncio.gather(*(calendar.find(id) for id in ids))
    there = await asyncio.gather(*(asyncio.to_thread(elsewhere) for _ in range(3)))
    for found in (here, *there):
        assert [entry and entry.title for entry in found] == ids


@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    minute=st.integers(0, 366 * 24 * 60),
    length=st.integers(1, 480),
    words=st.text(st.characters(codec="utf-8", exclude_categories=["Cs", "Cc"]), max_size=40),
)
async def test_any_moment_of_a_year_comes_back_as_itself(premises: Premises, minute: int, length: int, words: str):
    """The clocks change, words are of any language, and the instant stays what it was."""
    calendar = await premises.calendar()
    start = datetime(2027, 1, 1, tzinfo=UTC) + timedelta(minutes=minute)
    id = f"bk{minute}v{length}v{abs(hash(words)):x}"
    entry = CalendarEntry(id=id, start=start, end=start + timedelta(minutes=length), title=words)
    try:
        kept = await calendar.insert(entry)
    except IdTaken:
        return
    assert (kept.start, kept.end, kept.title) == (entry.start, entry.end, words)
    (block,) = [b for b in await calendar.entries(start, entry.end) if b.id == id]
    assert block.start == start
