"""How a turn's calls are counted: by increments in the commits that admit and settle a call, which return the sums."""

from collections.abc import Mapping
from typing import Final

from switchboard.contract.business.succession import drop_business, forgets_businesses
from switchboard.contract.business.terms import TERMS, Terms
from switchboard.contract.channel import Channel
from switchboard.contract.context import Context
from switchboard.contract.definitions.definition import Kind
from switchboard.contract.json import JsonObject
from switchboard.contract.policy import LOOP_HISTORY_TURNS
from switchboard.contract.python.dataclass import dataclass
from switchboard.contract.python.recent import Recent
from switchboard.contract.session_use import PERSON_TURN, in_use
from switchboard.contract.store import DELETE_FIELD, Increment
from switchboard.pipeline.checks.session_active import ENDED, leads_through, puts_through
from switchboard.pipeline.invocation import TURN_LEFT, Invocation, TurnCounts
from switchboard.pipeline.result.outcome import CallOutcome

ARRIVALS: Final = "arrivals"
"""The field of a session's document with what came of calls after their answers, by call id, until it is told."""
PENDING: Final = "pendingResults"
"""The field that says how many results of earlier calls wait in a session's document."""
_SESSIONS = 20_000
_BY = _NONE, _ONE = Increment(0), Increment(1)


@dataclass(frozen=True, slots=True)
class Usage:
    """What one call has used up of its turn: what was refused has not counted, what was looked up took its time.

    Attributes:
        calls: 1, or 0 for one that costs the turn nothing.
        retrievals: The same of look-ups.
        retrieval_ms: The time that the caller waited for looking up.
        empty: 1 where nothing was found.
        through: 1 where the caller was put through to somebody, and while that is tried.
    """

    calls: int
    retrievals: int
    retrieval_ms: float = 0.0
    empty: int = 0
    through: int = 0

    def document(self) -> JsonObject:
        """Return it as it stands in the call's row."""
        through: JsonObject = {"through": self.through} if self.through else {}
        return {"calls": self.calls, "ms": self.retrieval_ms, "empty": self.empty, **through}


def taken(invocation: Invocation) -> Usage:
    """Return what a call takes when it is let in."""
    # Counted before anybody is rung: of two in the same moment the store says which is first.
    return Usage(invocation.takes, _look_ups(invocation), through=int(leads_through(invocation)))


def _look_ups(invocation: Invocation) -> int:
    return invocation.takes if invocation.kind is Kind.RETRIEVAL else 0


def used(invocation: Invocation, outcome: CallOutcome) -> Usage:
    """Return what a call has used up when it is settled; to be asked once, since its round adds up the time."""
    if outcome.state == "refused":
        return Usage(0, 0)
    through = int(puts_through(outcome.response))
    calls, empty = invocation.takes, int(outcome.empty)
    return Usage(calls, _look_ups(invocation), outcome.retrieval_ms(invocation), empty, through)


def increments(invocation: Invocation, usage: Usage) -> JsonObject:
    """Return what admission adds to the counts of the call's turn."""
    # Adding nothing reads what is there, in the same commit.
    return {
        "calls": _BY[usage.calls],
        "retrievals": _BY[usage.retrievals],
        "retrievalMs": Increment(usage.retrieval_ms),
        "same": {invocation.arguments_hash: _ONE},
        "empty": {invocation.tool_key: _BY[usage.empty]},
        **_through(invocation, usage.through),
    }


def _through(invocation: Invocation, count: int) -> JsonObject:
    # Of what puts nobody through nothing is counted.
    return {"through": Increment(count)} if leads_through(invocation) else {}


def session_fields(invocation: Invocation, usage: Usage) -> JsonObject:
    """Return what admission merges into the session's document, or begins it with."""
    channel = str(invocation.facts.channel)
    session: JsonObject = {
        "turns": {str(invocation.facts.turn): increments(invocation, usage)},
        "channel": channel,
        ENDED: {channel: _NONE},
        **in_use(invocation.now),
    }
    if invocation.facts.channel is not Channel.PHONE:
        session[PERSON_TURN] = _NONE
    if not invocation.facts.applies_intents and not invocation.facts.within:
        session[PENDING] = _NONE
    if invocation.facts.shown_phone is not None:
        # By which owners find a conversation that a service carries, of which there is no record.
        session["callerPhone"] = invocation.facts.shown_phone
    if invocation.opens_session:
        session |= invocation.locked.lock(is_trial=invocation.facts.is_trial) | {"startedAt": invocation.now}
        session |= Terms.of(invocation.business).to_document()
    elif invocation.is_at_terms:
        session[TERMS] = {"mark": _NONE}
    return session


def turn_left(turn: int) -> JsonObject:
    """Return the session document's fields by which every further call of a turn is refused: another one answers it.

    It is counted as more calls than any turn has, which admission reads anyway.
    """
    return {"turns": {str(turn): {"calls": Increment(TURN_LEFT)}}}


def consequences(invocation: Invocation, usage: Usage, before: Usage) -> JsonObject:
    """Return what settlement adds to what was counted before: what was refused is given back."""
    return {
        "calls": Increment(usage.calls - before.calls),
        "retrievals": Increment(usage.retrievals - before.retrievals),
        "retrievalMs": Increment(usage.retrieval_ms - before.retrieval_ms),
        "empty": {invocation.tool_key: Increment(usage.empty - before.empty)},
        **_through(invocation, usage.through - before.through),
    }


def forgotten_turn(invocation: Invocation) -> JsonObject:
    """Return what the first call of a turn drops: the turn that has left the window (seed 003, "Cleanup")."""
    return {str(invocation.facts.turn - LOOP_HISTORY_TURNS): DELETE_FIELD}


def counted_in(invocation: Invocation, sums: Mapping[str, int | float], own: Usage) -> TurnCounts:
    """Return what the turn has used up, of the sums that a commit returned.

    `own` is what the call itself has added to them: its time and what it did not find are not held against it.
    """
    prefix = f"turns.{invocation.facts.turn}"
    return TurnCounts(
        calls=int(sums[f"{prefix}.calls"]),
        retrievals=int(sums[f"{prefix}.retrievals"]),
        same=int(sums[f"{prefix}.same.{invocation.arguments_hash}"]),
        empty=int(sums[f"{prefix}.empty.{invocation.tool_key}"]) - own.empty,
        retrieval_ms=round(sums[f"{prefix}.retrievalMs"] - own.retrieval_ms, 3),
        is_over=sums[f"{ENDED}.{invocation.facts.channel}"] > 0,
        pending=int(sums.get(PENDING, 0)),
        is_put_through=sums.get(f"{prefix}.through", 0) - own.through > 0,
        person_turn=int(sums.get(PERSON_TURN, 0)),
        terms_mark=int(sums.get(f"{TERMS}.mark", 0)),
    )


class SeenTurns:
    """What turns have used up as far as this instance has seen: of each session the turn that it was told of last.

    Others count in the same turn unseen, so that nothing is refused by it alone.
    """

    def __init__(self) -> None:
        """Begin knowing no turn."""
        self._sessions: Recent[tuple[str, str], tuple[int, dict[str, int | float]]] = Recent(_SESSIONS)
        forgets_businesses(self)

    def forget_business(self, business_id: str) -> None:
        """Forget the turns of a business."""
        drop_business(self._sessions, business_id)

    def note(self, facts: Context, sums: Mapping[str, int | float]) -> None:
        """Keep the sums that a commit returned."""
        session = facts.business_id, facts.session_id
        seen = self._sessions.get(session)
        if seen is None or seen[0] != facts.turn:
            seen = self._sessions[session] = facts.turn, {}
        seen[1].update(sums)

    def expected(self, invocation: Invocation) -> TurnCounts:
        """Return what a call would be counted as if nobody else counted in its turn."""
        facts = invocation.facts
        seen = self._sessions.get((facts.business_id, facts.session_id))
        sums, prefix = seen[1] if seen is not None and seen[0] == facts.turn else {}, f"turns.{facts.turn}"
        return TurnCounts(
            calls=int(sums.get(f"{prefix}.calls", 0)) + invocation.takes,
            retrievals=int(sums.get(f"{prefix}.retrievals", 0)) + _look_ups(invocation),
            same=int(sums.get(f"{prefix}.same.{invocation.arguments_hash}", 0)) + 1,
            empty=int(sums.get(f"{prefix}.empty.{invocation.tool_key}", 0)),
            retrieval_ms=sums.get(f"{prefix}.retrievalMs", 0),
            is_put_through=sums.get(f"{prefix}.through", 0) > 0,
            is_over=sums.get(f"{ENDED}.{facts.channel}", 0) > 0,
            person_turn=int(sums.get(PERSON_TURN, 0)),
        )
