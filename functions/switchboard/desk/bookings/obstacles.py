"""What may be booked at all: from when until when, and what keeps a visit from a moment, others' visits aside."""

from datetime import UTC, datetime, timedelta
from enum import StrEnum

from switchboard.contract.business.business import Business
from switchboard.contract.json import JsonObject
from switchboard.contract.python.dataclass import dataclass
from switchboard.desk.bookings.duration import VisitLength
from switchboard.desk.bookings.hours import Stretch, check_year, exists, local_days, open_stretches
from switchboard.desk.calendars.grid import is_on_grid

_DEFAULT_DAYS_AHEAD = 90
_MOST_DAYS_AHEAD = 730


class Obstacle(StrEnum):
    """Why a visit cannot start at a moment; the value is the `reason` that a model reads."""

    PAST = "past"
    TOO_FAR = "too_far"
    NO_SUCH_TIME = "no_such_time"
    OFF_GRID = "off_grid"
    SHORT_NOTICE = "short_notice"
    CLOSED = "closed"
    AWAY = "away"
    TAKEN = "taken"


@dataclass(frozen=True, slots=True)
class Horizon:
    """From when until when visits may start, both in UTC."""

    earliest: datetime
    latest: datetime


def horizon(business: Business, now: datetime) -> Horizon:
    """Return from when until when visits may start, by the calendar's `minNoticeMinutes` and `maxDaysAhead`."""
    settings = business.calendar_settings
    notice = _setting(settings, "minNoticeMinutes", 0, _MOST_DAYS_AHEAD * 1440)
    ahead = _setting(settings, "maxDaysAhead", _DEFAULT_DAYS_AHEAD, _MOST_DAYS_AHEAD)
    return Horizon(now.astimezone(UTC) + timedelta(minutes=notice), now.astimezone(UTC) + timedelta(days=ahead))


def obstacle(business: Business, now: datetime, start: datetime, visit: VisitLength) -> Obstacle | None:
    """Return what keeps a visit from starting at an aware moment, others' visits aside; None if nothing does.

    Raises:
        ToolError: VALIDATION for an absurd year.
    """
    check_year(start)
    span = horizon(business, now)
    if start < now:
        return Obstacle.PAST
    if start > span.latest:
        return Obstacle.TOO_FAR
    if not exists(start):
        return Obstacle.NO_SUCH_TIME
    if not is_on_grid(start):
        return Obstacle.OFF_GRID
    if not is_open_for(business, start.astimezone(UTC), visit):
        return Obstacle.CLOSED
    return Obstacle.SHORT_NOTICE if start < span.earliest else None


def is_open_for(business: Business, start: datetime, visit: VisitLength) -> bool:
    """Tell whether a business stays open from a visit's start, in UTC, to its end; buffers may lie outside."""
    end = visit.end(start)
    days = local_days(business.timezone, Stretch(start, end))
    return any(s.start <= start and end <= s.end for s in open_stretches(business, *days))


def _setting(settings: JsonObject, name: str, default: int, most: int) -> int:
    value = settings.get(name, default)
    if not isinstance(value, int | float) or isinstance(value, bool) or not 0 <= value <= most:
        return default
    return int(value)
