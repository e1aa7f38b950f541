"""RATE_LIMIT: a caller who is not verified has done as much as strangers may, here or from the same address or number.

Counted in the commit that admits the call, and given back in the one that settles it when it is refused, so that it
costs no trip to the store. Whether somebody has shown in this conversation who they are is read for calls that would be
refused, and for those that count where all strangers do: for somebody known it is given back as well.
"""

from switchboard.contract.caller.strangers import is_stranger, keys_of, tally_of, used_up
from switchboard.contract.definitions.definition import Kind
from switchboard.contract.policy import Thing
from switchboard.contract.ports import BusinessPaths
from switchboard.contract.window import Tally
from switchboard.pipeline.invocation import Invocation

_SHARED = frozenset({"address", "withheld", "business"})


def counted(invocation: Invocation, paths: BusinessPaths) -> Tally | None:
    """Return the windows that a call counts in; None for what only reads, and for callers who are no strangers.

    A service that names neither number nor address knows by itself whom it serves. What another call's handler asks
    for was counted with it, and a wish that was granted before is not done again.
    """
    facts = invocation.facts
    if invocation.kind is not Kind.ACTION or facts.within or facts.is_call_start or invocation.wish_granted is not None:
        return None
    if keys_of(facts).keys() <= {"visit"} or not is_stranger(facts, invocation.offer.business):
        return None
    return tally_of(Thing.ACTIONS, facts, paths, invocation.now)


def shares_with_others(invocation: Invocation) -> bool:
    """Tell whether a call has counted in windows that belong to all strangers, and not to its caller's number alone."""
    tally = invocation.tally
    return tally is not None and any(window.rule.scope in _SHARED for window in tally.windows)


def strangers(invocation: Invocation) -> None:
    """Refuse what is more than a stranger's share of actions."""
    if invocation.overdrawn and invocation.wish_granted is None:
        raise used_up(Thing.ACTIONS, invocation.overdrawn[0], invocation.now)
