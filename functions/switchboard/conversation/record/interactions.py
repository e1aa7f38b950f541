"""The record that each call or chat leaves: `businesses/{id}/interactions/{interactionId}` (seed 000, "Data Model").

Written once per turn, in one commit that only adds: an instance that dies loses the turn it was in and no other. What
was said is kept here and in the model's history, and in no log.
"""

import logging
from datetime import datetime, timedelta
from functools import partial

from switchboard.contract.business.agent_trial import ANSWERED_BY_VERSION
from switchboard.contract.channel import Channel
from switchboard.contract.context import Context, PhoneContext
from switchboard.contract.document import objects_of
from switchboard.contract.json import JsonObject
from switchboard.contract.policy import INTERACTION_DAYS
from switchboard.contract.ports import Clock, Paths, Store
from switchboard.contract.record_parts import SPOKEN_IN, TIMES, rows_bytes
from switchboard.contract.response import CALLERS_WORDS
from switchboard.contract.store import ArrayUnion, Document, Increment, Set, Stale, StoreError, Update, Write
from switchboard.conversation.event import Event, Text, ToolFinished, TurnEnded, TurnOutcome
from switchboard.conversation.record.deliveries import DeliveryLog, TurnDelivery, settling
from switchboard.conversation.record.record import (
    CHANNEL,
    REPORTED,
    UNSHOWN,
    RecordParts,
    cut,
    ended_line,
    identity,
    last_heard,
    marked,
    record_id,
    record_path,
    session_path,
    spoken_in,
    told_of,
    tool_entry,
    unkept,
)
from switchboard.conversation.record.restoring import ANSWERED_BY, NOTED, PENDING, QUESTION, AsyncResults, restore
from switchboard.conversation.record.session_marks import leaving_writes, restore_own, session_marks
from switchboard.conversation.record.turn_numbers import TurnNumbers
from switchboard.conversation.session import CallSession
from switchboard.conversation.speech.answer_share import AnswerShare, Counted
from switchboard.conversation.speech.house_phrases import USED_UP, UsedUp
from switchboard.conversation.speech.utterance import Utterance
from switchboard.pipeline.metrics.model_use import MODEL_USE

log = logging.getLogger(__name__)

# So often a transcript that others write to at the same moment is corrected.
_TRIES = 3
_NOTED_CHARACTERS = 8_000


class Interactions:
    """The records of every conversation."""

    def __init__(self, store: Store, paths: Paths, clock: Clock, days: int = INTERACTION_DAYS) -> None:
        """Keep them in `store` for so many days."""
        self._store, self._paths, self._clock, self._kept = store, paths, clock, timedelta(days=days)
        self.late = AsyncResults(store, paths, clock)

    def recorder(self, session: CallSession) -> "Interaction":
        """Return who writes a conversation down."""
        is_new, receipts = session.began_at is None, len(session.receipts)
        places = record_path(self._paths, session.facts), session_path(self._paths, session.facts)
        pending = tuple(session.waiting.messages)
        asked = session.question.to_document() if session.question is not None else None
        answers = AnswerShare(self._store, self._paths, self._clock, places)
        within = self._paths.within(session.facts.business_id)
        part_path = partial(within.part, record_id(session.facts))
        parts = RecordParts(self._store, places[0], part_path, session.record_bytes)
        return Interaction(
            *(self._store, places, self._clock, self._kept, answers, parts, is_new, receipts, session.is_over, pending),
            *(asked, session.outcome),
            DeliveryLog(self._store, self._clock, places[0], session.deliveries),
        )

    async def resume(self, facts: Context) -> CallSession:
        """Return a conversation as it was left, on this instance or another; a new one if nobody has spoken yet.

        Raises:
            StoreError: It cannot be read; going on without it would forget what the caller has said.
        """
        return self.restored(facts, *await self.read(facts))

    async def read(self, facts: Context) -> tuple[Document | None, Document | None]:
        """Return a conversation's record and its session's document, as `restored` takes them.

        Raises:
            StoreError: They cannot be read.
        """
        record, own = await self._store.get_many([record_path(self._paths, facts), session_path(self._paths, facts)])
        return record, own

    def restored(self, facts: Context, record: Document | None, own: Document | None) -> CallSession:
        """Return a conversation as its record and its session's document tell of it."""
        session = CallSession(facts)
        if record is not None:
            restore(session, record, self._clock.now())
            # Answers are counted on the phone; the record is shared with whoever opens its portal link.
            session.used_up = UsedUp.of(record.data.get(USED_UP)) if facts.channel is Channel.PHONE else None
        restore_own(session, own)
        return session

    async def lasted(self, facts: Context, seconds: int) -> None:
        """Keep how long a phone call lasted, as the carrier says, in the record of one that is over.

        Raises:
            StoreError: It is not kept.
        """
        path = record_path(self._paths, facts)
        fields = {"durationSeconds": seconds, **last_heard(path, self._clock.now())}
        await self._store.commit([Set(path, fields, merge=True)])

    async def note(self, facts: Context, text: str) -> None:
        """Keep what a model is told before the first word, for whichever instance opens the conversation.

        Raises:
            StoreError: It is not kept.
        """
        fields = {NOTED: text[:_NOTED_CHARACTERS], "expireAt": self._clock.now() + self._kept}
        await self._store.commit([Set(record_path(self._paths, facts), fields, merge=True)])


class Interaction:
    """Writes one conversation down; see `Recorder`."""

    def __init__(
        self,
        store: Store,
        places: tuple[str, str],
        clock: Clock,
        kept_for: timedelta,
        answers: AnswerShare,
        parts: RecordParts,
        is_new: bool,
        receipts_told: int,
        is_ended: bool,
        pending: tuple[str, ...],
        question: JsonObject | None,
        outcome: str,
        deliveries: DeliveryLog,
    ) -> None:
        """Note things for the record, which others may have begun, put receipts into, and ended.

        `places` are its path and the session's; `answers` counts a stranger's; `parts` writes; `pending` is what it
        holds for the next turn, `question` what it says that the caller was asked last, `outcome` what came of it, and
        `deliveries` what in it may come twice.
        """
        self._store, self._clock, self._kept, self._is_new = store, clock, kept_for, is_new
        self._path, self._session_path = places
        self._answers, self._parts = answers, parts
        self._numbers = TurnNumbers(store, places[0])
        self._is_ended, self._pending = is_ended, pending
        self._transcript: list[JsonObject] = []
        self._tools: list[JsonObject] = []
        self._speaking: JsonObject | None = None
        self._receipts_told = receipts_told
        self._question, self._outcome, self._deliveries = question, outcome, deliveries
        # How much was heard of a turn that is written down already.
        self._corrected: tuple[int, str] | None = None
        # Turns of a caller's words that are written down already, or may be, and must not be.
        self._suppressed: set[int] = set()

    async def earlier(self, delivery: TurnDelivery) -> str | None:
        """Return what the same delivery was answered before, waiting while it is being answered; see `DeliveryLog`."""
        return await self._deliveries.earlier(delivery)

    async def begin(
        self, session: CallSession, utterance: Utterance | None, delivery: TurnDelivery | None = None
    ) -> None:
        """Begin a human turn under a number that no other turn has, and note what the human did.

        It is written down at once: whoever answers another turn at this moment sees it too.

        Raises:
            Overtaken, Refused: What `delivery` has begun is not answered, and was taken back.
        """
        entry, expected = None, session.facts.turn + 1
        if utterance is not None and (delivery is None or not self._deliveries.has_begun(delivery)):
            entry = self._entry(session, "caller", utterance, expected)
        self._transcript += session.person.leaving_rows(expected, self._clock.now())
        before, fields = [cut(row) for row in self._transcript], self._fields(session, self._clock.now())
        left = self._deliveries.left_by(delivery, expected)
        beside = leaving_writes(session, self._session_path, self._clock.now(), left)
        claim = self._deliveries.claim(delivery, expected)
        taken = await self._numbers.take(fields, before, entry, expected, claim, beside)
        if taken.is_written:
            self._is_new, self._speaking = False, None
            del self._transcript[: len(before)]
            self._parts.grew(rows_bytes([*before, entry]))
        elif entry is not None:
            self._transcript.append(entry)
        if taken.record is not None and not self._transcript and not self._tools:
            self._catch_up(session, taken.record, taken.number)
        session.begin_turn(taken.number)
        if utterance is not None:
            self._hear(session, utterance)

    def _catch_up(self, session: CallSession, record: Document, number: int) -> None:
        recorded = CallSession(session.facts)
        restore(recorded, record, self._clock.now(), but_turn=number)
        if session.turns.are_news(row for row in told_of(record, session.facts) if row.get("turn") != number):
            session.catch_up(recorded)
            self._receipts_told = len(session.receipts)
            self._question = session.question.to_document() if session.question is not None else None

    def heard(self, session: CallSession, utterance: Utterance) -> None:
        """Note what the human did."""
        self._hear(session, utterance)
        self._transcript.append(self._entry(session, "caller", utterance, session.facts.turn))

    def _hear(self, session: CallSession, utterance: Utterance) -> None:
        self._speaking = None
        self._answers.heard(session)
        if utterance.confidence is not None:
            session.confidences.append(utterance.confidence)

    def happened(self, session: CallSession, event: Event) -> None:
        """Note what the channel is told."""
        if isinstance(event, Text):
            self._spoke(session, event)
        elif isinstance(event, ToolFinished):
            self._speaking = None
            now, turn = self._clock.now(), session.facts.turn
            self._tools.append(tool_entry(event.call_id, event.name, turn, now, event.elapsed_ms, event.response))
            if CALLERS_WORDS in event.response.intents:
                self._suppress(session)
        elif isinstance(event, TurnEnded):
            self._speaking = None
            session.outcome = event.outcome.value

    def interrupted(self, session: CallSession, heard: str | None) -> None:
        """Note how much of the last words the caller heard, also of words that are written down already."""
        session.outcome = TurnOutcome.INTERRUPTED.value
        self._speaking = None
        spoken = spoken_in(self._transcript, session.facts, session.facts.turn)
        entries = marked([self._transcript[n] for n in spoken], heard)
        for n, entry in zip(spoken, entries, strict=True):
            self._transcript[n] = entry
        if not spoken and heard is not None:
            self._corrected = (session.facts.turn, heard)

    async def settle(self, delivery: TurnDelivery) -> None:
        """Store what a delivery was answered whose turn is written down at another time. Never raises."""
        await self._deliveries.settle(delivery)

    async def save(self, session: CallSession, delivery: TurnDelivery | None = None) -> None:
        """Store what was noted since the last time, and what a delivery was answered; not where another answers it."""
        if not await session.deliveries.holds():
            return
        await self._correct(session)
        transcript, tools = self._transcript, self._tools
        timed = [document for times in session.times if (document := times.document()) is not None]
        turns_timed = len(session.times)
        receipts = [receipt for receipt in session.receipts[self._receipts_told :] if not receipt.is_recorded]
        now, pending, receipts_told = self._clock.now(), tuple(session.waiting.messages), len(session.receipts)
        question = session.question.to_document() if session.question is not None else None
        is_same = question == self._question and session.is_over is self._is_ended and pending == self._pending
        is_same = is_same and session.came_to == self._outcome and not session.model_use
        of_session, results_told = session_marks(session, now), list(session.waiting.told)
        writes: list[Write] = [Set(self._session_path, of_session, merge=True)] if of_session else []
        settled = settling(delivery, now) if delivery is not None else {}
        is_record_as_told = not transcript and not tools and not receipts and not settled and is_same
        if is_record_as_told and not writes:
            return
        fields = self._fields(session, now) | settled
        where = {"at": now, CHANNEL: session.facts.channel.value}
        done = [{"tool": r.tool, **where, **r.words} for r in receipts]
        added = {"transcript": list(map(cut, transcript)), "tools": tools, "receipts": done, TIMES: timed}
        fields |= {name: ArrayUnion(tuple(rows)) for name, rows in added.items() if rows}
        if question != self._question:
            fields[QUESTION] = {session.facts.channel.value: question}
        if pending != self._pending:
            fields[PENDING] = list(pending)
        if model_use := tuple(session.model_use):
            fields[MODEL_USE] = ArrayUnion(model_use)
        told_before, is_over, is_closed = self._receipts_told, session.is_over, session.is_closed
        outcome, is_concluded = session.came_to, session.conclusion is not None
        self._transcript, self._tools, self._receipts_told = [], [], receipts_told
        self._speaking = None
        try:
            counted = Counted() if is_record_as_told else self._answers.counting(session)
            if not is_record_as_told:
                writes += leaving_writes(session, self._session_path, now)
                writes.append(Set(self._path, fields | counted.fields, merge=True))
            results = await self._parts.commit([*counted.writes, *writes], rows_bytes([*transcript, *tools, *timed]))
            if not is_record_as_told:
                self._numbers.caught_up(fields)
                self._is_new = False
                del session.times[:turns_timed]
            self._is_ended, self._pending, self._question = is_over, pending, question
            self._outcome = outcome
            session.was_closed = is_closed
            session.waiting.forget(results_told)
            del session.model_use[: len(model_use)]
            await self._answers.judge(session, counted, results)
            if is_concluded and not is_record_as_told:
                ended_line({**fields, **identity(session.facts), "turns": session.facts.turn})
        except StoreError as error:
            # Adding the same entries twice leaves them there once.
            self._transcript, self._tools = transcript + self._transcript, tools + self._tools
            self._receipts_told = told_before
            self._numbers.is_unsure = True
            log.error("interaction not saved", extra={"reason": type(error).__name__, "pii.detail": str(error)})

    async def _correct(self, session: CallSession) -> None:
        """Note in the stored transcript how much of the last turn was heard: speech is made faster than spoken."""
        for _ in range(_TRIES):
            if self._corrected is None and not self._suppressed and not self._numbers.is_unsure:
                return
            try:
                record = await self._store.get(self._path)
                self._numbers.learn(record, session.facts.turn)
                rows = objects_of(record.data.get("transcript")) if record is not None else []
                for n, entry in (changed := self._corrections(session, rows)).items():
                    rows[n] = entry
                if record is not None and changed:
                    await self._store.commit([Update(self._path, {"transcript": rows}, record.update_time)])
                # What had no answer may still come.
                self._corrected, self._suppressed = None, self._suppressed & self._numbers.unanswered
            except Stale:
                continue
            except StoreError as error:
                # With the next turn, perhaps.
                log.error("what was heard is not noted", extra={"reason": type(error).__name__})
                return

    def _corrections(self, session: CallSession, rows: list[JsonObject]) -> dict[int, JsonObject]:
        corrections: dict[int, JsonObject] = {}
        if self._corrected is not None:
            turn, heard = self._corrected
            spoken = spoken_in(rows, session.facts, turn)
            corrections |= zip(spoken, marked([rows[n] for n in spoken], heard), strict=True)
        entries_spoken = (n for turn in self._suppressed for n in spoken_in(rows, session.facts, turn, "caller"))
        return corrections | {n: unkept(rows[n]) for n in entries_spoken if not rows[n].get("suppressed")}

    def _suppress(self, session: CallSession) -> None:
        """Keep nothing of the code that the caller has said in this turn, also where it is written down already."""
        spoken = spoken_in(self._transcript, session.facts, session.facts.turn, "caller")
        for n in spoken:
            self._transcript[n] = unkept(self._transcript[n])
        if not spoken or session.facts.turn in self._numbers.unanswered:
            self._suppressed.add(session.facts.turn)

    def _fields(self, session: CallSession, now: datetime) -> JsonObject:
        facts = session.facts
        began = session.began_at or now
        fields: JsonObject = {
            # The number itself is taken when a turn begins; here, what could not be taken then.
            "turns": Increment(self._numbers.behind),
            "outcome": session.came_to,
            "channels": ArrayUnion((facts.channel.value,)),
            **last_heard(self._path, now),
            "expireAt": now + self._kept,
        }
        # Who is calling may become known later on; what was known before stays.
        known = {"callerPhone": facts.caller_phone, "callerId": facts.caller_id or session.verified_caller}
        fields |= {name: value for name, value in known.items() if value is not None or self._is_new}
        if self._is_new:
            fields |= {
                **identity(session.facts),
                **({"callSid": facts.call_sid} if isinstance(facts, PhoneContext) else {}),
                # Whatever lists and counts conversations finds them by `startedAt`: an owner's trial is none of them.
                "triedAt" if facts.is_trial else "startedAt": began,
                "createdAt": began,
            }
        if session.confidences:
            fields["confidenceScore"] = round(sum(session.confidences) / len(session.confidences), 3)
        # By door: a link sent on the phone is followed in a chat, where another agent may answer.
        by_door = {ANSWERED_BY: session.successor and session.successor.to_document(), SPOKEN_IN: facts.language}
        door = [channel.value for channel in facts.channel.behind_one_door]
        fields |= {name: dict.fromkeys(door, value) for name, value in by_door.items() if value}
        if mark := session.agent_mark:
            fields[ANSWERED_BY_VERSION] = ArrayUnion((mark,))
        if session.lasted_s is not None or facts.since is None:
            # A chat that goes on with a phone call makes the call no longer.
            lasted_s = session.lasted_s if session.lasted_s is not None else round((now - began).total_seconds())
            fields["durationSeconds"] = max(0, lasted_s)
        return fields | session.person.leaving_fields | {"endedAt": now if session.is_over else None}

    def _spoke(self, session: CallSession, event: Text) -> None:
        if self._speaking is None or self._speaking.get("filler", False) is not event.is_filler:
            self._speaking = self._entry(session, "agent", "", session.facts.turn)
            self._transcript.append(self._speaking)
            marks = {"filler": event.is_filler, UNSHOWN: session.is_unshown, REPORTED: event.is_reported}
            self._speaking |= {name: True for name, is_so in marks.items() if is_so}
        self._speaking["text"] += event.text

    def _entry(self, session: CallSession, role: str, words: str | Utterance, turn: int) -> JsonObject:
        now = self._clock.now()
        session.began_at = session.began_at or now
        text = words if isinstance(words, str) else words.words
        entry: JsonObject = {"role": role, "text": text, "turn": turn, "at": now, CHANNEL: session.facts.channel.value}
        if isinstance(words, Utterance) and words.confidence is not None:
            entry["confidence"] = words.confidence
        return cut(entry)
