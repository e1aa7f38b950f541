"""The same calls again and again, in any order, while the store is restarted: each has one effect and one answer."""

from __future__ import annotations

import asyncio
import random
import statistics
import time
import uuid
from bisect import bisect_left
from collections import Counter, defaultdict, deque
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from drills import premises
from drills.callers import Answer, open_session, until_final
from drills.emulators import OwnEmulator, own_emulator
from drills.records import Records, read_records, until_quiet, until_settled
from drills.relay import Relay
from drills.result import FULL, QUICK, SMOKE, Check, Effort, Result, at_most, exactly, within
from drills.servers import Servers, servers
from switchboard.state.firestore.store import FirestoreStore

# Real ones are ten times as long: then most of a drill's time would be spent waiting.
LEASE_S, REAPER_S = 3.0, 1.0
_GIVE_UP_S = 30.0
_EXAMPLES = 3
_SETTLED_WITHIN_S = LEASE_S + 10 * REAPER_S
# What a sender has to live with while the store restarts. RATE_LIMIT asks to come again: calls then take as long as
# they may, and of one business only so many are under way (policy.py).
_PASSING = {"ok", "no answer", "HTTP 503", "TRANSIENT", "RATE_LIMIT", "CONFLICT, in progress"}


@dataclass(frozen=True)
class Plan:
    """How many calls, how often each is delivered, how many at once, and how long all may take.

    The store is restarted several times in between.
    """

    calls: int
    times: int
    at_once: int
    restarts: int
    limit_s: float


PLANS = {SMOKE: Plan(10, 6, 10, 1, 300), QUICK: Plan(50, 20, 64, 1, 300), FULL: Plan(500, 20, 64, 3, 1800)}


@dataclass
class Seen:
    """What the senders have met."""

    answers: defaultdict[str, list[Answer]] = field(default_factory=lambda: defaultdict(list))
    kinds: Counter[str] = field(default_factory=Counter)
    abandoned: defaultdict[str, list[Answer]] = field(default_factory=lambda: defaultdict(list))
    begun: int = 0
    restarts: list[float] = field(default_factory=list)


def drill(effort: Effort) -> Result:
    """Return the table.

    Raises:
        Skipped: There is no emulator.
    """
    project = f"demo-drill-{uuid.uuid4().hex[:8]}"
    plan = PLANS[effort.size]
    with own_emulator(project) as emulator, servers() as source:
        emulator.wait_until_ready()
        return asyncio.run(within(plan.limit_s, _drill(plan, effort.seed, emulator, project, source)))


async def _drill(plan: Plan, seed: int, emulator: OwnEmulator, project: str, source: Servers) -> Result:
    store = premises.patient_store(project, emulator.host)
    await premises.furnish(store)
    relay = Relay(emulator.host)
    await relay.open()
    server = await source.start(relay.host, project, policy={"CALL_LEASE_S": LEASE_S}, reaper_s=REAPER_S)
    calls = _calls(plan)
    order = _order(list(calls), plan, random.Random(seed))
    seen, began = Seen(), time.monotonic()
    sending = _send(server.url, calls, order.names, plan.at_once, seen)
    await asyncio.gather(sending, _restart(order.restarts, emulator, relay, store, seen))
    took_s = time.monotonic() - began
    settling_s = await until_settled(store, _SETTLED_WITHIN_S)
    records = await read_records(store)
    await server.close()
    await relay.cut()
    await store.close()
    return _result(plan, calls, seen, records, took_s, settling_s)


def _calls(plan: Plan) -> dict[str, dict[str, Any]]:
    today = datetime.now(UTC)
    names = [f"{number:04}" for number in range(plan.calls)]
    return {name: premises.booking(name, premises.start_of(n, today)) for n, name in enumerate(names)}


async def _send(url: str, calls: dict[str, dict[str, Any]], order: Iterable[str], at_once: int, seen: Seen) -> None:
    """Deliver the calls in this order, so many at once, each until its answer is final."""
    waiting = deque(order)

    async def sender() -> None:
        while waiting:
            name = waiting.popleft()
            seen.begun += 1
            answer = await until_final(http, url, calls[name], give_up_s=_GIVE_UP_S, seen=seen.kinds)
            (seen.answers if answer.is_final else seen.abandoned)[name].append(answer)

    async with open_session() as http:
        await asyncio.gather(*(sender() for _ in range(at_once)))


@dataclass(frozen=True)
class Order:
    """In which order calls are delivered, and after how many of them the store restarts."""

    names: list[str]
    restarts: list[int]


def _order(names: list[str], plan: Plan, chance: random.Random) -> Order:
    """Put every call in as often as it is delivered, in random order, but with new ones in flight at each restart.

    Left to chance, all would have been delivered once before the first restart, and it would only hit repetitions.
    """
    waiting = min(2 * plan.at_once, plan.calls // (2 * plan.restarts))
    chosen = chance.sample(names, waiting * plan.restarts)
    parts = [number / (plan.restarts + 1) for number in range(1, plan.restarts + 1)]
    firsts = [(part, name) for n, part in enumerate(parts) for name in chosen[n * waiting : (n + 1) * waiting]]
    places = [(chance.random(), name) for name in names if name not in chosen for _ in range(plan.times)]
    places += [(chance.uniform(part, 1), name) for part, name in firsts for _ in range(plan.times - 1)]
    places = sorted(places + firsts)
    in_flight = min(waiting, plan.at_once)
    return Order([name for _, name in places], [bisect_left(places, (part,)) + in_flight for part in parts])


async def _restart(
    restarts: Iterable[int], emulator: OwnEmulator, relay: Relay, store: FirestoreStore, seen: Seen
) -> None:
    """Restart the emulator each time that so many deliveries have begun."""
    for begun in restarts:
        while seen.begun < begun:
            await asyncio.sleep(0.01)
        started = time.monotonic()
        # Cut first: what was answered is in the export then, and what is not in it was never answered.
        await relay.cut()
        await until_quiet(store)
        await asyncio.to_thread(emulator.restart)
        await relay.open()
        seen.restarts.append(time.monotonic() - started)


def _result(
    plan: Plan, calls: dict[str, dict[str, Any]], seen: Seen, records: Records, took_s: float, settling_s: float
) -> Result:
    deliveries = plan.calls * plan.times
    answers = [answer for given in seen.answers.values() for answer in given]
    unexpected = {kind: count for kind, count in seen.kinds.items() if kind not in _PASSING}
    expected_rows = {premises.row_path(body) for body in calls.values()}
    checks = (
        exactly("deliveries with a final answer", deliveries, len(answers)),
        exactly("  of them: booked", deliveries, sum(answer.is_ok for answer in answers)),
        exactly("bookings", plan.calls, len(records.bookings)),
        exactly("calls whose final answers are not all the same", 0, sum(map(_differ, seen.answers.values()))),
        exactly("calls whose answers name several bookings", 0, sum(map(_name_several, seen.answers.values()))),
        Check("unexpected answers", "none", _listed(unexpected) or "none", not unexpected),
        exactly("slots without their booking", 0, len(records.orphan_slots)),
        exactly("bookings' claims without their slot", 0, len(records.missing_slots)),
        exactly("bookings without a receipt in their session", 0, len(records.without_receipt)),
        exactly("ledger rows", plan.calls, len(expected_rows & {row.path for row in records.rows})),
        exactly("  of other calls", 0, len({row.path for row in records.rows} - expected_rows)),
        exactly("  left as started", 0, len(records.in_state("started"))),
        exactly("  finished", plan.calls, len(records.in_state("finished"))),
        at_most("last row settled after the last answer", _SETTLED_WITHIN_S, settling_s),
    )
    times = sorted(answer.took_s for answer in answers)
    notes = (
        f"Answers on the way: {_listed(seen.kinds)}.",
        f"Final answers: median {statistics.median(times) * 1e3:.0f} ms, 99 % within {_p99(times) * 1e3:.0f} ms; "
        f"{deliveries / took_s:.0f} deliveries a second."
        if times
        else "",
        f"The store was away for {', '.join(f'{s:.1f}' for s in seen.restarts)} s; a lease is {LEASE_S:g} s.",
        *_examples(seen),
    )
    title = (
        f"deliveries: {plan.calls} bookings delivered {plan.times} times each, {plan.at_once} in flight, "
        f"{plan.restarts} restart{'s' * (plan.restarts > 1)} of the store"
    )
    return Result(
        title,
        f"{plan.calls:,} effects of {deliveries:,} deliveries",
        f"{len(records.bookings):,} effects of {len(answers):,} deliveries",
        checks,
        tuple(filter(None, notes)),
    )


def _differ(answers: Iterable[Answer]) -> bool:
    # Word for word, `repeated` and the milliseconds included: whoever was answered once is answered the same again. An
    # answer whose settlement got lost in a restart is no exception, since the server that gave it still knows it.
    return len({answer.substance for answer in answers}) > 1


def _name_several(answers: Iterable[Answer]) -> bool:
    return len({(answer.envelope or {}).get("data", {}).get("bookingId") for answer in answers if answer.is_ok}) > 1


def _examples(seen: Seen) -> list[str]:
    """Return, for whoever looks into it, one call of each way to differ."""
    rows = []
    for name, answers in sorted(seen.abandoned.items())[:_EXAMPLES]:
        rows.append(f"Never final: {name}, {len(answers)} times; the last answer: {answers[-1].substance}")
    for name, answers in seen.answers.items():
        if _differ(answers):
            counted = Counter(answer.substance for answer in answers)
            rows += [f"Answers to {name}:", *(f"  {count} x {text}" for text, count in counted.most_common())]
            break
    return rows


def _listed(kinds: dict[str, int]) -> str:
    return ", ".join(f"{count:,} {kind}" for kind, count in sorted(kinds.items(), key=lambda item: -item[1]))


def _p99(times: list[float]) -> float:
    return times[int(len(times) * 0.99)]
