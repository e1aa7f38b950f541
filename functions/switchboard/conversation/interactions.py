"""The record that each call or chat leaves: `businesses/{id}/interactions/{interactionId}` (seed 000, "Data Model").

Written once per turn, in one commit that only adds: an instance that dies loses the turn it was in and no other. What
was said is kept here and in the model's history, and in no log.
"""

import logging
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

from switchboard.contract.channel import Channel
from switchboard.contract.context import Context, PhoneContext
from switchboard.contract.intent import CALLERS_WORDS
from switchboard.contract.json import JsonObject
from switchboard.contract.model import Noted, Spoken
from switchboard.contract.policy import INTERACTION_DAYS
from switchboard.contract.ports import Clock, Paths, Store
from switchboard.contract.store import DELETE_FIELD, ArrayUnion, Document, Set, Stale, StoreError, Update, Write
from switchboard.conversation.answer_share import AnswerShare
from switchboard.conversation.event import Done, Event, Outcome, Text, ToolFinished
from switchboard.conversation.late_results import LateResults
from switchboard.conversation.record import (
    CHANNEL,
    ended_line,
    marked,
    record_path,
    session_path,
    spoken_in,
    told_here,
    tool_entry,
    unkept,
)
from switchboard.conversation.session import AskedQuestion, CallSession, Receipt, Successor
from switchboard.conversation.used_up import USED_UP, UsedUp
from switchboard.conversation.utterance import Utterance
from switchboard.conversation.waiting import ARRIVALS, arrivals_in
from switchboard.pipeline.session_active import ended_mark, is_marked_ended

log = logging.getLogger(__name__)

# One document holds at most 1 MiB; a conversation that would pass it is cut in its middle sentences, not lost.
_TEXT_CHARACTERS = 4_000
_ENTRIES = 3_000
# So often a transcript that others write to at the same moment is corrected.
_TRIES = 3
_PENDING = "pendingMessages"
_ANSWERED_BY, _QUESTION = "answeredBy", "question"
_NOTED, _NOTED_CHARACTERS = "notedAtStart", 8_000


class Interactions:
    """The records of every conversation."""

    def __init__(self, store: Store, paths: Paths, clock: Clock, days: int = INTERACTION_DAYS) -> None:
        """Keep them in `store` for so many days."""
        self._store, self._paths, self._clock, self._kept = store, paths, clock, timedelta(days=days)
        self.late = LateResults(store, paths, clock)

    def recorder(self, session: CallSession) -> "Interaction":
        """Return who writes a conversation down."""
        is_new = session.began_at is None
        told = len(session.receipts)
        places = record_path(self._paths, session.facts), session_path(self._paths, session.facts)
        pending = tuple(session.waiting.messages)
        asked = session.question.to_document() if session.question is not None else None
        answers = AnswerShare(self._store, self._paths, self._clock, places)
        return Interaction(
            *(self._store, places, self._clock, self._kept, answers, is_new, told, session.is_over, pending, asked),
            session.outcome,
        )

    async def resume(self, facts: Context) -> CallSession:
        """Return a conversation as it was left, on this instance or another; a new one if nobody has spoken yet.

        Raises:
            StoreError: It cannot be read; going on without it would forget what the caller has said.
        """
        places = [record_path(self._paths, facts), session_path(self._paths, facts)]
        record, own = await self._store.get_many(places)
        session = CallSession(facts)
        if record is not None:
            _restore(session, record)
            # Answers are counted on the phone; the record is shared with whoever opens its portal link.
            session.used_up = UsedUp.of(record.data.get(USED_UP)) if facts.channel is Channel.PHONE else None
        session.was_closed = session.is_closed = is_marked_ended(own, facts.channel)
        session.is_over = session.is_over or session.is_closed
        for arrival in arrivals_in(own, facts):
            session.waiting.arrive(arrival)
        return session

    async def lasted(self, facts: Context, seconds: int) -> None:
        """Keep how long a phone call lasted, as the carrier says, in the record of one that is over.

        Raises:
            StoreError: It is not kept.
        """
        await self._store.commit([Set(record_path(self._paths, facts), {"durationSeconds": seconds}, merge=True)])

    async def note(self, facts: Context, text: str) -> None:
        """Keep what a model is told before the first word, for whichever instance opens the conversation.

        Raises:
            StoreError: It is not kept.
        """
        fields = {_NOTED: text[:_NOTED_CHARACTERS], "expireAt": self._clock.now() + self._kept}
        await self._store.commit([Set(record_path(self._paths, facts), fields, merge=True)])


class Interaction:
    """Writes one conversation down; see `Recorder`."""

    def __init__(
        self,
        store: Store,
        places: tuple[str, str],
        clock: Clock,
        kept: timedelta,
        answers: AnswerShare,
        is_new: bool,
        receipts_told: int = 0,
        is_ended: bool = False,
        pending: tuple[str, ...] = (),
        question: JsonObject | None = None,
        outcome: str = "",
    ) -> None:
        """Note things for the record, which others may have begun, put receipts into, and ended.

        `places` are its path and the session's; `answers` counts a stranger's; `pending` is what it holds for the next
        turn, `question` what it says that the caller was asked last, `outcome` what it says came of it.
        """
        self._store, self._clock, self._kept, self._is_new = store, clock, kept, is_new
        self._path, self._session_path = places
        self._answers = answers
        self._is_ended, self._pending = is_ended, pending
        self._transcript: list[JsonObject] = []
        self._tools: list[JsonObject] = []
        self._speaking: JsonObject | None = None
        self._receipts_told = receipts_told
        self._question, self._outcome = question, outcome
        self._written = 0
        # How much was heard of a turn that is written down already.
        self._corrected: tuple[int, str] | None = None
        # The turn of a caller's words that are written down already and must not be.
        self._suppressed: int | None = None

    def heard(self, session: CallSession, utterance: Utterance) -> None:
        """Note what the human did."""
        self._speaking = None
        self._answers.heard(session)
        entry = self._add(session, "caller", utterance.words)
        if utterance.confidence is not None:
            session.confidences.append(utterance.confidence)
            if entry is not None:
                entry["confidence"] = utterance.confidence

    def happened(self, session: CallSession, event: Event) -> None:
        """Note what the channel is told."""
        if isinstance(event, Text):
            self._spoke(session, event)
        elif isinstance(event, ToolFinished):
            self._speaking = None
            self._tools.append(self._tool(session, event))
            if CALLERS_WORDS in event.response.intents:
                self._suppress(session)
        elif isinstance(event, Done):
            self._speaking = None
            session.outcome = event.outcome.value

    def interrupted(self, session: CallSession, heard: str | None) -> None:
        """Note how much of the last words the caller heard, also of words that are written down already."""
        session.outcome = Outcome.INTERRUPTED.value
        self._speaking = None
        spoken = spoken_in(self._transcript, session.facts, session.facts.turn)
        told = marked([self._transcript[n] for n in spoken], heard)
        for n, entry in zip(spoken, told, strict=True):
            self._transcript[n] = entry
        if not spoken and heard is not None:
            self._corrected = (session.facts.turn, heard)

    async def save(self, session: CallSession) -> None:
        """Store what was noted since the last time."""
        await self._correct(session)
        transcript, tools = self._transcript, self._tools
        receipts = [receipt for receipt in session.receipts[self._receipts_told :] if not receipt.is_recorded]
        now, pending, told = self._clock.now(), tuple(session.waiting.messages), len(session.receipts)
        question = session.question.to_document() if session.question is not None else None
        is_same = question == self._question and session.is_over is self._is_ended and pending == self._pending
        is_same = is_same and _outcome(session) == self._outcome
        of_session, results_told = _of_session(session, now), list(session.waiting.told)
        writes: list[Write] = [Set(self._session_path, of_session, merge=True)] if of_session else []
        is_record_as_told = not transcript and not tools and not receipts and is_same
        if is_record_as_told and not writes:
            return
        fields = self._fields(session, now)
        if transcript:
            fields["transcript"] = ArrayUnion(tuple(_cut(entry) for entry in transcript))
        if tools:
            fields["tools"] = ArrayUnion(tuple(tools))
        if receipts:
            where = {"at": now, CHANNEL: session.facts.channel.value}
            fields["receipts"] = ArrayUnion(tuple({"tool": r.tool, **where, **r.words} for r in receipts))
        if question != self._question:
            fields[_QUESTION] = {session.facts.channel.value: question}
        if pending != self._pending:
            fields[_PENDING] = list(pending)
        told_before, is_over, is_closed = self._receipts_told, session.is_over, session.is_closed
        outcome, is_concluded = _outcome(session), session.conclusion is not None
        self._transcript, self._tools, self._receipts_told = [], [], told
        self._speaking = None
        try:
            if not is_record_as_told:
                writes.append(Set(self._path, fields, merge=True))
            counted = self._answers.counting(session)
            results = await self._store.commit([*counted.writes, *writes])
            self._written += len(transcript)
            self._is_new, self._is_ended, self._pending, self._question = False, is_over, pending, question
            self._outcome = outcome
            session.was_closed = is_closed
            session.waiting.forget(results_told)
            await self._answers.judge(session, counted, results)
            if is_concluded and not is_record_as_told:
                ended_line({**fields, **_identity(session)})
        except StoreError as error:
            # Adding the same entries twice leaves them there once.
            self._transcript, self._tools = transcript + self._transcript, tools + self._tools
            self._receipts_told = told_before
            log.error("interaction not saved", extra={"reason": type(error).__name__, "pii.detail": str(error)})

    async def _correct(self, session: CallSession) -> None:
        """Note in the stored transcript how much of the last turn was heard: speech is made faster than spoken."""
        for _ in range(_TRIES):
            if self._corrected is None and self._suppressed is None:
                return
            try:
                record = await self._store.get(self._path)
                rows = _rows(record.data.get("transcript")) if record is not None else []
                changed = self._corrections(session, rows)
                for n, entry in changed.items():
                    rows[n] = entry
                if record is not None and changed:
                    await self._store.commit([Update(self._path, {"transcript": rows}, record.update_time)])
                self._corrected = self._suppressed = None
            except Stale:
                continue
            except StoreError as error:
                # With the next turn, perhaps.
                log.error("what was heard is not noted", extra={"reason": type(error).__name__})
                return

    def _corrections(self, session: CallSession, rows: list[JsonObject]) -> dict[int, JsonObject]:
        found: dict[int, JsonObject] = {}
        if self._corrected is not None:
            turn, heard = self._corrected
            spoken = spoken_in(rows, session.facts, turn)
            found |= zip(spoken, marked([rows[n] for n in spoken], heard), strict=True)
        if self._suppressed is not None:
            found |= {n: unkept(rows[n]) for n in spoken_in(rows, session.facts, self._suppressed, "caller")}
        return found

    def _suppress(self, session: CallSession) -> None:
        """Keep nothing of the code that the caller has said in this turn, also where it is written down already."""
        said = spoken_in(self._transcript, session.facts, session.facts.turn, "caller")
        for n in said:
            self._transcript[n] = unkept(self._transcript[n])
        if not said:
            self._suppressed = session.facts.turn

    def _fields(self, session: CallSession, now: datetime) -> JsonObject:
        facts = session.facts
        began = session.began_at or now
        fields: JsonObject = {
            "turns": facts.turn,
            "outcome": _outcome(session),
            "channels": ArrayUnion((facts.channel.value,)),
            "updatedAt": now,
            "expireAt": now + self._kept,
        }
        # Who is calling may become known later on; what was known before stays.
        known = {"callerPhone": facts.caller_phone, "callerId": facts.caller_id or session.verified_caller}
        fields |= {name: value for name, value in known.items() if value is not None or self._is_new}
        if self._is_new:
            fields |= {
                **_identity(session),
                **({"callSid": facts.call_sid} if isinstance(facts, PhoneContext) else {}),
                # Whatever lists and counts conversations finds them by `startedAt`: an owner's trial is none of them.
                "triedAt" if facts.is_trial else "startedAt": began,
                "createdAt": began,
            }
        if session.confidences:
            fields["confidenceScore"] = round(sum(session.confidences) / len(session.confidences), 3)
        if session.successor is not None:
            told = session.successor
            # By channel: a link sent on the phone is followed in a chat, where another agent may answer.
            fields[_ANSWERED_BY] = {
                facts.channel.value: {"agentId": told.agent_id, "name": told.name, "language": told.language}
            }
        if facts.since is None:
            # A chat that goes on with a phone call makes the call no longer.
            fields["durationSeconds"] = max(0, round((now - began).total_seconds()))
        fields["endedAt"] = now if session.is_over else None
        return fields

    def _spoke(self, session: CallSession, event: Text) -> None:
        if self._speaking is None or self._speaking.get("filler", False) is not event.is_filler:
            self._speaking = self._add(session, "agent", "")
            if event.is_filler and self._speaking is not None:
                self._speaking["filler"] = True
        if self._speaking is not None:
            self._speaking["text"] += event.text

    def _add(self, session: CallSession, role: str, text: str) -> JsonObject | None:
        now = self._clock.now()
        session.began_at = session.began_at or now
        if self._written + len(self._transcript) >= _ENTRIES:
            return None
        entry: JsonObject = {"role": role, "text": text, "turn": session.facts.turn, "at": now}
        entry[CHANNEL] = session.facts.channel.value
        self._transcript.append(entry)
        return entry

    def _tool(self, session: CallSession, event: ToolFinished) -> JsonObject:
        now = self._clock.now()
        return tool_entry(event.call_id, event.name, session.facts.turn, now, event.elapsed_ms, event.response)


def _outcome(session: CallSession) -> str:
    return str(session.conclusion or session.outcome)


def _identity(session: CallSession) -> JsonObject:
    facts = session.facts
    return {
        "id": facts.interaction_id or facts.session_id,
        "businessId": facts.business_id,
        "sessionId": facts.session_id,
        "channel": facts.channel.value,
    }


def _of_session(session: CallSession, now: datetime) -> JsonObject:
    """Return what changes in the session's document: whether it has ended, and results that were told."""
    fields: JsonObject = {}
    if session.is_closed is not session.was_closed:
        fields |= ended_mark(session.facts.channel, now if session.is_closed else None)
    if session.waiting.told:
        fields[ARRIVALS] = dict.fromkeys(session.waiting.told, DELETE_FIELD)
    return fields


def _cut(entry: JsonObject) -> JsonObject:
    if len(entry["text"]) <= _TEXT_CHARACTERS:
        return entry
    kept = {name: entry[name][:_TEXT_CHARACTERS] for name in ("text", "heard") if name in entry}
    return entry | kept | {"cut": True}


def _restore(session: CallSession, document: Document) -> None:
    """Bring a conversation back from its record: the words, not the tools' answers, which would be out of date."""
    data = document.data
    turns = data.get("turns")
    if isinstance(turns, int) and turns > session.facts.turn:
        session.facts = replace(session.facts, turn=turns)
    noted = data.get(_NOTED)
    if isinstance(noted, str) and noted:
        session.history.add(Noted(noted))
    for entry in told_here(_rows(data.get("transcript")), session.facts):
        text = str(entry.get("heard", entry.get("text")) or "")
        if entry.get("role") == "caller":
            session.history.heard(text)
            if isinstance(sure := entry.get("confidence"), int | float):
                session.confidences.append(float(sure))
        elif text and not entry.get("filler"):
            session.history.add(Spoken(text))
    for row in told_here(_rows(data.get("receipts")), session.facts):
        words = {name: value for name, value in row.items() if name not in ("tool", "at", CHANNEL)}
        session.receipts.append(Receipt(str(row.get("tool")), {}, words))
    session.waiting.messages = [text for text in data.get(_PENDING) or () if isinstance(text, str)]
    session.successor = _successor(data.get(_ANSWERED_BY), session.facts.channel)
    session.facts = session.of_now(session.facts)
    began = data.get("startedAt") or data.get("triedAt")
    session.began_at = began if isinstance(began, datetime) else None
    questions = data.get(_QUESTION)
    asked = questions.get(session.facts.channel.value) if isinstance(questions, dict) else None
    session.question = AskedQuestion.of(asked)
    session.outcome = str(data.get("outcome") or "")
    if session.facts.channel is Channel.PHONE:
        # Elsewhere somebody may come back to what silence has ended; a goodbye is marked in the session.
        session.is_over = data.get("endedAt") is not None


def _successor(told: Any, channel: Channel) -> Successor | None:
    found = told.get(channel.value) if isinstance(told, dict) else None
    if not isinstance(found, dict) or not found.get("agentId"):
        return None
    return Successor(str(found["agentId"]), str(found.get("name") or ""), str(found.get("language") or ""))


def _rows(value: Any) -> list[JsonObject]:
    return [row for row in value if isinstance(row, dict)] if isinstance(value, list) else []
