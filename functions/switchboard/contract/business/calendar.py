"""What a calendar holds, whoever keeps it. Times are aware; ends are exclusive."""

from datetime import datetime

from switchboard.contract.python.dataclass import dataclass

NOT_ASKED = "not_asked"
"""The `reason` in the `meta` of an error where the calendar itself was never asked: this deployment is not let in."""

NOT_THIS_ONE = "not_this_calendar"
"""Likewise of an AUTH where this calendar refuses an account whose others may be as open to it as before."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CalendarEntry:
    """One entry: when, whether it keeps others out, and whether Switchboard made it.

    Attributes:
        id: The calendar's id; of our own choosing for what we enter (5 to 1,024 of `0-9a-v`).
        start: When it begins; the start of the local day for one that lasts all day.
        end: When it ends.
        title: What it is called; empty where the calendar only tells that the time is taken.
        description: More words, such as the customer's name and number.
        location: Where it is.
        attendees: E-mail addresses; nobody is notified of what we enter.
        booking_id: The booking that it belongs to, kept in the entry itself; empty for what people entered.
        is_all_day: Whether it has days instead of times.
        is_busy: Whether it keeps others out; a birthday does not.
        is_cancelled: A cancelled entry keeps its id for ever, and is not shown.
        version: Changes with every change, for `Calendar.move`; opaque.
        link: Where a person can look at it.
    """

    id: str
    start: datetime
    end: datetime
    title: str = ""
    description: str = ""
    location: str = ""
    attendees: tuple[str, ...] = ()
    booking_id: str = ""
    is_all_day: bool = False
    is_busy: bool = True
    is_cancelled: bool = False
    version: str = ""
    link: str = ""


class IdTaken(Exception):
    """The calendar has, or has had, an entry of that id: read it and decide."""


class EntryChanged(Exception):
    """Somebody changed the entry since it was read; read it again and decide."""


class NoSuchEntry(Exception):
    """The entry is not there any more: somebody removed it."""
