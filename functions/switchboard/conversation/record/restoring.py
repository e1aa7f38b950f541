"""What a conversation is taken up from: its record, whoever has written it."""

from dataclasses import replace
from datetime import datetime
from typing import Any, Final

from switchboard.contract.channel import Channel
from switchboard.contract.model import Noted, Spoken
from switchboard.contract.object_list import objects_of
from switchboard.contract.record_parts import record_bytes
from switchboard.contract.store import Document
from switchboard.conversation.record.other_turns import last_turn
from switchboard.conversation.record.record import CHANNEL, told_here, told_of
from switchboard.conversation.session import AskedQuestion, CallSession, Receipt, Successor

PENDING: Final = "pendingMessages"
ANSWERED_BY: Final = "answeredBy"
QUESTION: Final = "question"
NOTED: Final = "notedAtStart"


def restore(session: CallSession, document: Document, but_turn: int = 0) -> None:
    """Bring a conversation back from its record: the words, not the tools' answers, which would be out of date.

    Of the turn `but_turn`, which is about to be answered, nothing is taken.
    """
    data = document.data
    session.record_bytes = record_bytes(data)
    turns = data.get("turns")
    if isinstance(turns, int) and turns > session.facts.turn:
        session.facts = replace(session.facts, turn=turns)
    noted = data.get(NOTED)
    if isinstance(noted, str) and noted:
        session.history.add(Noted(noted))
    told = [row for row in told_of(document, session.facts) if not but_turn or row.get("turn") != but_turn]
    session.turns.read(told)
    session.last_turn = last_turn(told) or None
    for entry in told:
        text = str(entry.get("heard", entry.get("text")) or "")
        if entry.get("role") == "caller":
            session.history.heard(text)
            if isinstance(sure := entry.get("confidence"), int | float):
                session.confidences.append(float(sure))
        elif text and not entry.get("filler"):
            session.history.add(Spoken(text))
    for row in told_here(objects_of(data.get("receipts")), session.facts):
        words = {name: value for name, value in row.items() if name not in ("tool", "at", CHANNEL)}
        session.receipts.append(Receipt(str(row.get("tool")), {}, words))
    session.waiting.messages = [text for text in data.get(PENDING) or () if isinstance(text, str)]
    session.successor = _successor(data.get(ANSWERED_BY), session.facts.channel)
    session.facts = session.of_now(session.facts)
    began = data.get("startedAt") or data.get("triedAt")
    session.began_at = began if isinstance(began, datetime) else None
    questions = data.get(QUESTION)
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
