"""kill -9 at any write of seven deeds: what was let in is done, once, is known, and at its end within a minute."""

from __future__ import annotations

import asyncio
import itertools
import random
import threading
import time
import uuid
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

import aiohttp
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route

from drills import premises
from drills.callers import HEADERS, open_session, post
from drills.crashing_store import WRITE
from drills.drilled_calendars import CALENDARS, DrilledCalendar
from drills.premises import BUSINESS, WITHIN
from drills.result import FULL, QUICK, SMOKE, Check, Effort, Result, at_most, exactly
from drills.servers import Server, Servers
from running.emulator import clear
from stand_ins.loopback import serving
from stand_ins.twilio.account import SID, TOKEN
from stand_ins.twilio.app import TwilioStandIn
from switchboard.contract.caller.caller_identity import Standing
from switchboard.contract.session_use import in_use
from switchboard.contract.store import Query, Set, Update
from switchboard.desk.bookings.booking import CANCELLED, CONFIRMED, Booking, read_booking
from switchboard.integrations.secrets.kms import LocalKeyKeeper
from switchboard.integrations.secrets.sealed_secrets import SealedSecrets
from switchboard.pipeline.execution.reaper import REAP_EVERY_S
from switchboard.state.firestore.store import FirestoreStore

DEEDS = ("book", "cancel", "move", "text", "message", "request", "google")
TRIALS = {SMOKE: 7, QUICK: 35, FULL: 500}
STUCK_S = 60.0
_AT_ONCE, _GIVES_UP_S = 16, 240.0  # Most of a trial is waiting for a lease.
_LATEST_WRITE = 6
# A store that is busy is too late now and then for what has to be there before a trial.
_TRIES = 6
_SENDER, _OWNER = "+15185550100", "+15185550199"
_OPEN, _EXAMPLES = ("started", "queued"), 10


@dataclass
class Trial:
    """One deed whose server is killed around one of its writes."""

    number: int
    deed: str
    write: int
    before: bool
    start: datetime
    was_killed: bool = False
    state: str = ""
    was_begun: bool = False
    is_open: bool = False
    settled_s: float = 0.0
    problem: str = ""
    booking_id: str = ""

    @property
    def name(self) -> str:
        """What tells its session, its call and its words apart."""
        return f"deed{self.number}x"

    @property
    def other(self) -> datetime:
        """Where an appointment is moved to: between those of two trials."""
        return self.start + timedelta(minutes=premises.MINUTES)

    @property
    def phone(self) -> str:
        """The caller's number: ranges of numbers get few texts."""
        return f"+1518{200 + self.number // 8:03}{1_000 + self.number:04}"

    def __str__(self) -> str:
        return f"{self.number} ({self.deed}, killed {'before' if self.before else 'after'} write {self.write})"

    def body(self) -> dict[str, Any]:
        """Return the call's request."""
        to = f"{self.other.astimezone(premises.ZONE):%Y-%m-%dT%H:%M:%S}"
        match self.deed:
            case "cancel":
                return self._request("cancel_appointment", {"booking_id": self.booking_id}, turn=2)
            case "move":
                args = {"booking_id": self.booking_id, "new_start_time": to}
                return self._request("reschedule_appointment", args, turn=2)
            case "text":
                return self._request("send_sms", {"to": self.phone, "message": f"text {self.name}."})
            case "message":
                return self._request("take_message", {"caller_name": "Ada", "message": f"message {self.name}."})
            case "request":
                return self._request("enter_order", {"order": self.name})
        return self.booking()

    def booking(self) -> dict[str, Any]:
        """Return the request of an appointment at its time."""
        body = premises.booking(self.name, self.start, phone=self.phone)
        if self.deed not in ("book", "google"):
            body["context"]["callId"] = f"b-{self.name}"
        return body

    def _request(self, tool: str, args: Mapping[str, Any], turn: int = 1) -> dict[str, Any]:
        body = premises.request(tool, dict(args), self.name, phone=self.phone)
        body["context"]["turn"] = turn
        return body


class Orders:
    """A server of the owner's, which counts how often each order has come."""

    def __init__(self) -> None:
        self.hits: Counter[str] = Counter()
        self._lock = threading.Lock()
        self.app = Starlette(routes=[Route("/orders", self._take, methods=["POST"])])

    async def _take(self, request: Request) -> JSONResponse:
        order = str((await request.json()).get("order"))
        with self._lock:
            self.hits[order] += 1
        return JSONResponse({"id": order})


@dataclass
class World:
    """What the trials share: stand-ins, and for each calendar a project, a store, and two servers that stay."""

    source: Servers
    host: str
    project: str
    calendar: DrilledCalendar
    twilio: TwilioStandIn
    orders: Orders
    urls: Mapping[str, str]
    stores: dict[bool, FirestoreStore] = field(default_factory=dict)
    staying: dict[bool, list[Server]] = field(default_factory=dict)

    async def open(self) -> None:
        """Furnish both projects, and start the servers that finish what others leave, at their real pace."""
        for outside in (False, True):
            store = self.stores[outside] = premises.patient_store(self._project(outside), self.host)
            await premises.furnish(store, self.calendar if outside else None, self.urls["calendar"])
            await _equip(store, self.urls["orders"])
            self.staying[outside] = [await self.start(outside, reaper_s=REAP_EVERY_S) for _ in range(2)]

    async def start(self, outside: bool, **settings: Any) -> Server:
        """Start a server."""
        return await self.source.start(
            self.host,
            self._project(outside),
            **(self.calendar.at(self.urls["calendar"]) if outside else {}),
            twilio_url=self.urls["twilio"],
            egress=self.urls["orders"].removeprefix("http://"),
            **settings,
        )

    async def close(self) -> None:
        """End the servers, and let go of the stores."""
        for server in itertools.chain(*self.staying.values()):
            await server.close()
        for store in self.stores.values():
            await store.close()

    def clear(self) -> None:
        """Forget what the emulator holds."""
        for outside in (False, True):
            clear(self.host, self._project(outside))

    def _project(self, outside: bool) -> str:
        return f"{self.project}-{int(outside)}"


@contextmanager
def _world(source: Servers, host: str, name: str) -> Iterator[World]:
    calendar, twilio, orders = CALENDARS[name](), TwilioStandIn(), Orders()
    with serving(calendar.app) as calendar_url, serving(twilio.app) as twilio_url, serving(orders.app) as orders_url:
        urls = {"calendar": calendar_url, "twilio": twilio_url, "orders": orders_url}
        world = World(source, host, f"demo-drill-{uuid.uuid4().hex[:8]}-deeds", calendar, twilio, orders, urls)
        try:
            yield world
        finally:
            world.clear()


def drill_deeds(effort: Effort, source: Servers, host: str) -> Result:
    """Return what came of it."""
    with _world(source, host, effort.calendar) as world:
        return asyncio.run(_drill(effort, world))


async def _equip(store: FirestoreStore, orders_url: str) -> None:
    """Give the business a phone account, somebody who gets messages, and an owner's tool."""
    tool = {
        "type": "api_request",
        "label": "Enter an order",
        "description": "Enter an order.",
        "request": {"method": "POST", "url": f"{orders_url}/orders", "body": {"order": "{{order}}"}},
        "params": {"order": {"mode": "ai", "prompt": "The order", "schema": {"type": "string"}}},
    }
    own = {"name": "enter_order", "label": "Enter an order", "type": "api_request", "configMetadata": tool}
    many = {"isConnected": True, "accountSid": SID, "textsPerHour": 5_000, "textsPerDay": 5_000}
    rules = [{"action": "message", "destination": _OWNER}]
    fields = {"twilioNumber": _SENDER, "integrations.twilio": many, "escalation": {"rules": rules}}
    await store.commit([Update(WITHIN.business, fields), Set(WITHIN.document("tools", "enter_order"), own)])
    secrets = SealedSecrets(store, premises.PATHS, LocalKeyKeeper.from_text(premises.SECRETS_KEY))
    await secrets.keep(BUSINESS, "twilio", "authToken", TOKEN)


def trials(effort: Effort) -> list[Trial]:
    """Return what is tried: each deed in turn, each killed around a write that chance decides."""
    chance, today = random.Random(effort.seed), datetime.now(UTC)
    return [
        Trial(
            number,
            DEEDS[number % len(DEEDS)],
            chance.randint(1, _LATEST_WRITE),
            chance.random() < 0.5,
            premises.start_of(number, today),
        )
        for number in range(effort.trials or TRIALS[effort.size])
    ]


async def _drill(effort: Effort, world: World) -> Result:
    await world.open()
    planned = trials(effort)
    waiting = list(reversed(planned))

    async def one_after_another() -> None:
        while waiting:
            trial = waiting.pop()
            try:
                await _try(trial, world)
            except (TimeoutError, aiohttp.ClientError, OSError) as error:
                trial.problem = f"not tried: {type(error).__name__}"

    await asyncio.gather(*(one_after_another() for _ in range(min(_AT_ONCE, len(planned)))))
    seen = await _seen(world)
    await world.close()
    return _judged(planned, seen)


async def _try(trial: Trial, world: World) -> None:
    outside = trial.deed == "google"
    store, (first, _) = world.stores[outside], world.staying[outside]
    await _known(store, trial)
    async with open_session(keep_alive=False) as http:
        for _ in range(_TRIES):
            trial.problem = await _prepared(trial, first, http)
            if not trial.problem:
                break
            await asyncio.sleep(1.0)
        else:
            return
        body = trial.body()
        doomed = await world.start(outside, crash=(f"{WRITE} {trial.write}", trial.before))
        answer = await post(http, doomed.url, body)
        trial.was_killed = not answer.status and await doomed.was_killed(10.0)
        killed_at = time.monotonic()
        await doomed.close()
        await _until_settled(trial, store, premises.row_path(body), killed_at)


async def _until_settled(trial: Trial, store: FirestoreStore, path: str, killed_at: float) -> None:
    while True:
        document = await store.get(path)
        row = document.data if document is not None else {}
        trial.state, trial.was_begun = str(row.get("state") or ""), row.get("begunAt") is not None
        trial.is_open = trial.state in _OPEN or row.get("dueAt") is not None
        trial.settled_s = time.monotonic() - killed_at
        if not trial.is_open or trial.settled_s > _GIVES_UP_S:
            return
        await asyncio.sleep(0.5)


async def _known(store: FirestoreStore, trial: Trial) -> None:
    """Let the caller be somebody, so that none of them takes what strangers have together."""
    session = WITHIN.document("sessions", f"s-{trial.name}")
    now = datetime.now(UTC)
    standing = Standing("code", f"clr-{trial.number}", trial.phone, now, "line")
    await store.commit([Set(session, standing.to_fields() | in_use(now), merge=True)])


async def _prepared(trial: Trial, server: Server, http: aiohttp.ClientSession) -> str:
    """Have what is cancelled or moved booked, and the caller agree to that; return what went wrong."""
    if trial.deed not in ("cancel", "move"):
        return ""
    booked = await post(http, server.url, trial.booking())
    if not booked.is_ok:
        return f"not booked: {booked.kind} {booked.error.get('message', '')}"
    trial.booking_id = (booked.envelope or {})["data"]["bookingId"]
    asking = trial.body()
    asking["context"] |= {"turn": 1, "callId": f"a-{trial.name}"}
    asked = await post(http, server.url, asking)
    if asked.error.get("type") != "CONFIRMATION_REQUIRED":
        return f"not asked: {asked.kind} {asked.error.get('message', '')}"
    words = str(((asked.envelope or {}).get("meta") or {}).get("readBack") or "")
    hearing = {"businessId": BUSINESS, "context": asking["context"] | {"turn": 2}, "heard": {"text": "Yes."}}
    async with http.post(f"{server.url}/tools/heard", json=hearing | {"asked": words}, headers=HEADERS) as response:
        parsed = await response.json()
    return "" if parsed.get("verdict") == "approved" else f"not agreed: {parsed}"


@dataclass(frozen=True)
class Seen:
    """What there is in the end, by what tells it apart."""

    bookings: Mapping[datetime, Sequence[Booking]]
    entries: Mapping[str, int]
    texts: Counter[str]
    messages: Counter[str]
    orders: Counter[str]

    def times(self, trial: Trial) -> int:
        """Return how often a deed was done."""
        here = self.bookings.get(trial.start, ())
        match trial.deed:
            case "book":
                return sum(booking.status == CONFIRMED for booking in here)
            case "google":
                # Twice too where the calendar shows it twice.
                return sum(self.entries.get(b.id, 0) for b in here if b.status == CONFIRMED)
            case "cancel":
                return int(bool(here) and all(booking.status == CANCELLED for booking in here))
            case "move":
                return sum(booking.status == CONFIRMED for booking in self.bookings.get(trial.other, ()))
            case "text":
                return self.texts[f"text {trial.name}."]
            case "message":
                return self.messages[f"message {trial.name}."]
        return self.orders[trial.name]


async def _seen(world: World) -> Seen:
    bookings: dict[datetime, list[Booking]] = {}
    messages: Counter[str] = Counter()
    for store in world.stores.values():
        for document in await store.query(Query(WITHIN.collection("bookings"))):
            booking = read_booking(document)
            if booking is not None:
                bookings.setdefault(booking.start.astimezone(UTC), []).append(booking)
        for waiting in await store.query(Query(WITHIN.collection("outbox"))):
            messages[str(waiting.data.get("text"))] += waiting.data.get("kind") == "message"
    texts = Counter(str(text["body"]) for text in world.twilio.account.texts.values())
    return Seen(bookings, world.calendar.active_entries(), texts, messages, world.orders.hits)


def _judged(planned: Sequence[Trial], seen: Seen) -> Result:
    tried = [trial for trial in planned if not trial.problem]
    # A call that was never recorded is made again by its caller; what a check has refused was not let in.
    let_in = [trial for trial in tried if trial.state not in ("", "refused")]
    done = {trial.number: seen.times(trial) for trial in tried}
    # Whether an owner's request that had begun was carried out, only the owner's server could tell.
    honest = [t for t in let_in if t.state == "unknown" and t.deed == "request" and t.was_begun]
    unknown = [t for t in let_in if t.state == "unknown" and t not in honest]
    lost = [t for t in let_in if t.was_killed and not done[t.number] and t not in honest and t not in unknown]
    twice = [t for t in tried if done[t.number] > 1]
    untrue = [t for t in tried if not t.state and done[t.number]]
    stuck = [t for t in tried if t.is_open or t.settled_s > STUCK_S]
    by_deed = Counter(trial.deed for trial in tried if trial.was_killed)
    killed = by_deed.total()
    slowest = max((trial.settled_s for trial in tried if trial.was_killed), default=0.0)
    checks = (
        exactly("deeds: tried as they were to be", len(planned), len(tried)),
        exactly("deeds: lost, of those that were let in", 0, len(lost)),
        exactly("deeds: done twice", 0, len(twice)),
        exactly("deeds: done without a record", 0, len(untrue)),
        exactly(f"deeds: at no end after {STUCK_S:g} s", 0, len(stuck)),
        exactly("deeds: 'not known' that could have been known", 0, len(unknown)),
        at_most("deeds: settled after the kill", STUCK_S, slowest),
        Check("deeds: each was killed", f"{len(DEEDS)}", f"{len(by_deed)}", len(by_deed) == len(DEEDS)),
    )
    kinds = (("lost", lost), ("twice", twice), ("untrue", untrue), ("stuck", stuck), ("unknown", unknown))
    wrong = [f"{kind}: {trial}: {trial.state}, {trial.settled_s:.0f} s" for kind, those in kinds for trial in those]
    wrong += [f"{trial}: {trial.problem}" for trial in planned if trial.problem]
    text = ", ".join(f"{by_deed[deed]} {deed}" for deed in DEEDS)
    title = f"kill: {killed} times kill -9 around a write of {len(planned)} deeds ({text})"
    return Result(
        title,
        "0 lost, 0 twice, 0 stuck, 0 unknown",
        f"{len(lost)} lost, {len(twice)} twice, {len(stuck)} stuck, {len(unknown)} unknown of {killed} kills",
        checks,
        (
            f"{title}, with the real leases and a pass every {REAP_EVERY_S:g} s; the slowest was at its end after "
            f"{slowest:.0f} s. {len(honest)} owners' requests are honestly told as unknown.",
            *wrong[:_EXAMPLES],
        ),
    )
