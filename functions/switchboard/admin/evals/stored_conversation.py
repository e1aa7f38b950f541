"""A conversation as it was kept: turn by turn what was said, and what the model answered and called.

What was said lies in the record, for three months; what was called, with which arguments and to which answer, in the
ledger, for a week. The house's own words, such as the question for a yes, are none of the model's and are left out.
"""

import json
import re
from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Any

from switchboard.admin.access.refusal import EntryProblem, NotFound, NotValid
from switchboard.admin.conversations.records import session_of, whole_of
from switchboard.contract.business.chat_person import PERSON
from switchboard.contract.channel import Channel
from switchboard.contract.context import Context, PhoneContext, is_trials_id
from switchboard.contract.definitions.definition import Kind
from switchboard.contract.document import integer, mapping, moment, objects_of, strings, text
from switchboard.contract.error import ErrorType
from switchboard.contract.json import JsonObject
from switchboard.contract.ports import BusinessPaths, Store
from switchboard.contract.python.dataclass import dataclass
from switchboard.contract.response import ToolResponse
from switchboard.contract.store import Document, Query
from switchboard.pipeline.ledger.row import CallRow

_FIELD = "conversation"
_CODE_TOOLS = frozenset({"check_verification_code"})
_NUMBER = re.compile(r"\d+")
_MOST_CALLS = 200


@dataclass(frozen=True, slots=True)
class ModelCall:
    """One call that the model made.

    Attributes:
        arguments: As they were read.
        response: The answer; None where it never got one.
        state: As in the ledger.
        at: When it came, aware.
    """

    tool: str
    kind: Kind
    arguments: JsonObject
    response: ToolResponse | None
    state: str
    turn: int
    at: datetime

    @property
    def error(self) -> str:
        """The kind of refusal or failure; empty where there is none."""
        failure = self.response.failure if self.response is not None else None
        return failure.type.value if failure is not None else ""

    @property
    def is_done(self) -> bool:
        """Whether it did what it was asked for, or is going to."""
        return self.state in ("finished", "queued")

    @property
    def asks_for_a_yes(self) -> bool:
        """Whether its answer was the question that the caller has to agree to."""
        return self.error == ErrorType.CONFIRMATION_REQUIRED.value

    @property
    def data(self) -> JsonObject:
        """What it was answered; empty where it failed."""
        return dict(self.response.data or {}) if self.response is not None and self.response.ok else {}


@dataclass(frozen=True, slots=True)
class StoredTurn:
    """What the caller said, and what the model did about it.

    Attributes:
        steps: Words and calls, in order.
    """

    said: str
    steps: Sequence[str | ModelCall]


@dataclass(frozen=True, slots=True)
class StoredConversation:
    """All of it.

    Attributes:
        id: Of its record.
        session: Whose ledger tells of its calls.
        began: When, aware.
        phone: The caller's number in E.164; empty where none was shown, or in writing.
        attestation: How the carrier vouched for it: A, B, C, or nothing.
        turns: What was said.
        calls: All calls of the model.
        words: Everything the agent said, and was heard of it.
        dialled: The number that it was handed on to; empty for none.
        is_over: Whether the agent has ended it, or handed it on.
    """

    id: str
    session: str
    channel: Channel
    began: datetime
    phone: str
    attestation: str
    turns: Sequence[StoredTurn]
    calls: Sequence[ModelCall]
    words: Sequence[str]
    dialled: str
    is_over: bool


async def read_conversation(store: Store, within: BusinessPaths, id: str) -> StoredConversation:
    """Return a conversation of a business, by the id of its record or of its session.

    Raises:
        NotFound: There is none of that id.
        NotValid: It is kept, but not so that it could be held again; the sentence says why.
        StoreError: The store's.
    """
    document = await store.get(within.document("interactions", id))
    if document is None:
        # A session's calls say in whose record they stand.
        first = await store.query(Query(within.calls(id), limit=1))
        record_id = text(mapping(first[0].data.get("facts")).get("interactionId")) if first else ""
        document = await store.get(within.document("interactions", record_id)) if record_id else None
    if document is None:
        raise NotFound("There is no conversation of that id.")
    record = await whole_of(store, within, document)
    rows = await store.query(Query(within.calls(session_of(record)), limit=_MOST_CALLS + 1))
    _check(record, rows)
    # What a tool calls itself is none of the model's calls, and is called again by it.
    own = [CallRow(row) for row in sorted(rows, key=_place) if not row.data.get("within")]
    calls = [_call(row) for row in own]
    facts = own[0].facts() if own else None
    turns = [turn for turn in _turns(record, calls) if turn is not None]
    if not turns:
        raise unrepeatable("Nobody said anything in it.")
    answered = [call.response for call in calls if call.response is not None]
    ends = [intent for response in answered if response.ok for intent in response.intents]
    numbers = [str(i.payload.get("number") or "") for i in ends if i.type.value == "TRANSFER_CALL"]
    return StoredConversation(
        id=record.id,
        session=session_of(record),
        channel=Channel(str(record.data.get("channel"))),
        began=_began(record),
        phone=_shown_phone(record, facts),
        attestation=_attestation(facts),
        turns=turns,
        calls=calls,
        words=[str(row.get("text") or "") for row in _told(record, "agent")],
        dialled=numbers[-1] if numbers else "",
        is_over=bool(numbers) or any((response.data or {}).get("ended") is True for response in answered),
    )


def _check(record: Document, rows: Sequence[Document]) -> None:
    """Let a conversation through that can be held again.

    Raises:
        NotValid: It cannot.
    """
    data = record.data
    channels = {*strings(data.get("channels")), str(data.get("channel"))}
    if channels - {Channel.PHONE, Channel.PORTAL}:
        raise unrepeatable("It was held by voice in a browser; only phone calls and written chats can be held again.")
    if len(channels) > 1:
        raise unrepeatable(
            "It was held on the phone and in writing; only what stayed on one of them can be held again."
        )
    if data.get("channel") == Channel.PORTAL and data.get("callerPhone") and not is_trials_id(record.id):
        raise unrepeatable(
            "It was written behind a link that was sent to a caller; such a link is not sent for a test."
        )
    called = {text(row.get("callId")) for row in objects_of(data.get("tools"))}
    if called and not rows:
        raise unrepeatable("Its calls are no longer kept. Choose a conversation of the last seven days.")
    if len(rows) > _MOST_CALLS:
        raise unrepeatable(f"It has more than {_MOST_CALLS} tool calls; choose a shorter one.")
    if any(row.get("role") == PERSON for row in objects_of(data.get("transcript"))):
        raise unrepeatable("A person of the business answered in it, whose words no agent can be held to.")
    codes = any(row.get("suppressed") for row in objects_of(data.get("transcript")))
    if codes or any(row.data.get("tool") in _CODE_TOOLS for row in rows):
        raise unrepeatable("A one-time code was said in it, which is kept nowhere: it cannot be said again.")


def unrepeatable(why: str) -> NotValid:
    """Return the refusal of a conversation that cannot be held again, with the sentence that says why."""
    return NotValid([EntryProblem(_FIELD, f"This conversation cannot be made a test. {why}")])


def _place(row: Document) -> tuple[Any, ...]:
    numbers = [int(number) for number in _NUMBER.findall(str(row.data.get("callId")))[:2]]
    return str(row.data.get("startedAt")), *numbers


def _call(row: CallRow) -> ModelCall:
    try:
        arguments = json.loads(row.arguments)
    except ValueError:
        arguments = {}
    return ModelCall(
        tool=row.tool,
        kind=row.kind,
        arguments=arguments if isinstance(arguments, dict) else {},
        response=row.response,
        state=row.state,
        turn=row.turn,
        at=row.started_at or datetime.min,
    )


def _turns(record: Document, calls: Sequence[ModelCall]) -> Iterator[StoredTurn | None]:
    """Yield the turns in which the caller said something."""
    said: dict[int, list[str]] = {}
    for row in _told(record, "caller"):
        said.setdefault(integer(row.get("turn")), []).append(str(row.get("text") or "").strip())
    for turn, words in said.items():
        spoken = [row for row in _told(record, "agent") if row.get("turn") == turn]
        own = [call for call in calls if call.turn == turn]
        steps: list[tuple[str, int, str | ModelCall]] = [(str(call.at), 0, call) for call in own]
        asked = [str(call.at) for call in own if call.asks_for_a_yes]
        # Behind such a call the house asks, and the model is not heard.
        steps += [
            (str(row.get("at")), 1, str(row["text"]).strip())
            for row in spoken
            if str(row.get("text") or "").strip() and not (asked and str(row.get("at")) >= asked[-1])
        ]
        steps.sort(key=lambda step: step[:2])
        line = " ".join(filter(None, words))
        yield StoredTurn(line, [step for _, _, step in steps]) if line else None


def _told(record: Document, role: str) -> list[JsonObject]:
    rows = objects_of(record.data.get("transcript"))
    return [row for row in rows if row.get("role") == role and not row.get("filler")]


def _began(record: Document) -> datetime:
    data = record.data
    began = moment(data.get("startedAt")) or moment(data.get("triedAt")) or moment(data.get("createdAt"))
    return began or record.create_time


def _shown_phone(record: Document, facts: Context | None) -> str:
    if record.data.get("channel") != Channel.PHONE:
        return ""
    return text(record.data.get("callerPhone")) or (facts.caller_phone if facts is not None else None) or ""


def _attestation(facts: Context | None) -> str:
    level = str(facts.attestation or "")[-1:] if isinstance(facts, PhoneContext) else "A"
    return level if level in ("A", "B", "C") else ""
