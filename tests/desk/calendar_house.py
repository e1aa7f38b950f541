"""Everything about appointments over one store and one outside calendar, and processes that die at any step."""

import asyncio
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from switchboard.contract.business.business import Business
from switchboard.contract.context import CallContext
from switchboard.contract.ports import Calendars, Store
from switchboard.contract.store import Query
from switchboard.desk.bookings.appointments import Appointments
from switchboard.desk.bookings.availability import Availability
from switchboard.desk.bookings.booking import Booking, read_booking
from switchboard.desk.bookings.bookings import Bookings
from switchboard.desk.bookings.request import BookingRequest
from switchboard.desk.bookings.saga import BookingRecovery
from switchboard.desk.calendars.agenda import Agenda
from switchboard.desk.calendars.calendars import BuiltInOnly
from switchboard.desk.calendars.free_busy import BusyTimes
from switchboard.state.paths import FirestorePaths
from tests.desk.front_desk import StoppedClock, at, call, salon, stored
from tests.desk.memory_calendar import MemoryCalendar, MemoryCalendars

GOOGLE = {
    "googleCalendar": {"isConnected": True, "minNoticeMinutes": 60, "maxDaysAhead": 60, "calendarId": "chair"},
    "builtinCalendar": {"isConnected": True},
}
SALON = salon(integrations=GOOGLE)
TEN, NOON = at(SALON, "2027-03-16T10:00"), at(SALON, "2027-03-16T12:00")


AT_REST = ("confirmed", "cancelled")


class Dies(BaseException):
    """A process was killed; nothing may catch it."""


class MortalStore:
    """A store whose process dies just before or just after a step."""

    def __init__(self, inner: Store, life: "Life") -> None:
        self._inner, self._life = inner, life

    def __getattr__(self, name: str) -> Any:
        return self._life.limiting(getattr(self._inner, name)) if name == "commit" else getattr(self._inner, name)


class MortalCalendar:
    """A calendar whose user dies just before or just after a step."""

    def __init__(self, inner: MemoryCalendar, life: "Life") -> None:
        self._inner, self._life = inner, life

    def __getattr__(self, name: str) -> Any:
        return self._life.limiting(getattr(self._inner, name))


class DistantStore:
    """A store that lets others have their turn before and after each thing it does, as over a network."""

    def __init__(self, inner: Store) -> None:
        self._inner = inner

    def __getattr__(self, name: str) -> Any:
        method = getattr(self._inner, name)

        async def distant(*args: Any) -> Any:
            await asyncio.sleep(0)
            answer = await method(*args)
            await asyncio.sleep(0)
            return answer

        return distant


class Life:
    """How many steps a process still has; each commit and each call of the calendar has one before and one after."""

    def __init__(self, steps: float = float("inf")) -> None:
        self.left = steps
        self.lived = 0

    def limiting(self, method: Any) -> Any:
        async def mortal(*args: Any) -> Any:
            self._step()
            answer = await method(*args)
            self._step()
            return answer

        return mortal

    def _step(self) -> None:
        self.left -= 1
        self.lived += 1
        if self.left < 0:
            raise Dies


class CalendarHouse:
    """One process; calendars beside the one are those of people who have their own, by its id."""

    def __init__(
        self,
        store: Store,
        calendar: MemoryCalendar | None,
        clock: StoppedClock,
        life: Life | None = None,
        **own: MemoryCalendar,
    ) -> None:
        if life is not None:
            store = MortalStore(store, life)  # type: ignore[assignment]
            calendar = MortalCalendar(calendar, life)  # type: ignore[assignment,arg-type]
        self.clock = clock
        calendars: Calendars = BuiltInOnly() if calendar is None else MemoryCalendars(calendar, **own)
        busy = BusyTimes(store, clock, calendars)
        self.busy, self.availability = busy, Availability(busy)
        self.bookings = Bookings(store, busy, self.availability)
        self.saga = self.bookings.saga
        self.appointments = Appointments(store, busy, self.availability, self.saga)
        self.agenda = Agenda(store, busy)
        self.unfinished = BookingRecovery(store, FirestorePaths(), self.saga)

    def call(self, *args: Any, business: Business = SALON, **fields: Any) -> CallContext:
        """Return the context of a call that comes now."""
        return call(business, *args, **{"now": self.clock.now(), **fields})

    async def book(self, ctx: CallContext | None = None, **changes: Any) -> Booking:
        """Book a haircut for Anna on Tuesday at ten."""
        wish = replace(BookingRequest(service="haircut", start=TEN, customer_name="Anna Whitfield"), **changes)
        return await self.bookings.book(ctx or self.call(), wish)

    async def reap(self) -> int:
        """Do as the reaper does."""
        return await self.unfinished.recover(self.clock.now())


async def all_bookings(store: Store, business_id: str = SALON.id) -> list[Booking]:
    """Return every booking of a business, in order of time."""
    documents = await store.query(Query(FirestorePaths().within(business_id).collection("bookings")))
    return sorted((b for b in map(read_booking, documents) if b), key=lambda b: b.start)


async def faults(store: Store, calendar: MemoryCalendar) -> list[str]:
    """Return what does not agree: bookings, slots and entries of the salon must all say the same, and nothing wait."""
    bookings = await all_bookings(store)
    return [
        *(
            f"{b.id} is under way"
            for b in bookings
            if b.is_under_way or b.move or b.status in ("pending", "cancelling")
        ),
        *_unlike("entries", _entries(calendar), _expected(bookings)),
        *_unlike("slots", await _slots(store), {(slot, b.id) for b in bookings for slot in b.held}),
    ]


def _entries(calendar: MemoryCalendar) -> set[Any]:
    return {(e.booking_id, e.start.timestamp(), e.end.timestamp()) for e in calendar.shown if e.booking_id}


def _expected(bookings: list[Booking]) -> set[Any]:
    return {(b.id, b.start.timestamp(), b.end.timestamp()) for b in bookings if b.status == "confirmed"}


async def _slots(store: Store) -> set[Any]:
    return {(id, slot["bookingId"]) for id, slot in (await stored(store, SALON.id, "slots")).items()}


def _unlike(what: str, found: set[Any], expected: set[Any]) -> Iterator[str]:
    if found != expected:
        yield f"{what}: too many {sorted(found - expected)}, missing {sorted(expected - found)}"
