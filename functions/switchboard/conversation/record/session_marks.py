"""What a conversation changes in its session's document, which the ledger keeps."""

from datetime import datetime

from switchboard.contract.caller.caller_identity import read_standing
from switchboard.contract.json import JsonObject
from switchboard.contract.session_use import in_use, nobody_answers
from switchboard.contract.store import DELETE_FIELD, Document, Set, Write
from switchboard.conversation.pending_results import arrivals_in
from switchboard.conversation.session import CallSession
from switchboard.pipeline.checks.session_active import blocked_until, ended_mark, is_marked_ended
from switchboard.pipeline.ledger.turn_counts import ARRIVALS, turn_left


def restore_own(session: CallSession, own: Document | None) -> None:
    """Take over what a conversation's own session document tells: that it has ended, who is calling, what has come."""
    session.own = own
    session.was_closed = session.is_closed = is_marked_ended(own, session.facts.channel)
    session.is_over = session.is_over or session.is_closed
    session.known_as, session.blocked_until = read_standing(own), blocked_until(own)
    for arrival in arrivals_in(own, session.facts):
        session.waiting.arrive(arrival)


def session_marks(session: CallSession, now: datetime) -> JsonObject:
    """Return what changes: whether it has ended, and results that were told; empty where nothing does."""
    fields: JsonObject = {}
    if session.is_closed is not session.was_closed:
        fields |= ended_mark(session.facts.channel, now if session.is_closed else None)
    if session.waiting.told:
        fields[ARRIVALS] = dict.fromkeys(session.waiting.told, DELETE_FIELD)
    return fields | in_use(now) if fields else {}


def leaving_writes(session: CallSession, path: str, now: datetime, left_turn: int = 0) -> list[Write]:
    """Return what a commit that writes the record says in the session's document at `path`.

    That a person of the business has left, since every later call would look in the record who answers otherwise; and
    that a turn, where there is one, was left by whoever answered it: what they would still call in it is refused.
    """
    fields: JsonObject = nobody_answers(now) if session.person.has_left else {}
    if left_turn:
        fields |= turn_left(left_turn) | in_use(now)
    return [Set(path, fields, merge=True)] if fields else []
