"""When a business is open, as aware times; right on days of 23, 24 and 25 hours.

Two aware times of one zone compare and subtract as wall clocks in Python, so everything here is worked out in UTC and
turned to local time at the end.
"""

from collections.abc import Iterable, Iterator
from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

from switchboard.contract.business.business import Business
from switchboard.contract.business.resources import FIRST_YEAR, LAST_YEAR, Absence
from switchboard.contract.business.working_hours import Opening, WorkingHours
from switchboard.contract.context import CallContext
from switchboard.contract.error import ErrorType, ToolError
from switchboard.contract.python.dataclass import dataclass

_MINUTE = timedelta(minutes=1)
_DAY = timedelta(days=1)
_MOMENT = timedelta(microseconds=1)


@dataclass(frozen=True, slots=True)
class Stretch:
    """An unbroken stretch of time; both ends are aware, and the end does not belong to it."""

    start: datetime
    end: datetime


@dataclass(frozen=True, slots=True)
class Day:
    """One local day: its openings in the business's zone, earliest first, and whether they are an exception."""

    date: date
    openings: tuple[Stretch, ...]
    is_exception: bool = False


class Hours:
    """The business's opening times, read from its own document (seed 000, `get_working_hours`)."""

    def on(self, ctx: CallContext, day: date) -> Day:
        """Return the openings of one local day; none when closed.

        Raises:
            ToolError: VALIDATION for an absurd year.
        """
        check_year(day)
        return day_of(ctx.business, day)

    def week(self, ctx: CallContext) -> tuple[Day, ...]:
        """Return seven days from today, in the business's zone, so that exceptions close by are told."""
        today = ctx.now.astimezone(ctx.business.timezone).date()
        return tuple(day_of(ctx.business, day) for day in _days(today, today + 6 * _DAY))

    def is_open(self, ctx: CallContext) -> bool:
        """Tell whether the business is open at the time of the call."""
        today = ctx.now.astimezone(ctx.business.timezone).date()
        return any(s.start <= ctx.now < s.end for s in open_stretches(ctx.business, today, today))


def day_named(text: str) -> date:
    """Return the day that a text names, whose form has been checked.

    Raises:
        ToolError: VALIDATION.
    """
    try:
        return date.fromisoformat(text)
    except ValueError:
        # JSON Schema's `date` has a year 0000, the calendar has none.
        raise ToolError(ErrorType.VALIDATION, f"date: {text} is no day of the calendar; use one near today.") from None


def check_year(day: date) -> None:
    """Refuse a date so far away that it cannot be meant, and that the arithmetic of zones could not stand.

    Raises:
        ToolError: VALIDATION.
    """
    if not FIRST_YEAR <= day.year <= LAST_YEAR:
        raise ToolError(ErrorType.VALIDATION, f"The year {day.year} cannot be meant. Ask for the date again.")


def day_of(business: Business, day: date) -> Day:
    """Return a business's openings on one local day, as aware local times."""
    zone = business.timezone
    openings = (
        Stretch(s.start.astimezone(zone), s.end.astimezone(zone)) for s in _openings(zone, business.working_hours, day)
    )
    return Day(day, tuple(openings), is_exception=business.working_hours.is_special(day))


def open_stretches(business: Business, first: date, last: date, hours: WorkingHours | None = None) -> list[Stretch]:
    """Return when a business is open on the local days `first` to `last`, in UTC, earliest first.

    Openings that touch or overlap are one stretch, also across midnight. With `hours`, when somebody is there who has
    those instead.
    """
    merged: list[Stretch] = []
    hours = hours or business.working_hours
    openings = (s for day in _days(first, last) for s in _openings(business.timezone, hours, day))
    for opening in sorted(openings, key=lambda s: s.start):
        if merged and opening.start <= merged[-1].end:
            merged[-1] = Stretch(merged[-1].start, max(merged[-1].end, opening.end))
        else:
            merged.append(opening)
    return merged


def absent_stretches(business: Business, absences: Iterable[Absence]) -> list[Stretch]:
    """Return absences as stretches of UTC time; one that the clocks skip is none."""
    zone = business.timezone
    stretches = (
        Stretch(first_existing(zone, a.start.date(), a.start.time()), first_existing(zone, a.end.date(), a.end.time()))
        for a in absences
    )
    return [stretch for stretch in stretches if stretch.start < stretch.end]


def day_bounds(zone: ZoneInfo, first: date, last: date) -> Stretch:
    """Return, in UTC, the time from the beginning of one local day to the end of another."""
    return Stretch(first_existing(zone, first, time.min), first_existing(zone, last + _DAY, time.min))


def local_days(zone: ZoneInfo, time: Stretch) -> tuple[date, date]:
    """Return the first and the last local day that a stretch of time touches."""
    first, last = time.start.astimezone(zone).date(), (time.end - _MOMENT).astimezone(zone).date()
    return first, max(first, last)


def whole_days(zone: ZoneInfo, time: Stretch) -> Stretch:
    """Return, in UTC, all of the local days that a stretch of time touches."""
    return day_bounds(zone, *local_days(zone, time))


def first_existing(zone: ZoneInfo, day: date, clock: time) -> datetime:
    """Return, in UTC, when the clocks of a zone show a time, or first show a later one if they skip it.

    A time that is shown twice means the first showing: a business that closes then is not open an hour more.
    """
    wall = datetime.combine(day, clock)
    early, late = (wall.replace(tzinfo=zone, fold=fold).astimezone(UTC) for fold in (1, 0))
    if early >= late:
        return late
    # In a gap fold=1 reads the wall time with the offset after the change and fold=0 with the one before, so that the
    # change lies between the two instants (PEP 495). Changes happen on whole minutes.
    while late - early > _MINUTE:
        middle = early + (late - early) // _MINUTE // 2 * _MINUTE
        if middle.astimezone(zone).replace(tzinfo=None) < wall:
            early = middle
        else:
            late = middle
    return late


def exists(moment: datetime) -> bool:
    """Tell whether the clocks of its zone ever show an aware time; false for what a change of the clocks skips."""
    return moment.astimezone(UTC).astimezone(moment.tzinfo).replace(tzinfo=None) == moment.replace(tzinfo=None)


def _openings(zone: ZoneInfo, hours: WorkingHours, day: date) -> Iterator[Stretch]:
    for opening in hours.on(day):
        start = first_existing(zone, day, opening.opens)
        end = _closing(zone, day, opening)
        # Both ends may fall into the same gap: then there is nothing left of the opening.
        if start < end:
            yield Stretch(start, end)


def _closing(zone: ZoneInfo, day: date, opening: Opening) -> datetime:
    if opening.closes == time.max:
        return first_existing(zone, day + _DAY, time.min)
    return first_existing(zone, day, opening.closes)


def _days(first: date, last: date) -> Iterator[date]:
    return (first + n * _DAY for n in range((last - first).days + 1))
