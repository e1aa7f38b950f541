"""One history while it happens: instances of the product over one store, which die, freeze, and have wrong clocks."""

from __future__ import annotations

import asyncio
import base64
import contextvars
import hashlib
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from datetime import UTC, datetime, timedelta
from functools import cache
from typing import Any

import setting_up
from operations.seeding import seed
from simulator import premises
from simulator.connection import STEP, Connection, ever, told
from simulator.outside import Calendar, Outside, Phones, Service
from simulator.plan import Chances, Plan, Step
from simulator.simulated_time import BEGINS, SimulatedClock, SimulatedLoop
from switchboard.app.container import build
from switchboard.app.settings import Configuration, read_configuration
from switchboard.contract.context import PhoneContext
from switchboard.contract.response import ToolResponse
from switchboard.contract.store import Filter, Query, Set, StoreError, Write
from switchboard.state.memory.store import MemoryStore

PATIENCE_S = 25.0
"""How long a channel waits for an answer before it delivers the call again."""
PASS_EVERY_S = 10.0
LEASES_OVER_S = 45.0
_HEALS_WITHIN_S = 3_600.0
_PASSES = ("reap", "queued", "bookings", "outbox")
_DOWN_S = (0.5, 6.0)


class Life:
    """One instance from its start to its death.

    Attributes:
        name: Which instance it is, and which life of it.
        is_dead: Whether it does nothing any more; whatever it was doing is never gone on with.
        frozen_until: Until when the store does not answer it.
    """

    def __init__(self, world: World, place: int, number: int) -> None:
        """Start a real container of the product, with nothing in its memory."""
        self.world, self.place, self.name = world, place, f"{'ABC'[place]}{number}"
        self.is_dead, self.frozen_until = False, 0.0
        self.clock = SimulatedClock(world.loop)
        house = self.house = build(_configuration(), Connection(world, self))
        house.clock = self.clock  # type: ignore[assignment]
        outside = world.outside
        house.__dict__.update(
            phones=Phones(outside, self), egress=Service(outside, self), calendars=Calendar(outside, self)
        )

    async def lasts(self, seconds: float) -> None:
        """Let time go by for a request of this instance; for one that is dead it never ends."""
        if not self.is_dead and seconds:
            await asyncio.sleep(seconds)
        if self.is_dead:
            self.world.waiting.append(asyncio.current_task())
            await ever()


class World:
    """Everything that outlives an instance.

    Attributes:
        loop: Whose time it is.
        clock: The right time.
        store: What is written down.
        outside: What was done outside.
        lives: The instances that live now, by their place.
        lines: The history: when, who, in which step, and what, or the writes of a commit.
        broken: What was promised and is not so; empty while everything is.
        calls: How often a call was delivered.
        is_healed: Whether nothing goes wrong any more.
    """

    def __init__(self, plan: Plan, loop: SimulatedLoop, furnished: MemoryStore) -> None:
        """Begin with a furnished store and every instance alive."""
        self.plan, self.loop, self.clock = plan, loop, SimulatedClock(loop)
        self.store = furnished.copy(self.clock)
        self.outside = Outside(self)
        self.lines: list[tuple[float, str, int, str | Sequence[Write]]] = []
        self.waiting: list[Any] = []
        self.broken, self.calls, self.is_healed, self.deaths = "", 0, False, 0
        self.on_effect: Callable[[str], None] = lambda what: None
        self.on_commit: Callable[[Sequence[Write]], Awaitable[None]] | None = None
        self.is_over = asyncio.Event()
        self._began, self._tasks = loop.time(), set[asyncio.Task[Any]]()
        self._chances: list[Chances] = []
        STEP.set(self._pass_chances("start"))
        self.lives = [Life(self, place, 1) for place in range(plan.instances)]

    @property
    def now_s(self) -> float:
        """Seconds since the beginning."""
        return self.loop.time() - self._began

    def note(self, life: Life | None, what: str | Sequence[Write]) -> None:
        """Write a line into the history."""
        self.lines.append((self.now_s, life.name if life else "", STEP.get().step.number, what))

    def committed(self, life: Life, writes: Sequence[Write]) -> None:
        """Note a commit, and have what was promised looked at."""
        self.note(life, writes)
        if self.on_commit is not None and any("/bookings/" in write.path for write in writes):
            self.begin(self.on_commit(writes))

    def has_effect(self, life: Life, what: str) -> None:
        """Note that something was done outside, and have what was promised looked at."""
        self.note(life, f"DOES {what}")
        self.on_effect(what)

    def breaks(self, promise: str) -> None:
        """Note that something that was promised is not so; the first one ends the history."""
        self.note(None, f"BROKEN {promise}")
        self.broken = self.broken or promise
        self.is_over.set()

    def begin(self, work: Coroutine[Any, Any, Any]) -> asyncio.Task[Any]:
        """Let something happen by itself; whatever it raises is told as broken."""
        task = self.loop.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._ended)
        return task

    def _ended(self, task: asyncio.Task[Any]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            self.breaks(f"nothing raises what nobody expects: {type(error).__name__}: {error}")

    def later(self, seconds: float, work: Callable[[], Coroutine[Any, Any, None]]) -> None:
        """Let something happen after a while, whoever is dead by then."""

        async def arrive() -> None:
            await asyncio.sleep(seconds)
            await work()

        self.begin(arrive())

    def die(self, life: Life) -> None:
        """Let an instance die where it is, and another take its place after a while."""
        if life.is_dead or self.is_healed:
            return
        life.is_dead, self.deaths = True, self.deaths + 1
        self.note(life, "DIES")
        number, pause_s = int(life.name[1:]) + 1, STEP.get().random.uniform(*_DOWN_S)

        async def restart() -> None:
            self.lives[life.place] = Life(self, life.place, number)
            self.note(self.lives[life.place], "starts")

        self.later(pause_s, restart)

    async def deliver(self, place: int, tool: str, args: Any, facts: PhoneContext) -> ToolResponse | None:
        """Deliver a call to an instance; return its answer, None where there is none in time."""
        life = self.lives[place % len(self.lives)]
        self.calls += 1
        if life.is_dead:
            # Who is not there does not even take the request.
            await asyncio.sleep(1.0)
            return None
        self.note(life, f"is asked for {tool} {args} as {facts.call_id}")
        work = self.begin(life.house.dispatcher.execute_tool(tool, args, premises.BUSINESS, facts))
        await asyncio.wait({work}, timeout=PATIENCE_S)
        if not work.done():
            return None
        response: ToolResponse = work.result()
        failure = response.failure
        self.note(
            life, f"answers {facts.call_id}: {'ok' if failure is None else f'{failure.type}, {failure.message[:80]}'}"
        )
        return response

    async def passes(self, life: Life) -> None:
        """Make what an instance makes every few seconds."""
        for name in _PASSES:
            try:
                await life.house.passes[name](None)
            except StoreError:
                # As the reaper does: the next pass comes in a moment.
                continue

    async def happen(self, act: Callable[[World, Chances], Awaitable[None]]) -> None:
        """Let every step of the plan happen, and then let the world heal."""
        steps = [self._begun(step, act) for step in self.plan.steps]
        passing = self._in(self._pass_chances("passes"), self._keep_passing())
        over = self.begin(self._waited())
        everything = self.begin(_all(steps))
        await asyncio.wait({everything, over}, return_when=asyncio.FIRST_COMPLETED)
        passing.cancel()
        if not self.broken:
            STEP.set(self._pass_chances("healed"))
            await self._heal()

    async def _heal(self) -> None:
        """Let nothing go wrong any more, and the time go by after which everything must have come to its end."""
        self.is_healed = True
        for chances in self._chances:
            chances.is_over = True
        self.note(None, "from here on nothing goes wrong any more")
        await asyncio.sleep(_DOWN_S[1])
        for life in self.lives:
            life.frozen_until, life.clock.ahead = 0.0, timedelta()
        await asyncio.sleep(LEASES_OVER_S)
        await self.finish()

    async def finish(self) -> None:
        """Make passes until everything has come to its end; it is broken where something has not within an hour."""
        until = self.now_s + _HEALS_WITHIN_S
        while not self.broken:
            for life in self.lives:
                await self.passes(life)
            due = await self.next_due()
            if due is None:
                return
            if self.now_s > until:
                self.breaks(f"everything comes to its end: {due[1]} has not, an hour after all was well")
                return
            wait_s = (due[0] - self.clock.now()).total_seconds()
            await asyncio.sleep(min(max(wait_s, PASS_EVERY_S), 900.0))

    async def next_due(self) -> tuple[datetime, str] | None:
        """Return when somebody has to go on with something, and with what; None where everything is at rest."""
        due: list[tuple[datetime, str]] = []
        for collection, field in (("calls", "dueAt"), ("bookings", "leaseUntil"), ("outbox", "dueAt")):
            later = Filter(field, ">=", datetime.min.replace(tzinfo=UTC))
            for document in await self.store.query(Query(collection, (later,), group=True)):
                at = document.data.get(field)
                if isinstance(at, datetime):
                    due.append((at, document.path))
        return min(due, default=None)

    async def _keep_passing(self) -> None:
        for number in range(1_000_000):
            await asyncio.sleep(PASS_EVERY_S)
            # Now and then at one moment, as where a scheduler asks all of them.
            passing = self.lives if number % 3 == 0 else [self.lives[number % len(self.lives)]]
            for life in passing:
                if not life.is_dead:
                    self.begin(self.passes(life))

    async def _waited(self) -> None:
        await self.is_over.wait()

    def _begun(self, step: Step, act: Callable[[World, Chances], Awaitable[None]]) -> asyncio.Task[Any]:
        chances = Chances(step)

        async def happen() -> None:
            await asyncio.sleep(step.at_s)
            await act(self, chances)

        return self._in(chances, happen())

    def _in(self, chances: Chances, work: Coroutine[Any, Any, Any]) -> asyncio.Task[Any]:
        self._chances.append(chances)
        context = contextvars.copy_context()
        context.run(STEP.set, chances)
        return context.run(self.begin, work)

    def _pass_chances(self, name: str) -> Chances:
        faults = self.plan.pass_faults if name == "passes" else ()
        return Chances(Step(0, name, 0.0, f"{self.plan.seed}/{name}", faults))

    def digest(self) -> str:
        """Return a hash of the history, byte for byte."""
        text = hashlib.sha256()
        for line in self.lines:
            text.update(shown(line).encode())
        return text.hexdigest()[:16]


def shown(line: tuple[float, str, int, str | Sequence[Write]]) -> str:
    """Return a line of a history as people read it."""
    at_s, who, step, what = line
    return f"{at_s:9.3f}  {who:<4}{f'#{step}' if step else '':<5}{what if isinstance(what, str) else told(what)}"


async def _all(tasks: Sequence[asyncio.Task[Any]]) -> None:
    if tasks:
        await asyncio.wait(tasks)


@cache
def _configuration() -> Configuration:
    return read_configuration(
        {
            "SWITCHBOARD_EMBEDDINGS": "none",
            "SWITCHBOARD_STORE": "memory",
            "SWITCHBOARD_PUBLIC_URL": "http://127.0.0.1:8080",
            "SWITCHBOARD_SECRETS_KEY": base64.b64encode(bytes(32)).decode(),
            "SWITCHBOARD_SIGNING_KEY": "k" * 32,
        }
    )


async def furnished(has_calendar: bool) -> MemoryStore:
    """Return a store with the published definitions, and the one business."""
    store = MemoryStore(_Standing())
    await seed(store, premises.PATHS, setting_up.ROOT / "seeds", now=BEGINS, only=("tools", "prompts"), out=_nobody)
    documents = await store.query(Query("", group=True))
    only = MemoryStore(_Standing())
    await only.commit([Set(d.path, d.data) for d in documents if not d.path.startswith("businesses/")][:450])
    await only.commit(premises.writes(has_calendar))
    return only


def _nobody(line: str) -> None:
    """Tell nobody what was seeded."""


class _Standing:
    def now(self) -> datetime:
        return BEGINS - timedelta(days=1)

    def monotonic(self) -> float:
        return 0.0
