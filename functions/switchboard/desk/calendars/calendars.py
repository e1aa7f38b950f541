"""Which calendar of a business is asked: the one in use, those of its people, or the one that a booking was made in."""

import asyncio
import logging
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime

from switchboard.contract.business.business import Business, Integration
from switchboard.contract.business.calendar import NOT_THIS_ONE, CalendarEntry
from switchboard.contract.business.resources import PERSON
from switchboard.contract.error import ErrorType, ToolError
from switchboard.contract.json import JsonObject
from switchboard.contract.ports import Calendar, Calendars
from switchboard.contract.python.dataclass import dataclass
from switchboard.contract.revoked import note_revoked
from switchboard.contract.vendors import OUTSIDE_CALENDARS
from switchboard.desk.bookings.booking import Booking
from switchboard.desk.bookings.hours import Stretch
from switchboard.desk.calendars.grid import steps_between
from switchboard.desk.calendars.outside_entries import (
    PEOPLES,
    WHOLE_HOUSE,
    CalendarTime,
    Key,
    OutsideCalendar,
    calendar_key,
)

log = logging.getLogger(__name__)

_CLOSED = "This calendar is closed to the account that the business has connected, and trying again will not help."


class BuiltInOnly:
    """Calendars where no client for an outside one is at hand."""

    async def of(self, business: Business) -> Calendar | None:
        """Return None: bookings are the calendar."""
        return None


async def calendar_in_use(calendars: Calendars, business: Business, *, is_own: bool = False) -> Calendar | None:
    """Return a business's outside calendar, or None where its bookings are the calendar.

    Args:
        calendars: The clients.
        business: Whose it is.
        is_own: Whether it is somebody's own, and not that of the house.

    Raises:
        ToolError: What `Calendars.of` raises; PERMANENT as well for a business whose calendar is an outside one that
            nobody can reach, or that is not connected. Calling its time free without having looked, or a visit booked
            that its calendar never shows, would be a lie.
    """
    if business.calendar not in OUTSIDE_CALENDARS:
        return None
    with raised_by(business.calendar):
        calendar = await calendars.of(business)
        if calendar is None:
            raise ToolError(
                ErrorType.PERMANENT,
                f"The business's calendar ({OUTSIDE_CALENDARS[business.calendar]}) cannot be reached from here.",
                detail="there is no client for it",
            )
    return NamedCalendar(calendar, business.calendar, is_own)


async def calendar_of(calendars: Calendars, business: Business, booking: Booking) -> Calendar:
    """Return the outside calendar that a booking was made in, whatever the business uses by now.

    Raises:
        ToolError: As `calendar_in_use`.
    """
    there, key = _entered_at(business, booking)
    calendar = await calendar_in_use(calendars, there, is_own=key != _house_key(business))
    assert calendar is not None
    return calendar


def entered_in(business: Business, taken: Iterable[str]) -> tuple[str, JsonObject]:
    """Return the integration, and its settings, of the calendar of an appointment that takes up these, by their ids.

    That is the first one of whoever has one of their own, people before all else; else the calendar of the business.
    """
    return own_calendar(business, taken) or (business.calendar, business.calendar_settings)


def own_calendar(business: Business, taken: Iterable[str]) -> tuple[str, JsonObject] | None:
    """Return the calendar of an appointment as `entered_in`; None where none of what it takes up has one of its own."""
    ids = set(taken)
    own = [resource for resource in business.resources if resource.id in ids and resource.calendars]
    if not own:
        return None
    first = min(own, key=lambda resource: resource.kind != PERSON)
    name, integration = _own(business, first.calendars[0])
    return name, integration.settings


def is_same_calendar(one: tuple[str, JsonObject], other: tuple[str, JsonObject]) -> bool:
    """Tell whether two integrations, each with its settings, lead to one calendar."""
    first, second = (calendar_key(name, Integration(settings=settings)) for name, settings in (one, other))
    return first == second


def keys_of(business: Business, calendars: Iterable[JsonObject]) -> frozenset[Key]:
    """Return which calendars somebody's own are, with what they have from the business: equal keys are one calendar."""
    return frozenset(calendar_key(*_own(business, calendar)) for calendar in calendars)


async def outside_times(
    calendars: Calendars, business: Business, time: Stretch, taken_by: Booking | None = None
) -> tuple[CalendarTime, ...]:
    """Return what outside calendars take of a stretch of time, calendar by calendar.

    Several calendars of one person count together, and one that two people share is read once. Where a business has
    people or rooms, what Switchboard entered itself is told by its booking.

    Args:
        calendars: The clients.
        business: Whose they are.
        time: The stretch.
        taken_by: A booking, where only those matter that can keep it out: of what it takes, of the house, and the one
            that it is entered in.

    Raises:
        ToolError: As the calendars'; time of one that cannot be read is not free. One that is somebody's own, and does
            not work until its owner does something, makes only those busy whose it is; not so the one that `taken_by`
            is entered in.
    """
    known, entered = _calendars_of(business), None
    if taken_by is not None:
        ids = {one.id for one in taken_by.taken.resources}
        known = {key: it for key, it in known.items() if it[1].is_of_house or ids & it[1].whose}
        there, entered = _entered_at(business, taken_by)
        _, calendar = known.get(entered, (there, OutsideCalendar(entered, frozenset(ids), is_of_house=False)))
        known[entered] = there, calendar

    async def read(there: Business, calendar: OutsideCalendar) -> CalendarTime:
        is_own = not calendar.is_of_house
        may_go_on = is_own and calendar.key != entered
        steps = _own_steps(calendars, there, time) if may_go_on else _steps(calendars, there, time, is_own=is_own)
        return CalendarTime(calendar, await steps)

    return tuple(await asyncio.gather(*(read(*it) for it in known.values())))


async def outside_entries(
    calendars: Calendars, business: Business, time: Stretch, most: int
) -> list[tuple[OutsideCalendar, Sequence[CalendarEntry]]]:
    """Return the first entries of each outside calendar that overlap a stretch of time, also what keeps nobody out.

    Raises:
        ToolError: As `outside_times`; one that is somebody's own, and does not work until its owner does something, has
            one entry, which takes all the time.
    """

    async def read(there: Business, calendar: OutsideCalendar) -> tuple[OutsideCalendar, Sequence[CalendarEntry]]:
        try:
            in_use = await calendar_in_use(calendars, there, is_own=not calendar.is_of_house)
            return calendar, () if in_use is None else await in_use.entries(time.start, time.end, most)
        except ToolError as error:
            if calendar.is_of_house:
                raise
            _note_unread(there, error)
            return calendar, [CalendarEntry(id="", start=time.start, end=time.end)]

    return await asyncio.gather(*(read(*it) for it in _calendars_of(business).values()))


def _calendars_of(business: Business) -> dict[Key, tuple[Business, OutsideCalendar]]:
    """Return each outside calendar that keeps anybody busy, with a business that uses it."""
    house, whose = _house_key(business), dict[Key, tuple[Business, set[str]]]()
    if house is not None:
        whose[house] = business, {WHOLE_HOUSE}
    for resource in business.resources:
        for calendar in resource.calendars:
            there, key = _at(business, *_own(business, calendar))
            _, names = whose.setdefault(key, (there, set()))
            # A calendar that is somebody's own is not everybody's as well.
            names.discard(WHOLE_HOUSE)
            names.add(resource.id)
    return {
        key: (there, OutsideCalendar(key, frozenset(names), is_of_house=key == house))
        for key, (there, names) in whose.items()
    }


async def _own_steps(calendars: Calendars, business: Business, time: Stretch) -> Mapping[str, frozenset[int]]:
    """Return the steps that a calendar of people's own takes: all of them where it has to be set up or connected again.

    Nobody can be booked into time that cannot be seen; the others can be, whatever becomes of it.
    """
    try:
        return await _steps(calendars, business, time, is_own=True)
    except ToolError as error:
        _note_unread(business, error)
        return {PEOPLES: frozenset(steps_between(time.start, time.end))}


def _note_unread(business: Business, error: ToolError) -> None:
    """Note that a calendar of somebody's own cannot be read until its owner does something.

    Raises:
        ToolError: The same one, where it may be readable in a moment.
    """
    if error.type not in (ErrorType.AUTH, ErrorType.PERMANENT):
        raise error
    log.warning("own calendar not read", extra={"integration": business.calendar, "pii.detail": error.detail})
    if error.type is ErrorType.AUTH and not business.integrations[business.calendar].needs_reauth:
        note_revoked(business.calendar)


async def _steps(
    calendars: Calendars, business: Business, time: Stretch, *, is_own: bool
) -> Mapping[str, frozenset[int]]:
    calendar = await calendar_in_use(calendars, business, is_own=is_own)
    if calendar is None:
        return {}
    if not business.resources:
        entries = ((PEOPLES, entry) for entry in await calendar.busy(time.start, time.end))
    else:
        entries = ((entry.booking_id, entry) for entry in await calendar.busy_entries(time.start, time.end))
    by_resource: dict[str, set[int]] = {}
    for name, entry in entries:
        by_resource.setdefault(name, set()).update(steps_between(entry.start, entry.end))
    return {name: frozenset(steps) for name, steps in by_resource.items()}


def _house_key(business: Business) -> Key | None:
    """Return which calendar the business uses; None where that is its bookings."""
    if business.calendar not in OUTSIDE_CALENDARS:
        return None
    return calendar_key(business.calendar, business.integrations.get(business.calendar, Integration()))


def _at(business: Business, name: str, integration: Integration) -> tuple[Business, Key]:
    """Return a business as one that uses such a calendar, and which that is."""
    there = replace(business, integrations={name: integration}, chosen_calendar=name)
    return there, calendar_key(name, integration)


def _entered_at(business: Business, booking: Booking) -> tuple[Business, Key]:
    """Return a business as one that uses the calendar that a booking is entered in, and which that is."""
    account = business.integrations.get(booking.calendar, Integration()).account
    settings = booking.calendar_settings or {}
    return _at(business, booking.calendar, Integration(is_connected=True, settings=settings, account=account))


def _own(business: Business, calendar: JsonObject) -> tuple[str, Integration]:
    """Return the integration of somebody's own calendar: that of the business, with the settings that differ."""
    name = str(calendar.get("integration"))
    base = business.integrations.get(name, Integration())
    own = {key: value for key, value in calendar.items() if key != "integration"}
    return name, replace(base, settings={**base.settings, **own})


@contextmanager
def raised_by(integration: str, *, is_own: bool = False) -> Iterator[None]:
    """Let a failure of what is done here carry the name of the integration that was asked.

    Where somebody's own calendar (`is_own`) is closed to an account that others may be open to, that is PERMANENT: the
    connection need not be made again, and what else it is good for goes on.
    """
    try:
        yield
    except ToolError as error:
        error.integration = integration
        if not is_own or error.type is not ErrorType.AUTH or error.meta.get("reason") != NOT_THIS_ONE:
            raise
        closed = ToolError(ErrorType.PERMANENT, _CLOSED, detail=error.detail, say=error.say)
        closed.integration = integration
        raise closed from error


@dataclass(frozen=True, slots=True)
class NamedCalendar:
    """A calendar, as the port has it; see `raised_by`."""

    calendar: Calendar
    integration: str
    is_own: bool = False

    async def busy(self, start: datetime, end: datetime) -> Sequence[CalendarEntry]:
        """Return what the calendar returns."""
        with raised_by(self.integration, is_own=self.is_own):
            return await self.calendar.busy(start, end)

    async def busy_entries(self, start: datetime, end: datetime) -> Sequence[CalendarEntry]:
        """Return what the calendar returns."""
        with raised_by(self.integration, is_own=self.is_own):
            return await self.calendar.busy_entries(start, end)

    async def entries(self, start: datetime, end: datetime, limit: int = 250) -> Sequence[CalendarEntry]:
        """Return what the calendar returns."""
        with raised_by(self.integration, is_own=self.is_own):
            return await self.calendar.entries(start, end, limit)

    async def find(self, id: str) -> CalendarEntry | None:
        """Return what the calendar returns."""
        with raised_by(self.integration, is_own=self.is_own):
            return await self.calendar.find(id)

    async def insert(self, entry: CalendarEntry) -> CalendarEntry:
        """Return what the calendar returns."""
        with raised_by(self.integration, is_own=self.is_own):
            return await self.calendar.insert(entry)

    async def move(self, id: str, start: datetime, end: datetime, version: str) -> CalendarEntry:
        """Return what the calendar returns."""
        with raised_by(self.integration, is_own=self.is_own):
            return await self.calendar.move(id, start, end, version)

    async def reword(self, id: str, title: str, description: str, version: str) -> CalendarEntry:
        """Return what the calendar returns."""
        with raised_by(self.integration, is_own=self.is_own):
            return await self.calendar.reword(id, title, description, version)

    async def delete(self, id: str) -> None:
        """Do what the calendar does."""
        with raised_by(self.integration, is_own=self.is_own):
            await self.calendar.delete(id)
