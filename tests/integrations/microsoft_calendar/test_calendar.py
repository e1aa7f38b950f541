"""The port `Calendar`, kept by Microsoft 365: every request goes over the wire to the stand-in, which checks it."""

import asyncio
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from stand_ins.microsoft_graph import HOLIDAYS, TEAM
from switchboard.contract.business.calendar import EntryChanged, IdTaken, NoSuchEntry
from switchboard.contract.error import ErrorType, ToldToOwner, ToolError
from switchboard.integrations.microsoft_calendar import calendar as calendar_module
from switchboard.integrations.microsoft_calendar import entries
from tests.each import each
from tests.integrations.microsoft_calendar.premises import DAY, NEW_YORK, Premises, at, visit

WEEKLY = {"type": "weekly", "interval": 1, "daysOfWeek": ["wednesday"]}
FIVE = {"type": "numbered", "startDate": "2027-03-10", "numberOfOccurrences": 5}


async def hours(premises: Premises, calendar: Any, days: int = 1) -> list[tuple[int, int]]:
    busy = await calendar.busy(DAY, DAY + timedelta(days=days))
    return [(b.start.astimezone(NEW_YORK).hour, b.end.astimezone(NEW_YORK).hour) for b in busy]


@pytest.mark.parametrize("booking", ["bk_1", ""])
async def test_an_entry_comes_back_as_it_was_entered(premises: Premises, booking: str):
    """Times in the business's zone, title, words in several lines, place, guests, and whose booking it is."""
    calendar = await premises.calendar()
    words = "Wants the window seat\nPhone: +15185550171"
    guests = ("ana@example.com", "bob@example.com")
    entry = visit(description=words, location="Chair 2", attendees=guests, booking_id=booking)
    kept = await calendar.insert(entry)
    assert replace(kept, version="", link="") == entry
    assert kept.version and kept.link.startswith("https://")
    assert await calendar.find(entry.id) == kept


async def test_microsoft_is_told_the_zone_and_an_id_of_ours_that_people_do_not_see(premises: Premises):
    """Graph chooses its own id; ours is a property of the event."""
    await (await premises.calendar()).insert(visit())
    (event,) = premises.kept()
    assert event["originalStartTimeZone"] == "America/New_York"
    assert event["id"].startswith("AAMk")
    marks = {row["id"].rpartition(" ")[2]: row["value"] for row in event["singleValueExtendedProperties"]}
    assert marks == {"switchboardEntry": "bk00001", "switchboardBooking": "bk_1"}


async def test_nobody_is_mailed_about_what_we_do(premises: Premises):
    """Exchange invites whoever is an attendee, so that guests are named in the text alone, and stay named."""
    calendar = await premises.calendar()
    kept = await calendar.insert(visit(attendees=("ana@example.com",), description="Hers"))
    moved = await calendar.move(kept.id, kept.start, kept.end, kept.version)
    again = await calendar.reword(kept.id, "Trim", "His", moved.version)
    assert (again.attendees, again.description) == (("ana@example.com",), "His")
    assert premises.microsoft.folder().invited == []
    assert "Guests: ana@example.com" in premises.kept()[0]["body"]["content"]


async def test_an_id_that_is_in_use_is_said_to_be_taken(premises: Premises):
    """By what stands in the calendar, not by Graph's memory of transactions, which is short."""
    calendar = await premises.calendar()
    await calendar.insert(visit())
    premises.microsoft.folder().transactions_last = False
    with pytest.raises(IdTaken):
        await calendar.insert(visit(hour=12))
    assert len(premises.kept()) == 1


async def test_an_id_whose_entry_was_deleted_a_moment_ago_is_used_up(premises: Premises):
    """Graph still knows the transaction and makes nothing of it again; once it has forgotten, the id is free."""
    calendar = await premises.calendar()
    await calendar.insert(visit())
    await calendar.delete("bk00001")
    assert await calendar.find("bk00001") is None
    with pytest.raises(IdTaken):
        await calendar.insert(visit())
    premises.microsoft.folder().transactions_last = False
    assert (await calendar.insert(visit())).booking_id == "bk_1"


@pytest.mark.requirement("004-560")
@pytest.mark.parametrize("known", [True, False])
async def test_of_entries_created_at_once_one_stays(premises: Premises, known: bool):
    """Whether Graph knows the transaction or not: all see the same one in the end, and nobody another."""
    premises.microsoft.folder().transactions_last = known
    await premises.calendar()
    found = [await premises.instance().of(premises.business()) for _ in range(6)]
    done = await asyncio.gather(*(c.insert(visit()) for c in found if c), return_exceptions=True)
    taken = [error for error in done if isinstance(error, BaseException)]
    assert all(isinstance(error, IdTaken) for error in taken)
    assert len(taken) < 6
    (event,) = premises.kept()
    versions = {entry.version.partition(" ")[0] for entry in done if not isinstance(entry, BaseException)}
    assert versions == {event["id"]}


async def test_the_later_of_two_that_were_created_at_once_gives_way(
    premises: Premises, monkeypatch: pytest.MonkeyPatch
):
    """Both looked before either had created: the earliest stays, and its maker is the one that is told so."""
    folder = premises.microsoft.folder()
    folder.transactions_last = False
    calendar = await premises.calendar()
    create = folder.create
    ours = entries.to_event(visit(), "primary", NEW_YORK)

    def overtaken(body: dict[str, Any], **more: Any) -> dict[str, Any]:
        create(dict(ours))
        return create(body, **more)

    monkeypatch.setattr(folder, "create", overtaken)
    with pytest.raises(IdTaken):
        await calendar.insert(visit())
    (event,) = premises.kept()
    found = await calendar.find("bk00001")
    assert found is not None and found.version.startswith(event["id"])


async def test_a_persons_copy_of_an_entry_is_theirs(premises: Premises):
    """Outlook copies our mark too: the first one is ours, and a cancellation leaves the copy alone."""
    calendar = await premises.calendar()
    await calendar.insert(visit())
    (original,) = premises.kept()
    marks = original["singleValueExtendedProperties"]
    premises.enter(subject="copied", start=at(14), end=at(15), singleValueExtendedProperties=marks)
    found = await calendar.find("bk00001")
    assert found is not None and found.title == "Haircut: Ana Lopez"
    await calendar.delete("bk00001")
    assert [event["subject"] for event in premises.kept()] == ["copied"]


async def test_what_never_was_is_not_found(premises: Premises):
    """None, and no failure: by an id of ours, by one of Graph's, and by what can be neither."""
    calendar = await premises.calendar()
    for id in ("never", "AAMkADnobody", "NOT an id"):
        assert await calendar.find(id) is None
        await calendar.delete(id)


async def test_a_persons_event_is_found_by_graphs_id(premises: Premises):
    """As a list shows it."""
    calendar = await premises.calendar()
    event = premises.enter()
    (listed,) = await calendar.entries(DAY, DAY + timedelta(days=1))
    assert listed.id == event["id"]
    assert await calendar.find(listed.id) == listed
    await calendar.delete(listed.id)
    assert premises.kept() == []


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
    assert [line["status"] for line in premises.asked("events.update")] == [200, 412]


async def test_an_entry_is_reworded_only_from_the_version_that_was_seen(premises: Premises):
    """Its times and our marks stay."""
    calendar = await premises.calendar()
    first = await calendar.insert(visit())
    again = await calendar.reword(first.id, "Haircut: Danny", "Phone: +15185550199", first.version)
    assert (again.start, again.title, again.description) == (first.start, "Haircut: Danny", "Phone: +15185550199")
    assert again.booking_id == "bk_1"
    with pytest.raises(EntryChanged):
        await calendar.reword(first.id, "Haircut: Ana", "", first.version)
    assert await calendar.find(first.id) == again


async def test_an_entry_without_a_known_version_is_not_changed(premises: Premises):
    """Without a condition the change would be made whatever happened meanwhile."""
    calendar = await premises.calendar()
    with pytest.raises(EntryChanged):
        await calendar.move("bk00001", DAY, DAY + timedelta(hours=1), "")
    with pytest.raises(EntryChanged):
        await calendar.reword("bk00001", "x", "y", "")
    assert premises.asked() == []
    kept = await calendar.insert(visit())
    with pytest.raises(EntryChanged):
        await calendar.move(kept.id, kept.start, kept.end, '"somebody-elses"')


async def test_moving_or_rewording_what_was_removed_says_so(premises: Premises):
    """Whether it is known by a version or never was."""
    calendar = await premises.calendar()
    with pytest.raises(NoSuchEntry):
        await calendar.move("bk00001", DAY, DAY + timedelta(hours=1), '"1"')
    kept = await calendar.insert(visit())
    await calendar.delete(kept.id)
    with pytest.raises(NoSuchEntry):
        await calendar.move(kept.id, kept.start, kept.end, kept.version)
    with pytest.raises(NoSuchEntry):
        await calendar.reword(kept.id, "x", "y", kept.version)


async def test_an_entry_that_was_made_to_last_all_day_can_be_moved_to_a_time(premises: Premises):
    """Graph would otherwise refuse times that are not midnight."""
    calendar = await premises.calendar()
    await calendar.insert(visit())
    (event,) = premises.kept()
    days = {"isAllDay": True, "start": at(0), "end": at(0, day=DAY + timedelta(days=1))}
    premises.microsoft.folder().change(event["id"], days, None)
    found = await calendar.find("bk00001")
    assert found is not None and found.is_all_day
    moved = await calendar.move(found.id, DAY.replace(hour=9), DAY.replace(hour=10), found.version)
    assert (moved.is_all_day, moved.start) == (False, DAY.replace(hour=9))


@pytest.mark.requirement("004-561")
async def test_only_what_keeps_others_out_is_busy(premises: Premises):
    """Busy, tentative, absent and unknown; neither free nor at work elsewhere nor declined nor cancelled."""
    calendar = await premises.calendar()
    for hour, show_as in enumerate(("free", "tentative", "busy", "oof", "workingElsewhere", "unknown"), 8):
        premises.enter(start=at(hour), end=at(hour + 1), showAs=show_as)
    premises.enter(start=at(15), end=at(16), responseStatus={"response": "declined"})
    premises.enter(start=at(16), end=at(17), isCancelled=True)
    premises.enter(start=at(17), end=at(18), responseStatus={"response": "notResponded"})
    assert await hours(premises, calendar) == [(9, 10), (10, 11), (11, 12), (13, 14), (17, 18)]
    listed = await calendar.entries(DAY, DAY + timedelta(days=1))
    assert len(listed) == 8 and not any(entry.is_cancelled for entry in listed)


@pytest.mark.parametrize(
    ("zone", "begins"),
    [
        ("W. Europe Standard Time", ZoneInfo("Europe/Berlin")),
        ("Tokyo Standard Time", ZoneInfo("Asia/Tokyo")),
        ("Asia/Tokyo", ZoneInfo("Asia/Tokyo")),
        ("UTC", NEW_YORK),
        ("tzone://Microsoft/Custom", NEW_YORK),
    ],
)
async def test_a_day_off_lasts_from_midnight_to_midnight_where_it_was_entered(premises: Premises, zone, begins):
    """Graph tells midnight whatever zone is asked for; days in no zone of their own are the business's."""
    calendar = await premises.calendar()
    entered = zone if not zone.startswith("tzone") else "Eastern Standard Time"
    days = {"start": at(0, zone=entered), "end": at(0, day=DAY + timedelta(days=1), zone=entered)}
    premises.enter(isAllDay=True, originalStartTimeZone=zone, **days)
    (block,) = await calendar.busy(DAY - timedelta(days=2), DAY + timedelta(days=2))
    assert block.start == datetime(2027, 3, 10, tzinfo=begins)
    assert block.end == datetime(2027, 3, 11, tzinfo=begins)
    # What only touches another day does not stand in it.
    assert await calendar.busy(DAY + timedelta(days=1), DAY + timedelta(days=2)) == (
        [block] if block.end > DAY + timedelta(days=1) else []
    )


@pytest.mark.requirement("004-561")
async def test_a_zone_that_nobody_knows_is_a_failure_and_never_utc(premises: Premises):
    """Its day would be called free by hours."""
    calendar = await premises.calendar()
    days = {"start": at(0), "end": at(0, day=DAY + timedelta(days=1))}
    premises.enter(isAllDay=True, originalStartTimeZone="Atlantis Standard Time", **days)
    with pytest.raises(ToolError) as caught:
        await calendar.busy(DAY, DAY + timedelta(days=1))
    assert caught.value.type is ErrorType.TRANSIENT
    assert not caught.value.partial_side_effects


@each(
    ("value", "hour"),
    [
        ({"dateTime": "2027-03-10T15:00:00.0000000", "timeZone": "UTC"}, 10),
        ({"dateTime": "2027-03-10T16:00:00.0000000", "timeZone": "W. Europe Standard Time"}, 10),
        ({"dateTime": "2027-03-10T10:00:00", "timeZone": "America/New_York"}, 10),
        ({"dateTime": "2027-03-10T10:00:00-05:00", "timeZone": "UTC"}, 10),
    ],
)
def test_a_time_is_read_in_the_zone_that_it_names(value, hour):
    """Graph should tell them in UTC, as it is asked to; one that tells another zone is believed."""
    event = {"id": "AAMk", "start": value, "end": value}
    assert entries.to_entry(event, NEW_YORK).start == DAY.replace(hour=hour)


@each("zone", ["Atlantis Standard Time", "", "../etc/passwd", None])
def test_a_time_in_no_known_zone_cannot_be_read(zone):
    """Not as UTC, not as the business's."""
    value = {"dateTime": "2027-03-10T15:00:00.0000000", "timeZone": zone}
    with pytest.raises(ToolError):
        entries.to_entry({"id": "AAMk", "start": value, "end": value}, NEW_YORK)


@pytest.mark.parametrize("fold", [0, 1])
async def test_an_hour_that_comes_twice_is_entered_as_the_one_that_was_meant(premises: Premises, fold: int):
    """Times without offset cannot say which."""
    calendar = await premises.calendar()
    start = datetime(2027, 11, 7, 1, 30, fold=fold, tzinfo=NEW_YORK)
    end = (start.astimezone(UTC) + timedelta(minutes=30)).astimezone(NEW_YORK)
    kept = await calendar.insert(replace(visit(), start=start, end=end))
    assert kept.start.astimezone(UTC) == start.astimezone(UTC)
    assert kept.end.astimezone(UTC) == end.astimezone(UTC)


async def test_an_exchange_that_does_not_know_the_zone_is_told_times_in_utc(
    premises: Premises, monkeypatch: pytest.MonkeyPatch
):
    """A booking does not fail for the name of a zone."""
    calendar = await premises.calendar()
    from stand_ins import microsoft_graph_times as times

    zone = times.zone

    def older(name: Any) -> ZoneInfo:
        return zone("nowhere" if name == "America/New_York" else name)

    monkeypatch.setattr(times, "zone", older)
    kept = await calendar.insert(visit())
    moved = await calendar.move(kept.id, DAY.replace(hour=14), DAY.replace(hour=15), kept.version)
    assert (kept.start, moved.start) == (DAY.replace(hour=10), DAY.replace(hour=14))
    day = replace(visit("bk00002"), start=DAY, end=DAY + timedelta(days=1), is_all_day=True)
    assert (await calendar.insert(day)).start == DAY


async def test_each_occurrence_of_a_series_stands_by_itself(premises: Premises):
    """At the same time by the clock on the wall, through the change of clocks; one moved, one removed."""
    calendar = await premises.calendar()
    series = premises.enter(recurrence={"pattern": WEEKLY, "range": FIVE})
    folder = premises.microsoft.folder()
    second, third = (f"{series['id']}.2027{day}" for day in ("0317", "0324"))
    folder.change(
        second, {"start": at(16, day=DAY + timedelta(days=8)), "end": at(17, day=DAY + timedelta(days=8))}, None
    )
    folder.delete(third)
    busy = await calendar.busy(DAY, DAY + timedelta(days=60))
    starts = [block.start.astimezone(NEW_YORK) for block in busy]
    assert [f"{start:%m-%d %H}" for start in starts] == ["03-10 10", "03-18 16", "03-31 10", "04-07 10"]


async def test_a_list_goes_on_over_as_many_pages_as_there_are(premises: Premises, monkeypatch: pytest.MonkeyPatch):
    """Busy reads them all, a list as many as were asked for; a list without an end is told."""
    monkeypatch.setattr(calendar_module, "_PAGE", 3)
    monkeypatch.setattr(calendar_module, "_PAGE_OF_WORDS", 3)
    calendar = await premises.calendar()
    for minute in range(0, 50, 5):
        premises.enter(start=at(9, minute), end=at(9, minute + 5))
    assert len(await calendar.busy(DAY, DAY + timedelta(days=1))) == 10
    assert len(premises.asked("calendarView")) == 4
    listed = await calendar.entries(DAY, DAY + timedelta(days=1), limit=4)
    assert [entry.start.minute for entry in listed] == [0, 5, 10, 15]
    assert len(premises.asked("calendarView")) == 6
    monkeypatch.setattr(calendar_module, "_MOST_PAGES", 2)
    for asked in (calendar.busy, calendar.busy_entries):
        with pytest.raises(ToolError) as caught:
            await asked(DAY, DAY + timedelta(days=1))
        assert caught.value.type is ErrorType.TRANSIENT


async def test_long_words_do_not_keep_anybody_from_seeing_what_is_taken(premises: Premises):
    """Free time is asked for without them, and lists come in pages that can be read."""
    calendar = await premises.calendar()
    for minute in range(60):
        premises.enter(start=at(9, minute), end=at(9, minute), body={"contentType": "text", "content": "x" * 80_000})
    premises.enter()
    day = (DAY, DAY + timedelta(days=1))
    assert [block.start.hour for block in await calendar.busy(*day)][-1] == 10
    assert len(await calendar.entries(*day)) == 61


async def test_a_next_page_elsewhere_does_not_get_our_token(premises: Premises, monkeypatch: pytest.MonkeyPatch):
    """It is no page of the calendar."""
    calendar = await premises.calendar()
    read = calendar.graph.read

    async def led_away(*arguments: Any) -> Any:
        return await read(*arguments) | {"@odata.nextLink": "https://graph.microsoft.com.evil.example/v1.0/x"}

    monkeypatch.setattr(calendar.graph, "read", led_away)
    with pytest.raises(ToolError) as caught:
        await calendar.busy(DAY, DAY + timedelta(days=1))
    assert "elsewhere" in (caught.value.detail or "")


async def test_another_calendar_of_the_account_can_be_used(premises: Premises):
    """What is entered there does not stand in the account's own."""
    calendar = await premises.calendar(calendarId=TEAM)
    kept = await calendar.insert(visit())
    assert premises.kept() == []
    assert [entry.id for entry in await calendar.busy(DAY, DAY + timedelta(days=1))] == [kept.id]


async def test_a_calendar_that_is_gone_or_anothers_says_so(premises: Premises):
    """PERMANENT: connecting again would not help, and nothing is called free."""
    gone = replace(await premises.calendar(), calendar_id="AAMkADgone==")
    with pytest.raises(ToolError) as caught:
        await gone.busy(DAY, DAY + timedelta(days=1))
    assert caught.value.type is ErrorType.PERMANENT
    for_reading = replace(gone, calendar_id=HOLIDAYS)
    with pytest.raises(ToolError) as caught:
        await for_reading.insert(visit())
    assert (caught.value.type, caught.value.partial_side_effects) == (ErrorType.PERMANENT, False)


async def told(asked: Any) -> str:
    """Return what an owner is told."""
    with pytest.raises(ToldToOwner) as caught:
        await asked
    return caught.value.message


async def test_the_accounts_calendars_can_be_chosen_from(premises: Premises):
    """Each with its name and whether appointments can be made in it; the account's own as `primary`."""
    await premises.calendar()
    found = await premises.calendars.listed(premises.business())
    rows = [(row.id, row.name, row.is_read_only) for row in found]
    assert rows == [("primary", "Calendar", False), (TEAM, "Team", False), (HOLIDAYS, "Holidays", True)]
    assert "Connect" in await told(premises.calendars.listed(premises.business(isConnected=False)))
    premises.fail("calendars.list", "503", seconds=60)
    assert "right now" in await told(premises.calendars.listed(premises.business()))


async def test_an_owner_who_tries_a_calendar_is_told_what_to_do(premises: Premises):
    """About one that is gone, only for reading, of a lost permission, or with an event that nobody can place."""
    await premises.calendar()
    check, business = premises.calendars.check, premises.business
    for good in ("primary", TEAM):
        await check(business(calendarId=good))
    assert "calendarId" in await told(check(business(calendarId="AAMkADgone==")))
    assert "only for reading" in await told(check(business(calendarId=HOLIDAYS)))
    premises.enter(isAllDay=True, start=at(0), end=at(0, day=DAY.replace(day=11)), originalStartTimeZone="Atlantis")
    assert "time zone is unknown" in await told(check(business()))
    premises.microsoft.accounts.revoke_all()
    assert "connect Microsoft 365 again" in await told(check(business()))
    assert "connect Microsoft 365 again" in await told(check(business(needsReauth=True)))
    assert premises.asked("events.create", "events.update", "events.delete") == []
