"""What every outside calendar does, whoever keeps it: the port `Calendar` as tests, over a house that opens one.

A vendor's tests subclass these and give a fixture `house`. `CalendarContract` is for all; `PeoplesEvents` for those in
which people enter what the port never would; `FloatingTimes` for those that know times without a zone, or events
without an end.
"""

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime, timedelta
from typing import Any, Literal
from zoneinfo import ZoneInfo

import pytest

from switchboard.contract.business.business import Business
from switchboard.contract.business.calendar import CalendarEntry, EntryChanged, IdTaken, NoSuchEntry
from switchboard.contract.context import CallContext
from switchboard.contract.error import ErrorType, ToolError
from switchboard.contract.ports import Calendar
from switchboard.desk.bookings.duration import visit_for
from switchboard.desk.calendars.entries import entry_of
from switchboard.state.memory.store import MemoryStore
from tests.desk.calendar_house import GOOGLE, TEN, CalendarHouse
from tests.desk.front_desk import StoppedClock, salon
from tests.desk.house_of_resources import PEOPLE, SERVICES
from tests.desk.memory_calendar import MemoryCalendar

ZONE = ZoneInfo("America/New_York")
"""Where the business is."""
TOKYO = ZoneInfo("Asia/Tokyo")
DAY = datetime(2027, 3, 10, tzinfo=ZONE)
"""The day on which most of it happens; the clocks go forward on the Sunday after."""
HOUR = timedelta(hours=1)
Trouble = Literal["limit", "failing", "breaking", "silent", "withdrawn"]


@dataclass(frozen=True, kw_only=True)
class PersonsEvent:
    """What a person enters by other means than ours.

    Attributes:
        start: With a zone that the event is then told in; a date for one that lasts all day; without a zone, floating.
        end: When it ends; None where nobody said so.
        title: What it is called.
        is_free: Whether it is marked as taking nobody's time.
        is_declined: Whether the account's owner was invited, and has declined.
        is_cancelled: Whether it is marked as cancelled.
        weeks: How often it repeats itself, weekly.
        removed: Which of its occurrences, by their starts, was taken out.
        moved: Which were put elsewhere: by their starts, to when.
    """

    start: datetime | date
    end: datetime | date | None
    title: str = "a person's"
    is_free: bool = False
    is_declined: bool = False
    is_cancelled: bool = False
    weeks: int = 1
    removed: Sequence[datetime] = ()
    moved: dict[datetime, datetime] = field(default_factory=dict)


class House(ABC):
    """A business with an empty outside calendar, and who else has to do with it."""

    @abstractmethod
    async def calendar(self) -> Calendar:
        """Return its calendar."""

    @abstractmethod
    async def enter(self, event: PersonsEvent) -> None:
        """Let a person enter an event."""

    @abstractmethod
    async def put_elsewhere(self, id: str, start: datetime) -> None:
        """Let a person move an entry of ours, which stays as long as it is."""

    @abstractmethod
    async def remove(self, id: str) -> None:
        """Let a person remove an entry of ours."""

    @abstractmethod
    async def fail(self, trouble: Trouble) -> None:
        """Let what is asked from now on go wrong.

        `limit`: too often, refused. `failing`: the server is out of order. `breaking`: it breaks down over changes,
        and can be read. `silent`: a change is done, and the line drops. `withdrawn`: the owner has taken the
        permission, or the password, away.
        """


def visit(id: str = "bk00001", hour: int = 10, **more: Any) -> CalendarEntry:
    """Return an hour's visit on the day."""
    start = DAY.replace(hour=hour)
    known: dict[str, Any] = {"title": "Haircut: Ana Lopez", "booking_id": "bk_1"}
    return CalendarEntry(id=id, start=start, end=start + HOUR, **{**known, **more})


def times(entries: Sequence[CalendarEntry]) -> list[tuple[datetime, datetime]]:
    """Return when entries are, as moments: two times of one zone compare by what the clocks show."""
    return [(entry.start.astimezone(UTC), entry.end.astimezone(UTC)) for entry in entries]


def moments(*starts: datetime) -> list[tuple[datetime, datetime]]:
    """Return hours that begin then, as `times` tells them."""
    return [(start.astimezone(UTC), start.astimezone(UTC) + HOUR) for start in starts]


async def day_of(calendar: Calendar, day: datetime = DAY, days: int = 1) -> list[tuple[datetime, datetime]]:
    """Return what is listed as busy on days, and see that what is told to be busy agrees with it."""
    end = day + timedelta(days=days)
    busy, listed = await calendar.busy(day, end), await calendar.entries(day, end)
    taking = [entry for entry in listed if entry.is_busy]
    found = times(taking)
    whole = await calendar.busy_entries(day, end)
    assert [(e.booking_id, e.is_busy) for e in whole] == [(e.booking_id, True) for e in taking]
    assert times(whole) == found
    assert joined(times(busy)) == joined(found)
    return found


def joined(found: list[tuple[datetime, datetime]]) -> list[tuple[datetime, datetime]]:
    """Return times with those that touch made one, as some calendars tell them."""
    blocks: list[tuple[datetime, datetime]] = []
    for start, end in found:
        if blocks and start <= blocks[-1][1]:
            start, end = blocks[-1][0], max(blocks[-1][1], end)
            blocks.pop()
        blocks.append((start, end))
    return blocks


async def raised(asked: Awaitable[object]) -> ToolError:
    """Return the error that something ends with."""
    with pytest.raises(ToolError) as caught:
        await asked
    return caught.value


def each_write(calendar: Calendar, kept: CalendarEntry) -> dict[str, Callable[[], Awaitable[object]]]:
    """Return the ways to change something."""
    return {
        "insert": lambda: calendar.insert(visit("bk00002", 12)),
        "move": lambda: calendar.move(kept.id, kept.start + HOUR, kept.end + HOUR, kept.version),
        "reword": lambda: calendar.reword(kept.id, "Beard trim", "", kept.version),
        "delete": lambda: calendar.delete(kept.id),
    }


WRITES = ("insert", "move", "reword", "delete")


class Salon(CalendarHouse):
    """A salon of two people that uses a calendar, from the desk to whatever keeps it."""

    def __init__(self, calendar: Calendar) -> None:
        super().__init__(MemoryStore(), MemoryCalendar(), StoppedClock())
        self.busy.calendars = self
        self.calendar, self.count = calendar, 0
        self.business = salon(resources=PEOPLE[:2], services=SERVICES[:1], integrations=GOOGLE)

    async def of(self, business: Business) -> Calendar | None:
        return self.calendar

    def ask(self) -> CallContext:
        """Return the context of another caller's call, so much later that all is read anew."""
        self.count += 1
        self.clock.wait(2)
        return self.call(f"s{self.count}", session=f"s{self.count}", phone=None, business=self.business)

    async def free_with(self, start: datetime) -> tuple[str, ...]:
        """Return with whom a haircut could be then."""
        return (await self.availability.at(self.ask(), visit_for(self.business, "Haircut", None), start)).free_with


class CalendarContract:
    """What holds for every calendar."""

    async def test_an_entry_comes_back_as_it_was_entered(self, house: House):
        """When, what it is called, whose booking it is; with a version, by which it can be changed."""
        calendar = await house.calendar()
        words = "Phone: +15185550171\nlikes it short; comes late, always\\\nfür 2 Personen, 日本"
        entry = visit(title="Färben: Ana López, 日本", description=words, location="Chair 2")
        kept = await calendar.insert(entry)
        assert times([kept]) == times([entry])
        assert replace(kept, version="", link="", start=entry.start, end=entry.end) == entry
        assert kept.version
        found = await calendar.find(entry.id)
        assert found is not None
        assert replace(found, link=kept.link, start=entry.start, end=entry.end, version=kept.version) == replace(
            kept, start=entry.start, end=entry.end
        )
        assert found.version == kept.version

    async def test_what_never_was_is_not_found(self, house: House):
        """None, and no failure."""
        assert await (await house.calendar()).find("never0") is None

    async def test_an_id_is_given_once(self, house: House):
        """Whatever is entered under it then; what was entered first stays as it was."""
        calendar = await house.calendar()
        await calendar.insert(visit())
        with pytest.raises(IdTaken):
            await calendar.insert(visit(hour=12))
        assert await day_of(calendar) == moments(DAY.replace(hour=10))

    async def test_of_many_who_enter_one_id_at_once_one_does(self, house: House):
        """All others are told that it is taken, and there is one entry."""
        calendar = await house.calendar()
        found = await asyncio.gather(*(calendar.insert(visit()) for _ in range(5)), return_exceptions=True)
        assert sorted(type(it).__name__ for it in found) == ["CalendarEntry", *["IdTaken"] * 4]
        assert await day_of(calendar) == moments(DAY.replace(hour=10))

    async def test_what_is_entered_keeps_others_out(self, house: House):
        """Its own time, and neither the hour before nor the one after."""
        calendar = await house.calendar()
        await calendar.insert(visit(hour=10))
        ten, eleven = DAY.replace(hour=10), DAY.replace(hour=11)
        assert times(await calendar.busy(ten, eleven)) == moments(ten)
        assert times(await calendar.busy(ten + HOUR / 2, ten + 3 * HOUR / 4)) == moments(ten)
        assert list(await calendar.busy(ten - HOUR, ten)) == []
        assert list(await calendar.busy(eleven, eleven + HOUR)) == []
        assert list(await calendar.entries(eleven, ten)) == []

    async def test_entries_come_in_order_and_no_more_than_asked_for(self, house: House):
        """However they were entered; what is busy is never cut short."""
        calendar = await house.calendar()
        for number, hour in enumerate((15, 9, 12)):
            await calendar.insert(visit(f"bk0000{number}", hour))
        end = DAY + timedelta(days=1)
        assert [entry.id for entry in await calendar.entries(DAY, end)] == ["bk00001", "bk00002", "bk00000"]
        assert [entry.id for entry in await calendar.entries(DAY, end, limit=2)] == ["bk00001", "bk00002"]
        assert len(await calendar.busy(DAY, end)) == 3
        assert [entry.id for entry in await calendar.busy_entries(DAY, end)] == ["bk00001", "bk00002", "bk00000"]
        assert list(await calendar.busy_entries(end, DAY)) == []

    async def test_an_entry_is_changed_only_from_the_version_that_was_seen(self, house: House):
        """What it is not told to change stays; somebody's change in between is not overwritten."""
        calendar = await house.calendar()
        first = await calendar.insert(visit(description="Phone: +15185550171", location="Chair 2"))
        later = first.start + 3 * HOUR
        moved = await calendar.move(first.id, later, later + HOUR, first.version)
        assert times([moved]) == moments(later)
        assert (moved.title, moved.description, moved.location) == (first.title, first.description, "Chair 2")
        assert moved.booking_id == "bk_1" and moved.version not in ("", first.version)
        with pytest.raises(EntryChanged):
            await calendar.move(first.id, first.start, first.end, first.version)
        with pytest.raises(EntryChanged):
            await calendar.reword(first.id, "Beard trim", "", first.version)
        again = await calendar.reword(first.id, "Beard trim: Ana", "", moved.version)
        assert (again.title, again.description, again.booking_id) == ("Beard trim: Ana", "", "bk_1")
        assert await day_of(calendar) == moments(later)

    async def test_without_a_version_nothing_is_changed(self, house: House):
        """The change would be made whatever happened meanwhile."""
        calendar = await house.calendar()
        kept = await calendar.insert(visit())
        with pytest.raises(EntryChanged):
            await calendar.move(kept.id, kept.start + HOUR, kept.end + HOUR, "")
        assert await day_of(calendar) == moments(kept.start)

    async def test_of_two_who_move_an_entry_at_once_one_does(self, house: House):
        """The other is told that it has changed."""
        calendar = await house.calendar()
        kept = await calendar.insert(visit())
        to = (kept.start + 2 * HOUR, kept.start + 4 * HOUR)
        found = await asyncio.gather(
            *(calendar.move(kept.id, at, at + HOUR, kept.version) for at in to), return_exceptions=True
        )
        assert sorted(type(it).__name__ for it in found) == ["CalendarEntry", "EntryChanged"]
        (done,) = (it for it in found if isinstance(it, CalendarEntry))
        assert await day_of(calendar) == times([done])

    async def test_an_entry_that_people_put_elsewhere_is_found_there(self, house: House):
        """It is still ours; whoever saw it where it was must look again before changing it."""
        calendar = await house.calendar()
        kept = await calendar.insert(visit())
        await house.put_elsewhere(kept.id, kept.start + 4 * HOUR)
        with pytest.raises(EntryChanged):
            await calendar.move(kept.id, kept.start + HOUR, kept.end + HOUR, kept.version)
        found = await calendar.find(kept.id)
        assert found is not None
        assert (times([found]), found.booking_id) == (moments(kept.start + 4 * HOUR), "bk_1")
        assert await day_of(calendar) == moments(kept.start + 4 * HOUR)
        moved = await calendar.move(kept.id, kept.start, kept.end, found.version)
        assert times([moved]) == times([kept])

    async def test_where_people_put_an_appointment_whoever_has_it_is_busy(self, house: House):
        """Moved, or copied; its entry takes nobody's time twice where it stands as we entered it."""
        calendar, noon = await house.calendar(), TEN + 2 * HOUR
        front = Salon(calendar)
        rosa, marcus = (person["name"] for person in PEOPLE[:2])
        booking = await front.book(front.ask(), with_person="Rosa")
        assert await front.free_with(TEN) == (marcus,)
        assert await front.free_with(noon) == (rosa, marcus)
        await house.put_elsewhere(booking.entry_id, noon)
        assert await front.free_with(TEN) == await front.free_with(noon) == (marcus,)
        with pytest.raises(ToolError) as no:
            await front.book(front.ask(), start=noon, with_person="Rosa", customer_name="Bob")
        assert (no.value.type, no.value.meta["reason"]) == (ErrorType.CONFLICT, "taken")
        later = noon + 2 * HOUR
        await calendar.insert(replace(entry_of(booking), id="copied00", start=later, end=later + HOUR / 2))
        assert await front.free_with(later) == (marcus,)
        assert await front.free_with(later + HOUR / 2) == (rosa, marcus)

    async def test_an_entry_that_people_removed_is_gone(self, house: House):
        """It keeps nobody out, cannot be changed, and removing it once more is fine."""
        calendar = await house.calendar()
        kept = await calendar.insert(visit())
        await house.remove(kept.id)
        found = await calendar.find(kept.id)
        assert found is None or (found.is_cancelled and not found.is_busy)
        with pytest.raises((NoSuchEntry, EntryChanged)):
            await calendar.move(kept.id, kept.start, kept.end, kept.version)
        with pytest.raises(NoSuchEntry):
            await calendar.reword(kept.id, "x", "", found.version if found else kept.version)
        assert await day_of(calendar) == []
        await calendar.delete(kept.id)

    async def test_removing_twice_or_what_never_was_is_fine(self, house: House):
        """It counts as removed."""
        calendar = await house.calendar()
        await calendar.insert(visit())
        for id in ("bk00001", "bk00001", "never0"):
            await calendar.delete(id)
        assert await day_of(calendar) == []

    @pytest.mark.parametrize("day", [datetime(2027, 3, 14), datetime(2027, 11, 7), datetime(2026, 11, 1)])
    async def test_on_days_on_which_the_clocks_change_a_moment_stays_what_it_was(self, house: House, day: datetime):
        """Also in the hour that comes twice, and across it."""
        calendar = await house.calendar()
        begins = day.replace(tzinfo=ZONE).astimezone(UTC)
        starts = [begins + hours * HOUR for hours in range(6)]
        for number, start in enumerate(starts):
            ends = (start + HOUR).astimezone(ZONE)
            await calendar.insert(replace(visit(f"bk0000{number}"), start=start.astimezone(ZONE), end=ends))
        assert await day_of(calendar, day.replace(tzinfo=ZONE), 2) == moments(*starts)

    @pytest.mark.parametrize("write", WRITES)
    async def test_a_change_whose_answer_is_lost_may_have_been_made(self, house: House, write: str):
        """Nobody is told that it was, nor that it was not; looking by its id finds out."""
        calendar = await house.calendar()
        kept = await calendar.insert(visit())
        await house.fail("silent")
        error = await raised(each_write(calendar, kept)[write]())
        assert (error.type, error.partial_side_effects) == (ErrorType.TRANSIENT, True)
        entered, found = await calendar.find("bk00002"), await calendar.find(kept.id)
        if write == "insert":
            assert entered is not None and entered.booking_id == "bk_1"
            with pytest.raises(IdTaken):
                await calendar.insert(visit("bk00002", 12))
        elif write == "delete":
            assert found is None or found.is_cancelled
        else:
            assert found is not None and found.version != kept.version
            assert times([found]) == moments(kept.start + HOUR if write == "move" else kept.start)
            assert found.title == ("Beard trim" if write == "reword" else kept.title)

    @pytest.mark.parametrize("write", WRITES)
    async def test_a_change_that_met_a_broken_server_may_have_been_made(self, house: House, write: str):
        """What was asked for may have come before what broke."""
        calendar = await house.calendar()
        kept = await calendar.insert(visit())
        await house.fail("breaking")
        error = await raised(each_write(calendar, kept)[write]())
        assert (error.type, error.partial_side_effects) == (ErrorType.TRANSIENT, True)

    async def test_reading_that_fails_is_no_free_time(self, house: House):
        """It may work later; nothing was done by it."""
        calendar = await house.calendar()
        await house.fail("failing")
        for asked in (
            calendar.busy(DAY, DAY + HOUR),
            calendar.busy_entries(DAY, DAY + HOUR),
            calendar.entries(DAY, DAY + HOUR),
            calendar.find("bk00001"),
        ):
            error = await raised(asked)
            assert (error.type, error.partial_side_effects, error.retryable) == (ErrorType.TRANSIENT, False, True)

    @pytest.mark.parametrize("write", WRITES)
    async def test_what_a_limit_refuses_was_not_done(self, house: House, write: str):
        """It may be asked again later, and nothing has changed."""
        calendar = await house.calendar()
        kept = await calendar.insert(visit())
        await house.fail("limit")
        for asked in (each_write(calendar, kept)[write](), calendar.busy(DAY, DAY + HOUR), calendar.find(kept.id)):
            error = await raised(asked)
            assert (error.type, error.partial_side_effects, error.retryable) == (ErrorType.RATE_LIMIT, False, True)

    @pytest.mark.parametrize("write", WRITES)
    async def test_a_permission_that_was_withdrawn_is_said_to_be(self, house: House, write: str):
        """By whatever is asked: the owner must connect it again. Nothing was done."""
        calendar = await house.calendar()
        kept = await calendar.insert(visit())
        await house.fail("withdrawn")
        for asked in (each_write(calendar, kept)[write](), calendar.busy(DAY, DAY + HOUR), calendar.find(kept.id)):
            error = await raised(asked)
            assert (error.type, error.partial_side_effects, error.retryable) == (ErrorType.AUTH, False, False)


class PeoplesEvents:
    """What people enter, and what it means for who wants to come."""

    async def test_a_persons_event_keeps_others_out(self, house: House):
        """In whatever zone it was entered."""
        calendar = await house.calendar()
        await house.enter(PersonsEvent(start=DAY.replace(hour=10), end=DAY.replace(hour=11)))
        there = datetime(2027, 3, 11, 4, tzinfo=TOKYO)
        await house.enter(PersonsEvent(start=there, end=there + HOUR))
        assert await day_of(calendar) == moments(DAY.replace(hour=10), DAY.replace(hour=14))
        assert [entry.booking_id for entry in await calendar.entries(DAY, DAY + timedelta(days=1))] == ["", ""]

    async def test_a_day_off_lasts_from_midnight_to_midnight(self, house: House):
        """Where the business is; also on the day on which the clocks change, which has another length."""
        calendar = await house.calendar()
        for day in (date(2027, 3, 10), date(2027, 3, 14)):
            await house.enter(PersonsEvent(start=day, end=day + timedelta(days=1)))
        found = await calendar.entries(DAY, DAY + timedelta(days=7))
        assert [entry.is_all_day for entry in found] == [True, True]
        ends = (DAY + timedelta(days=1), datetime(2027, 3, 15, tzinfo=ZONE))
        starts = (DAY, datetime(2027, 3, 14, tzinfo=ZONE))
        told = [(s.astimezone(UTC), e.astimezone(UTC)) for s, e in zip(starts, ends, strict=True)]
        assert await day_of(calendar, DAY, 7) == told
        assert times(await calendar.busy(DAY.replace(hour=23), DAY.replace(hour=23) + HOUR / 2)) == told[:1]
        assert list(await calendar.busy(DAY - HOUR, DAY)) == []

    async def test_only_what_takes_time_keeps_others_out(self, house: House):
        """What is marked as free, cancelled, or was declined does not."""
        calendar = await house.calendar()
        for hour, marks in enumerate(({"is_free": True}, {"is_declined": True}, {"is_cancelled": True}, {})):
            start = DAY.replace(hour=9 + hour)
            await house.enter(PersonsEvent(start=start, end=start + HOUR, **marks))
        assert await day_of(calendar) == moments(DAY.replace(hour=12))

    async def test_each_occurrence_stands_by_itself(self, house: House):
        """At the same local time across the change of the clocks; one was removed, and one put elsewhere."""
        calendar = await house.calendar()
        starts = [DAY.replace(hour=10) + timedelta(weeks=week) for week in range(5)]
        elsewhere = starts[3] + timedelta(days=1, hours=2)
        await house.enter(
            PersonsEvent(
                start=starts[0],
                end=starts[0] + HOUR,
                weeks=5,
                removed=[starts[1]],
                moved={starts[3]: elsewhere},
            )
        )
        assert await day_of(calendar, DAY, 60) == moments(starts[0], starts[2], elsewhere, starts[4])
        assert await day_of(calendar, starts[1]) == await day_of(calendar, starts[3].replace(hour=0)) == []
        assert await day_of(calendar, elsewhere.replace(hour=0)) == moments(elsewhere)

    async def test_a_series_that_began_long_ago_is_still_there(self, house: House):
        """Its first occurrence is years away from what is asked for."""
        calendar = await house.calendar()
        start = datetime(2024, 3, 6, 10, tzinfo=ZONE)
        await house.enter(PersonsEvent(start=start, end=start + HOUR, weeks=400))
        assert await day_of(calendar) == moments(DAY.replace(hour=10))


class FloatingTimes:
    """Where people may leave out a zone, or an end."""

    async def test_a_time_without_a_zone_is_what_the_clock_on_the_wall_shows(self, house: House):
        """Where the business is, summer and winter."""
        calendar = await house.calendar()
        for day in (DAY, datetime(2027, 7, 1, tzinfo=ZONE)):
            start = day.replace(hour=22, tzinfo=None)
            await house.enter(PersonsEvent(start=start, end=start + HOUR))
        assert await day_of(calendar) == moments(DAY.replace(hour=22))
        summer = datetime(2027, 7, 1, 22, tzinfo=ZONE)
        assert await day_of(calendar, summer.replace(hour=0)) == moments(summer)

    async def test_an_event_without_an_end_keeps_the_moment_at_which_it_begins(self, house: House):
        """Nobody comes into it; what nobody said to be taken is free."""
        calendar = await house.calendar()
        start = DAY.replace(hour=10)
        await house.enter(PersonsEvent(start=start, end=None))
        ((begins, ends),) = await day_of(calendar)
        assert begins == start.astimezone(UTC) and begins < ends <= begins + timedelta(minutes=5)
        assert len(await calendar.busy(start - HOUR / 2, start + HOUR / 2)) == 1

    async def test_a_day_without_an_end_is_a_whole_one(self, house: House):
        """From midnight to midnight."""
        calendar = await house.calendar()
        await house.enter(PersonsEvent(start=date(2027, 3, 10), end=None))
        assert await day_of(calendar) == [(DAY.astimezone(UTC), (DAY + timedelta(days=1)).astimezone(UTC))]
