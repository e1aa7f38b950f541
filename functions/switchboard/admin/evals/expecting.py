"""What a conversation came to, as expectations: what it booked, texted and passed on, what it called, what was said."""

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

from switchboard.admin.evals.spoken import claims, language_of, sentences
from switchboard.admin.evals.stored_conversation import ModelCall, StoredConversation
from switchboard.contract.definitions.definition import Kind
from switchboard.contract.document import text
from switchboard.contract.json import JsonObject
from switchboard.desk.bookings.booking import CANCELLED, CONFIRMED

_BOOKS = frozenset({"book_appointment", "create_event"})
_CHANGES = frozenset({"reschedule_appointment", "update_appointment", "cancel_appointment"})
_MOST_SAID = 6
_MOST_LETTERS = 120
_LINK = re.compile(r"https?://\S+")


def expectations_of(
    held: StoredConversation,
    zone: ZoneInfo,
    bookings: Mapping[str, Mapping[str, Any]],
    outbox: Sequence[Mapping[str, Any]],
) -> JsonObject:
    """Return the `expect` of a scenario, for whoever keeps it to edit.

    Args:
        held: The conversation.
        zone: The business's.
        bookings: The appointments that it made or changed, as they are stored, by id.
        outbox: What it sent and passed on.
    """
    own_words = [sentence for words in held.words for sentence in sentences(words)]
    language = language_of(own_words)
    expect: JsonObject = {
        "bookings": list(_bookings(held.calls, zone, bookings)),
        "texts": [_letter(row.get("to"), _worded(row)) for row in _of_kind(outbox, "text")],
        "messages": [_letter(None, text(row.get("text"))) for row in _of_kind(outbox, "message")],
        "emails": [_letter(row.get("to"), text(row.get("subject"))) for row in _of_kind(outbox, "email")],
        "ledger": list(_ledger(held.calls)),
        "never": _never(held.calls),
        "said": _said(held),
        "limits": {"callsPerTurn": most} if (most := _calls_per_turn(held)) else {},
        "language": language if language in ("en", "de") else None,
        "ended": True if held.is_over else None,
        "transferredTo": held.dialled or None,
    }
    return {name: value for name, value in expect.items() if value not in (None, [], {})}


def _of_kind(outbox: Sequence[Mapping[str, Any]], kind: str) -> list[Mapping[str, Any]]:
    return [row for row in outbox if row.get("kind") == kind]


def _letter(to: Any, words: str) -> JsonObject:
    # What is looked for stands in one line of JSON, in which quotes and ends of lines are written otherwise.
    plain = max(re.split(r'["\\\n\r]', words), key=len).strip()[:_MOST_LETTERS]
    return ({"to": to} if to else {}) | ({"has": plain} if plain else {})


def _worded(row: Mapping[str, Any]) -> str:
    # A link is another one each time.
    body = text(row.get("body"))
    return _LINK.split(body)[0] if _LINK.search(body) else body


def _bookings(
    calls: Sequence[ModelCall], zone: ZoneInfo, stored: Mapping[str, Mapping[str, Any]]
) -> Iterator[JsonObject]:
    """Yield each appointment as the last call about it left it: the store may have been changed since."""
    left: dict[str, JsonObject] = {}
    for call in calls:
        id = text(call.data.get("bookingId")) or text(call.data.get("eventId"))
        if not call.is_done or not id or call.tool not in _BOOKS | _CHANGES:
            continue
        known = left.get(id) or _as_stored(stored.get(id, {}), zone)
        told = {
            "service": text(call.data.get("service")),
            "start": _local(call.data.get("startTime"), zone),
            "customer": text(call.data.get("customerName")),
            "with": text(call.data.get("with")),
        }
        left[id] = {**known, **{name: value for name, value in told.items() if value}}
        left[id]["status"] = CANCELLED if call.tool == "cancel_appointment" else CONFIRMED
    for booking in left.values():
        yield {name: value for name, value in booking.items() if value}


def _as_stored(data: Mapping[str, Any], zone: ZoneInfo) -> JsonObject:
    start = data.get("start")
    return {
        "service": text(data.get("service")),
        "start": _local(start.isoformat(), zone) if isinstance(start, datetime) else "",
        "customer": text(data.get("customerName")),
    }


def _local(value: Any, zone: ZoneInfo) -> str:
    try:
        moment = datetime.fromisoformat(value) if isinstance(value, str) else None
    except ValueError:
        moment = None
    return f"{moment.astimezone(zone):%Y-%m-%d %H:%M}" if moment is not None and moment.tzinfo is not None else ""


def _ledger(calls: Sequence[ModelCall]) -> Iterator[JsonObject]:
    """Yield the actions, and what was refused or failed; a question for a yes is part of the way, not of the end."""
    seen: list[JsonObject] = []
    for call in calls:
        if call.asks_for_a_yes or (call.kind is not Kind.ACTION and not call.error):
            continue
        state = call.state if call.state in ("finished", "failed", "refused", "unknown", "queued") else None
        fields = {"tool": call.tool, "state": state, "error": call.error or None}
        row = {name: value for name, value in fields.items() if value}
        if row not in seen:
            seen.append(row)
            yield row


def _never(calls: Sequence[ModelCall]) -> list[str]:
    """Return the actions that were asked about, or tried, and never done."""
    tried = dict.fromkeys(call.tool for call in calls if call.kind is Kind.ACTION)
    done = {call.tool for call in calls if call.is_done}
    return [tool for tool in tried if tool not in done]


def _said(held: StoredConversation) -> JsonObject:
    """Return the sentences that said that something was done, where it was."""
    done = {call.tool for call in held.calls if call.is_done}
    has = [sentence for words in held.words for tool, sentence in claims(words) if tool in done]
    return {"has": list(dict.fromkeys(has))[:_MOST_SAID]} if has else {}


def _calls_per_turn(held: StoredConversation) -> int:
    return max((sum(isinstance(step, ModelCall) for step in turn.steps) for turn in held.turns), default=0)
