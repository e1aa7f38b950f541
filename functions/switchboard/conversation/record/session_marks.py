"""What a conversation changes in its session's document, which the ledger keeps."""

from datetime import datetime

from switchboard.contract.json import JsonObject
from switchboard.contract.session_use import in_use
from switchboard.contract.store import DELETE_FIELD
from switchboard.conversation.pending_results import ARRIVALS
from switchboard.conversation.session import CallSession
from switchboard.pipeline.checks.session_active import ended_mark


def session_marks(session: CallSession, now: datetime) -> JsonObject:
    """Return what changes: whether it has ended, and results that were told; empty where nothing does."""
    fields: JsonObject = {}
    if session.is_closed is not session.was_closed:
        fields |= ended_mark(session.facts.channel, now if session.is_closed else None)
    if session.waiting.told:
        fields[ARRIVALS] = dict.fromkeys(session.waiting.told, DELETE_FIELD)
    return fields | in_use(now) if fields else {}
