"""What phone calls write, measured on a house over the store in memory: which documents, when, and for whom."""

from __future__ import annotations

import asyncio
import base64
import os
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

from benchmarks import costs
from benchmarks.billed_store import BilledStore
from benchmarks.index_growth import Stretch, grown
from running import demo
from switchboard.app.container import build
from switchboard.app.settings import read_configuration
from switchboard.contract.business.business import Business
from switchboard.contract.ports import BusinessPaths, Store
from switchboard.contract.store import Write, WriteResult
from switchboard.desk.limits.rate_limits import RateLimits, text_keys, text_rules
from switchboard.state.memory.store import MemoryStore
from switchboard.state.paths import FirestorePaths

LASTS_S = 180.0
# Of one request to Firestore, in the client, 32 at once over the emulator: to commit two documents, and to read one.
_COMMIT_S, _READ_S = 0.0006, 0.0004
_BOOKED_PART = 0.3


@dataclass(frozen=True)
class _Spender:
    business: Business
    paths: BusinessPaths
    now: datetime


@dataclass(frozen=True)
class Recipe:
    """What one kind of call costs.

    Attributes:
        part: How many of all calls are of this kind.
        steps: The writes of each of its steps, which lie evenly over its time.
        shared: Of each document that calls of a business have in common: its collection, and the step that writes it.
        own: How often the one document is written that is written most often among those of the call alone.
        reads: Documents read.
        cpu_s: Ours, and the Firestore client's.
        grows: How many entries it adds to stretches of indexes that rise with time.
    """

    part: float
    steps: tuple[int, ...]
    shared: tuple[tuple[str, int], ...]
    own: tuple[str, int]
    reads: float
    cpu_s: float
    grows: Counter[Stretch] = field(default_factory=Counter)

    @property
    def writes(self) -> int:
        """Documents written."""
        return sum(self.steps)


class _Noting(BilledStore):
    """Keeps the bill, and notes at which step a path was written."""

    def __init__(self, inner: Store) -> None:
        super().__init__(inner)
        self.written: list[tuple[int, str]] = []
        self.step, self.requests = 0, 0
        self.grown: Counter[Stretch] = Counter()

    async def commit(self, writes: Sequence[Write]) -> list[WriteResult]:
        self.requests += 1
        self.written += [(self.step, write.path) for write in writes]
        paths = list({write.path for write in writes})
        before = await self._inner.get_many(paths)
        results = await super().commit(writes)
        for path, old, new in zip(paths, before, await self._inner.get_many(paths), strict=True):
            self.grown.update(grown(_collection(path), old.data if old else None, new.data if new else None))
        return results


def recipes() -> list[Recipe]:
    """Return the two kinds of calls: a conversation of three turns, and a look-up, a booking and a text."""
    return asyncio.run(_recipes())


async def _recipes() -> list[Recipe]:
    store, paths = _Noting(MemoryStore()), FirestorePaths()
    secrets_key = base64.b64encode(os.urandom(32)).decode()
    environ = {"SWITCHBOARD_SECRETS_KEY": secrets_key, "SWITCHBOARD_PUBLIC_URL": costs.PUBLIC_URL}
    await demo.furnish(store, paths, datetime.now(UTC))
    await demo.make_keys(store, paths, costs.KEY)
    await demo.keep_twilio_token(store, paths, secrets_key, costs.TOKEN)
    premises = costs.Premises(store, build(read_configuration(environ), store))
    try:
        return [
            await _measured(premises, store, 1 - _BOOKED_PART, _looked_up),
            await _measured(premises, store, _BOOKED_PART, _booked),
        ]
    finally:
        await premises.house.close()


Step = Callable[[], Awaitable[Any]]


def _looked_up(premises: costs.Premises, number: int) -> list[Step]:
    # Calls that are under way at once come from callers of their own.
    sid, caller = f"CA{number:032x}", f"+1518556{number:04}"
    asked = [f"What is your cancellation policy, {number}?", f"Where can I park, {number}?", "Thank you, bye"]
    return [
        lambda: premises.phone(sid, "/phone/incoming", From=caller, CallStatus="ringing"),
        *(
            lambda text=text: premises.phone(sid, "/phone/turn", From=caller, SpeechResult=text, Confidence="0.9")
            for text in asked
        ),  # type: ignore[misc]
        lambda: premises.phone(sid, "/phone/status", From=caller, CallStatus="completed"),
    ]


def _booked(premises: costs.Premises, number: int) -> list[Step]:
    today = datetime.now(UTC).date()
    # A Tuesday to come, on which the salon is open.
    day = (today + timedelta(days=(1 - today.weekday()) % 7 + 7 * (number + 1))).isoformat()
    session = f"scale-{number}"
    wish = {"service": "Haircut", "start_time": f"{day}T16:00:00", "customer_name": f"Caller {number}"}
    return [
        lambda: premises.execute(session, "check_availability", date=day, service="Haircut"),
        lambda: premises.execute(session, "book_appointment", **wish),
        lambda: _counted_text(premises, f"+1518{number:03}0000"),
    ]


async def _counted_text(premises: costs.Premises, number: str) -> None:
    """Count a text as sending one does; what is sent would leave this machine."""
    house = premises.house
    business = await house.catalog.business(demo.SALON)
    assert business is not None
    spender = _Spender(business, house.paths.within(demo.SALON), house.clock.now())
    await RateLimits(premises.store, house.clock).spend(spender, text_rules(business), text_keys(number))


async def _measured(
    premises: costs.Premises, store: _Noting, part: float, call: Callable[[costs.Premises, int], list[Step]]
) -> Recipe:
    """Make a call three times: warm, and twice to see which documents they have in common."""
    runs, reads, requests, cpu_s = [], 0, 0, 0.0
    for number in range(3):
        store.written, store.requests, before, began_s = [], 0, store.bill, time.process_time()
        store.grown.clear()
        for store.step, step in enumerate(call(premises, number)):
            await premises.bill(call.__name__, step)
        runs.append(store.written)
        reads, requests = store.bill.reads - before.reads, store.requests
        cpu_s = time.process_time() - began_s
    last, other = runs[-1], {path for _, path in runs[-2]}
    shared = tuple((_collection(path), step) for step, path in last if path in other)
    own, times = Counter(path for _, path in last if path not in other).most_common(1)[0]
    steps = Counter(step for step, _ in last)
    return Recipe(
        part,
        tuple(steps[step] for step in range(store.step + 1)),
        shared,
        (_collection(own), times),
        reads,
        cpu_s + reads * _READ_S + requests * _COMMIT_S,
        store.grown.copy(),
    )


def _collection(path: str) -> str:
    return path.rstrip("/").split("/")[-2]
