"""A call's ledger document: what admission writes, what settlement adds, and what a later reader makes of it.

The ledger is the audit: everything needed to explain a call, and to carry it out again if its instance died, stands in
this one document. The Twilio token never does.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from switchboard.contract import policy
from switchboard.contract.channel import Channel
from switchboard.contract.context import CONTEXTS, Context, PhoneContext, ProvenNumber
from switchboard.contract.definitions.definition import Kind
from switchboard.contract.document import integer, mapping, text
from switchboard.contract.error import ErrorType, Tells
from switchboard.contract.json import JsonObject
from switchboard.contract.response import ENVELOPE_VERSION, Failure, ToolResponse
from switchboard.contract.store import Document
from switchboard.pipeline.invocation import Invocation
from switchboard.pipeline.json_text import json_text
from switchboard.pipeline.ledger.states import CallEvent, State, after, before
from switchboard.pipeline.result.check_trace import story_text
from switchboard.pipeline.result.outcome import NOT_BEGUN, NOT_KNOWN, CallOutcome

MOST_RECOVERIES: Final = 14
"""How often it is tried to bring a call to its end, within some two hours; then it is left for people to see."""
_TRANSIENT_RECOVERIES: Final = 6
# A call whose first try fails is still at its end within a minute of its instance's death: its lease, two passes, this.
_FIRST_PAUSE, _LONGEST_PAUSE = timedelta(seconds=5), timedelta(minutes=15)
_UNLIKE: Mapping[State, Tells] = {"failed": Tells.ANSWER, "refused": Tells.FAILURE}


@dataclass(frozen=True, slots=True)
class CallRow:
    """A ledger document as it was read."""

    document: Document

    @property
    def state(self) -> State:
        """Where the call stands."""
        state: State = self.document.data.get("state", "unknown")
        return state

    def is_of(self, invocation: Invocation) -> bool:
        """Whether it is the same caller's same call: its tool, and equal arguments or the very ones that were sent.

        The latter still tell when a definition was edited between two deliveries, or could not be read for one of
        them: equal arguments are then read as other ones.
        """
        # Ids may be counted anew for somebody else, on another number or channel. Rows of earlier versions do not tell.
        data, sender = self.document.data, (invocation.shown_phone, invocation.facts.channel.value)
        is_theirs = not isinstance(data.get("facts"), dict) or (self.shown_phone, data.get("channel")) == sender
        if data.get("tool") != invocation.call.name[:200] or not is_theirs:
            return False
        return data.get("argumentsHash") == invocation.arguments_hash or data.get("sentHash") == invocation.sent_hash

    @property
    def shown_phone(self) -> str | None:
        """The number that the call showed; None where it showed none, whatever number its caller was known by."""
        known = mapping(self.document.data.get("facts"))
        return None if known.get("isNumberOnFile") is True else text(known.get("callerPhone")) or None

    def is_abandoned(self, now: datetime) -> bool:
        """Whether whoever started it can no longer be working on it."""
        lease: datetime | None = self.document.data.get("leaseUntil")
        return self.state == "started" and lease is not None and lease <= now

    @property
    def is_looked_into(self) -> bool:
        """Whether its answer was that nobody knows, and that is still being found out: the next delivery does."""
        return self.state == "unknown" and self.document.data.get("leaseUntil") is not None

    @property
    def agreed_facts(self) -> int | None:
        """The digest of the facts that the caller's yes was to, spent when it was admitted; None where there was none.

        Rows that were written before that was kept have none.
        """
        agreed = self.document.data.get("agreed")
        return agreed if isinstance(agreed, int) and not isinstance(agreed, bool) else None

    @property
    def was_never_begun(self) -> bool:
        """Whether it tells that nothing can have been done.

        Its arguments were not valid, nobody had agreed, or it was not begun. A row of an earlier version tells nothing.
        """
        data = self.document.data
        return any(name in data and data[name] is None for name in ("effectKey", "agreed", "begunAt"))

    @property
    def recoveries(self) -> int:
        """How often somebody has tried to bring it to its end, after whoever started it."""
        return max(0, integer(self.document.data.get("recoveries")))

    @property
    def is_at_its_end(self) -> bool:
        """Whether nobody has to do anything with it any more."""
        return self.state not in before(CallEvent.PUT_OFF) or self.document.data.get("leaseUntil") is None

    @property
    def is_queued(self) -> bool:
        """Whether it was accepted and waits to be carried out."""
        return self.state == "queued"

    @property
    def was_accepted(self) -> bool:
        """Whether it was accepted before, and has not come to its end."""
        given = self.response if self.state in ("queued", "started") else None
        return given is not None and given.meta.get("queued") is True

    @property
    def may_be_tried_again(self) -> bool:
        """Whether its answer was that nothing was done and that trying again may help: then the next delivery does."""
        given = self.response if self.state == "failed" else None
        failure = given.failure if given is not None else None
        return failure is not None and failure.retryable and not failure.partial_side_effects

    @property
    def effect_key(self) -> str | None:
        """The key of its wish, as it was admitted; None for a call whose arguments were not valid."""
        return text(self.document.data.get("effectKey")) or None

    @property
    def repeats(self) -> str:
        """The id of the call that held its wish when it was admitted; empty where it claimed that itself."""
        return str(self.document.data.get("repeats") or "")

    @property
    def owner(self) -> str:
        """The admission, of some instance, that is working on it."""
        return str(self.document.data.get("owner"))

    @property
    def admission(self) -> tuple[str, ...]:
        """Which admission of which call is working on it, as `Invocation.admission` tells."""
        return self.owner, *(str(self.document.data.get(name)) for name in ("businessId", "sessionId", "callId"))

    @property
    def session_path(self) -> str:
        """The path of the session that it was made in."""
        return self.document.path.rpartition("/calls/")[0]

    @property
    def finished_at(self) -> datetime | None:
        """When it ended, as a trial too; None while it has not."""
        data = self.document.data
        ended: datetime | None = data.get("finishedAt") or data.get("triedAt")
        return ended

    @property
    def response(self) -> ToolResponse | None:
        """The answer that was given, or None while there is none."""
        stored = self.document.data.get("response")
        return ToolResponse.from_json(json.loads(stored)) if isinstance(stored, str) else None

    @property
    def tool(self) -> str:
        """The name that was called."""
        return str(self.document.data["tool"])

    @property
    def kind(self) -> Kind:
        """The kind of the tool when it was called."""
        return Kind(self.document.data["kind"])

    @property
    def arguments(self) -> str:
        """The arguments as JSON text."""
        return str(self.document.data["arguments"])

    def facts(self) -> Context:
        """Return the context that the call was admitted with, without the vendor's token."""
        data = self.document.data
        channel, kept = Channel(data["channel"]), data.get("facts") or {}
        shared = {
            "business_id": data["businessId"],
            "session_id": data["sessionId"],
            "turn": data["turn"],
            "call_id": data["callId"],
            "caller_phone": kept.get("callerPhone"),
            "caller_id": kept.get("callerId"),
            "caller_verified": bool(kept.get("callerVerified")),
            "verified_phone": ProvenNumber(kept["verifiedPhone"]) if kept.get("verifiedPhone") else None,
            "interaction_id": kept.get("interactionId"),
            "agent_id": kept.get("agentId"),
            "is_call_start": kept.get("isCallStart") is True,
            "is_trial": kept.get("isTrial") is True,
            "within": tuple(data.get("within") or ()),
        }
        if channel is Channel.PHONE:
            shared |= {"call_sid": kept.get("callSid") or "", "called_phone": kept.get("calledPhone")}
            shared |= {"attestation": kept.get("attestation"), "is_withheld": kept.get("isWithheld") is True}
        return CONTEXTS[channel](**shared)


def opening(invocation: Invocation) -> JsonObject:
    """Return the document that admission creates."""
    facts, needs_yes = invocation.facts, invocation.definition is not None and invocation.definition.confirm
    fields: JsonObject = {
        "businessId": facts.business_id,
        "callId": facts.call_id,
        "sessionId": facts.session_id,
        "tool": invocation.call.name[:200],
        "kind": invocation.kind.value,
        "channel": facts.channel.value,
        "turn": facts.turn,
        # The last one is its parent.
        "within": list(facts.within),
        "facts": _facts(invocation),
        "arguments": _storable(invocation)[: policy.ARGUMENT_BYTES],
        "argumentsHash": invocation.arguments_hash,
        "sentHash": invocation.sent_hash,
        "effectKey": invocation.effect_key if invocation.arguments else None,
        # What the caller's yes was to: whoever finishes this for an instance that died asks nobody again.
        **not_begun_yet(invocation),
        **({"repeats": invocation.repeats} if invocation.repeats else {}),
        **({"agreed": invocation.agreed_facts if invocation.is_approved else None} if needs_yes else {}),
        "catalogHash": invocation.locked.hash,
        "catalogVersion": invocation.offer.catalog_version,
        "owner": invocation.owner,
        "startedAt": invocation.now,
        "leaseUntil": invocation.now + timedelta(seconds=policy.CALL_LEASE_S),
        "expireAt": invocation.now + timedelta(days=policy.LEDGER_DAYS),
    }
    return after(None, CallEvent.ADMITTED, "started", fields)


def not_begun_yet(invocation: Invocation) -> JsonObject:
    """Return the fields by which its row tells that a call may be carried out: nothing of it can have been done."""
    return {"begunAt": None} if invocation.is_marked_begun else {}


def closing(invocation: Invocation, outcome: CallOutcome) -> JsonObject:
    """Return the fields that settlement adds."""
    failure = outcome.response.failure
    told = None if failure is None else Tells.FAILURE if failure.is_failure else Tells.ANSWER
    ended_at = invocation.now + timedelta(milliseconds=outcome.response.meta.get("elapsedMs", 0))
    fields: JsonObject = {
        # Where the state does not say so: what is kept as failed and is none, such as a time that is taken, and what
        # is kept as refused and is one, such as too many calls at once.
        **({"tells": told.value} if told is _UNLIKE.get(outcome.state) and told is not None else {}),
        # As text: a result may hold an array in an array, which the store does not.
        "response": json_text(outcome.response.to_json()),
        # As text too: it is read as a whole or not at all, and nested fields cost client and index alike.
        "checks": story_text(invocation, outcome),
        "triedAt" if invocation.facts.is_trial else "finishedAt": ended_at,
        "leaseUntil": _due_at(invocation, outcome),
    }
    return after("started", CallEvent.SETTLED, outcome.state, fields)


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
    told = outcome.response.meta.get("retryAfterS")
    usual = pause_after(invocation.recoveries)
    return min(usual, timedelta(seconds=told)) if isinstance(told, int | float) and told >= 0 else usual


def given_up(row: CallRow, business_id: str, recoveries: int, now: datetime, why: str) -> JsonObject:
    """Return the fields of a call that nobody could bring to its end: people see it, and nobody tries it any more."""
    data = row.document.data
    try:
        is_answered = row.response is not None
    except (ValueError, KeyError, TypeError):
        is_answered = False
    tool, is_undone = str(data.get("tool"))[:60], row.was_never_begun or row.is_queued
    told = (NOT_BEGUN if is_undone else NOT_KNOWN).format(tool=tool)
    failure = Failure(ErrorType.CONFLICT if is_undone else ErrorType.TRANSIENT, told, False, not is_undone)
    meta = {name: data.get(name) for name in ("tool", "callId", "sessionId", "turn", "channel")}
    answer = ToolResponse(failure=failure, meta={"version": ENVELOPE_VERSION, **meta})
    fields: JsonObject = {
        "businessId": business_id,
        "recoveries": recoveries,
        "leaseUntil": None,
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


def receipt_of(invocation: Invocation, outcome: CallOutcome) -> JsonObject | None:
    """Return what a call leaves in its session: what was done, for whom, when, with the effect's ids; or None."""
    receipt = outcome.response.meta.get("receipt")
    # What is found done is noted too: the instance that did it may have died before it could.
    if receipt is None or invocation.wish_granted is not None:
        return None
    return {
        "tool": invocation.call.name,
        "callId": invocation.facts.call_id,
        "turn": invocation.facts.turn,
        "at": invocation.now,
        **receipt,
    }


def has_receipt(session: Document | None, invocation: Invocation) -> bool:
    """Tell whether a session's document holds the receipt of a call's wish."""
    receipts = session.data.get("receipts") if session is not None else None
    return isinstance(receipts, dict) and invocation.effect_key in receipts


def arrival_of(invocation: Invocation, outcome: CallOutcome) -> JsonObject | None:
    """Return what a call leaves in its session that was accepted before: what came of it, for a later turn; or None."""
    # What nobody knows is no news, unless it was said to go on and has ended so.
    is_news = outcome.state in ("finished", "failed") or (invocation.runs_on and _due_at(invocation, outcome) is None)
    if not invocation.is_due and not ((invocation.is_told_late or invocation.runs_on) and is_news):
        return None
    response = json_text(outcome.response.to_json())
    told = {
        "tool": invocation.call.name,
        "channel": invocation.facts.channel.value,
        "turn": invocation.facts.turn,
        "at": invocation.now,
    }
    return {**told, "response": response}


def results_in(session: Document, channel: Channel) -> tuple[list[JsonObject], JsonObject]:
    """Return the results that wait in a session's document for a channel, to be told, and those for others, as kept."""
    found = session.data.get("arrivals")
    kept: JsonObject = found if isinstance(found, dict) else {}
    own = {id: row for id, row in kept.items() if isinstance(row, dict) and row.get("channel") == channel.value}
    told: list[JsonObject] = []
    for call_id, row in sorted(own.items(), key=lambda item: str(item[1].get("at"))):
        try:
            envelope = json.loads(row["response"])
        except (KeyError, TypeError, ValueError):
            continue
        told.append({"callId": call_id, "tool": row.get("tool"), "turn": row.get("turn"), "response": envelope})
    return told, {id: row for id, row in kept.items() if id not in own}


def _facts(invocation: Invocation) -> JsonObject:
    facts = invocation.facts
    values: JsonObject = {
        "callerPhone": facts.caller_phone,
        # By which it can be told, when it is delivered again, that its caller showed no number.
        "isNumberOnFile": bool(facts.caller_phone) and invocation.shown_phone is None,
        "callerId": facts.caller_id,
        "callerVerified": facts.caller_verified,
        "verifiedPhone": facts.verified_phone,
        "interactionId": facts.interaction_id,
        "agentId": facts.agent_id,
        "isCallStart": facts.is_call_start,
        "isTrial": facts.is_trial,
    }
    if isinstance(facts, PhoneContext):
        values |= {"callSid": facts.call_sid, "calledPhone": facts.called_phone, "attestation": facts.attestation}
        values["isWithheld"] = facts.is_withheld
    return {name: value for name, value in values.items() if value}


def _storable(invocation: Invocation) -> str:
    secrets = invocation.tool.tool.secret_arguments if invocation.tool else frozenset()
    if invocation.arguments is None:
        # What was not valid may hold lone surrogates, which the store does not keep: they are escaped.
        return '"hidden"' if secrets else ascii(invocation.arguments_text)
    if not secrets:
        return invocation.arguments_text
    return json_text({name: "hidden" if name in secrets else v for name, v in invocation.arguments.canonical.items()})
