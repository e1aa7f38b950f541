"""One history, from its plan to what became of it; and the shortest one that fails as a long one did."""

from __future__ import annotations

import asyncio
import gc
import logging
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cache

from simulator.plan import Plan, Step
from simulator.promises import Promises
from simulator.simulated_time import NothingIsDue, SimulatedLoop, simulated
from simulator.world import World, furnished, shown
from switchboard.catalog.definitions.registry import Registry
from switchboard.state.memory.store import MemoryStore


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of a plan.

    Attributes:
        broken: What was promised and is not so; empty where everything is.
        digest: The same for the same history, byte for byte.
        calls: How often a call was delivered.
        deaths: How many instances died.
        lines: The history, where it was asked for.
    """

    plan: Plan
    broken: str
    digest: str
    calls: int
    deaths: int
    lines: tuple[str, ...] = ()

    @property
    def promise(self) -> str:
        """Which promise was broken, whoever's it was."""
        return self.broken.partition(":")[0]


@cache
def _furnished(has_calendar: bool) -> MemoryStore:
    return asyncio.run(furnished(has_calendar))


def happen(plan: Plan, *, is_told: bool = False) -> Outcome:
    """Let a plan happen; the same comes of it each time."""
    store, loop = _furnished(plan.has_calendar), SimulatedLoop()
    asyncio.set_event_loop(loop)
    try:
        with simulated(loop, plan.seed), _undisturbed():
            world = loop.run_until_complete(_happen(plan, loop, store))
            lines = tuple(map(shown, world.lines)) if is_told else ()
            return Outcome(plan, world.broken, world.digest(), world.calls, world.deaths, lines)
    finally:
        asyncio.set_event_loop(None)
        loop.close()


async def _happen(plan: Plan, loop: SimulatedLoop, store: MemoryStore) -> World:
    world = World(plan, loop, store)
    promises = Promises(world)
    try:
        await world.happen(promises.callers.act)
        if not world.broken:
            await promises.at_the_end()
    except NothingIsDue as problem:
        world.breaks(f"nobody waits for ever: {problem}")
    return world


@contextmanager
def _undisturbed() -> Iterator[None]:
    """Log nothing, read no file twice, and let nothing that is dead be cleared away before the history is over."""
    before, load = logging.root.manager.disable, Registry.load
    logging.disable(logging.CRITICAL)
    gc.disable()
    Registry.load = _registry  # type: ignore[method-assign]
    try:
        yield
    finally:
        Registry.load = load  # type: ignore[method-assign]
        gc.enable()
        logging.disable(before)


# Every instance reads the same file as it begins.
_registry = cache(Registry.load)


def shortest(outcome: Outcome) -> Outcome:
    """Return the outcome of the shortest plan that breaks the same promise, as far as leaving things out leads there.

    Steps are left out in ever smaller parts, then what goes wrong in those that are left, and then instances.
    """
    best = outcome

    def fails(plan: Plan) -> bool:
        nonlocal best
        tried = happen(plan)
        if tried.promise != outcome.promise:
            return False
        best = tried
        return True

    steps = _reduced(best.plan.steps, lambda some: fails(replace(best.plan, steps=tuple(some))))
    _reduced(best.plan.pass_faults, lambda some: fails(replace(best.plan, pass_faults=tuple(some))))
    for step in steps:
        _reduced(step.faults, lambda some, step=step: fails(_with(best.plan, replace(step, faults=tuple(some)))))  # type: ignore[misc]
    while best.plan.instances > 1 and fails(replace(best.plan, instances=best.plan.instances - 1)):
        pass
    return happen(best.plan, is_told=True)


def _with(plan: Plan, step: Step) -> Plan:
    return replace(plan, steps=tuple(step if step.number == other.number else other for other in plan.steps))


def _reduced(whole: Sequence, fails: Callable[[Sequence], bool]) -> list:  # type: ignore[type-arg]
    """Return a part of a sequence that fails and of which nothing can be left out (Zeller's ddmin)."""
    current, size = list(whole), len(whole)
    if current and fails([]):
        return []
    while current:
        size = max(1, size // 2) if size > len(current) // 2 or size > 1 else 1
        parts = [current[at : at + size] for at in range(0, len(current), size)]
        for number, _ in enumerate(parts):
            rest = [item for other, part in enumerate(parts) for item in part if other != number]
            if len(rest) < len(current) and fails(rest):
                current = rest
                break
        else:
            if size == 1:
                return current
            size //= 2
    return current
