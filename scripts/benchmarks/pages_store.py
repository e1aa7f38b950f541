"""A store as many businesses leave it: their tools, conversations and ledgers, written as fast as an emulator takes it.

The demo's salon has one in twenty of the conversations and the most tools; the others share the rest evenly.
"""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from running import demo
from switchboard.contract.business.resources import PERSON
from switchboard.contract.channel import Channel
from switchboard.contract.ports import BusinessPaths
from switchboard.contract.store import Set, Write
from switchboard.desk.bookings.assignment import Assignment, TakenResource
from switchboard.desk.bookings.booking import Booking
from switchboard.desk.calendars.grid import claimed_steps, slot_id
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
_ZONE = ZoneInfo("America/New_York")
_OPENS, _HALF_HOUR, _A_DAY = time(9), timedelta(minutes=30), 18
# By weekday, as the seeded salon's people work.
_ALL_THREE = ("rosa", "marcus", "dana")
_TEAM = {1: ("rosa", "marcus"), 2: _ALL_THREE, 3: _ALL_THREE, 4: _ALL_THREE, 5: ("marcus", "dana")}
_GONE, _LOST_ONE_IN = "somebody-gone", 40
_FIRST = (
    *("Ada", "Ben", "Cora", "Dan", "Ella", "Finn", "Grace", "Hugo", "Iris", "Jack", "Kate", "Leo", "Mia", "Nils"),
    *("Olga", "Paul", "Ruth", "Sam", "Tess", "Uma", "Vera", "Will", "Xenia", "Yara", "Zoe", "Amir", "Bea", "Carl"),
    *("Dora", "Emil", "Fay", "Gus", "Hana", "Ivo", "Jana", "Karl", "Lena", "Max", "Nora", "Otto"),
)
_BEGINS = (
    *("Ash", "Brook", "Clay", "Dal", "East", "Fern", "Green", "Hart", "Ing", "Jar", "Kings", "Lang", "Mar", "North"),
    *("Oak", "Pem", "Quin", "Rock", "Stan", "Thorn", "Under", "Ver", "West", "Yard", "Wood"),
)
_ENDS = ("ton", "ford", "well", "by", "man")
SOUGHT = "ada ashton"
"""A customer of the salon, as an owner types the name."""
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
    within = PATHS.within(demo.SALON)
    for number, (start, person) in enumerate(_times(appointments, now)):
        name, phone = _name(number // 4), f"+1518{5_550_000 + number // 4:07}"
        yield _booking(within, number, name, phone, start, _GONE if number % _LOST_ONE_IN == 0 else person)
        if number % 4 == 0:
            fields = {"name": name, "nameKeys": name_keys(name), "phone": phone, "phoneNormalised": phone}
            yield Set(within.document("callers", f"clr_{number:06}"), fields | {"createdAt": now, "updatedAt": now})
        if number % 10 == 0:
            message = {"kind": "message", "state": "sent", "text": "I may be late.", "callerName": name}
            message |= {"callerPhone": phone, "callbackPhone": phone, "isDone": number % 200 != 0}
            at = now - timedelta(days=_DAYS) * number / appointments
            yield Set(within.document("outbox", f"msg_{number:06}"), message | {"createdAt": at, "language": "en"})


def _times(appointments: int, now: datetime) -> Iterator[tuple[datetime, str]]:
    """Yield when each begins and with whom it is: nobody has two at once, and the nearest to now come first."""
    future, past = (_free(now.astimezone(_ZONE).date(), step) for step in (1, -1))
    ahead = ((start, person) for start, person in future if start >= now)
    over = ((start, person) for start, person in past if start < now)
    return itertools.islice(itertools.chain.from_iterable(zip(ahead, over, strict=False)), appointments)


def _free(day: date, step: int) -> Iterator[tuple[datetime, str]]:
    """Yield every half hour of everybody, from a day on or back."""
    while True:
        for person in _TEAM.get(day.weekday(), ()):
            for number in range(_A_DAY):
                yield datetime.combine(day, _OPENS, _ZONE) + number * _HALF_HOUR, person
        day += timedelta(days=step)


def _name(number: int) -> str:
    first, rest = number % len(_FIRST), number // len(_FIRST)
    return f"{_FIRST[first]} {_BEGINS[rest % len(_BEGINS)]}{_ENDS[rest // len(_BEGINS) % len(_ENDS)]}"


def _booking(within: BusinessPaths, number: int, name: str, phone: str, start: datetime, person: str) -> Write:
    steps = claimed_steps(start.astimezone(UTC), 0, 30, 0)
    taken = (TakenResource(person, PERSON, person.title()),)
    booking = Booking(
        id=f"bk_{number:06}",
        business_id=demo.SALON,
        service="Haircut",
        start=start.astimezone(UTC),
        minutes=30,
        customer_name=name,
        created_at=start,
        confirmed_at=start,
        timezone=_ZONE.key,
        customer_phone=phone,
        session_id=f"s{number:06}",
        channel=Channel.PHONE.value,
        taken=Assignment(taken, tuple(slot_id(step, person) for step in steps)),
    )
    return Set(within.document("bookings", booking.id), booking.to_document())
