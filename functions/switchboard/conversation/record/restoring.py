"""What a conversation is taken up from: its record, whoever has written it."""

import logging
from dataclasses import replace
from datetime import datetime
from typing import Any, Final

from switchboard.contract.business.chat_person import NOTICE, PERSON, chat_person, told_to_model
from switchboard.contract.channel import Channel
from switchboard.contract.conclusion import TAKEN_OVER
from switchboard.contract.context import Context
from switchboard.contract.document import mapping, moment, objects_of, strings
from switchboard.contract.model import Noted, Spoken
from switchboard.contract.ports import Clock, Paths, Store
from switchboard.contract.record_parts import SPOKEN_IN, record_bytes
from switchboard.contract.store import ArrayUnion, Document, Missing, Set, StoreError, Update, Write
from switchboard.conversation.asked_question import AskedQuestion
from switchboard.conversation.history import reported
from switchboard.conversation.pending_results import Arrival, arrivals_in
from switchboard.conversation.record.record import (
    CHANNEL,
    REPORTED,
    record_path,
    session_path,
    told_here,
    told_of,
    tool_entry,
)
from switchboard.conversation.record.turn_numbers import last_turn
from switchboard.conversation.record.unanswered import UnheardCalls, unanswered_in
from switchboard.conversation.session import CallSession, Receipt, Successor

PENDING: Final = "pendingMessages"
ANSWERED_BY: Final = "answeredBy"
QUESTION: Final = "question"
NOTED: Final = "notedAtStart"

log = logging.getLogger(__name__)


def restore(session: CallSession, document: Document, now: datetime, but_turn: int = 0) -> None:
    """Bring a conversation back from its record: the words, not the tools' answers, which would be out of date.

    Only the calls that an open question is about stand there again. Of the turn `but_turn`, which is about to be
    answered, nothing is taken. `now` (aware) tells who answers in a chat.
    """
    data = document.data
    session.record_bytes = record_bytes(data)
    session.deliveries.read(document)
    turns = data.get("turns")
    if isinstance(turns, int) and turns > session.facts.turn:
        session.facts = replace(session.facts, turn=turns)
    noted = data.get(NOTED)
    if isinstance(noted, str) and noted:
        session.history.add(Noted(noted))
    rows = [row for row in told_of(document, session.facts) if not but_turn or row.get("turn") != but_turn]
    session.turns.read(rows)
    session.last_turn = last_turn(rows) or None
    session.unanswered = unanswered_in(document, session.facts.channel)
    question = AskedQuestion.of(mapping(data.get(QUESTION)).get(session.facts.channel.value))
    session.question, asked = question, question.recalled() if question is not None else []
    for entry in rows:
        text = str(entry.get("heard", entry.get("text")) or "")
        if entry.get("role") == "caller":
            session.history.heard(text, moment(entry.get("at")))
            if isinstance(sure := entry.get("confidence"), int | float):
                session.confidences.append(float(sure))
        elif entry.get("role") in (PERSON, NOTICE):
            session.history.add(Noted(told_to_model(entry)))
        elif text and not entry.get("filler"):
            while asked and question is not None and entry.get("turn") == question.asked_in:
                session.history.add(asked.pop(0))
            session.history.add(reported(text) if entry.get(REPORTED) else Spoken(text))
    for row in told_here(objects_of(data.get("receipts")), session.facts):
        words = {name: value for name, value in row.items() if name not in ("tool", "at", CHANNEL)}
        session.receipts.append(Receipt(str(row.get("tool")), {}, words))
    session.waiting.messages = list(strings(data.get(PENDING)))
    session.successor = _successor(data.get(ANSWERED_BY), session.facts.channel)
    language = str(mapping(data.get(SPOKEN_IN)).get(session.facts.channel.value) or "")
    session.facts = replace(session.of_now(session.facts), language=language)
    session.began_at = moment(data.get("startedAt") or data.get("triedAt"))
    session.outcome, session.is_taken_over = str(data.get("outcome") or ""), bool(data.get(TAKEN_OVER))
    if session.facts.channel is not Channel.PHONE:
        session.person = chat_person(data, now)
    if session.facts.channel is Channel.PHONE:
        # Elsewhere somebody may come back to what silence has ended; a goodbye is marked in the session.
        session.is_over = data.get("endedAt") is not None


def _successor(successors: Any, channel: Channel) -> Successor | None:
    agent = mapping(mapping(successors).get(channel.value))
    if not agent.get("agentId"):
        return None
    return Successor(str(agent["agentId"]), str(agent.get("name") or ""), str(agent.get("language") or ""))


class AsyncResults:
    """The late results of every conversation.

    Attributes:
        unheard: Those that came in time, and nobody was left to tell.
    """

    def __init__(self, store: Store, paths: Paths, clock: Clock) -> None:
        """Look for them and keep them in `store`."""
        self._store, self._paths, self._clock = store, paths, clock
        self.unheard = UnheardCalls(store, paths)

    async def of(self, facts: Context) -> list[Arrival]:
        """Return what has come for a conversation and was not told yet, as far as the store knows. Never raises."""
        try:
            session = await self._store.get(session_path(self._paths, facts))
        except StoreError as error:
            # They stand there for the turn after this one too.
            log.warning("late results not read", extra={"reason": type(error).__name__, "pii.detail": str(error)})
            return []
        return list(arrivals_in(session, facts))

    async def keep(self, facts: Context, arrival: Arrival, *, is_held_here: bool) -> None:
        """Add a result to the record of its conversation, also of one that is over. Never raises.

        A session without a conversation of ours has no record, and gets none: a service holds it.
        """
        now, response = self._clock.now(), arrival.response
        elapsed_ms = float(response.meta.get("elapsedMs", 0))
        entry = tool_entry(arrival.call_id, arrival.tool, facts.turn, now, elapsed_ms, response)
        fields = {"tools": ArrayUnion((entry | {"late": True},))}
        receipt = response.meta.get("receipt")
        if response.ok and isinstance(receipt, dict):
            fields["receipts"] = ArrayUnion(({"tool": arrival.tool, "at": now, **receipt},))
        path = record_path(self._paths, facts)
        # The first turn may still be going on, at whose end the rest of the record is written.
        write: Write = Set(path, fields, merge=True) if is_held_here else Update(path, fields)
        try:
            await self._store.commit([write])
        except Missing:
            return
        except StoreError as error:
            log.error(
                "a late result is not in its record", extra={"reason": type(error).__name__, "pii.detail": str(error)}
            )
