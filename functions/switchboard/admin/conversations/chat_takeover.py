"""Running chats that a person of the business takes over: they write to the visitor themselves until they hand it back.

No model says anything in the chat meanwhile, and calls no tool; a turn that has begun before comes to its end. Who lets
the visitor wait for too long gives way to the model again (`contract/business/chat_person.py`). Every change is made on
the record as it was read, so that two people at once, and a visitor who writes at that moment, follow each other.
"""

from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from typing import Any, Final

from switchboard.admin.access.access import Permit
from switchboard.admin.access.refusal import EntryProblem, NotFound, NotValid
from switchboard.admin.access.roles import Operation
from switchboard.admin.audit.document_kind import DocumentKind
from switchboard.admin.audit.trail import AuditTrail
from switchboard.contract.business.chat_person import (
    ANSWERING_PERSON,
    PERSON,
    ChatPerson,
    Notice,
    chat_person,
    is_chat,
    notice_row,
)
from switchboard.contract.caller.outside_id import is_blank
from switchboard.contract.channel import Channel
from switchboard.contract.conclusion import TAKEN_OVER
from switchboard.contract.context import is_trials_id
from switchboard.contract.document import integer, mapping, moment, objects_of
from switchboard.contract.error import ErrorType, ToolError
from switchboard.contract.json import JsonObject
from switchboard.contract.policy import PERSON_ANSWERS_WITHIN_S
from switchboard.contract.ports import BusinessPaths, Clock, Paths, Store
from switchboard.contract.python.dataclass import dataclass
from switchboard.contract.record_parts import HEARD_AT, split
from switchboard.contract.session_use import nobody_answers, person_answers
from switchboard.contract.shards import SHARD, shard_of
from switchboard.contract.store import DELETE_FIELD, ArrayUnion, Document, Set, Stale, Update, Write

TAKEOVER: Final = DocumentKind(
    "takeover",
    Operation.TAKE_OVER,
    lambda paths, id: paths.document("interactions", id),
    lambda after, before: (),
    (TAKEN_OVER, ANSWERING_PERSON),
)
_TRIES = 8
_MINUTES = round(PERSON_ANSWERS_WITHIN_S / 60)
_OVER = "The chat is over. Whoever writes in it again is answered by the assistant, and can be taken over then."
_NO_CHAT = "Nobody writes in this conversation: it is no chat that goes on, or it goes on by telephone or by voice."
_NOT_ANSWERING = (
    "The assistant answers in this chat: it was handed back, or nobody had written for {minutes} minutes. Nothing was "
    "sent; take the chat over again to write in it."
)
_ANOTHERS = "{who} answers in this chat. Nothing was sent; ask them to hand it back, or hand it back yourself."
_TAKEN = "{who} has taken this chat over already."
_TAKEN_AS = "You answer in this chat already, as {name!r}. To answer under another name, hand it back first."
_HANDED_BACK = "The assistant answers in this chat already."
_OTHER_WORDS = "A message with this id was sent with other words. Send these words with an id of their own."
_BLANK = "Write something first: a message must not be blank."
_TOO_FAST = "The chat changes too fast. Nothing was changed; try again."
_EARLIEST = datetime.min.replace(tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class ChatVisitorFacts:
    """How a chat's visitor is told of a person: what the business is called, and in which language (RFC 5646)."""

    business: str
    language: str


VisitorFacts = Callable[[str, JsonObject], Awaitable[ChatVisitorFacts]]
"""Returns that of a business's chat, by the business's id and the chat's record."""


def answering_person_of(record: JsonObject, now: datetime = _EARLIEST) -> JsonObject | None:
    """Return who answers in a chat, as owners see it: `{at, by, name, givesWayAt}`; None where the model does.

    Without `now`, whoever let the visitor wait for too long is told as well: `givesWayAt` says until when.
    """
    person = chat_person(record, now)
    if not person.is_answering:
        return None
    return {"at": person.at, "by": _who(person), "name": person.name, "givesWayAt": person.gives_way_at}


def is_running_chat(record: Document) -> bool:
    """Tell whether somebody writes, or wrote, in the portal, rather than speaks, and is no owner who tries it out."""
    return "triedAt" not in record.data and not is_trials_id(record.id) and is_chat(record.data)


class ChatTakeovers:
    """Takes running chats over, writes in them, and hands them back. What the store raises passes through."""

    def __init__(self, store: Store, paths: Paths, clock: Clock, trail: AuditTrail, facts: VisitorFacts) -> None:
        self._store, self._paths, self._clock, self._trail, self._facts = store, paths, clock, trail, facts

    def standing(self, record: Document) -> JsonObject:
        """Return whether a chat can be taken over, and who answers in it: `{whyNot, answeringPerson}`."""
        is_over = moment(record.data.get("endedAt")) is not None
        now = self._clock.now()
        return {"whyNot": _OVER if is_over else None, "answeringPerson": answering_person_of(record.data, now)}

    async def take_over(self, permit: Permit, id: str, name: str) -> JsonObject:
        """Let whoever asks answer in a running chat from now on; who does already, goes on.

        Args:
            permit: Who takes it over, and where.
            id: The conversation's record.
            name: Who they are, as the visitor reads it; empty for nobody in particular.

        Returns:
            Who answers, as `answering_person_of` does.

        Raises:
            NotFound: There is no such conversation.
            ToolError: CONFLICT, it is no chat or is over, somebody else answers in it, or whoever asks under another
                name, or it changes too fast.
        """
        for _ in range(_TRIES):
            record = await self._record(permit, id)
            data, now = record.data, self._clock.now()
            if not is_running_chat(record):
                raise ToolError(ErrorType.CONFLICT, _NO_CHAT)
            if moment(data.get("endedAt")) is not None:
                raise ToolError(ErrorType.CONFLICT, _OVER)
            person = chat_person(data, now)
            if person.is_answering:
                if _is_of(permit, person) and name in ("", person.name):
                    return answering_person_of(data, now) or {}
                raise ToolError(
                    ErrorType.CONFLICT,
                    _TAKEN_AS.format(name=person.name) if _is_of(permit, person) else _TAKEN.format(who=_who(person)),
                )
            visitor, turn = await self._facts(permit.business_id, data), integer(data.get("turns")) + 1
            answering = {"at": now, "by": permit.who, "name": name, "turn": turn, "language": visitor.language}
            row = notice_row(Notice.TAKEN_OVER, visitor.language, turn, now, name, visitor.business)
            entry = self._trail.entry(permit, TAKEOVER, id, {}, {ANSWERING_PERSON: {"name": name}})
            try:
                writes = self._writes(permit, record, row, {ANSWERING_PERSON: answering})
                await self._trail.commit(entry, [*writes, self._mark(permit, record, turn, now)])
            except Stale:
                # The visitor has written, or somebody else was faster.
                continue
            taken = {**data, ANSWERING_PERSON: answering}
            return answering_person_of({**taken, "transcript": [*objects_of(data.get("transcript")), row]}, now) or {}
        raise ToolError(ErrorType.CONFLICT, _TOO_FAST, retryable=True)

    async def write(self, permit: Permit, id: str, message_id: str, text: str) -> JsonObject:
        """Write to the visitor of a chat that was taken over; the same id with the same words is written once.

        Returns:
            The entry of the transcript.

        Raises:
            NotFound: There is no such conversation.
            NotValid: The text is blank.
            ToolError: CONFLICT, whoever writes does not answer in it, the id has other words, or it changes too fast.
        """
        words = text.strip()
        if is_blank(words):
            raise NotValid([EntryProblem("text", _BLANK)])
        for _ in range(_TRIES):
            record = await self._record(permit, id)
            data, now = record.data, self._clock.now()
            written = _written(data, message_id)
            if written is not None:
                if written.get("text") != words:
                    raise ToolError(ErrorType.CONFLICT, _OTHER_WORDS)
                return written
            person = self._held(permit, record, now)
            row: JsonObject = {
                "role": PERSON,
                "id": message_id,
                "name": person.name,
                "by": permit.who,
                "text": words,
                "turn": integer(data.get("turns")) + 1,
                "at": now,
                "channel": Channel.PORTAL.value,
            }
            try:
                await self._store.commit(self._writes(permit, record, row, {}))
            except Stale:
                continue
            return row
        raise ToolError(ErrorType.CONFLICT, _TOO_FAST, retryable=True)

    async def hand_back(self, permit: Permit, id: str) -> None:
        """Let the model go on in a chat, whoever of the business answers in it.

        Raises:
            NotFound: There is no such conversation.
            ToolError: CONFLICT, the model answers already, or the chat changes too fast.
        """
        for _ in range(_TRIES):
            record = await self._record(permit, id)
            data, now = record.data, self._clock.now()
            person = chat_person(data, now)
            if not person.is_answering:
                raise ToolError(ErrorType.CONFLICT, _HANDED_BACK)
            row = notice_row(Notice.HANDED_BACK, person.language, integer(data.get("turns")) + 1, now)
            entry = self._trail.entry(permit, TAKEOVER, id, {ANSWERING_PERSON: {"name": person.name}}, {})
            try:
                writes = self._writes(permit, record, row, {ANSWERING_PERSON: DELETE_FIELD})
                await self._trail.commit(entry, [*writes, self._mark(permit, record, 0, now)])
            except Stale:
                continue
            return
        raise ToolError(ErrorType.CONFLICT, _TOO_FAST, retryable=True)

    async def _record(self, permit: Permit, id: str) -> Document:
        record = await self._store.get(self._paths.within(permit.business_id).document("interactions", id))
        if record is None:
            raise NotFound("There is no interaction of that id.")
        return record

    def _held(self, permit: Permit, record: Document, now: datetime) -> ChatPerson:
        person = chat_person(record.data, now)
        if not person.is_answering:
            raise ToolError(ErrorType.CONFLICT, _NOT_ANSWERING.format(minutes=_MINUTES))
        if not _is_of(permit, person):
            raise ToolError(ErrorType.CONFLICT, _ANOTHERS.format(who=_who(person)))
        return person

    def _writes(self, permit: Permit, record: Document, row: JsonObject, changed: JsonObject) -> list[Write]:
        """Return what adds an entry to a record as it was read, and makes room for it where the record is full."""
        now = row["at"]
        fields: JsonObject = {
            "transcript": ArrayUnion((row,)),
            "turns": row["turn"],
            HEARD_AT: now,
            SHARD: shard_of(record.path),
            **changed,
        }
        whole = {**record.data, "transcript": [*objects_of(record.data.get("transcript")), row]}
        parts = split(whole)
        if parts is None:
            return [Update(record.path, fields, if_update_time=record.update_time)]
        # The entry stays in the record: what moves is older.
        left = {"transcript": whole["transcript"]} | parts.left
        part = Set(self._within(permit).part(record.id, parts.number), parts.part)
        return [part, Update(record.path, fields | left, if_update_time=record.update_time)]

    def _mark(self, permit: Permit, record: Document, turn: int, now: datetime) -> Write:
        """Return what says, where every call of a tool counts itself, that a person has taken the chat over in a turn.

        0 says that nobody has.
        """
        path = self._within(permit).document("sessions", str(record.data.get("sessionId") or record.id))
        return Set(path, person_answers(turn, record.id, now) if turn else nobody_answers(now), merge=True)

    def _within(self, permit: Permit) -> BusinessPaths:
        return self._paths.within(permit.business_id)


def _who(person: ChatPerson) -> str:
    return str(mapping(person.by).get("name") or "Somebody")


def _is_of(permit: Permit, person: ChatPerson) -> bool:
    return bool(mapping(person.by).get("id") == permit.who["id"])


def _written(record: JsonObject, message_id: str) -> dict[str, Any] | None:
    rows = objects_of(record.get("transcript"))
    return next((row for row in rows if row.get("role") == PERSON and row.get("id") == message_id), None)
