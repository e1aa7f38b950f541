"""The states of one call, and every way from one to another: who may take it, and what is written by it.

Whoever writes a state asks this table, and so does whoever looks for calls that wait: what it does not hold is refused.
"""

from dataclasses import dataclass
from enum import StrEnum
from typing import Final, Literal, TypeAlias

State: TypeAlias = Literal["started", "queued", "finished", "failed", "unknown", "refused"]
"""How the ledger keeps a call: started, for some then queued and started again, then one of the others."""


class CallEvent(StrEnum):
    """What happens to a call's row."""

    ADMITTED = "admitted"
    BEGUN = "begun"
    SETTLED = "settled"
    LEFT_OPEN = "left open"
    DISOWNED = "disowned"
    CALLED_UP = "called up"
    TAKEN_OVER = "taken over"
    TRIED_AGAIN = "tried again"
    PUT_OFF = "put off"
    GIVEN_UP = "given up"


class Actor(StrEnum):
    """Who may do it."""

    DELIVERY = "whichever instance the call is delivered to"
    OWNER = "the instance that works on it"
    ANYBODY = "any instance, once it is due: whoever is first"


@dataclass(frozen=True, slots=True)
class Transition:
    """One way.

    Attributes:
        state: Where the call stands; None before it is there.
        event: What happens.
        to: Where it stands then; None when nothing is left of it.
        actor: Who may do that.
        writes: The fields of its row that are written.
    """

    state: State | None
    event: CallEvent
    to: State | None
    actor: Actor
    writes: tuple[str, ...]


_LEASE = ("state", "owner", "leaseUntil")
_END = ("state", "response", "checks", "leaseUntil")
_LATER = ("recoveries", "leaseUntil")
_LAST = ("state", "recoveries", "leaseUntil", "givenUp", "givenUpAt", "finishedAt", "businessId")

TRANSITIONS: Final = (
    Transition(None, CallEvent.ADMITTED, "started", Actor.DELIVERY, (*_LEASE, "startedAt", "expireAt", "arguments")),
    # From here on it may have changed something: whoever takes it over must not do it again unseen.
    Transition("started", CallEvent.BEGUN, "started", Actor.OWNER, ("begunAt",)),
    Transition("started", CallEvent.SETTLED, "finished", Actor.OWNER, _END),
    Transition("started", CallEvent.SETTLED, "failed", Actor.OWNER, _END),
    Transition("started", CallEvent.SETTLED, "refused", Actor.OWNER, _END),
    # With a lease where it can be found out, by doing it again, what came of it; else for good.
    Transition("started", CallEvent.SETTLED, "unknown", Actor.OWNER, _END),
    # Accepted, and due at once: its answer says so until there is another.
    Transition("started", CallEvent.SETTLED, "queued", Actor.OWNER, _END),
    # Taken over before, and still not to be done for the moment, which is no end of what the caller was promised.
    Transition("started", CallEvent.LEFT_OPEN, "started", Actor.OWNER, ("state", "leaseUntil")),
    # Its admission got no answer, and the caller was told that nothing was done.
    Transition("started", CallEvent.DISOWNED, None, Actor.OWNER, ()),
    Transition("queued", CallEvent.CALLED_UP, "started", Actor.ANYBODY, _LEASE),
    # Counted before it is tried: what kills its process is not tried for ever.
    Transition("started", CallEvent.TAKEN_OVER, "started", Actor.ANYBODY, (*_LEASE, "recoveries")),
    Transition("unknown", CallEvent.TAKEN_OVER, "started", Actor.ANYBODY, (*_LEASE, "recoveries")),
    # Nothing was done and trying again may help: the next delivery does.
    Transition("failed", CallEvent.TRIED_AGAIN, "started", Actor.DELIVERY, (*_LEASE, "response")),
    Transition("started", CallEvent.PUT_OFF, "started", Actor.ANYBODY, _LATER),
    Transition("queued", CallEvent.PUT_OFF, "queued", Actor.ANYBODY, _LATER),
    Transition("unknown", CallEvent.PUT_OFF, "unknown", Actor.ANYBODY, _LATER),
    # Failed where it is certain that nothing was done, else unknown.
    Transition("started", CallEvent.GIVEN_UP, "failed", Actor.ANYBODY, _LAST),
    Transition("started", CallEvent.GIVEN_UP, "unknown", Actor.ANYBODY, _LAST),
    Transition("queued", CallEvent.GIVEN_UP, "failed", Actor.ANYBODY, _LAST),
    Transition("unknown", CallEvent.GIVEN_UP, "failed", Actor.ANYBODY, _LAST),
    Transition("unknown", CallEvent.GIVEN_UP, "unknown", Actor.ANYBODY, _LAST),
)

UNDONE: Final[frozenset[State]] = frozenset({"refused", "failed"})
"""Ends at which nothing was done, so that the same wish may be made again."""

_TO: Final = {(way.state, way.event, way.to) for way in TRANSITIONS}


def before(event: CallEvent) -> tuple[State, ...]:
    """Return the states in which something can happen to a call that is there, in the order of the table."""
    return tuple(dict.fromkeys(way.state for way in TRANSITIONS if way.event is event and way.state is not None))


def after(state: State | None, event: CallEvent, to: State) -> State:
    """Return the state that an event leads to.

    Args:
        state: Where the call stands; None before it is there.
        event: What happens to it.
        to: What it comes to.

    Raises:
        ValueError: It does not stand in the table.
    """
    if (state, event, to) not in _TO:
        raise ValueError(f"a call that is {state or 'not there'} cannot be {event} and then be {to}")
    return to
