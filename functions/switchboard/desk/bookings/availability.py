"""What is free: one moment, a day, some days, the soonest, or the nearest others."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import UTC, date, datetime, time, timedelta
from itertools import groupby

from switchboard.contract.business.business import Business
from switchboard.contract.context import CallContext
from switchboard.contract.error import ErrorType, ToolError
from switchboard.contract.python.dataclass import dataclass
from switchboard.desk.bookings.duration import VisitLength
from switchboard.desk.bookings.free_days import (
    TOLD_PEOPLE,
    BoundDays,
    FreeDay,
    bound_days_of,
    days_of,
    offered_starts,
    told_starts,
    with_people,
)
from switchboard.desk.bookings.hours import (
    Stretch,
    check_year,
    day_bounds,
    first_existing,
    open_stretches,
)
from switchboard.desk.bookings.obstacles import Obstacle, horizon, obstacle
from switchboard.desk.calendars.free_busy import BusyTimes, BusyView
from switchboard.desk.calendars.grid import (
    last_step_until,
    moment_of,
    moments_of,
    span_of,
    starts_within,
)
from switchboard.desk.resources.occupancy import Occupancy

_DAY = timedelta(days=1)
_MOMENT = timedelta(microseconds=1)
MOST_DAYS = 14
"""So many days are looked through at once."""
# The soonest is looked for in so many stretches of those, which is more than the days ahead that are usual.
_STRETCHES = 8
_SOONEST_DAYS, _SOONEST_STARTS = 2, 3
# So many others are named where what was asked for cannot be had.
_OTHERS = 3


@dataclass(frozen=True, slots=True)
class Conflict:
    """A stretch of UTC time in which the visit cannot be, and why. Whose visit is in the way is nobody's business."""

    time: Stretch
    reason: Obstacle


@dataclass(frozen=True, slots=True)
class Choice:
    """A free start (UTC), and the name of whom the visit would then be with; empty for nobody in particular."""

    start: datetime
    person: str = ""


@dataclass(frozen=True, slots=True)
class AvailabilityAnswer:
    """Whether a visit fits; if not, what is in the way and which other starts are free.

    Attributes:
        starts: Some free starts (UTC, earliest first): of many, a few that are spread over them.
        days: All that is free on the days on which they are; empty where one moment was asked for and is free.
        free_with: Where one moment was asked for: the names of some who are free then for such a visit.
        asked: That moment (UTC).
        only_on: The days on which such a visit can be at all, where that is in the way.
        room: How many can come together at the moment that was asked for, or at most at any time of the days that were;
            None where nothing is for several, and where days are told that tell it themselves.
        looked_until: Where the soonest was asked for and there is none: the last day that was looked through.
    """

    is_available: bool
    conflicts: tuple[Conflict, ...]
    starts: tuple[datetime, ...]
    days: tuple[FreeDay, ...] = ()
    free_with: tuple[str, ...] = ()
    asked: datetime | None = None
    only_on: BoundDays = BoundDays()
    room: int | None = None
    looked_until: date | None = None


class Availability:
    """Free times, worked out from opening times, bookings and the outside calendar: no second copy can disagree."""

    def __init__(self, busy: BusyTimes) -> None:
        """Look at what is taken through `busy`."""
        self._busy = busy

    async def at(self, ctx: CallContext, visit: VisitLength, start: datetime) -> AvailabilityAnswer:
        """Tell whether a visit can start at an aware moment; if not, name the three nearest free starts.

        Raises:
            ToolError: TRANSIENT or AUTH when the calendar cannot be read, VALIDATION for an absurd year.
        """
        reason, free_with = obstacle(ctx.business, ctx.now, start, visit), tuple[str, ...]()
        room: int | None = None
        start = start.astimezone(UTC)
        if reason is not None:
            conflicts: tuple[Conflict, ...] = (Conflict(Stretch(start, visit.end(start)), reason),)
        else:
            occupancy = (await self.view(ctx, visit, start)).occupancy(ctx.business, without=visit.instead_of)
            conflicts = () if occupancy.assignment(visit, start) else tuple(_taken_runs(occupancy, visit, start))
            free_with = occupancy.people_free(replace(visit, person=""), start, TOLD_PEOPLE)
            room = _room(ctx.business, visit, occupancy, [last_step_until(start)])
        if not conflicts:
            return AvailabilityAnswer(True, (), (start,), free_with=free_with, asked=start, room=room)
        local = start.astimezone(ctx.business.timezone)
        refused = await self._refusal(ctx, visit, conflicts, local, [local.date()])
        return replace(refused, free_with=free_with, asked=start, room=room)

    async def on(self, ctx: CallContext, visit: VisitLength, day: date) -> AvailabilityAnswer:
        """Tell when a visit can start on a local day; if never, why, and the next three free starts after it.

        Raises:
            ToolError: TRANSIENT or AUTH when the calendar cannot be read, VALIDATION for an absurd year.
        """
        return await self.between(ctx, visit, day, day)

    async def between(self, ctx: CallContext, visit: VisitLength, first: date, last: date) -> AvailabilityAnswer:
        """Tell when a visit can start on some local days; if on none, why, and the next three free starts after them.

        Raises:
            ToolError: TRANSIENT or AUTH when the calendar cannot be read, VALIDATION for an absurd year, days in the
                wrong order or too many of them.
        """
        check_year(first)
        check_year(last)
        if not first <= last < first + MOST_DAYS * _DAY:
            raise ToolError(
                ErrorType.VALIDATION,
                f"until: give a day from {first} to {first + (MOST_DAYS - 1) * _DAY}; at most {MOST_DAYS} days are "
                "looked through at once.",
            )
        starts, occupancy = await self._free(ctx, visit, first, last)
        if starts:
            days = with_people(ctx.business, visit, starts, occupancy)
            return AvailabilityAnswer(True, (), told_starts(ctx.business, starts), days)
        asked = [first + n * _DAY for n in range((last - first).days + 1)]
        conflicts = [conflict for day in asked for conflict in _full_day(ctx, visit, day, occupancy)]
        around = first_existing(ctx.business.timezone, last, time.min)
        refused = await self._refusal(ctx, visit, conflicts, around, asked)
        steps = list(_possible_starts(ctx.business, ctx.now, visit, first, last))
        room = _room(ctx.business, visit, occupancy, steps) if occupancy is not None and visit.party > 1 else None
        return replace(refused, room=room)

    async def room(self, ctx: CallContext, visit: VisitLength, start: datetime) -> int | None:
        """Return how many can come together at an aware moment; None where nothing is for several.

        Raises:
            ToolError: TRANSIENT or AUTH when the calendar cannot be read.
        """
        start = start.astimezone(UTC)
        occupancy = (await self.view(ctx, visit, start)).occupancy(ctx.business, without=visit.instead_of)
        return _room(ctx.business, visit, occupancy, [last_step_until(start)])

    async def soonest(self, ctx: CallContext, visit: VisitLength, start: datetime) -> AvailabilityAnswer:
        """Tell the first free starts from an aware moment on, and the days on which they are.

        Raises:
            ToolError: TRANSIENT or AUTH when the calendar cannot be read, VALIDATION for an absurd year.
        """
        zone, span = ctx.business.timezone, horizon(ctx.business, ctx.now)
        first, last = max(start, span.earliest).astimezone(zone).date(), span.latest.astimezone(zone).date()
        check_year(first)
        at_first: Occupancy | None = None
        until = first
        for n in range(_STRETCHES):
            day = first + n * MOST_DAYS * _DAY
            until = day + (MOST_DAYS - 1) * _DAY
            starts, occupancy = await self._free(ctx, visit, day, until)
            free = [other for other in starts if other >= start]
            if free:
                days = with_people(ctx.business, visit, free, occupancy)[:_SOONEST_DAYS]
                return AvailabilityAnswer(True, (), tuple(offered_starts(free)[:_SOONEST_STARTS]), days)
            at_first = at_first or occupancy
            if until >= last:
                break
        conflicts = tuple(_full_day(ctx, visit, first, at_first))
        return AvailabilityAnswer(False, conflicts, (), looked_until=max(first, min(until, last)))

    async def _refusal(
        self,
        ctx: CallContext,
        visit: VisitLength,
        conflicts: Sequence[Conflict],
        around: datetime,
        asked: Sequence[date],
    ) -> AvailabilityAnswer:
        """Return what is in the way, and the next three free starts, with all that is free on their days."""
        choices, whole = await self._around(ctx, visit, around, _OTHERS)
        is_away = any(conflict.reason is Obstacle.AWAY for conflict in conflicts)
        only_on = days_that_bind(ctx, visit) if is_away else BoundDays()
        answer = AvailabilityAnswer(
            False, tuple(conflicts), tuple(choice.start for choice in choices), days_of(ctx.business, whole)
        )
        # Where one of the asked days is such a day, something else is in the way there.
        return answer if any(day in only_on for day in asked) else replace(answer, only_on=only_on)

    async def choices(
        self,
        ctx: CallContext,
        visit: VisitLength,
        around: datetime,
        reason: Obstacle | None = None,
        preferred: Sequence[str] = (),
        count: int = _OTHERS,
    ) -> list[Choice]:
        """Return what could be had instead of a visit at an aware moment: up to `count` other starts, earliest first.

        Each is with one of those who are `preferred` where they have time. Where a wished person is the reason,
        somebody else who is free at that very time comes first, and others are named where the wished one is free at no
        time.

        Those of the same local day come first, nearest to `around`; then day by day, for 14 days, those nearest to
        the same time of day.

        Raises:
            ToolError: TRANSIENT or AUTH when the calendar cannot be read.
        """
        choices, _ = await self._around(ctx, visit, around, count, preferred)
        if not visit.person or reason not in (Obstacle.TAKEN, Obstacle.AWAY):
            return choices
        anyone, start = replace(visit, person=""), around.astimezone(UTC)
        beside = (await self.view(ctx, anyone, start)).occupancy(ctx.business, without=visit.instead_of)
        then = beside.assignment(anyone, start)
        choices = choices or (await self._around(ctx, anyone, around, count, preferred))[0]
        return [*([Choice(start, then.person)] if then is not None else ()), *(c for c in choices if c.start != start)]

    async def _around(
        self, ctx: CallContext, visit: VisitLength, around: datetime, count: int, preferred: Sequence[str] = ()
    ) -> tuple[list[Choice], list[datetime]]:
        """Return the nearest free starts, and all that are free on the days on which they are."""
        zone, span = ctx.business.timezone, horizon(ctx.business, ctx.now)
        day = min(max(around, span.earliest), span.latest).astimezone(zone).date()
        # What was asked for stays ten in the morning, also where the day itself is past or too far ahead.
        clock = around.astimezone(zone).time()
        starts, occupancy = await self._free(ctx, visit, day, day)
        nearest = _nearest(starts, first_existing(zone, day, clock))[:count]
        then, whole = dict.fromkeys(nearest, occupancy), list(starts)
        if len(nearest) < count:
            later, occupancy = await self._free(ctx, visit, day + _DAY, day + MOST_DAYS * _DAY)
            for other, later_starts in groupby(later, key=lambda start: start.astimezone(zone).date()):
                of_day = list(later_starts)
                nearest += _nearest(of_day, first_existing(zone, other, clock))
                whole += of_day
                if len(nearest) >= count:
                    break
        chosen = sorted(nearest[:count])
        return [_choice(then.get(start, occupancy), visit, start, preferred) for start in chosen], whole

    async def view(self, ctx: CallContext, visit: VisitLength, start: datetime, newer_than: int = 0) -> BusyView:
        """Return what is taken around a visit that starts at a UTC moment.

        Raises:
            ToolError: TRANSIENT or AUTH when the calendar cannot be read.
        """
        return await self._busy.around(ctx, visit.claimed(start, start), newer_than)

    async def _free(
        self, ctx: CallContext, visit: VisitLength, first: date, last: date
    ) -> tuple[list[datetime], Occupancy | None]:
        """Return the free starts of some days, and what they were found in; None where none is possible anyhow."""
        steps = list(_possible_starts(ctx.business, ctx.now, visit, first, last))
        if not steps:
            return [], None
        view = await self._busy.around(ctx, visit.claimed(*moments_of((steps[0], steps[-1]))))
        occupancy = view.occupancy(ctx.business, without=visit.instead_of)
        return moments_of(occupancy.starts(visit, steps)), occupancy


def days_that_bind(ctx: CallContext, visit: VisitLength) -> BoundDays:
    """Return the only days on which a visit can be at all, of single ones those that can be booked now."""
    span = horizon(ctx.business, ctx.now)
    first, last = (each.astimezone(ctx.business.timezone).date() for each in (span.earliest, span.latest))
    return bound_days_of(ctx.business, visit, first, last)


def _room(business: Business, visit: VisitLength, occupancy: Occupancy, steps: Sequence[int]) -> int | None:
    service = business.service_named(visit.service) if visit.service else None
    if business.most_together(service) <= 1:
        return None
    return max(occupancy.room(visit, steps).values(), default=0)


def _choice(occupancy: Occupancy | None, visit: VisitLength, start: datetime, preferred: Sequence[str]) -> Choice:
    taken = occupancy.assignment(visit, start, preferred) if occupancy is not None else None
    return Choice(start, taken.person if taken is not None else "")


def _possible_starts(business: Business, now: datetime, visit: VisitLength, first: date, last: date) -> Iterator[int]:
    """Yield every step at which a visit could start on some local days if nothing were taken, in order."""
    span, bounds = horizon(business, now), day_bounds(business.timezone, first, last)
    allowed = starts_within(max(bounds.start, span.earliest), min(bounds.end - _MOMENT, span.latest))
    # One day more: a visit that starts before midnight may end in the next day's opening.
    for stretch in open_stretches(business, first, last + _DAY):
        possible = starts_within(stretch.start, stretch.end - timedelta(minutes=visit.minutes))
        yield from _common(possible, allowed)


def _nearest(starts: list[datetime], target: datetime) -> list[datetime]:
    target = target.astimezone(UTC)
    return sorted(offered_starts(starts), key=lambda start: (abs(start - target), start))


def _taken_runs(occupancy: Occupancy, visit: VisitLength, start: datetime) -> Iterator[Conflict]:
    if not occupancy.is_anybody_there(visit, [last_step_until(start)]):
        yield Conflict(Stretch(start, visit.end(start)), Obstacle.AWAY)
        return
    # Runs of steps, cut to what was asked: neither where a booking begins nor how many there are can be read off.
    taken = frozenset(occupancy.taken_steps(visit, start))
    for is_taken, run in groupby(visit.claims(start), key=taken.__contains__):
        if is_taken:
            steps = list(run)
            yield Conflict(Stretch(*span_of(range(steps[0], steps[-1] + 1))), Obstacle.TAKEN)


def _full_day(ctx: CallContext, visit: VisitLength, day: date, occupancy: Occupancy | None) -> Iterator[Conflict]:
    bounds = day_bounds(ctx.business.timezone, day, day)
    starts = starts_within(bounds.start, bounds.end - _MOMENT)
    # One day more, as a visit may end in it; and the conflict is about the day that was asked for.
    opened = [
        (stretch, steps)
        for stretch in open_stretches(ctx.business, day, day + _DAY)
        if (steps := _common(starts_within(stretch.start, stretch.end - timedelta(minutes=visit.minutes)), starts))
    ]
    if not opened:
        yield Conflict(bounds, Obstacle.CLOSED)
    for stretch, steps in opened:
        is_there = occupancy is None or occupancy.is_anybody_there(visit, steps)
        reason = Obstacle.TAKEN if is_there else Obstacle.AWAY
        time = Stretch(stretch.start, min(stretch.end, bounds.end))
        yield Conflict(time, obstacle(ctx.business, ctx.now, moment_of(steps[-1]), visit) or reason)


def _common(one: range, other: range) -> range:
    return range(max(one.start, other.start), min(one.stop, other.stop))
