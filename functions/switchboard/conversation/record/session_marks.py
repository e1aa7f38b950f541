"""What a conversation changes in its session's document, which the ledger keeps."""

from datetime import datetime

from switchboard.contract.caller.caller_identity import read_standing
from switchboard.contract.json import JsonObject
from switchboard.contract.session_use import in_use, nobody_answers
from switchboard.contract.store import DELETE_FIELD, Document, Set, Write
from switchboard.conversation.pending_results import arrivals_in
from switchboard.conversation.session import CallSession
from switchboard.pipeline.checks.session_active import blocked_until, ended_mark, is_marked_ended
from switchboard.pipeline.ledger.turn_counts import ARRIVALS


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


def leaving_writes(session: CallSession, path: str, now: datetime) -> list[Write]:
    """Return what says so in the session's document at `path`, for the commit in which a person leaves the record.

    Nothing where nobody leaves. Otherwise every later call would look in the record who answers.
    """
    return [Set(path, nobody_answers(now), merge=True)] if session.person.has_left else []
