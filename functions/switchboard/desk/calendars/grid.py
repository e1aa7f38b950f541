"""The booking grid: UTC time cut into steps of five minutes, so that overlap is a question about whole numbers.

A step is the number of five-minute spans since 1970. Every zone's offset is a multiple of the step, so whatever is on
the grid in UTC is on it in local time as well, on both sides of a change of the clocks.
"""

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta

from switchboard.contract.business.resources import MAIN
from switchboard.contract.ports import BusinessPaths
from switchboard.contract.store import Create, Delete, Write

STEP = timedelta(minutes=5)
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)

# One commit holds at most 500 writes: a booking, its slots, what its holders hold, a text.
MOST_SLOTS = 480
# A slot document only matters until its time is over; Firestore's TTL may then remove it.
_KEPT_AFTER = timedelta(days=7)


def steps_between(start: datetime, end: datetime) -> range:
    """Return the steps that [start, end) touches, given aware times of any zone."""
    return range(last_step_until(start), first_step_from(end))


def steps_within(start: datetime, end: datetime) -> range:
    """Return the steps that lie in [start, end) as a whole, given aware times of any zone."""
    return range(first_step_from(start), last_step_until(end))


def starts_within(start: datetime, end: datetime) -> range:
    """Return the steps that begin from one aware time until another, the second included."""
    return range(first_step_from(start), last_step_until(end) + 1)


def first_step_from(moment: datetime) -> int:
    """Return the first step that begins at an aware time or later."""
    return -((_EPOCH - moment) // STEP)


def last_step_until(moment: datetime) -> int:
    """Return the last step that begins at an aware time or earlier."""
    return (moment - _EPOCH) // STEP


def claimed_steps(start: datetime, before: int, minutes: int, after: int) -> range:
    """Return the steps that a visit keeps from others: its own time and the minutes around it, given its UTC start."""
    return steps_between(start - timedelta(minutes=before), start + timedelta(minutes=minutes + after))


def moment_of(step: int) -> datetime:
    """Return when a step begins, in UTC."""
    return _EPOCH + step * STEP


def moments_of(steps: Iterable[int]) -> list[datetime]:
    """Return when each of some steps begins, in UTC."""
    return [_EPOCH + step * STEP for step in steps]


def span_of(steps: range) -> tuple[datetime, datetime]:
    """Return when the first of some steps begins and the last one ends, in UTC."""
    return moment_of(steps.start), moment_of(steps.stop)


def moment_of_slot(id: str) -> datetime:
    """Return when a slot begins, in UTC, given its id."""
    return datetime.strptime(id.rpartition("_")[2], "%Y%m%dT%H%M%SZ").replace(tzinfo=UTC)


def is_on_grid(moment: datetime) -> bool:
    """Tell whether an aware time is the beginning of a step."""
    return not (moment - _EPOCH) % STEP


def slot_id(step: int, resource: str = MAIN, unit: int = 0) -> str:
    """Return the id of the document that claims a step of a resource, e.g. `main_20261124T143000Z`.

    Of a resource that takes several at once, each unit has its own: `class.3_20261124T143000Z`.
    """
    whose = f"{resource}.{unit}" if unit else resource
    return f"{whose}_{moment_of(step):%Y%m%dT%H%M%SZ}"


def claiming(paths: BusinessPaths, booking_id: str, slots: Iterable[str]) -> list[Write]:
    """Return the writes that claim slots for a booking; the commit fails if anybody holds one of them."""
    writes: list[Write] = []
    for id in sorted(slots):
        start = moment_of_slot(id)
        slot = {"bookingId": booking_id, "start": start, "expireAt": start + STEP + _KEPT_AFTER}
        writes.append(Create(slot_path(paths, id), slot))
    return writes


def freeing(paths: BusinessPaths, slots: Iterable[str]) -> list[Write]:
    """Return the writes that free slots; only for the commit that also writes, conditionally, the booking they had."""
    return [Delete(slot_path(paths, id)) for id in sorted(slots)]


def slot_path(paths: BusinessPaths, id: str) -> str:
    """Return the path of the document that claims a slot."""
    return paths.document("slots", id)
