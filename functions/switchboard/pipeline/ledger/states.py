"""The states of one call, and every way from one to another: who may take it, and what is written by it.

Whoever writes a call's row asks this table, and so does whoever looks for calls that wait: a way that it does not hold,
or a field that it does not name, is refused.
"""

from enum import StrEnum
from typing import Final, Literal, TypeAlias

from switchboard.contract.json import JsonObject
from switchboard.contract.python.dataclass import dataclass

State: TypeAlias = Literal["started", "queued", "finished", "failed", "unknown", "refused"]
"""How the ledger keeps a call: started, for some then queued and started again, then one of the others."""


class CallEvent(StrEnum):
    """What happens to a call's row."""

    ADMITTED = "admitted"
    SETTLED_AT_ONCE = "settled at once"
    LET_STAND = "let stand"
    REFUSED_AFTER_ALL = "refused after all"
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
        writes: The fields of its row that may be written; no other is.
    """

    state: State | None
    event: CallEvent
    to: State | None
    actor: Actor
    writes: tuple[str, ...]


_WHOSE = ("businessId", "sessionId", "callId", "channel", "turn", "within", "facts", "trace", "expireAt", "startedAt")
_WHAT = (
    "tool",
    "kind",
    "toolKind",
    "arguments",
    "argumentsHash",
    "sentHash",
    "effectKey",
    "catalogHash",
    "catalogVersion",
    "canary",
    "agentVersion",
)
_LEASE = ("state", "owner", "dueAt")
# With what the caller's yes was to, and the call that made the same wish before, where there is one; and whether it was
# refused as it came, so that nobody but whoever makes it again carries it out.
_OPENED = (*_LEASE, "shard", *_WHOSE, *_WHAT, "begunAt", "isRefused", "agreed", "repeats", "used")
# Whatever counts calls finds them by `finishedAt`, so that a trial has another name for it.
_END = ("state", "response", "checks", "dueAt", "finishedAt", "triedAt", "tells", "used")
# Admitted and settled by one commit, whose sums are known only to whoever wrote it: `isOpen` until they were looked at.
_AT_ONCE = tuple(dict.fromkeys((*_OPENED, *_END, "isOpen")))
_REFUSED = (*(name for name in _END if name != "dueAt"), "isOpen")
# Where it stood when somebody took it up again: whoever explains it tells a redelivery from a server that stopped.
# By `leaseUntil` earlier versions said when it is due; it goes, with the first that is written by this one.
_TAKEN_UP = (*_LEASE, "shard", "leaseUntil", "takenUpFrom")
_LATER = ("recoveries", "dueAt", "shard", "leaseUntil")
_LAST = ("state", *_LATER, "givenUp", "givenUpAt", "finishedAt", "businessId", "response")

TRANSITIONS: Final = (
    Transition(None, CallEvent.ADMITTED, "started", Actor.DELIVERY, _OPENED),
    # A look-up that stays inside the house: run first, recorded with its answer.
    Transition(None, CallEvent.SETTLED_AT_ONCE, "finished", Actor.DELIVERY, _AT_ONCE),
    Transition(None, CallEvent.SETTLED_AT_ONCE, "failed", Actor.DELIVERY, _AT_ONCE),
    Transition(None, CallEvent.SETTLED_AT_ONCE, "refused", Actor.DELIVERY, _AT_ONCE),
    Transition(None, CallEvent.SETTLED_AT_ONCE, "unknown", Actor.DELIVERY, _AT_ONCE),
    # What it was counted as decides whether its answer is given; asked by whoever wrote it, and by its redelivery.
    Transition("finished", CallEvent.LET_STAND, "finished", Actor.DELIVERY, ("isOpen",)),
    Transition("failed", CallEvent.LET_STAND, "failed", Actor.DELIVERY, ("isOpen",)),
    Transition("unknown", CallEvent.LET_STAND, "unknown", Actor.DELIVERY, ("isOpen",)),
    Transition("finished", CallEvent.REFUSED_AFTER_ALL, "refused", Actor.DELIVERY, _REFUSED),
    Transition("failed", CallEvent.REFUSED_AFTER_ALL, "refused", Actor.DELIVERY, _REFUSED),
    Transition("unknown", CallEvent.REFUSED_AFTER_ALL, "refused", Actor.DELIVERY, _REFUSED),
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
    Transition("started", CallEvent.LEFT_OPEN, "started", Actor.OWNER, ("state", "dueAt", "begunAt")),
    # Its admission got no answer, and the caller was told that nothing was done.
    Transition("started", CallEvent.DISOWNED, None, Actor.OWNER, ()),
    Transition("queued", CallEvent.CALLED_UP, "started", Actor.ANYBODY, _TAKEN_UP),
    # Counted before it is tried: what kills its process is not tried for ever.
    Transition("started", CallEvent.TAKEN_OVER, "started", Actor.ANYBODY, (*_TAKEN_UP, "recoveries")),
    Transition("unknown", CallEvent.TAKEN_OVER, "started", Actor.ANYBODY, (*_TAKEN_UP, "recoveries")),
    # Nothing was done and trying again may help: the next delivery does.
    Transition("failed", CallEvent.TRIED_AGAIN, "started", Actor.DELIVERY, (*_TAKEN_UP, "response", "begunAt")),
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

_WRITES_BY_WAY: Final = {(way.state, way.event, way.to): frozenset(way.writes) for way in TRANSITIONS}


def before(event: CallEvent) -> tuple[State, ...]:
    """Return the states in which something can happen to a call that is there, in the order of the table."""
    return tuple(dict.fromkeys(way.state for way in TRANSITIONS if way.event is event and way.state is not None))


def after(state: State | None, event: CallEvent, to: State | None, fields: JsonObject) -> JsonObject:
    """Return what is written into a call's row when something happens to it: the fields, and the state it comes to.

    Args:
        state: Where the call stands; None before it is there.
        event: What happens to it.
        to: What it comes to; None when nothing is left of it.
        fields: What else is written; it is taken over.

    Raises:
        ValueError: It does not stand in the table, or a field does not.
    """
    writes = _WRITES_BY_WAY.get((state, event, to))
    if writes is None:
        raise ValueError(f"a call that is {state or 'not there'} cannot be {event} and then be {to or 'gone'}")
    if not writes.issuperset(fields):
        strange = fields.keys() - writes
        raise ValueError(f"{', '.join(sorted(strange))}: not written when a call is {event}")
    if "state" in writes:
        fields["state"] = to
    return fields
