"""What is free: one moment, a day, or the nearest other times."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from itertools import groupby

from switchboard.contract.business import Business
from switchboard.contract.context import CallContext
from switchboard.desk.busy import BusyTimes, BusyView
from switchboard.desk.grid import first_step_from, last_step_until, moment_of
from switchboard.desk.hours import Stretch, check_year, day_bounds, first_existing, open_stretches
from switchboard.desk.rules import Obstacle, horizon, obstacle
from switchboard.desk.visit import Visit

_DAY = timedelta(days=1)
_SEARCHED_DAYS = 14
# Starts are offered every 15, 30 or 60 minutes: the finest at which a day's list is still short enough to be read.
_SPACINGS = (3, 6, 12)
_LONGEST_LIST = 24


@dataclass(frozen=True, slots=True)
class Conflict:
    """A stretch of UTC time in which the visit cannot be, and why. Whose visit is in the way is nobody's business."""

    time: Stretch
    reason: Obstacle


@dataclass(frozen=True, slots=True)
class Answer:
    """Whether a visit fits; if not, what is in the way and which other starts (UTC, earliest first) are free."""

    is_available: bool
    conflicts: tuple[Conflict, ...]
    starts: tuple[datetime, ...]


class Availability:
    """Free times, worked out from opening times, bookings and the outside calendar: no second copy can disagree."""

    def __init__(self, busy: BusyTimes) -> None:
        """Look at what is taken through `busy`."""
        self._busy = busy

    async def at(self, ctx: CallContext, visit: Visit, start: datetime) -> Answer:
        """Tell whether a visit can start at an aware moment; if not, name the three nearest free starts.

        Raises:
            ToolError: TRANSIENT or AUTH when the calendar cannot be read, VALIDATION for an absurd year.
        """
        reason = obstacle(ctx.business, ctx.now, start, visit)
        start = start.astimezone(UTC)
        if reason is not None:
            conflicts: tuple[Conflict, ...] = (Conflict(Stretch(start, visit.end(start)), reason),)
        else:
            view = await self.view(ctx, visit, start)
            conflicts = tuple(_taken_runs(view, visit.claims(start)))
        if not conflicts:
            return Answer(True, (), (start,))
        return Answer(False, conflicts, tuple(await self.alternatives(ctx, visit, start)))

    async def on(self, ctx: CallContext, visit: Visit, day: date) -> Answer:
        """Tell when a visit can start on a local day; if never, why, and the next three free starts after it.

        Raises:
            ToolError: TRANSIENT or AUTH when the calendar cannot be read, VALIDATION for an absurd year.
        """
        check_year(day)
        zone = ctx.business.timezone
        starts: list[datetime] = []
        for every in _SPACINGS:
            starts = await self._free(ctx, visit, day, day, every)
            if len(starts) <= _LONGEST_LIST:
                break
        if starts:
            return Answer(True, (), tuple(starts))
        others = await self.alternatives(ctx, visit, first_existing(zone, day, time.min))
        return Answer(False, tuple(_full_day(ctx, visit, day)), tuple(others))

    async def alternatives(self, ctx: CallContext, visit: Visit, around: datetime, count: int = 3) -> list[datetime]:
        """Return up to `count` free starts in UTC, earliest first.

        Those of the same local day come first, nearest to `around`; then day by day, for 14 days, those nearest to
        the same time of day.

        Raises:
            ToolError: TRANSIENT or AUTH when the calendar cannot be read.
        """
        zone, span = ctx.business.timezone, horizon(ctx.business, ctx.now)
        day = min(max(around, span.earliest), span.latest).astimezone(zone).date()
        # What was asked for stays ten in the morning, also where the day itself is past or too far ahead.
        clock = around.astimezone(zone).time()
        found = _nearest(await self._free(ctx, visit, day, day), first_existing(zone, day, clock))[:count]
        if len(found) < count:
            later = await self._free(ctx, visit, day + _DAY, day + _SEARCHED_DAYS * _DAY)
            for other, starts in groupby(later, key=lambda start: start.astimezone(zone).date()):
                found += _nearest(list(starts), first_existing(zone, other, clock))
                if len(found) >= count:
                    break
        return sorted(found[:count])

    async def view(self, ctx: CallContext, visit: Visit, start: datetime, newer_than: int = 0) -> BusyView:
        """Return what is taken around a visit that starts at a UTC moment.

        Raises:
            ToolError: TRANSIENT or AUTH when the calendar cannot be read.
        """
        return await self._busy.around(ctx, visit.claimed(start, start), newer_than)

    async def _free(self, ctx: CallContext, visit: Visit, first: date, last: date, every: int = 3) -> list[datetime]:
        steps = list(_possible_starts(ctx.business, ctx.now, visit, first, last, every))
        if not steps:
            return []
        view = await self._busy.around(ctx, visit.claimed(moment_of(steps[0]), moment_of(steps[-1])))
        claim = visit.claims(moment_of(0))
        return [moment_of(n) for n in steps if view.is_free(range(n + claim.start, n + claim.stop))]


def _possible_starts(
    business: Business, now: datetime, visit: Visit, first: date, last: date, every: int
) -> Iterator[int]:
    """Yield the steps at which a visit could start on some local days if nothing were taken, in order."""
    span, bounds = horizon(business, now), day_bounds(business.timezone, first, last)
    earliest = first_step_from(max(bounds.start, span.earliest))
    latest = min(first_step_from(bounds.end) - 1, last_step_until(span.latest))
    # One day more: a visit that starts before midnight may end in the next day's opening.
    for stretch in open_stretches(business, first, last + _DAY):
        last_start = last_step_until(stretch.end - timedelta(minutes=visit.minutes))
        for step in range(first_step_from(stretch.start), min(last_start, latest) + 1, every):
            if step >= earliest:
                yield step


def _nearest(starts: list[datetime], target: datetime) -> list[datetime]:
    target = target.astimezone(UTC)
    return sorted(starts, key=lambda start: (abs(start - target), start))


def _taken_runs(view: BusyView, steps: range) -> Iterator[Conflict]:
    # Runs of steps, cut to what was asked: neither where a booking begins nor how many there are can be read off.
    for taken, run in groupby(steps, key=view.taken.__contains__):
        if taken:
            held = list(run)
            yield Conflict(Stretch(moment_of(held[0]), moment_of(held[-1] + 1)), Obstacle.TAKEN)


def _full_day(ctx: CallContext, visit: Visit, day: date) -> Iterator[Conflict]:
    bounds = day_bounds(ctx.business.timezone, day, day)
    opened = [s for s in open_stretches(ctx.business, day, day) if s.end - s.start >= timedelta(minutes=visit.minutes)]
    if not opened:
        yield Conflict(bounds, Obstacle.CLOSED)
    for stretch in opened:
        last_start = stretch.end - timedelta(minutes=visit.minutes)
        yield Conflict(stretch, obstacle(ctx.business, ctx.now, last_start, visit) or Obstacle.TAKEN)
