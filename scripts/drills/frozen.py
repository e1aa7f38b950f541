"""The store stops answering, or answers late: reads go on from what is known, writes are refused, and it ends soon."""

from __future__ import annotations

import asyncio
import itertools
import time
import uuid
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime

import aiohttp

from drills import premises
from drills.callers import Answer, get_definitions, open_session, post
from drills.emulators import OwnEmulator, own_emulator
from drills.frozen_phone import GREETED_BEFORE, Heard, PhoneCalls, connect_phone, phone_checks
from drills.frozen_phone import told as told_on_the_phone
from drills.records import Records, read_records, until_settled
from drills.relay import Relay
from drills.result import FULL, QUICK, SMOKE, Check, Effort, Result, at_most, exactly, within
from drills.servers import Servers, servers

LEASE_S, REAPER_S = 2.0, 0.5
# Of definitions and the business, instead of 60 s: so that they come to be read again while the store is away.
DEFINITION_TTL_S = 6.0
SLOW_S = 2.0
ALLOWED_S = 1.0
BACK_WITHIN_S = 2.0
_CALLS_A_SECOND = 20
_SETTLED_WITHIN_S = LEASE_S + 20 * REAPER_S
_NOT_BACK_S = 20.0

_LIMIT_S = 900.0


@dataclass(frozen=True)
class Plan:
    """How many seconds of calls there are before each outage, and during it.

    Keys, definitions and businesses are known for some seconds; longer outages show what comes after that.
    """

    before_s: float
    during_s: float


PLANS = {SMOKE: Plan(0.2, 1.5), QUICK: Plan(3.0, 13.0), FULL: Plan(3.0, 60.0)}

SEARCH, HOURS, LISTING, SESSION_LISTING, BOOK = (
    "search_knowledge",
    "get_working_hours",
    "definitions",
    "definitions of a session",
    "book_appointment",
)
READS = (SEARCH, HOURS, LISTING, SESSION_LISTING)


@dataclass(frozen=True)
class Call:
    """One call that was made while the store was away."""

    kind: str
    answer: Answer
    start: datetime

    @property
    def is_refused(self) -> bool:
        """Whether the caller was told that nothing was done."""
        return not self.answer.is_ok and not self.answer.error.get("partialSideEffects")


@dataclass
class Outage:
    """What one outage was like for callers, and how long after it everything worked again."""

    name: str
    lasted_s: float = 0.0
    calls: list[Call] = field(default_factory=list)
    phone: list[Heard] = field(default_factory=list)
    back_after_s: dict[str, float] = field(default_factory=dict)
    settling_s: float = 0.0


class Callers:
    """Twenty calls a second, of every kind in turn, each in a conversation of its own."""

    def __init__(self, http: aiohttp.ClientSession, url: str) -> None:
        self._http, self._url = http, url
        self._numbers = itertools.count()
        self._today = datetime.now(UTC)

    async def call(self, kind: str) -> Call:
        """Make one call."""
        number = next(self._numbers)
        name, start = f"{number:05}", premises.start_of(number, self._today)
        query = f"businessId={premises.BUSINESS}&channel=phone"
        if kind == LISTING:
            answer = await get_definitions(self._http, self._url, query)
        elif kind == SESSION_LISTING:
            answer = await get_definitions(self._http, self._url, f"{query}&sessionId=l-{name}")
        else:
            args = {SEARCH: {"query": "parking"}, HOURS: {}}
            body = premises.booking(name, start) if kind == BOOK else premises.request(kind, args[kind], name)
            answer = await post(self._http, self._url, body)
        return Call(kind, answer, start)

    async def go_on(self, seconds: float) -> list[Call]:
        """Make calls at an even pace, whatever becomes of those before; return all of them."""
        tasks, began = [], time.monotonic()
        for number, kind in enumerate(itertools.cycle((*READS, BOOK))):
            due = began + number / _CALLS_A_SECOND
            if due > began + seconds:
                break
            await asyncio.sleep(max(0.0, due - time.monotonic()))
            tasks.append(asyncio.create_task(self.call(kind)))
        return list(await asyncio.gather(*tasks))

    async def until_back(self) -> dict[str, float]:
        """Try every kind until it works; return how long each took."""
        began = time.monotonic()

        async def until_works(kind: str) -> float:
            while time.monotonic() - began < _NOT_BACK_S:
                if (await self.call(kind)).answer.is_ok:
                    break
                await asyncio.sleep(0.05)
            return time.monotonic() - began

        kinds = (*READS, BOOK)
        return dict(zip(kinds, await asyncio.gather(*map(until_works, kinds)), strict=True))


def drill(effort: Effort) -> Result:
    """Return the table.

    Raises:
        Skipped: There is no emulator.
    """
    project = f"demo-drill-{uuid.uuid4().hex[:8]}"
    with own_emulator(project) as emulator, servers() as source:
        emulator.wait_until_ready()
        return asyncio.run(within(_LIMIT_S, _drill(PLANS[effort.size], emulator, project, source)))


async def _drill(plan: Plan, emulator: OwnEmulator, project: str, source: Servers) -> Result:
    store = premises.patient_store(project, emulator.host)
    await premises.furnish(store)
    await connect_phone(store)
    relay = Relay(emulator.host)
    await relay.open()
    changed = {"CALL_LEASE_S": LEASE_S, "DEFINITION_TTL_S": DEFINITION_TTL_S}
    server = await source.start(relay.host, project, policy=changed, reaper_s=REAPER_S)

    async def freeze() -> None:
        emulator.freeze()

    async def thaw() -> None:
        emulator.thaw()

    async def slow_down() -> None:
        relay.slow_down(SLOW_S)

    async def speed_up() -> None:
        relay.slow_down(0)

    outages = [Outage("frozen"), Outage(f"{SLOW_S:g} s slow"), Outage("gone")]
    ways = ((freeze, thaw), (slow_down, speed_up), (relay.cut, relay.open))
    records = []
    async with open_session() as http:
        callers, phone = Callers(http, server.url), PhoneCalls(http, server.url)
        await phone.learn(store)
        for outage, (begin, end) in zip(outages, ways, strict=True):
            await _suffer(outage, callers, phone, plan, begin, end)
            outage.settling_s = await until_settled(store, _SETTLED_WITHIN_S)
            records.append(await read_records(store))
    await server.close()
    await relay.cut()
    await store.close()
    return _result(plan, outages, records, phone)


async def _suffer(
    outage: Outage,
    callers: Callers,
    phone: PhoneCalls,
    plan: Plan,
    begin: Callable[[], Awaitable[None]],
    end: Callable[[], Awaitable[None]],
) -> None:
    """Let calls go on while the store is away."""
    await callers.until_back()
    await callers.go_on(plan.before_s)
    await phone.ring(GREETED_BEFORE)
    began = time.monotonic()
    await begin()
    try:
        outage.calls, outage.phone = await asyncio.gather(callers.go_on(plan.during_s), phone.go_on(plan.during_s))
    finally:
        await end()
    outage.lasted_s = time.monotonic() - began
    outage.back_after_s = await callers.until_back()


def _result(plan: Plan, outages: Sequence[Outage], records: Sequence[Records], phone: PhoneCalls) -> Result:
    pairs = list(zip(outages, records, strict=True))
    checks = [
        check
        for outage, record in pairs
        for check in (*_answers(outage), *phone_checks(outage.name, phone, outage.phone), *_traces(outage, record))
    ]
    notes = [f"{outage.name}: {_told(outage)} Phone: {told_on_the_phone(outage.phone)}." for outage in outages]
    slowest_s = max(_slowest(outage.calls) for outage in outages)
    half_done = sum(not trace.is_met for pair in pairs for trace in _traces(*pair))
    return Result(
        f"frozen: {_CALLS_A_SECOND} calls a second while the store is away in three ways, {plan.during_s:g} s each",
        f"answers in ≤ {ALLOWED_S:g} s, 0 half done",
        f"{slowest_s:.2f} s, {half_done} half done",
        tuple(checks),
        (
            f"Definitions and the business are kept for {DEFINITION_TTL_S:g} s here; a lease is {LEASE_S:g} s.",
            *notes,
        ),
    )


def _answers(outage: Outage) -> Iterator[Check]:
    """Yield what callers were told, and how soon."""
    name = outage.name
    reads = [call for call in outage.calls if call.kind in READS]
    writes = [call for call in outage.calls if call.kind == BOOK]
    for what, calls, allowed in (
        ("reads", reads, {"ok", "TRANSIENT", "HTTP 503"}),
        ("bookings", writes, {"TRANSIENT", "HTTP 503"}),
    ):
        unexpected = Counter(call.answer.kind for call in calls if call.answer.kind not in allowed)
        text = ", ".join(f"{count} {kind}" for kind, count in unexpected.items())
        yield at_most(f"{name}: slowest answer of {len(calls)} {what}", ALLOWED_S, _slowest(calls))
        yield Check(f"{name}: other answers than {', '.join(sorted(allowed))}", "none", text or "none", not text)
    yield at_most(f"{name}: all works again after", BACK_WITHIN_S, max(outage.back_after_s.values()))


def _traces(outage: Outage, records: Records) -> Iterator[Check]:
    """Yield what the store holds, against what was told."""
    name, writes = outage.name, [call for call in outage.calls if call.kind == BOOK]
    refused_yet_made = [call for call in writes if call.is_refused and call.start in records.by_start]
    yield exactly(f"{name}: bookings said not to be made that were made", 0, len(refused_yet_made))
    claimed = [call for call in writes if call.answer.is_ok and call.start not in records.by_start]
    yield exactly(f"{name}: bookings said to be made that were not", 0, len(claimed))
    yield exactly(f"{name}: times booked twice", 0, sum(len(item) > 1 for item in records.by_start.values()))
    wrong = [*records.orphan_slots, *records.missing_slots]
    yield exactly(f"{name}: slots and bookings that disagree", 0, len(wrong))
    yield exactly(f"{name}: ledger rows left as started", 0, len(records.in_state("started")))


def _slowest(calls: Sequence[Call]) -> float:
    return max((call.answer.took_s for call in calls), default=0.0)


def _told(outage: Outage) -> str:
    by_kind: Mapping[str, list[Call]] = {kind: [c for c in outage.calls if c.kind == kind] for kind in (*READS, BOOK)}
    parts = []
    for kind, calls in by_kind.items():
        kinds = Counter(call.answer.kind for call in calls)
        late = sum(call.answer.took_s > ALLOWED_S for call in calls)
        parts.append(
            f"{kind} {', '.join(f'{count} {name}' for name, count in kinds.most_common())}, "
            f"slowest {_slowest(calls):.2f} s" + f" ({late} over {ALLOWED_S:g} s)" * bool(late)
        )
    return "; ".join(parts) + f". Back after {max(outage.back_after_s.values()):.2f} s."
