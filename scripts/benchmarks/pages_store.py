"""A store as many businesses leave it: their tools, conversations and ledgers, written as fast as an emulator takes it.

The demo's salon has one in twenty of the conversations and the most tools; the others share the rest evenly.
"""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from running import demo
from switchboard.contract.channel import Channel
from switchboard.contract.ports import BusinessPaths
from switchboard.contract.store import Set, Write
from switchboard.desk.callers.callers import name_keys
from switchboard.state.paths import FirestorePaths

PATHS = FirestorePaths()
RARE = "pterodactyl"
"""A word that one of the salon's oldest conversations has."""
_BUSIEST_ONE_IN = 20
_DAYS = 90
_ROWS_OF_LEDGER = 500
_WRITES, _AT_ONCE, _WITHIN_S = 400, 4, 60.0
_CHANNELS = [channel.value for channel in Channel]
_OUTCOMES = ("ended", "ended", "answered", "transferred", "interrupted", "ended", "failed")
_SAID = ("Do you have parking on Saturday?", "Yes, behind the house.", "And how much is a haircut?", "Forty dollars.")


@dataclass(frozen=True)
class Scale:
    """How much there is."""

    businesses: int
    tools: int
    interactions: int
    appointments: int
    """The salon's, half of them past."""

    @property
    def of_the_busiest(self) -> int:
        """How many conversations the salon has."""
        return self.interactions // _BUSIEST_ONE_IN

    @property
    def tools_of_the_busiest(self) -> int:
        """How many tools the salon has made itself."""
        return self.tools // 10


async def furnish(project: str, host: str, scale: Scale, now: datetime) -> None:
    """Write all of it beside the demo's businesses."""
    from switchboard.state.firestore.client import FirestoreConnection

    connection, places = FirestoreConnection(project, None, host), asyncio.Semaphore(_AT_ONCE)
    writes = _writes(scale, now)

    async def commit(part: list[Write]) -> None:
        try:
            await connection.commit(part, _WITHIN_S)
        finally:
            places.release()

    try:
        async with asyncio.TaskGroup() as group:
            while part := list(itertools.islice(writes, _WRITES)):
                await places.acquire()
                group.create_task(commit(part))
    finally:
        await connection.close()


def _writes(scale: Scale, now: datetime) -> Iterator[Write]:
    own = demo.business_ids()
    others = [f"bench-{number:03}" for number in range(scale.businesses - len(own))]
    for number, id in enumerate(others):
        yield Set(PATHS.within(id).business, {"name": f"Business {number}", "timezone": "UTC", "integrations": {}})
    rest = [*own[1:], *others]
    yield from _of_one(demo.SALON, scale.tools_of_the_busiest, scale.of_the_busiest, now)
    for number, id in enumerate(rest):
        tools = _share(scale.tools - scale.tools_of_the_busiest, len(rest), number)
        yield from _of_one(id, tools, _share(scale.interactions - scale.of_the_busiest, len(rest), number), now)
    yield from _ledger(now)
    yield from _desk(scale.appointments, now)


def _share(whole: int, parts: int, number: int) -> int:
    return whole // parts + (number < whole % parts)


def _of_one(id: str, tools: int, interactions: int, now: datetime) -> Iterator[Write]:
    within = PATHS.within(id)
    for number in range(tools):
        yield Set(within.document("tools", f"tl_{number:04}"), _tool(f"own_{number:04}"))
    for number in range(interactions):
        at = now - timedelta(days=_DAYS) * ((number + 0.5) / interactions)
        record = _record(number, at)
        if number == interactions - 1:
            record["transcript"][0]["text"] = f"Do you groom a {RARE}?"
        yield Set(within.document("interactions", f"i{number:06}"), record)


def _record(number: int, at: datetime) -> dict[str, Any]:
    tool = {"callId": "c1", "turn": 1, "at": at, "elapsedMs": 20.0 + number % 300}
    return {
        "sessionId": f"s{number:06}",
        "channel": _CHANNELS[number % len(_CHANNELS)],
        "outcome": _OUTCOMES[number % len(_OUTCOMES)],
        "startedAt": at,
        "endedAt": at + timedelta(minutes=2),
        "durationSeconds": 60 + number % 200,
        "turns": 2,
        "callerPhone": f"+1518555{number % 10_000:04}",
        "transcript": [
            {"role": "agent" if line % 2 else "caller", "text": text, "turn": line // 2 + 1, "at": at}
            for line, text in enumerate(_SAID)
        ],
        "tools": [tool | {"name": "search_knowledge" if number % 2 else "get_services", "ok": number % 11 != 0}],
        "receipts": [],
    }


def _tool(name: str) -> dict[str, Any]:
    config = {
        "type": "api_request",
        "label": name,
        "description": "Look up a customer's appointments.",
        "request": {"method": "GET", "url": "https://crm.example.com/appointments"},
        "params": {"phone": {"mode": "ai", "required": True, "schema": {"type": "string", "description": "E.164."}}},
    }
    return {"name": name, "label": name, "type": "api_request", "configMetadata": config}


def _ledger(now: datetime) -> Iterator[Write]:
    """Yield the salon's ledger of its latest conversations."""
    within = PATHS.within(demo.SALON)
    for number in range(_ROWS_OF_LEDGER):
        at, session = now - timedelta(minutes=10 * (number + 1)), f"s{number:06}"
        is_fine = number % 11 != 0
        row = {
            "businessId": demo.SALON,
            "sessionId": session,
            "callId": "c1",
            "tool": "search_knowledge" if number % 2 else "get_services",
            "kind": "retrieval",
            "channel": _CHANNELS[number % len(_CHANNELS)],
            "turn": 1,
            "state": "finished" if is_fine else "failed",
            "startedAt": at,
            "finishedAt": at,
            "response": '{"ok": true, "data": {}, "intents": [], "meta": {"elapsedMs": 20.0}}'
            if is_fine
            else '{"ok": false, "error": {"type": "TRANSIENT", "message": "Away."}, "intents": [], "meta": {}}',
        }
        yield Set(within.call(session, "c1"), row)


def _desk(appointments: int, now: datetime) -> Iterator[Write]:
    """Yield the salon's appointments, a customer for every fourth of them, and a message for every tenth."""
    within, step = PATHS.within(demo.SALON), 2 * timedelta(days=_DAYS) / max(1, appointments)
    first = (now - timedelta(days=_DAYS)).replace(minute=0, second=0, microsecond=0)
    for number in range(appointments):
        name, phone = f"Ann Becker {number // 4}", f"+1518{5_550_000 + number // 4:07}"
        start = first + step * number
        yield _booking(within, number, name, phone, start - timedelta(seconds=start.second, minutes=start.minute % 30))
        if number % 4 == 0:
            fields = {"name": name, "nameKeys": name_keys(name), "phone": phone, "phoneNormalised": phone}
            yield Set(within.document("callers", f"clr_{number:06}"), fields | {"createdAt": now, "updatedAt": now})
        if number % 10 == 0:
            message = {"kind": "message", "state": "sent", "text": "I may be late.", "callerName": name}
            message |= {"callerPhone": phone, "callbackPhone": phone, "isDone": number % 200 != 0}
            at = now - timedelta(days=_DAYS) * number / appointments
            yield Set(within.document("outbox", f"msg_{number:06}"), message | {"createdAt": at, "language": "en"})


def _booking(within: BusinessPaths, number: int, name: str, phone: str, start: datetime) -> Write:
    id, end = f"bk_{number:06}", start + timedelta(minutes=30)
    who = {"customerName": name, "customerPhone": phone, "customerEmail": None, "customerKeys": name_keys(name)}
    when = {"bookingDatetime": start, "start": start, "end": end, "durationMinutes": 30, "timezone": "America/New_York"}
    stand = {"status": "confirmed", "confirmedAt": start, "createdAt": start, "updatedAt": start, "generation": 0}
    source = {"source": {"sessionId": f"s{number:06}", "channel": "phone"}, "calendar": "builtinCalendar"}
    return Set(within.document("bookings", id), {"id": id, "service": "Haircut", **who, **when, **stand, **source})
