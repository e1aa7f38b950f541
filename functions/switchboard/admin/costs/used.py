"""What one document tells of what was used: a call of the ledger, a conversation's record, a text or an e-mail.

Each kind is written once for what it stands for, whatever is delivered again; so what is counted from it is counted
once. What an owner tries, and what a business does at its own desk, is counted nowhere.
"""

from collections.abc import Mapping
from typing import Any, Final

from switchboard.contract.channel import Channel
from switchboard.contract.context import is_trials_id
from switchboard.contract.document import integer, mapping, text
from switchboard.contract.json import JsonObject
from switchboard.contract.store import Document
from switchboard.desk.messaging.sms_body import segments
from switchboard.pipeline.ledger.row import CallRow
from switchboard.pipeline.metrics.model_use import tokens_by_model

TOOL_CALLS: Final = "toolCalls"
KINDS: Final = "kinds"
CONVERSATIONS: Final = "conversations"
MODELS: Final = "models"
TEXTS: Final = "texts"
EMAILS: Final = "emails"

_SECONDS_A_MINUTE = 60
# What is sent for certain, and what certainly is not; of all other states nobody knows.
_SENT, _NOT_SENT = "sent", "failed"


def used_by_call(document: Document) -> JsonObject:
    """Return what a call of the ledger counts as: one of its tool; nothing for one that was refused."""
    row, data = CallRow(document), document.data
    is_tried = "triedAt" in data or mapping(data.get("facts")).get("isTrial") is True
    if is_tried or is_trials_id(row.named("sessionId")) or row.state == "refused":
        return {}
    name = text(data.get("tool"))
    return {TOOL_CALLS: {name: 1}, KINDS: {text(data.get("kind")) or "unknown": 1}} if name else {}


def used_by_conversation(document: Document) -> JsonObject:
    """Return what a conversation's record counts as: how long it lasted, its turns, and what models read and wrote.

    Minutes are begun ones, as carriers count them. A call of which nobody has said how long it was is one of unknown
    length.
    """
    data = document.data
    channel = text(data.get("channel"))
    if "startedAt" not in data or is_trials_id(document.id) or channel not in list(Channel):
        return {}
    spoken: JsonObject = {}
    if channel != Channel.PORTAL:
        seconds = _seconds(data.get("durationSeconds"))
        minutes = -(-(seconds or 0) // _SECONDS_A_MINUTE)
        spoken = {"seconds": seconds or 0, "minutes": minutes, "unknown": int(seconds is None)}
    turns = max(0, integer(data.get("turns")))
    models = {
        model: {"input": sums.input, "output": sums.output, "answers": sums.answers, "unknown": sums.unknown}
        for model, sums in tokens_by_model(data).items()
    }
    return {CONVERSATIONS: {channel: {"count": 1, "turns": turns} | spoken}} | ({MODELS: models} if models else {})


def used_by_message(document: Document) -> JsonObject:
    """Return what a document of the outbox counts as: a text by its segments, an e-mail, or that nobody knows.

    A message to the owner is an e-mail where it was brought that way; texts of it are documents of their own.
    """
    data = document.data
    kind, state = data.get("kind"), text(data.get("state"))
    if kind == "message":
        state = text(mapping(data.get("ways")).get("email")) or _NOT_SENT
        kind = "email"
    if kind not in ("text", "email") or state == _NOT_SENT:
        return {}
    if state != _SENT:
        return {TEXTS if kind == "text" else EMAILS: {"unknown": 1}}
    if kind == "email":
        return {EMAILS: {"count": 1}}
    return {TEXTS: {"count": 1, "segments": segments(text(data.get("body")))}}


def _seconds(value: Any) -> int | None:
    is_known = isinstance(value, int | float) and not isinstance(value, bool) and value >= 0
    return round(value) if is_known else None


def more_than(counted: Mapping[str, Any], used: JsonObject) -> JsonObject:
    """Return by how much numbers, at whatever depth, are more than what was counted before; what is the same is not."""
    more: JsonObject = {}
    for name, value in used.items():
        before = counted.get(name)
        if isinstance(value, dict):
            deeper = more_than(mapping(before), value)
            if deeper:
                more[name] = deeper
        elif value != integer(before):
            more[name] = value - integer(before)
    return more


def added(sums: JsonObject, more: Mapping[str, Any]) -> JsonObject:
    """Return sums with other numbers added, name by name at whatever depth."""
    total = dict(sums)
    for name, value in more.items():
        if isinstance(value, Mapping):
            total[name] = added(dict(mapping(total.get(name))), value)
        else:
            total[name] = integer(total.get(name)) + value
    return total
