"""Where a conversation's record is, and how a call stands in it."""

from datetime import datetime

from switchboard.contract.context import Context
from switchboard.contract.json import JsonObject
from switchboard.contract.ports import Paths
from switchboard.contract.response import ToolResponse


def record_path(paths: Paths, facts: Context) -> str:
    """Return the path of a conversation's record."""
    return paths.within(facts.business_id).document("interactions", facts.interaction_id or facts.session_id)


def session_path(paths: Paths, facts: Context) -> str:
    """Return the path of a conversation's session, which the ledger keeps."""
    return paths.within(facts.business_id).document("sessions", facts.session_id)


def tool_entry(
    call_id: str, name: str, turn: int, at: datetime, elapsed_ms: float, response: ToolResponse
) -> JsonObject:
    """Return the entry of a call that was answered."""
    entry: JsonObject = {
        "callId": call_id,
        "name": name[:60],
        "turn": turn,
        "at": at,
        "elapsedMs": elapsed_ms,
        "ok": response.ok,
    }
    if response.failure is not None:
        entry["error"] = response.failure.type.value
    return entry
