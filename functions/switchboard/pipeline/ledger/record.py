"""A call's ledger document: what admission writes, what settlement adds, and what a later reader makes of it.

The ledger is the audit: everything needed to explain a call, and to carry it out again if its instance died, stands in
this one document. The Twilio token never does.
"""

import json
from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Final

from switchboard.contract import policy
from switchboard.contract.business.terms import told_anew
from switchboard.contract.channel import Channel
from switchboard.contract.context import PhoneContext, StaffMember
from switchboard.contract.definitions.definition import Kind
from switchboard.contract.document import json_object, objects_of
from switchboard.contract.error import ErrorType, Tells
from switchboard.contract.json import JsonObject
from switchboard.contract.observability.subject import trace_of_work
from switchboard.contract.response import EARLIER, ENVELOPE_VERSION, Earlier, Failure, ToolResponse
from switchboard.contract.shards import SHARD, shard_of
from switchboard.contract.store import Document
from switchboard.pipeline.invocation import Invocation
from switchboard.pipeline.json_text import json_text
from switchboard.pipeline.ledger.row import UNREADABLE_ANSWER, CallRow
from switchboard.pipeline.ledger.states import UNDONE, CallEvent, State, after
from switchboard.pipeline.ledger.turn_counts import ARRIVALS, Usage, taken
from switchboard.pipeline.result.check_trace import story_text
from switchboard.pipeline.result.outcome import NOT_BEGUN, NOT_KNOWN, CallOutcome

MOST_RECOVERIES: Final = 14
"""How often it is tried to bring a call to its end, within some two hours; then it is left for people to see."""
_TRANSIENT_RECOVERIES: Final = 6
# A call whose first try fails is still at its end within a minute of its instance's death: its lease, two passes, this.
_FIRST_PAUSE, _LONGEST_PAUSE = timedelta(seconds=5), timedelta(minutes=15)
_KEPT = timedelta(days=policy.LEDGER_DAYS)
_UNLIKE: Mapping[State, Tells] = {"failed": Tells.ANSWER, "refused": Tells.FAILURE}


def opening(invocation: Invocation) -> JsonObject:
    """Return the document that admission creates."""
    return after(None, CallEvent.ADMITTED, "started", _opened(invocation) | {"used": taken(invocation).document()})


def settled_at_once(invocation: Invocation, outcome: CallOutcome, usage: Usage) -> JsonObject:
    """Return the document of a call that is admitted and settled by one commit."""
    fields = _opened(invocation)
    fields |= _ended(invocation, outcome, usage)
    # What was refused already is given nothing that a turn could run out of.
    if outcome.state != "refused":
        fields["isOpen"] = True
    return after(None, CallEvent.SETTLED_AT_ONCE, outcome.state, fields)


def refused_after_all(invocation: Invocation, outcome: CallOutcome, state: State) -> JsonObject:
    """Return the fields by which a call is refused that was settled at once, and did not fit into its turn."""
    fields = _ended(invocation, outcome, Usage(0, 0)) | {"isOpen": False}
    del fields["dueAt"]
    return after(state, CallEvent.REFUSED_AFTER_ALL, "refused", fields)


def let_stand(state: State) -> JsonObject:
    """Return the fields by which a call that was settled at once keeps its answer for good."""
    return after(state, CallEvent.LET_STAND, state, {"isOpen": False})


def _opened(invocation: Invocation) -> JsonObject:
    facts, now = invocation.facts, invocation.now
    fields: JsonObject = {
        "businessId": facts.business_id,
        "callId": facts.call_id,
        "sessionId": facts.session_id,
        "tool": invocation.call.name[:200],
        "kind": str(invocation.kind),
        "channel": str(facts.channel),
        "turn": facts.turn,
        # The last one is its parent.
        "within": list(facts.within),
        "facts": _facts(invocation),
        "arguments": _storable(invocation)[: policy.ARGUMENT_BYTES],
        "argumentsHash": invocation.arguments_hash,
        "sentHash": invocation.sent_hash,
        "effectKey": invocation.effect_key if invocation.arguments else None,
        "catalogHash": invocation.locked.hash,
        "catalogVersion": invocation.offer.catalog_version,
        "owner": invocation.owner,
        "startedAt": now,
        "dueAt": now + timedelta(seconds=policy.CALL_LEASE_S),
        SHARD: shard_of(facts.business_id, facts.session_id, facts.call_id),
        "expireAt": now + _KEPT,
    }
    # What few calls say is left out of the others, so that it costs them no entry of an index.
    if not facts.is_trial:
        fields |= _on_trial(invocation)
    if invocation.definition is None:
        # Nothing can come of it, so that it is counted as a look-up; what it would have been is told beside that.
        known = invocation.locked.published.get(invocation.call.name)
        fields["toolKind"] = str(known.kind) if known is not None else ""
    if invocation.is_marked_begun:
        fields |= not_begun_yet(invocation)
    if invocation.is_refused_at_once:
        fields["isRefused"] = True
    if invocation.repeats:
        fields["repeats"] = invocation.repeats
    # What the caller's yes was to: whoever finishes this for an instance that died asks nobody again.
    if invocation.definition is not None and invocation.definition.confirm:
        fields["agreed"] = invocation.agreed_facts if invocation.is_approved else None
    trace = trace_of_work()
    if trace:
        # By which a line of the log leads here.
        fields["trace"] = trace
    return fields


def _on_trial(invocation: Invocation) -> JsonObject:
    fields = {}
    mark = invocation.locked.marks.get(invocation.call.name)
    if mark is not None:
        fields["canary"] = mark
    situation = invocation.offer.situation
    agent = situation.agent if situation is not None else None
    of_agent = agent.mark(invocation.facts.business_id) if agent is not None else ""
    if of_agent:
        fields["agentVersion"] = of_agent
    return fields


def not_begun_yet(invocation: Invocation) -> JsonObject:
    """Return the fields by which its row tells that a call may be carried out: nothing of it can have been done."""
    return {"begunAt": None} if invocation.is_marked_begun else {}


def closing(invocation: Invocation, outcome: CallOutcome, usage: Usage) -> JsonObject:
    """Return the fields that settlement adds."""
    return after("started", CallEvent.SETTLED, outcome.state, _ended(invocation, outcome, usage))


def _ended(invocation: Invocation, outcome: CallOutcome, usage: Usage) -> JsonObject:
    failure = outcome.response.failure
    tells = None if failure is None else Tells.FAILURE if failure.is_failure else Tells.ANSWER
    ended_at = invocation.now + timedelta(milliseconds=outcome.response.meta.get("elapsedMs", 0))
    return {
        # Where the state does not say so: what is kept as failed and is none, such as a time that is taken, and what
        # is kept as refused and is one, such as too many calls at once.
        **({"tells": tells.value} if tells is _UNLIKE.get(outcome.state) and tells is not None else {}),
        # As text: a result may hold an array in an array, which the store does not.
        "response": json_text(outcome.response.to_json()),
        # As text too: it is read as a whole or not at all, and nested fields cost client and index alike.
        "checks": story_text(invocation, outcome),
        "triedAt" if invocation.facts.is_trial else "finishedAt": ended_at,
        "dueAt": _due_at(invocation, outcome),
        "used": usage.document(),
    }


def pause_after(recoveries: int) -> timedelta:
    """Return how long nobody tries a call again that could not be brought to its end so many times."""
    return min(_LONGEST_PAUSE, _FIRST_PAUSE * (1 << max(0, min(recoveries, 10) - 1)))


def left_open_until(invocation: Invocation, outcome: CallOutcome) -> datetime | None:
    """Return when a call that was taken up again is tried once more instead of ending as it would now; None: it ends.

    What somebody else is still at, or could not be done for the moment, is no end of what the caller was promised.
    """
    failure = outcome.response.failure
    if not invocation.recoveries or failure is None or not failure.retryable or failure.partial_side_effects:
        return None
    is_being_done = failure.type is ErrorType.CONFLICT
    if invocation.recoveries >= (MOST_RECOVERIES if is_being_done else _TRANSIENT_RECOVERIES):
        return None
    return invocation.now + _pause(invocation, outcome)


def _pause(invocation: Invocation, outcome: CallOutcome) -> timedelta:
    """Return how long it makes no sense to ask again; who was asked may know better than the habit."""
    pause_s = outcome.response.meta.get("retryAfterS")
    usual = pause_after(invocation.recoveries)
    return min(usual, timedelta(seconds=pause_s)) if isinstance(pause_s, int | float) and pause_s >= 0 else usual


def given_up(row: CallRow, recoveries: int, now: datetime, why: str) -> JsonObject:
    """Return the fields of a call that nobody could bring to its end: people see it, and nobody tries it any more."""
    data = row.document.data
    is_answered = row.response not in (None, UNREADABLE_ANSWER)
    tool, is_undone = str(data.get("tool"))[:60], row.was_never_begun or row.is_queued
    words = (NOT_BEGUN if is_undone else NOT_KNOWN).format(tool=tool)
    failure = Failure(ErrorType.CONFLICT if is_undone else ErrorType.TRANSIENT, words, False, not is_undone)
    meta = {name: data.get(name) for name in ("tool", "callId", "sessionId", "turn", "channel")}
    answer = ToolResponse(failure=failure, meta={"version": ENVELOPE_VERSION, **meta})
    fields: JsonObject = {
        # By its path: only what says whose it is stands among what its owner should look at.
        "businessId": row.in_path("businessId"),
        "recoveries": recoveries,
        **row.due(None),
        "givenUp": why[:200],
        "givenUpAt": now,
        "finishedAt": now,
        **({} if is_answered and not row.was_accepted else {"response": json_text(answer.to_json())}),
    }
    return after(row.state, CallEvent.GIVEN_UP, "failed" if is_undone else "unknown", fields)


def _due_at(invocation: Invocation, outcome: CallOutcome) -> datetime | None:
    """Return when somebody is to go on with a call; one that has come to its end is not waited for any more."""
    if outcome.state == "queued":
        return invocation.now
    # Whether it was done can be asked again by doing it again, which such a tool makes one and the same.
    is_asked_again = (
        invocation.definition is not None and invocation.definition.is_repeatable and invocation.kind is Kind.ACTION
    )
    if outcome.state == "unknown" and is_asked_again and invocation.recoveries < MOST_RECOVERIES:
        return invocation.now + _pause(invocation, outcome)
    return None


def receipts_of(invocation: Invocation, outcome: CallOutcome) -> JsonObject:
    """Return what a call leaves in its session: what was done, for whom, when, with the effect's ids; or nothing.

    It stands beside the conversation, where later turns, other channels and the transcript find it; one per wish.
    """
    receipt = outcome.response.meta.get("receipt")
    # What is found done is noted too: the instance that did it may have died before it could.
    if receipt is None or invocation.wish_granted is not None:
        return {}
    fields = {
        "tool": invocation.call.name,
        "callId": invocation.facts.call_id,
        "turn": invocation.facts.turn,
        "at": invocation.now,
    }
    return {"receipts": {invocation.effect_key: fields | receipt}}


def told_by(invocation: Invocation, outcome: CallOutcome) -> JsonObject:
    """Return what a call leaves in its session that has told what changed since: from the next turn on it is known."""
    changed = objects_of(outcome.response.meta.get("changed")) if invocation.told is not None else []
    anew = {str(one.get("key")): json_object(one.get("kept")) for one in changed}
    return told_anew(anew, invocation.turn_mark) if anew else {}


def has_receipt(session: Document | None, invocation: Invocation) -> bool:
    """Tell whether a session's document holds the receipt of a call's wish."""
    receipts = session.data.get("receipts") if session is not None else None
    return isinstance(receipts, dict) and invocation.effect_key in receipts


def earlier_of(invocation: Invocation) -> Earlier:
    """Return what whoever called was told of a call, or would have been, whose end they hear of later."""
    if invocation.is_in_doubt:
        return Earlier.UNKNOWN
    if invocation.is_due:
        return Earlier.ACCEPTED
    return Earlier.WENT_ON if invocation.runs_on else Earlier.LEFT


def told_late(invocation: Invocation, response: ToolResponse) -> ToolResponse:
    """Return the answer to a call as it is told whoever holds its conversation, with what was told of it before."""
    return replace(response, meta={**response.meta, EARLIER: earlier_of(invocation).value})


def arrival_of(invocation: Invocation, outcome: CallOutcome) -> JsonObject | None:
    """Return what a call leaves in its session that was accepted before: what came of it, for a later turn; or None."""
    # What nobody knows is no news, unless it was said to go on and has ended so.
    is_news = outcome.state in ("finished", "failed") or (invocation.runs_on and _due_at(invocation, outcome) is None)
    is_cleared_up = invocation.is_in_doubt and outcome.state in UNDONE
    is_told = is_cleared_up or ((invocation.is_told_late or invocation.runs_on) and is_news)
    if not invocation.is_due and not is_told:
        return None
    response = json_text(outcome.response.to_json())
    fields = {
        "tool": invocation.call.name,
        "channel": invocation.facts.channel.value,
        "turn": invocation.facts.turn,
        "at": invocation.now,
        EARLIER: earlier_of(invocation).value,
    }
    return {**fields, "response": response}


def results_in(session: Document, channel: Channel) -> tuple[list[JsonObject], JsonObject]:
    """Return the results that wait in a session's document for a channel, to be told, and those for others, as kept."""
    stored = session.data.get(ARRIVALS)
    arrivals: JsonObject = stored if isinstance(stored, dict) else {}
    own = {id: row for id, row in arrivals.items() if isinstance(row, dict) and row.get("channel") == channel.value}
    results: list[JsonObject] = []
    for call_id, row in sorted(own.items(), key=lambda item: str(item[1].get("at"))):
        try:
            envelope = json.loads(row["response"])
        except (KeyError, TypeError, ValueError):
            continue
        results.append({"callId": call_id, "tool": row.get("tool"), "turn": row.get("turn"), "response": envelope})
    return results, {id: row for id, row in arrivals.items() if id not in own}


def _facts(invocation: Invocation) -> JsonObject:
    facts = invocation.facts
    values: JsonObject = {
        "callerPhone": facts.caller_phone,
        # By which it can be told, when it is delivered again, that its caller showed no number.
        "isNumberOnFile": facts.is_number_on_file,
        "callerId": facts.caller_id,
        "callerVerified": facts.caller_verified,
        "verifiedPhone": facts.verified_phone,
        "interactionId": facts.interaction_id,
        "agentId": facts.agent_id,
        "isCallStart": facts.is_call_start,
        "isTrial": facts.is_trial,
        "language": facts.language,
        "staff": _staff(facts.staff) if facts.staff is not None else None,
    }
    if isinstance(facts, PhoneContext):
        values |= {"callSid": facts.call_sid, "calledPhone": facts.called_phone, "attestation": facts.attestation}
        values["isWithheld"] = facts.is_withheld
    return {name: value for name, value in values.items() if value}


def _staff(staff: StaffMember) -> JsonObject:
    return {"id": staff.id, "name": staff.name, "role": staff.role, "seen": staff.seen}


def _storable(invocation: Invocation) -> str:
    secrets = invocation.tool.tool.secret_arguments if invocation.tool else frozenset()
    if invocation.arguments is None:
        # What was not valid may hold lone surrogates, which the store does not keep: they are escaped.
        return '"hidden"' if secrets else ascii(invocation.arguments_text)
    if not secrets:
        return invocation.arguments_text
    return json_text({name: "hidden" if name in secrets else v for name, v in invocation.arguments.canonical.items()})
