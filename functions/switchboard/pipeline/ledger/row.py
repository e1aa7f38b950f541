"""A call's ledger document as it was read: where the call stands, whose it is, and what is to be made of it.

Rows were written by whatever version carried the call: what one does not say is taken from its path, or reads as if it
were not known. Nothing that stands in one raises, but by `facts` and `arguments`, which carrying it out needs.
"""

import json
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from switchboard.contract.caller.strangers import VOUCHED_FOR, vouched_number
from switchboard.contract.channel import Channel
from switchboard.contract.context import CONTEXTS, Context, ProvenNumber, StaffMember
from switchboard.contract.definitions.definition import Kind
from switchboard.contract.document import integer, mapping, moment, strings, text
from switchboard.contract.error import ErrorType
from switchboard.contract.json import JsonObject
from switchboard.contract.python.dataclass import dataclass
from switchboard.contract.response import Failure, ToolResponse
from switchboard.contract.shards import SHARD, shard_of
from switchboard.contract.store import DELETE_FIELD, Document
from switchboard.pipeline.invocation import Invocation
from switchboard.pipeline.ledger.states import CallEvent, State, before
from switchboard.pipeline.ledger.turn_counts import Usage

UNREADABLE_ANSWER = ToolResponse(
    failure=Failure(
        ErrorType.INTERNAL,
        "What was answered to this call cannot be read any more. Something may have been done; somebody should check.",
        retryable=False,
        partial_side_effects=True,
    )
)
"""Stands for an answer that is there and that nobody can read: it was given, and is not given anew."""
# Without which nobody can carry it out.
_NEEDED = {"tool": str, "kind": str, "turn": int}
# Where its ids stand in its path, for rows of versions that did not write them down beside it.
_IN_PATH = {"businessId": 1, "sessionId": 3, "callId": 5}


@dataclass(frozen=True, slots=True)
class CallRow:
    """A ledger document as it was read."""

    document: Document

    @property
    def state(self) -> State:
        """Where the call stands."""
        state: State = self.document.data.get("state")  # type: ignore[assignment]
        return state if isinstance(state, str) else "unknown"

    def named(self, name: str) -> str:
        """Return its `businessId`, `sessionId` or `callId`; rows of the first versions say it by their paths only."""
        return text(self.document.data.get(name)) or self.in_path(name)

    def in_path(self, name: str) -> str:
        """Return its `businessId`, `sessionId` or `callId` by its path; empty where it lies in none."""
        parts = self.document.path.split("/")
        is_a_call = parts[0::2] == ["businesses", "sessions", "calls"]
        return parts[_IN_PATH[name]] if is_a_call else ""

    def is_of(self, invocation: Invocation) -> bool:
        """Whether it is the same caller's same call: its tool, and equal arguments or the very ones that were sent.

        The latter still tell when a definition was edited between two deliveries, or could not be read for one of
        them: equal arguments are then read as other ones.
        """
        # Ids may be counted anew for somebody else, on another number or channel. Rows of earlier versions do not tell.
        data, sender = self.document.data, (invocation.facts.shown_phone, invocation.facts.channel.value)
        is_theirs = not isinstance(data.get("facts"), dict) or (self.shown_phone, data.get("channel")) == sender
        if data.get("tool") != invocation.call.name[:200] or not is_theirs:
            return False
        return data.get("argumentsHash") == invocation.arguments_hash or data.get("sentHash") == invocation.sent_hash

    def may_be_heard_by(self, facts: Context, *, is_anybodys: bool = False) -> bool:
        """Whether whoever comes with these facts may hear its answer: they show no less of who they are than it did.

        Ids are no proof: whoever knows them is not the caller by that. Of an answer that is anybody's, a number that
        the carrier vouched for need not be proven again.
        """
        known = mapping(self.document.data.get("facts"))
        if mapping(known.get("staff")) and facts.staff is None:
            return False
        if known.get("callerVerified") is True:
            return facts.caller_verified and facts.caller_id == (text(known.get("callerId")) or None)
        if is_anybodys or known.get("attestation") != VOUCHED_FOR or not self.shown_phone:
            return True
        return self.shown_phone in (vouched_number(facts), facts.verified_phone if facts.caller_verified else None)

    @property
    def shown_phone(self) -> str | None:
        """The number that the call showed; None where it showed none, whatever number its caller was known by."""
        known = mapping(self.document.data.get("facts"))
        return None if known.get("isNumberOnFile") is True else text(known.get("callerPhone")) or None

    @property
    def due_at(self) -> datetime | None:
        """When somebody is to go on with it, by when whoever is at it has ended; None where nobody has to.

        Rows of earlier versions say so by another name.
        """
        data = self.document.data
        return moment(data.get("dueAt")) or moment(data.get("leaseUntil"))

    def due(self, at: datetime | None) -> JsonObject:
        """Return the fields that say when somebody is to go on with it, in the form of today."""
        earlier = {"leaseUntil": DELETE_FIELD} if "leaseUntil" in self.document.data else {}
        return {"dueAt": at, SHARD: shard_of(self.document.path), **earlier}

    def is_abandoned(self, now: datetime) -> bool:
        """Whether whoever started it can no longer be working on it."""
        return self.state == "started" and self.due_at is not None and self.due_at <= now

    @property
    def is_looked_into(self) -> bool:
        """Whether its answer was that nobody knows, and that is still being found out: the next delivery does."""
        return self.state == "unknown" and self.due_at is not None

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
        return data.get("begunAt") is None and ("begunAt" in data or self._lacks_leave)

    @property
    def was_never_let_through(self) -> bool:
        """Whether it tells that its own delivery was refused as it came, and that nothing was begun since.

        Its arguments were not valid, nobody had agreed, or something stood against it; its caller was told so.
        """
        data = self.document.data
        return (data.get("isRefused") is True or self._lacks_leave) and data.get("begunAt") is None

    @property
    def _lacks_leave(self) -> bool:
        # A person of the business who does it themselves is asked for no yes.
        data = self.document.data
        asked = ("effectKey",) if mapping(mapping(data.get("facts")).get("staff")) else ("effectKey", "agreed")
        return any(name in data and data[name] is None for name in asked)

    @property
    def tells_begun(self) -> bool:
        """Whether it tells when the call is begun: whoever carries it out writes that down before."""
        return "begunAt" in self.document.data

    @property
    def recoveries(self) -> int:
        """How often somebody has tried to bring it to its end, after whoever started it."""
        return max(0, integer(self.document.data.get("recoveries")))

    @property
    def is_at_its_end(self) -> bool:
        """Whether nobody has to do anything with it any more."""
        return self.state not in before(CallEvent.PUT_OFF) or self.due_at is None

    @property
    def is_open(self) -> bool:
        """Whether it was settled at once, and nobody has said yet that its answer fits into its turn."""
        return self.document.data.get("isOpen") is True

    @property
    def used(self) -> Usage:
        """What it has used up of its turn; nothing for one that was refused, or that does not say."""
        used = mapping(self.document.data.get("used"))
        calls, took = integer(used.get("calls")), used.get("ms")
        retrieval_ms = float(took) if isinstance(took, int | float) else 0.0
        empty, through = integer(used.get("empty")), integer(used.get("through"))
        return Usage(calls, calls * (self.kind is Kind.RETRIEVAL), retrieval_ms, empty, through)

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
    def taken_up_from(self) -> str:
        """The state in which it was taken up again the last time; empty where it was not, or before that was kept."""
        return text(self.document.data.get("takenUpFrom")) or ""

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
        return self.owner, *map(self.named, _IN_PATH)

    @property
    def session_path(self) -> str:
        """The path of the session that it was made in."""
        return self.document.path.rpartition("/calls/")[0]

    @property
    def finished_at(self) -> datetime | None:
        """When it ended, as a trial too; None while it has not."""
        data = self.document.data
        return moment(data.get("finishedAt")) or moment(data.get("triedAt"))

    @property
    def response(self) -> ToolResponse | None:
        """The answer that was given, or None while there is none; `UNREADABLE_ANSWER` where nobody can read it."""
        stored = self.document.data.get("response")
        if stored is None:
            return None
        try:
            return ToolResponse.from_json(json.loads(stored))
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
            return UNREADABLE_ANSWER

    @property
    def tool(self) -> str:
        """The name that was called."""
        return text(self.document.data.get("tool"))

    @property
    def turn(self) -> int:
        """The turn that it was made in, whatever a redelivery says."""
        return integer(self.document.data.get("turn"))

    @property
    def arguments_hash(self) -> str:
        """The same for equal calls."""
        return str(self.document.data.get("argumentsHash"))

    @property
    def started_at(self) -> datetime | None:
        """When it came; None where that does not stand there."""
        return moment(self.document.data.get("startedAt"))

    @property
    def kind(self) -> Kind:
        """The kind of the tool when it was called; where it does not say, one that may have changed something."""
        known = self.document.data.get("kind")
        return Kind(known) if known in {kind.value for kind in Kind} else Kind.ACTION

    @property
    def tool_kind(self) -> str:
        """The kind of the tool as people are told it; empty where there is no such tool, or it does not say."""
        data = self.document.data
        # That of a tool which is not offered is not what the call is counted as.
        return text(data.get("toolKind", data.get("kind")))

    @property
    def arguments(self) -> str:
        """The arguments as JSON text.

        Raises:
            KeyError: It does not say them, so that nobody can carry it out.
        """
        return str(self.document.data["arguments"])

    def facts(self) -> Context:
        """Return the context that the call was admitted with, without the vendor's token.

        Raises:
            ValueError: It was made on a channel that this version does not know, or does not say what was called.
        """
        data = self.document.data
        unsaid = [name for name, kind in _NEEDED.items() if not isinstance(data.get(name), kind)]
        if unsaid:
            raise ValueError(f"the row does not say its {', '.join(unsaid)}")
        channel, stored = Channel(text(data.get("channel"))), mapping(data.get("facts"))
        proven = text(stored.get("verifiedPhone"))
        shared: JsonObject = {
            "business_id": self.named("businessId"),
            "session_id": self.named("sessionId"),
            "turn": self.turn,
            "call_id": self.named("callId"),
            "caller_phone": text(stored.get("callerPhone")) or None,
            "is_number_on_file": stored.get("isNumberOnFile") is True,
            "caller_id": text(stored.get("callerId")) or None,
            "caller_verified": stored.get("callerVerified") is True,
            "verified_phone": ProvenNumber(proven) if proven else None,
            "interaction_id": text(stored.get("interactionId")) or None,
            "agent_id": text(stored.get("agentId")) or None,
            "is_call_start": stored.get("isCallStart") is True,
            "is_trial": stored.get("isTrial") is True,
            "language": text(stored.get("language")),
            "staff": _staff(mapping(stored.get("staff"))),
            "within": strings(data.get("within")),
        }
        if channel is Channel.PHONE:
            called, attested = text(stored.get("calledPhone")) or None, text(stored.get("attestation")) or None
            shared |= {"call_sid": text(stored.get("callSid")), "called_phone": called, "attestation": attested}
            shared |= {"is_withheld": stored.get("isWithheld") is True}
        return CONTEXTS[channel](**shared)


def _staff(stored: Mapping[str, Any]) -> StaffMember | None:
    words = {name: text(stored.get(name)) for name in ("id", "name", "role", "seen")}
    return StaffMember(**words, is_resumed=True) if words["id"] else None
