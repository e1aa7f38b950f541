"""Free starts as they are told: day by day, with whom, and on which weekdays there can be any at all."""

from calendar import isleap
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from itertools import groupby
from typing import Final, TypeAlias
from zoneinfo import ZoneInfo

from switchboard.contract.business.business import Business
from switchboard.contract.business.resources import Need, Resource, candidates
from switchboard.contract.business.working_hours import WorkingHours
from switchboard.contract.python.dataclass import dataclass
from switchboard.desk.bookings.duration import VisitLength
from switchboard.desk.calendars.grid import STEP, last_step_until, moments_of
from switchboard.desk.resources.occupancy import Occupancy

_QUARTER = timedelta(minutes=15)
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
# Single starts are told beside the runs they are part of, for whoever wants one.
_TOLD_STARTS = 8
TOLD_PEOPLE: Final = 12
"""So many people are told at most who are free."""
_A_CHOICE = 2
_WEEK = range(7)
_MOST_DATES = 5
_LEAP_DAY = (2, 29)

Runs: TypeAlias = tuple[tuple[datetime, datetime], ...]


@dataclass(frozen=True, slots=True)
class FreeDay:
    """The free starts of one local day as runs, from the first start to the last (UTC); one alone is both.

    `people` are those with each of whom the visit could be that day, by name, with their own runs; none where somebody
    in particular was asked for, or where there is nobody to choose from. `room` is how many can come together at which
    of the starts; none where nothing is for several.
    """

    date: date
    runs: Runs
    people: tuple[tuple[str, Runs], ...] = ()
    room: tuple[tuple[int, Runs], ...] = ()


def offered_starts(starts: Iterable[datetime]) -> list[datetime]:
    """Return those of some starts (UTC, earliest first) that are offered one by one: the first of each quarter hour."""
    # The offset of every zone is a multiple of that.
    return [next(group) for _, group in groupby(starts, key=lambda start: (start - _EPOCH) // _QUARTER)]


def told_starts(business: Business, starts: Sequence[datetime]) -> tuple[datetime, ...]:
    """Return a few of many starts, spread over them: the first, the last, and between them full hours."""
    starts = offered_starts(starts)
    if len(starts) <= _TOLD_STARTS:
        return tuple(starts)
    full = [start for start in starts[1:-1] if start.astimezone(business.timezone).minute == 0]
    chosen = [starts[0], *(full or starts[1:-1]), starts[-1]]
    if len(chosen) <= _TOLD_STARTS:
        return tuple(chosen)
    return tuple(chosen[n * (len(chosen) - 1) // (_TOLD_STARTS - 1)] for n in range(_TOLD_STARTS))


def days_of(business: Business, starts: Iterable[datetime]) -> tuple[FreeDay, ...]:
    """Return starts day by day, as runs in which a visit can begin at every step; a change of the clocks ends a run.

    Args:
        business: In whose zone.
        starts: In UTC, earliest first.
    """
    days: dict[date, list[tuple[datetime, datetime]]] = {}
    before: tuple[date, timedelta | None] | None = None
    for first, last in _unbroken(starts):
        for shown, run in _shown(business.timezone, first, last):
            runs = days.setdefault(shown[0], [])
            if runs and shown == before and run[0] - runs[-1][1] <= STEP:
                runs[-1] = runs[-1][0], run[1]
            else:
                runs.append(run)
            before = shown
    return tuple(FreeDay(day, tuple(runs)) for day, runs in days.items())


def _unbroken(starts: Iterable[datetime]) -> list[tuple[datetime, datetime]]:
    """Return the first and the last of those that follow each other at every step."""
    runs: list[tuple[datetime, datetime]] = []
    for start in starts:
        if runs and start - runs[-1][1] <= STEP:
            runs[-1] = runs[-1][0], start
        else:
            runs.append((start, start))
    return runs


def _shown(
    zone: ZoneInfo, first: datetime, last: datetime
) -> Iterator[tuple[tuple[date, timedelta | None], tuple[datetime, datetime]]]:
    """Yield a run in pieces, each of one local day and with one offset: looked at where it has more than one alone."""
    shown, then = ((local.date(), local.utcoffset()) for local in (first.astimezone(zone), last.astimezone(zone)))
    if shown == then:
        yield shown, (first, last)
        return
    middle = first + (last - first) // STEP // 2 * STEP
    yield from _shown(zone, first, middle)
    yield from _shown(zone, middle + STEP, last)


def with_people(
    business: Business, visit: VisitLength, starts: Sequence[datetime], occupancy: Occupancy | None
) -> tuple[FreeDay, ...]:
    """Return starts day by day, with whom the visit could be at which of them, and for how many there is room."""
    days, steps = days_of(business, starts), [last_step_until(start) for start in starts]
    if occupancy is not None:
        days = _with_room(business, days, dict(zip(steps, starts, strict=True)), occupancy.room(visit, steps))
    if visit.person or occupancy is None or len(business.people) < _A_CHOICE:
        return days
    free = []
    for person in business.people[:TOLD_PEOPLE]:
        own = moments_of(occupancy.starts(replace(visit, person=person.id), steps))
        free.append((person.name, {day.date: day.runs for day in days_of(business, own)}))
    return tuple(
        replace(day, people=tuple((name, runs[day.date]) for name, runs in free if day.date in runs)) for day in days
    )


def _with_room(
    business: Business, days: Sequence[FreeDay], starts: Mapping[int, datetime], room: Mapping[int, int]
) -> tuple[FreeDay, ...]:
    if not room:
        return tuple(days)
    by_day: dict[date, list[tuple[int, Runs]]] = {}
    for count in sorted(set(room.values())):
        for day in days_of(business, [starts[step] for step in starts if room.get(step) == count]):
            by_day.setdefault(day.date, []).append((count, day.runs))
    return tuple(replace(day, room=tuple(by_day.get(day.date, ()))) for day in days)


@dataclass(frozen=True, slots=True)
class BoundDays:
    """The only days on which a visit can be at all: weekdays, from Monday, 0, on, and single ones beside these."""

    weekdays: tuple[int, ...] = ()
    dates: tuple[date, ...] = ()

    def __bool__(self) -> bool:
        """Whether it is bound to any."""
        return bool(self.weekdays or self.dates)

    def __contains__(self, day: date) -> bool:
        """Tell whether a day is one of them."""
        return day.weekday() in self.weekdays or day in self.dates


def bound_days_of(business: Business, visit: VisitLength, first: date, last: date) -> BoundDays:
    """Return the days to which a visit is bound by the hours of those and that which it needs.

    Single days, such as an extra Saturday, are looked for between two. Nothing where it is bound to none of those on
    which the business is open, or where there is no such day at all.
    """
    is_open = [day for day in _WEEK if business.working_hours.weekly.get(day)]
    bound = tuple(day for day in is_open if all(_is_met(business, visit, need, day) for need in visit.needs))
    if len(bound) == len(is_open):
        return BoundDays()
    among = [one for need in visit.needs for one in candidates(need, business.resources, visit.service)]
    every = [business.working_hours, *(one.hours for one in among if one.hours is not None)]
    named = {day for hours in every for day in _named(hours, first, last)}
    dates = [
        day
        for day in sorted(named)
        if day.weekday() not in bound
        and business.working_hours.on(day)
        and all(_is_met(business, visit, need, day) for need in visit.needs)
    ]
    # Of more than can be told it is not said that there are no others.
    return BoundDays(bound, tuple(dates)) if len(dates) <= _MOST_DATES else BoundDays()


def _named(hours: WorkingHours, first: date, last: date) -> Iterator[date]:
    """Yield the days between two that hours name one by one."""
    yield from (day for day in hours.exceptions if first <= day <= last)
    for month, number in hours.yearly:
        for year in range(first.year, last.year + 1):
            # February 29 is no day of most years.
            if (month, number) != _LEAP_DAY or isleap(year):
                day = date(year, month, number)
                yield from [day] if first <= day <= last else []


def _is_met(business: Business, visit: VisitLength, need: Need, day: int | date) -> bool:
    among = candidates(need, business.resources, visit.service)
    there = {resource.id for resource in among if _is_there(resource, day)}
    # Which of several needs a wished person meets does not matter: on a day without them there is no such visit.
    is_wished_away = visit.person in {resource.id for resource in among} - there
    return not is_wished_away and (len(there) >= need.count or not business.resources)


def _is_there(resource: Resource, day: int | date) -> bool:
    if resource.hours is None:
        return True
    return bool(resource.hours.on(day) if isinstance(day, date) else resource.hours.weekly.get(day))
