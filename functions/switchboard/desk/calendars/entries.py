"""A booking's entry in an outside calendar: entered once, moved and removed, whatever the calendar answers or not.

Everything here may be repeated by anybody at any time. The id of an entry follows from its booking, and the entry
names the booking, so that who comes later recognises what was done.
"""

from dataclasses import replace
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

from switchboard.contract.business.calendar import CalendarEntry, EntryChanged, IdTaken, NoSuchEntry
from switchboard.contract.error import ErrorType, ToolError
from switchboard.contract.ports import Calendar
from switchboard.desk.bookings.booking import Booking
from switchboard.desk.calendars.grid import span_of, steps_between

# People who keep editing an entry while it is being moved are left to it; the next attempt comes in half a minute.
_MOVE_ATTEMPTS = 3


def entry_of(booking: Booking) -> CalendarEntry:
    """Return the entry that stands for a booking, in the zone in which it was made."""
    zone = ZoneInfo(booking.timezone)
    lines = (
        # Before the words, which may go on for long.
        booking.caution,
        f"With: {booking.taken.person}" if booking.taken.person else "",
        f"People: {booking.party}" if booking.party > 1 else "",
        booking.customer_notes or "",
        f"Phone: {booking.customer_phone}" if booking.customer_phone else "",
        f"E-mail: {booking.customer_email}" if booking.customer_email else "",
        f"Booking {booking.id}",
    )
    return CalendarEntry(
        id=booking.entry_id,
        start=booking.start.astimezone(zone),
        end=booking.end.astimezone(zone),
        title=": ".join(part for part in (booking.service, booking.customer_name) if part),
        description="\n".join(line for line in lines if line),
        attendees=booking.attendees,
        booking_id=booking.id,
    )


async def enter(calendar: Calendar, booking: Booking) -> bool:
    """See that a booking has its entry; false if the entry's id is used up, so that it needs another one.

    Raises:
        ToolError: The calendar's; with partial side effects when nobody can say whether the entry is there.
    """
    try:
        return await _insert(calendar, booking)
    except ToolError as error:
        if not error.partial_side_effects:
            raise
        return await _after_silence(calendar, booking, error)


async def move(calendar: Calendar, booking: Booking, target: Booking) -> bool:
    """See that a booking's entry is where `target` has it; false if the entry's id is used up.

    Where there never was an entry of that id, it is entered at its new time.

    Raises:
        ToolError: The calendar's; with partial side effects when nobody can say whether the entry was moved.
    """
    for _ in range(_MOVE_ATTEMPTS):
        existing = await calendar.find(booking.entry_id)
        if existing is None:
            return await enter(calendar, target)
        if not _is_entry_of(booking, existing):
            return False
        if not is_at(existing, target):
            try:
                await _change_times(calendar, existing, target)
            except EntryChanged:
                continue
            except NoSuchEntry:
                return False
        if not _has_words_of(booking, target):
            await _tell_company(calendar, target)
        return True
    raise ToolError(
        ErrorType.TRANSIENT,
        "The appointment is being changed in the calendar by somebody else. Try once more.",
    )


async def _tell_company(calendar: Calendar, target: Booking) -> None:
    try:
        await reword(calendar, target)
    except ToolError as error:
        # The entry has been moved: what came of it is not as if nothing had been asked.
        raise uncertain(error) from error


async def move_back(calendar: Calendar, booking: Booking) -> None:
    """See that the entry of a booking is not where a move that was given up had taken it.

    An entry that people removed stays removed, and one that they put elsewhere stays there; it says again with whom
    the booking is, and for how many.

    Raises:
        ToolError: The calendar's.
    """
    await _times_back(calendar, booking)
    if not _has_words_of(booking, booking.moved):
        await reword(calendar, replace(booking, move=None))


async def _times_back(calendar: Calendar, booking: Booking) -> None:
    if (booking.start, booking.end) == (booking.moved.start, booking.moved.end):
        return
    for _ in range(_MOVE_ATTEMPTS):
        existing = await calendar.find(booking.entry_id)
        if existing is None or not _is_entry_of(booking, existing) or not is_at(existing, booking.moved):
            return
        try:
            await calendar.move(existing.id, entry_of(booking).start, entry_of(booking).end, existing.version)
        except (EntryChanged, NoSuchEntry):
            continue
        return


def _has_words_of(booking: Booking, target: Booking) -> bool:
    was, then = entry_of(booking), entry_of(target)
    return (was.title, was.description) == (then.title, then.description)


async def reword(calendar: Calendar, booking: Booking) -> None:
    """See that the words of a booking's entry are those of the booking; an entry that people removed stays removed.

    Raises:
        ToolError: The calendar's.
    """
    entry = entry_of(booking)
    for _ in range(_MOVE_ATTEMPTS):
        existing = await calendar.find(booking.entry_id)
        if existing is None or not _is_entry_of(booking, existing):
            return
        try:
            await calendar.reword(existing.id, entry.title, entry.description, existing.version)
        except (EntryChanged, NoSuchEntry):
            continue
        return


async def is_in_the_way(calendar: Calendar, booking: Booking) -> bool:
    """Tell whether an entry of somebody else keeps a booking out, such as one that a person made a moment ago.

    For a business with one chair; whether those whom a booking takes are free elsewhere, `BusyTimes` tells.

    Raises:
        ToolError: The calendar's.
    """
    claims = booking.claims
    entries = await calendar.busy_entries(*span_of(claims))
    others = (entry for entry in entries if entry.booking_id != booking.id)
    return any(set(claims).intersection(steps_between(other.start, other.end)) for other in others)


def uncertain(error: ToolError) -> ToolError:
    """Return a calendar's error as one after which nobody can say whether a change was made."""
    return ToolError(
        error.type, error.message, partial_side_effects=True, say=error.say, detail=error.detail, instead=error.instead
    )


def is_at(entry: CalendarEntry, booking: Booking) -> bool:
    """Tell whether an entry has a booking's times."""
    # In UTC: two times of one zone compare by what the clocks show, which comes twice in autumn (PEP 495).
    return _utc(entry.start) == booking.start and _utc(entry.end) == booking.end


async def _insert(calendar: Calendar, booking: Booking) -> bool:
    try:
        await calendar.insert(entry_of(booking))
    except IdTaken:
        try:
            existing = await calendar.find(booking.entry_id)
        except ToolError as error:
            # It may well be ours: a client that was not answered may have asked twice.
            raise uncertain(error) from error
        return existing is not None and _is_entry_of(booking, existing)
    return True


async def _after_silence(calendar: Calendar, booking: Booking, silence: ToolError) -> bool:
    """Look once what became of an entry whose insertion was not answered; if it is not there, insert it once more."""
    try:
        existing = await calendar.find(booking.entry_id)
        if existing is None:
            return await _insert(calendar, booking)
    except ToolError:
        raise silence from None
    return _is_entry_of(booking, existing)


async def _change_times(calendar: Calendar, stored_entry: CalendarEntry, target: Booking) -> None:
    entry = entry_of(target)
    try:
        await calendar.move(stored_entry.id, entry.start, entry.end, stored_entry.version)
    except ToolError as error:
        if not error.partial_side_effects:
            raise
        try:
            now = await calendar.find(stored_entry.id)
        except ToolError:
            raise error from None
        if now is None or not is_at(now, target):
            raise


def _is_entry_of(booking: Booking, entry: CalendarEntry) -> bool:
    return entry.booking_id == booking.id and not entry.is_cancelled


def _utc(moment: datetime) -> datetime:
    return moment.astimezone(UTC)
