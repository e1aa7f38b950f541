"""When a document of the outbox is due: the field by which the outbox asks for what has to be done, and nothing else.

Whoever writes a document that is open says when somebody has to look at it; one at rest has no such field. Documents
of earlier versions, and those that others leave, have none either: the outbox gives them theirs.
"""

from collections.abc import Mapping
from datetime import datetime, timedelta
from math import ceil
from typing import Any, Final

from switchboard.contract.document import moment
from switchboard.contract.json import JsonObject
from switchboard.contract.store import DELETE_FIELD

DUE: Final = "dueAt"
OPEN: Final = ("todo", "sending", "unknown")
"""The states of what somebody has to do something about."""

# The network, or whoever sends it, is asked again soon what became of it.
_LOOKED_UP_AFTER = timedelta(seconds=15)
# A pause is longer than any may be by then, and the number still a small one.
_MOST_DOUBLINGS = 10


def due_with(fields: JsonObject, now: datetime) -> JsonObject:
    """Return a change of a document together with when it is due afterwards, where the change tells."""
    state, not_before = fields.get("state"), fields.get("notBefore")
    if state in ("sent", "failed"):
        return fields | {DUE: DELETE_FIELD}
    if state == "unknown":
        return {DUE: now + _LOOKED_UP_AFTER} | fields
    return fields | {DUE: not_before} if isinstance(not_before, datetime) else fields


def waits_until(data: Mapping[str, Any]) -> datetime | None:
    """Return until when a document that is open says that nothing is to be done; None where it does not say."""
    return moment(data.get("leaseUntil" if data.get("state") == "sending" else "notBefore"))


def due_at(data: Mapping[str, Any], now: datetime) -> datetime:
    """Return when somebody has to look at a document that is open, by what else it says; what does not wait, now."""
    waits = waits_until(data)
    if waits is not None:
        return waits
    # Those that were left earlier come first.
    return min(moment(data.get("createdAt")) or now, now)


def pause_after(tries: int, first: timedelta, longest: timedelta) -> timedelta:
    """Return how long nothing is tried after so many tries: `first` after one, and each time twice as long."""
    return min(longest, first * (1 << min(max(tries - 1, 0), _MOST_DOUBLINGS)))


def told_pause(left: timedelta | None) -> JsonObject:
    """Return the `meta` by which an error tells for how long asking again is of no use, if that is known."""
    return {"retryAfterS": max(1, ceil(left.total_seconds()))} if left is not None else {}
