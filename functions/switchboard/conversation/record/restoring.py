"""What a conversation is taken up from: its record, whoever has written it."""

from dataclasses import replace
from typing import Any, Final

from switchboard.contract.channel import Channel
from switchboard.contract.document import mapping, moment, objects_of, strings
from switchboard.contract.model import Noted, Spoken
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
    session.waiting.messages = list(strings(data.get(PENDING)))
    session.successor = _successor(data.get(ANSWERED_BY), session.facts.channel)
    session.facts = session.of_now(session.facts)
    session.began_at = moment(data.get("startedAt") or data.get("triedAt"))
    session.question = AskedQuestion.of(mapping(data.get(QUESTION)).get(session.facts.channel.value))
    session.outcome = str(data.get("outcome") or "")
    if session.facts.channel is Channel.PHONE:
        # Elsewhere somebody may come back to what silence has ended; a goodbye is marked in the session.
        session.is_over = data.get("endedAt") is not None


def _successor(told: Any, channel: Channel) -> Successor | None:
    agent = mapping(mapping(told).get(channel.value))
    if not agent.get("agentId"):
        return None
    return Successor(str(agent["agentId"]), str(agent.get("name") or ""), str(agent.get("language") or ""))
