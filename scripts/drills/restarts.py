"""The store restarts again and again under load: callers are told what is so, and nothing is made twice or lost."""

from __future__ import annotations

import asyncio
import itertools
import random
import time
import uuid
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime

import aiohttp

from drills import premises
from drills.callers import Answer, open_session, post, until_final
from drills.emulators import OwnEmulator, own_emulator
from drills.records import Records, read_records, until_quiet, until_settled
from drills.relay import Relay
from drills.result import FULL, QUICK, SMOKE, Check, Effort, Result, at_most, exactly, within
from drills.servers import Servers, servers
from switchboard.state.firestore.store import FirestoreStore

LEASE_S, REAPER_S = 3.0, 1.0
_GIVE_UP_S = 60.0
_ALLOWED_S = 1.0
# More callers than one business may have under way come again while the store is away; nothing was done for them.
_PASSING = {"ok", "no answer", "HTTP 503", "TRANSIENT", "CONFLICT, in progress", "RATE_LIMIT"}


@dataclass(frozen=True)
class Plan:
    """How many restarts, how many seconds after each other, how many bookings a second, and how long all may take."""

    restarts: int
    apart_s: tuple[float, float]
    per_s: float
    limit_s: float


PLANS = {
    SMOKE: Plan(1, (0.5, 1), 4, 300),
    QUICK: Plan(2, (1, 3), 15, 300),
    # What was promised: 5,000 bookings, restarted every 5 to 40 s.
    FULL: Plan(15, (5, 40), 15, 3_600),
}


@dataclass
class _Seen:
    finals: list[tuple[datetime, Answer]] = field(default_factory=list)
    kinds: Counter[str] = field(default_factory=Counter)
    reads_s: list[float] = field(default_factory=list)
    reads: Counter[str] = field(default_factory=Counter)
    away_s: list[float] = field(default_factory=list)


def drill(effort: Effort) -> Result:
    """Return the table.

    Raises:
        Skipped: There is no emulator.
    """
    project, plan = f"demo-drill-{uuid.uuid4().hex[:8]}", PLANS[effort.size]
    with own_emulator(project) as emulator, servers() as source:
        emulator.wait_until_ready()
        return asyncio.run(within(plan.limit_s, _drill(plan, random.Random(effort.seed), emulator, project, source)))


async def _drill(plan: Plan, chance: random.Random, emulator: OwnEmulator, project: str, source: Servers) -> Result:
    store = premises.patient_store(project, emulator.host)
    await premises.furnish(store)
    relay = Relay(emulator.host)
    await relay.open()
    server = await source.start(relay.host, project, policy={"CALL_LEASE_S": LEASE_S}, reaper_s=REAPER_S)
    seen, is_over = _Seen(), asyncio.Event()
    async with open_session() as http:
        await until_final(http, server.url, premises.request("get_working_hours", {}, "first"), give_up_s=_GIVE_UP_S)
        booking = asyncio.create_task(_book(http, server.url, plan.per_s, seen, is_over))
        reading = asyncio.create_task(_read(http, server.url, seen, is_over))
        for _ in range(plan.restarts):
            await asyncio.sleep(chance.uniform(*plan.apart_s))
            await _restart(emulator, relay, store, seen)
        await asyncio.sleep(plan.apart_s[0])
        is_over.set()
        await asyncio.gather(booking, reading)
    settling_s = await until_settled(store, LEASE_S + 20 * REAPER_S)
    records = await read_records(store)
    await server.close()
    await relay.cut()
    await store.close()
    return _result(plan, seen, records, settling_s)


async def _book(http: aiohttp.ClientSession, url: str, per_s: float, seen: _Seen, is_over: asyncio.Event) -> None:
    """Have bookings made at an even pace, each delivered until its answer is final."""
    tasks, today = [], datetime.now(UTC)

    async def one(number: int) -> None:
        start = premises.start_of(number, today)
        body = premises.booking(f"{number:05}", start)
        final = await until_final(http, url, body, give_up_s=_GIVE_UP_S, seen=seen.kinds, pause_s=_longer_and_longer())
        seen.finals.append((start, final))

    while not is_over.is_set():
        tasks.append(asyncio.create_task(one(len(tasks))))
        await asyncio.sleep(1 / per_s)
    await asyncio.gather(*tasks)


def _longer_and_longer() -> Callable[[], float]:
    """Return how a sender waits: twice as long each time, up to two seconds.

    Hundreds that came again eight times a second each would take the whole machine, the store that comes back included.
    """
    longest_s = iter(min(2.0, 0.2 * 2**number) for number in itertools.count())
    return lambda: random.uniform(0.5, 1.0) * next(longest_s)


async def _read(http: aiohttp.ClientSession, url: str, seen: _Seen, is_over: asyncio.Event) -> None:
    """Ask for working hours, once after the other."""
    number = 0
    while not is_over.is_set():
        number += 1
        answer = await post(http, url, premises.request("get_working_hours", {}, f"read-{number}"))
        seen.reads_s.append(answer.took_s)
        seen.reads[answer.kind] += 1
        await asyncio.sleep(0.1)


async def _restart(emulator: OwnEmulator, relay: Relay, store: FirestoreStore, seen: _Seen) -> None:
    began = time.monotonic()
    # Cut first: what was answered is in the export then, and what is not in it was never answered.
    await relay.cut()
    await until_quiet(store)
    await asyncio.to_thread(emulator.restart)
    await relay.open()
    seen.away_s.append(time.monotonic() - began)


def _result(plan: Plan, seen: _Seen, records: Records, settling_s: float) -> Result:
    expected, booked = len(seen.finals), len(seen.finals) - len(_denied(seen))
    twice = sum(len(item) > 1 for item in records.by_start.values())
    lost = sum(answer.is_ok and start not in records.by_start for start, answer in seen.finals)
    unexpected = {kind: n for kind, n in (seen.kinds + seen.reads).items() if kind not in _PASSING}
    checks = (
        exactly("row 8: bookings that ended with a yes", expected, booked),
        exactly("row 1: bookings made twice", 0, twice),
        exactly("row 5: bookings said to be made that are not there", 0, lost),
        exactly("row 5: slots and bookings that disagree", 0, len(records.orphan_slots) + len(records.missing_slots)),
        exactly("row 5: ledger rows left as started", 0, len(records.in_state("started"))),
        Check("row 8: unexpected answers", "none", _listed(unexpected) or "none", not unexpected),
        at_most(f"row 8: slowest of {len(seen.reads_s)} reads", _ALLOWED_S, max(seen.reads_s, default=0.0)),
        at_most("row 5: last row settled after the last answer", LEASE_S + 20 * REAPER_S, settling_s),
    )
    away = ", ".join(f"{s:.1f}" for s in seen.away_s[:12])
    return Result(
        f"restarts: {plan.restarts} of the store, {plan.apart_s[0]:g} to {plan.apart_s[1]:g} s apart, "
        f"{plan.per_s:g} bookings a second",
        "0 lost, 0 twice",
        f"{lost} lost, {twice} twice of {expected:,}",
        checks,
        (
            f"Away for {away} s. On the way: {_listed(seen.kinds)}; reads: {_listed(seen.reads)}.",
            *(f"Not booked: {start:%H:%M %d.%m.}: {answer.substance[:400]}" for start, answer in _denied(seen)[:3]),
            *(f"Left: {row.path} {dict(row.data)}"[:600] for row in records.in_state("started")[:3]),
        ),
    )


def _denied(seen: _Seen) -> list[tuple[datetime, Answer]]:
    return [(start, answer) for start, answer in seen.finals if not answer.is_ok]


def _listed(kinds: dict[str, int]) -> str:
    return ", ".join(f"{count:,} {kind}" for kind, count in sorted(kinds.items(), key=lambda item: -item[1]))
