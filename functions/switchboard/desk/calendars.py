"""Which calendar of a business is asked: the one in use, those of its people, or the one that a booking was made in."""

import asyncio
import logging
from collections.abc import Iterable, Mapping
from dataclasses import replace

from switchboard.contract.business import OUTSIDE_CALENDARS, Business, Integration
from switchboard.contract.error import ErrorType, ToolError
from switchboard.contract.json import JsonObject
from switchboard.contract.ports import Calendar, Calendars
from switchboard.contract.resources import PERSON
from switchboard.contract.revoked import note_revoked
from switchboard.desk.booking import Booking
from switchboard.desk.grid import steps_between
from switchboard.desk.hours import Stretch
from switchboard.desk.named_calendar import NamedCalendar, raised_by
from switchboard.desk.occupancy import WHOLE_HOUSE

log = logging.getLogger(__name__)


class BuiltInOnly:
    """Calendars where no client for an outside one is at hand."""

    async def of(self, business: Business) -> Calendar | None:
        """Return None: bookings are the calendar."""
        return None


async def calendar_in_use(calendars: Calendars, business: Business) -> Calendar | None:
    """Return a business's outside calendar, or None where its bookings are the calendar.

    Raises:
        ToolError: What `Calendars.of` raises; PERMANENT as well for a business whose calendar is an outside one that
            nobody can reach, or that is not connected. Calling its time free without having looked, or a visit booked
            that its calendar never shows, would be a lie.
    """
    if business.calendar not in OUTSIDE_CALENDARS:
        return None
    with raised_by(business.calendar):
        found = await calendars.of(business)
        if found is None:
            raise ToolError(
                ErrorType.PERMANENT,
                f"The business's calendar ({OUTSIDE_CALENDARS[business.calendar]}) cannot be reached from here.",
                detail="there is no client for it",
            )
    return NamedCalendar(found, business.calendar)


async def calendar_of(calendars: Calendars, business: Business, booking: Booking) -> Calendar:
    """Return the outside calendar that a booking was made in, whatever the business uses by now.

    Raises:
        ToolError: As `calendar_in_use`.
    """
    known = business.integrations.get(booking.calendar, Integration())
    then = Integration(is_connected=True, settings=booking.calendar_settings or {}, account=known.account)
    found = await calendar_in_use(
        calendars, replace(business, integrations={booking.calendar: then}, chosen_calendar="")
    )
    assert found is not None
    return found


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
    return _key(one[0], Integration(settings=one[1])) == _key(other[0], Integration(settings=other[1]))


def keys_of(business: Business, calendars: Iterable[JsonObject]) -> frozenset[tuple[str, str]]:
    """Return which calendars somebody's own are, with what they have from the business: equal keys are one calendar."""
    return frozenset(_key(*_own(business, calendar)) for calendar in calendars)


async def outside_steps(calendars: Calendars, business: Business, time: Stretch) -> Mapping[str, frozenset[int]]:
    """Return the steps of a stretch of time that outside calendars take: by resource, or for the whole house.

    Several calendars of one person count together, and one that two people share is read once. Where a business has
    people or rooms, what Switchboard entered itself takes only those whom its booking names.

    Raises:
        ToolError: As the calendars'; time of one that cannot be read is not free. One that is somebody's own, and does
            not work until its owner does something, makes only those busy whose it is.
    """
    whose: dict[tuple[str, str], tuple[Business, set[str]]] = {}
    house: tuple[str, str] | None = None
    if business.calendar in OUTSIDE_CALENDARS:
        own = business.integrations[business.calendar] if business.calendar in business.integrations else Integration()
        house = _key(business.calendar, own)
        whose[house] = business, {WHOLE_HOUSE}
    for resource in business.resources:
        for calendar in resource.calendars:
            name, integration = _own(business, calendar)
            there = replace(business, integrations={name: integration}, chosen_calendar=name)
            _, names = whose.setdefault(_key(name, integration), (there, set()))
            # A calendar that is somebody's own is not everybody's as well.
            names.discard(WHOLE_HOUSE)
            names.add(resource.id)
    reads = ((_steps if key == house else _own_steps)(calendars, there, time) for key, (there, _) in whose.items())
    taken = await asyncio.gather(*reads)
    found: dict[str, frozenset[int]] = {}
    for (_, names), steps in zip(whose.values(), taken, strict=True):
        for name in names:
            found[name] = found.get(name, frozenset()) | steps
    return found


async def _own_steps(calendars: Calendars, business: Business, time: Stretch) -> frozenset[int]:
    """Return the steps that a calendar of people's own takes: all of them where it has to be set up or connected again.

    Nobody can be booked into time that cannot be seen; the others can be, whatever becomes of it.
    """
    try:
        return await _steps(calendars, business, time)
    except ToolError as error:
        if error.type not in (ErrorType.AUTH, ErrorType.PERMANENT):
            raise
        log.warning("own calendar not read", extra={"integration": business.calendar, "pii.detail": error.detail})
        if error.type is ErrorType.AUTH and not business.integrations[business.calendar].needs_reauth:
            note_revoked(business.calendar)
        return frozenset(steps_between(time.start, time.end))


async def _steps(calendars: Calendars, business: Business, time: Stretch) -> frozenset[int]:
    calendar = await calendar_in_use(calendars, business)
    if calendar is None:
        return frozenset()
    if not business.resources:
        events = await calendar.busy(time.start, time.end)
    else:
        listed = await calendar.busy_entries(time.start, time.end)
        events = [event for event in listed if not event.booking_id]
    return frozenset[int]().union(*(steps_between(event.start, event.end) for event in events))


def _own(business: Business, calendar: JsonObject) -> tuple[str, Integration]:
    """Return the integration of somebody's own calendar: that of the business, with the settings that differ."""
    name = str(calendar.get("integration"))
    base = business.integrations.get(name, Integration())
    own = {key: value for key, value in calendar.items() if key != "integration"}
    return name, replace(base, settings={**base.settings, **own})


def _key(name: str, integration: Integration) -> tuple[str, str]:
    """Return what is equal for two calendars if and only if they are one, as far as their settings say."""
    settings = integration.settings
    if name != "caldavCalendar":
        return name, str(settings.get("calendarId") or "primary")
    url = str(settings.get("calendarUrl") or "").rstrip("/")
    scheme, mark, rest = url.partition("://")
    host, slash, path = rest.partition("/")
    return name, f"{scheme.lower()}{mark}{host.lower()}{slash}{path}"
