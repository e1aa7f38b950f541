"""What businesses have after months: their own texts and settings, and what conversations leave, by the thousand.

Each is a copy of the demo's salon, with conversations of its own: what was said, the ledger, callers, appointments and
what they take up, messages, tickets, questions and the owners' audit, in the places where a deployment has them.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from running import demo
from switchboard.admin.maintenance.backup import Seal, heading
from switchboard.admin.maintenance.backup_lines import to_line
from switchboard.admin.maintenance.data_inventory import all_documents, is_compiled
from switchboard.contract.json import JsonObject
from switchboard.contract.ports import BusinessPaths
from switchboard.contract.store import Create
from switchboard.desk.bookings.booking import Booking
from switchboard.desk.bookings.bookings import claim_writes
from switchboard.state.memory.store import MemoryStore
from switchboard.state.paths import FirestorePaths

PATHS = FirestorePaths()
NOW = datetime(2026, 11, 1, 12, tzinfo=UTC)
SESSION = "call-"
"""How the ids of all conversations begin."""
_ZONE = ZoneInfo("America/New_York")
_KEPT = timedelta(days=90)
_CHECKS = (
    '[{"check":"replay","saw":"a call id that was not used before","decided":"passed"},'
    '{"check":"resolve","saw":"one of 25 tools offered","decided":"passed"}]'
)
_ANSWER = '{"ok": true, "data": {"topic": "parking"}, "intents": [], "meta": {"elapsedMs": 20.0}}'
_SAID = ("Do you have parking on Saturday?", "Yes, behind the house.", "Then a haircut at ten.", "That is booked.")


async def write_backup(file: Path, businesses: int, documents: int, caller: str = "") -> int:
    """Write a backup of so many documents in all, as so many businesses have them; return how many there are.

    With a `caller`, a telephone number, all that conversations have left is theirs.
    """
    salon, shared = await _of_the_demo()
    begun = heading(None, NOW, "demo-drill/(default)")
    seal = Seal(begun)
    each, rest = divmod(documents - len(shared), businesses)
    with file.open("w", encoding="utf-8") as lines:
        lines.write(begun.to_line() + "\n")
        for number in range(businesses):
            own = _of_one(salon, business_id(number), caller)
            for path, data in itertools.islice(own, each + (number < rest)):
                lines.write(seal.sealed(to_line(path, data)) + "\n")
        for path, data in shared:
            lines.write(seal.sealed(to_line(path, data)) + "\n")
        lines.write(seal.end_line() + "\n")
    return seal.lines


def business_id(number: int) -> str:
    """Return the id of one of the businesses."""
    return f"drilled-{number:03}"


async def _of_the_demo() -> tuple[list[tuple[str, JsonObject]], list[tuple[str, JsonObject]]]:
    """Return the salon's documents, by their paths below it, and those that all businesses share."""
    store, salon, shared = MemoryStore(), [], []
    await demo.furnish(store, PATHS, NOW)
    within = PATHS.within(demo.SALON).business
    async for document in all_documents(store, PATHS):
        if is_compiled(document.path):
            continue
        if document.path == within or document.path.startswith(f"{within}/"):
            salon.append((document.path[len(within) :], document.data))
        elif not document.path.startswith(f"{PATHS.businesses}/"):
            shared.append((document.path, document.data))
    return salon, shared


def _of_one(salon: list[tuple[str, JsonObject]], id: str, caller: str) -> Iterator[tuple[str, JsonObject]]:
    """Yield a business's documents without end, its own texts and settings first."""
    within = PATHS.within(id)
    for below, data in salon:
        yield within.business + below, data
    for number in itertools.count():
        yield from _of_caller(within, id, number, caller or f"+1518555{number % 10_000:04}", is_known=bool(caller))
        yield from () if caller else _of_nobody(within, id, number)


def _of_caller(
    within: BusinessPaths, id: str, number: int, phone: str, *, is_known: bool
) -> Iterator[tuple[str, JsonObject]]:
    """Yield what one conversation leaves of its caller; `is_known`: they have called before."""
    at, session = NOW - timedelta(minutes=13 * number), f"{SESSION}{number:06}"
    gone = at + _KEPT
    # Paths in a business are those that the house makes; a protocol does not say which they are.
    calls: Any = within
    yield within.document("interactions", session), _interaction(id, session, at, phone)
    yield (
        within.document("sessions", session),
        {"catalogHash": "0" * 32, "channel": "phone", "startedAt": at, "expireAt": gone, "turns": {"2": {"calls": 1}}},
    )
    for turn in (1, 2):
        yield calls.call(session, f"{turn}.4.call_{turn}"), _call(id, session, turn, at, phone)
    yield (
        calls.effect(session, f"{number:040x}"),
        {"at": at, "callId": "2.4.call_2", "expireAt": gone, "scope": "phone 2", "tool": "book_appointment"},
    )
    booking = _booking(id, number, at, phone)
    yield from ((w.path, w.data) for w in claim_writes(within, booking) if isinstance(w, Create))
    if not is_known or not number:
        yield (
            within.document("callers", f"clr_{number:020}"),
            {"name": f"Ana Meyer {number}", "phone": phone, "phoneNormalised": phone, "notes": "Prefers mornings."},
        )
    yield (
        within.document("outbox", f"msg_{number:020}"),
        {"kind": "text", "state": "sent", "to": phone, "text": "Your haircut is booked.", "createdAt": at},
    )


def _of_nobody(within: BusinessPaths, id: str, number: int) -> Iterator[tuple[str, JsonObject]]:
    """Yield what one conversation leaves besides, which names nobody."""
    at = NOW - timedelta(minutes=13 * number)
    yield (
        within.document("tickets", f"delivery:{number:040x}"),
        {"answer": "[1,[]]", "at": at, "expireAt": at + _KEPT},
    )
    if number % 4 == 0:
        yield (
            within.document("questions", f"{number:020x}"),
            {"question": f"Do you groom dog {number}?", "count": 1, "lastAt": at, "isAnswered": False, "channels": {}},
        )
        yield within.document("audit", f"{number:022x}"), _audit_entry(id, at, number)


def _interaction(id: str, session: str, at: datetime, phone: str) -> JsonObject:
    return {
        "businessId": id,
        "sessionId": session,
        "channel": "phone",
        "outcome": "ended",
        "startedAt": at,
        "endedAt": at + timedelta(minutes=2),
        "durationSeconds": 120,
        "turns": 2,
        "callerPhone": phone,
        "transcript": [
            {"role": "agent" if line % 2 else "caller", "text": text, "turn": line // 2 + 1, "at": at}
            for line, text in enumerate(_SAID)
        ],
        "tools": [{"callId": "1.4.call_1", "turn": 1, "at": at, "elapsedMs": 20.0, "name": "get_faqs", "ok": True}],
        "receipts": [],
        "expireAt": at + _KEPT,
    }


def _call(id: str, session: str, turn: int, at: datetime, phone: str) -> JsonObject:
    return {
        "businessId": id,
        "sessionId": session,
        "callId": f"{turn}.4.call_{turn}",
        "tool": "get_faqs" if turn == 1 else "book_appointment",
        "kind": "retrieval" if turn == 1 else "action",
        "channel": "phone",
        "turn": turn,
        "state": "finished",
        "arguments": '{"topic": "parking"}',
        "argumentsHash": f"{turn:016x}",
        "checks": _CHECKS,
        "facts": {"callerPhone": phone},
        "startedAt": at,
        "finishedAt": at,
        "response": _ANSWER,
        "expireAt": at + _KEPT,
    }


def _booking(id: str, number: int, at: datetime, phone: str) -> Booking:
    # Each on a day of its own: nobody is at two of them at once.
    start = (NOW + timedelta(days=2 + number)).replace(hour=15)
    return Booking(
        id=f"bk_{number:020}",
        business_id=id,
        service="Haircut",
        start=start,
        minutes=15,
        timezone=_ZONE.key,
        caller_phone=phone,
        customer_phone=phone,
        customer_name=f"Ana Meyer {number}",
        effect_key=f"{number:040x}",
        created_at=at,
    )


def _audit_entry(id: str, at: datetime, number: int) -> JsonObject:
    return {
        "at": at,
        "who": {"id": "user:ana", "name": "ana@example.com", "role": "owner"},
        "deed": "changed",
        "kind": "business",
        "document": id,
        "before": {"industry": "hairdresser"},
        "after": {"industry": f"hair salon {number}"},
        "undoes": None,
        "expireAt": at + timedelta(days=400),
    }
