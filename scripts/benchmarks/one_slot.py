"""A hundred callers want one time, or times that overlap, over HTTP: nobody gets what another has.

In every second round their times begin 0, 15, 30 and 45 minutes apart, so that some overlap and some do not. Each
round is held on both calendars, the bookings themselves and Google's through the stand-in for it; and in a business
with three chairs, and for a class of six.
"""

from __future__ import annotations

import asyncio
import statistics
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import aiohttp

from benchmarks.figure import Effort, Figure, Line
from benchmarks.running_server import RunningServer, running_server
from stand_ins.calendar_connection import connect
from switchboard.admin.credentials.api_keys import create_key
from switchboard.contract import policy
from switchboard.contract.business.working_hours import WEEKDAYS
from switchboard.contract.store import Query, Set
from switchboard.desk.bookings.booking import Booking, read_booking
from switchboard.integrations.google_calendar.entries import BOOKING
from switchboard.state.firestore.store import FirestoreStore
from switchboard.state.paths import FirestorePaths

TARGET_S = 1.5
CALLERS, QUICK_CALLERS = 100, 20
SERVICE, MINUTES = "Haircut", 30
APART = (0, 15, 30, 45)
BUILT_IN, GOOGLE, CHAIRS, CLASS = "bench-built-in", "bench-google", "bench-chairs", "bench-class"
ROOM = {BUILT_IN: 1, GOOGLE: 1, CHAIRS: 3, CLASS: 6}
"""How many of those who want one time can have it."""
_NAMES = {
    BUILT_IN: "built-in calendar",
    GOOGLE: "Google's calendar",
    CHAIRS: "three chairs",
    CLASS: "a class of six",
}
_RESOURCES: dict[str, list[dict[str, Any]]] = {
    CHAIRS: [{"id": name.casefold(), "name": name, "kind": "person"} for name in ("Rosa", "Marcus", "Dana")],
    CLASS: [{"id": "class", "name": "Class", "kind": "seats", "capacity": 6}],
}
PATHS = FirestorePaths()
_ZONE = ZoneInfo("America/New_York")
_DAYS = 700
_ALWAYS = [{"open": "00:00", "close": "24:00"}]
_CLEAN = "CONFLICT"
_WARMING = 20


@dataclass(frozen=True)
class Round:
    """What a hundred callers were answered: the times that were given, the other answers, and everybody's seconds."""

    starts: tuple[datetime, ...]
    given: tuple[datetime, ...]
    others: Counter[str]
    seconds: tuple[float, ...]
    room: int

    @property
    def overlaps(self) -> bool:
        """Whether the callers wanted different times."""
        return len(self.starts) > 1

    @property
    def is_right(self) -> bool:
        """Whether somebody got a time, and nobody one for which there was no room any more."""
        given = sorted(self.given)
        lasting = timedelta(minutes=MINUTES)
        at_once = [sum(start <= other < start + lasting for other in given) for start in given]
        return bool(given) and max(at_once) <= self.room


@dataclass
class Calendar:
    """One calendar's rounds, and what was kept of them: bookings by id, and the bookings that its entries name."""

    name: str
    room: int
    rounds: list[Round] = field(default_factory=list)
    told: set[str] = field(default_factory=set)
    bookings: dict[str, Booking] = field(default_factory=dict)
    entries: list[str] | None = None

    def lines(self) -> Iterator[Line]:
        """Yield the rows of the figure."""
        same, apart = ([r for r in self.rounds if r.overlaps is overlaps] for overlaps in (False, True))
        given = [len(r.given) for r in same]
        is_right = set(given) <= {self.room}
        yield _line(f"{self.name}: one time, {len(same)} rounds", f"{sum(given)} ok", f"{self.room} ok each", is_right)
        if apart:
            ok = sum(len(r.given) for r in apart)
            right = all(r.is_right for r in apart)
            text = f"{ok} ok, {'none' if right else 'SOME'} too many"
            yield _line(
                f"{self.name}: times that overlap, {len(apart)} rounds", text, "≥ 1 ok each, none too many", right
            )
        others = sum((r.others for r in self.rounds), Counter())
        text = ", ".join(f"{count} {name}" for name, count in others.most_common())
        yield _line(f"{self.name}: all other answers", text, "CONFLICT with alternatives", set(others) <= {_CLEAN})
        active = {id for id, booking in self.bookings.items() if booking.is_active}
        agree = active == self.told
        yield _line(f"{self.name}: bookings", f"{len(active)} for {len(self.told)} ok", "those that were told", agree)
        if self.entries is not None:
            agree = sorted(self.entries) == sorted(self.told)
            text = f"{len(self.entries)} for {len(self.told)} ok"
            yield _line(f"{self.name}: entries", text, "one for each booking", agree)
        seconds = [s for r in self.rounds for s in r.seconds]
        slow = statistics.quantiles(seconds, n=100)[-1]
        text = f"p50 {statistics.median(seconds):.2f} s, p99 {slow:.2f} s, slowest {max(seconds):.2f} s"
        yield _line(f"{self.name}: answers", text, f"p99 ≤ {TARGET_S:g} s", slow <= TARGET_S)


def measure(effort: Effort) -> Figure:
    """Return the figure.

    Raises:
        Skipped: There is no emulator.
    """
    rounds, callers = (2, QUICK_CALLERS) if effort.quick else (effort.rounds, CALLERS)
    with running_server(google=True) as server:
        calendars = asyncio.run(_measure(server, rounds, callers))
    slowest = [max(r.seconds) for calendar in calendars for r in calendar.rounds]
    return Figure(
        f"one_slot: {callers} callers at once, over HTTP, {rounds} rounds each",
        "",
        tuple(line for calendar in calendars for line in calendar.lines()),
        (f"The slowest answer of a round: {statistics.median(slowest):.2f} s as a rule.",),
    )


async def _measure(server: RunningServer, rounds: int, callers: int) -> list[Calendar]:
    policy.STORE_READ_S = policy.STORE_WRITE_S = policy.STORE_FIRST_CALL_S = 20.0
    store = FirestoreStore(server.project, emulator_host=server.emulator)
    await _furnish(store, server)
    connector = aiohttp.TCPConnector(limit=0)
    calendars = []
    async with aiohttp.ClientSession(connector=connector, timeout=aiohttp.ClientTimeout(total=60)) as http:
        for business, name in _NAMES.items():
            calendar = Calendar(name, ROOM[business])
            calendar.told |= await _warm(http, server, business)
            for number in range(rounds):
                calendar.rounds.append(await _round(http, server, business, number, callers, calendar.told))
            documents = await store.query(Query(PATHS.within(business).collection("bookings")))
            calendar.bookings = {document.id: booking for document in documents if (booking := read_booking(document))}
            if business == GOOGLE:
                calendar.entries = await _entries(http, server.google_url)
            calendars.append(calendar)
    await store.close()
    return calendars


async def _furnish(store: FirestoreStore, server: RunningServer) -> None:
    """Bring in businesses that are open day and night, each with another calendar, or with more than one chair."""
    settings = {"maxDaysAhead": _DAYS}
    for business in _NAMES:
        document: dict[str, Any] = {
            "name": "The Busy Barber",
            "timezone": _ZONE.key,
            "services": [{"name": SERVICE, "durationMinutes": MINUTES}],
            "workingHours": dict.fromkeys(WEEKDAYS, _ALWAYS),
            "integrations": {} if business == GOOGLE else {"builtinCalendar": {"isConnected": True, **settings}},
        }
        if business in _RESOURCES:
            document["resources"] = _RESOURCES[business]
        await store.commit([Set(PATHS.within(business).business, document)])
        await create_key(store, PATHS, business, "bench", text=_key(business))
    await connect(store, PATHS, GOOGLE, server.secrets_key, server.google_url, **settings)


async def _round(
    http: aiohttp.ClientSession, server: RunningServer, business: str, number: int, callers: int, told: set[str]
) -> Round:
    # Another day each time, at another hour, none of which a change of the clocks can reach.
    day = datetime.now(_ZONE).replace(hour=9 + number % 8, minute=0, second=0, microsecond=0) + timedelta(
        days=2 + number
    )
    starts = [day + timedelta(minutes=minutes) for minutes in (APART if number % 2 else APART[:1])]
    given: list[datetime] = []
    seconds: list[float] = []

    async def caller(n: int) -> str:
        start = starts[n % len(starts)]
        wish = {
            "service": SERVICE,
            "start_time": f"{start:%Y-%m-%dT%H:%M:%S}",
            "customer_name": f"Caller {_letters(n)}",
        }
        name = f"{business}-{number}-{n}"
        context = {"channel": "phone", "sessionId": name, "callId": name, "callerPhone": _phone(number, n)}
        body = {"businessId": business, "name": "book_appointment", "args": wish, "context": context}
        began = time.perf_counter()
        headers = {"Authorization": f"Bearer {_key(business)}"}
        async with http.post(f"{server.url}/tools/execute", json=body, headers=headers) as answer:
            envelope = await answer.json()
        seconds.append(time.perf_counter() - began)
        if envelope.get("ok"):
            given.append(start.astimezone(UTC))
            told.add(envelope["data"]["bookingId"])
            return "ok"
        return _kind(answer.status, envelope)

    answers = Counter(await asyncio.gather(*(caller(n) for n in range(callers))))
    del answers["ok"]
    return Round(tuple(starts), tuple(given), answers, tuple(seconds), ROOM[business])


async def _warm(http: aiohttp.ClientSession, server: RunningServer, business: str) -> set[str]:
    """Let the server meet a business, as it has on any day on which a hundred people call it.

    And let the emulator meet bookings: its first hundred commits take twice as long as those behind them.

    Returns:
        The ids of what was booked by that.
    """
    day = f"{datetime.now(_ZONE) + timedelta(days=1):%Y-%m-%d}"
    made = await asyncio.gather(*(_warm_booking(http, server, business, day, number) for number in range(_WARMING)))
    for number in range(_WARMING):
        context = {"channel": "portal", "sessionId": f"warm-{number}", "callId": f"warm-{number}"}
        args = {"date": day, "service": SERVICE}
        body = {"businessId": business, "name": "check_availability", "args": args, "context": context}
        headers = {"Authorization": f"Bearer {_key(business)}"}
        async with http.post(f"{server.url}/tools/execute", json=body, headers=headers) as answer:
            await answer.read()
    return set(filter(None, made))


async def _warm_booking(
    http: aiohttp.ClientSession, server: RunningServer, business: str, day: str, number: int
) -> str:
    """Return the id of what was booked; empty where the one time that all want was gone."""
    name = f"warm-booking-{number}"
    context = {"channel": "portal", "sessionId": name, "callId": name}
    args = {"service": SERVICE, "start_time": f"{day}T12:00:00", "customer_name": f"Caller {_letters(number)}"}
    body = {"businessId": business, "name": "book_appointment", "args": args, "context": context}
    headers = {"Authorization": f"Bearer {_key(business)}"}
    async with http.post(f"{server.url}/tools/execute", json=body, headers=headers) as answer:
        envelope = await answer.json()
    return str(envelope["data"]["bookingId"]) if envelope.get("ok") else ""


def _phone(number: int, caller: int) -> str:
    """Return a caller's number: another in each round, as no number may hold more than three appointments."""
    return f"+1518{600 + number:03}{caller:04}"


def _kind(status: int, envelope: dict[str, Any]) -> str:
    if "error" not in envelope or "meta" not in envelope:
        return f"HTTP {status}"
    kind = str(envelope["error"]["type"])
    return kind if kind != _CLEAN or envelope["meta"].get("alternatives") else f"{_CLEAN} without alternatives"


async def _entries(http: aiohttp.ClientSession, url: str) -> list[str]:
    """Return which bookings the entries of the stand-in's calendars stand for."""
    async with http.get(f"{url}/_stand_in/events") as answer:
        books = await answer.json()
    return [_booking_of(event) for events in books.values() for event in events if event["status"] != "cancelled"]


def _booking_of(event: dict[str, Any]) -> str:
    return str(event.get("extendedProperties", {}).get("private", {}).get(BOOKING, "nobody's"))


def _key(business: str) -> str:
    return f"sb_{business}"


def _letters(number: int) -> str:
    return "".join(chr(ord("A") + int(digit)) for digit in f"{number:02}")


def _line(what: str, seen: str, target: str, met: bool) -> Line:
    return Line(what, seen or "none", target=target, met=met)
