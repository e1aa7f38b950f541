"""A step that holds everybody's conversation up is told, and by whom."""

import asyncio
import logging
import threading
import time
from collections.abc import Callable
from types import SimpleNamespace

import pytest
from prometheus_client import CollectorRegistry
from prometheus_client.samples import Sample

from switchboard.app import loop_watch
from switchboard.app.loop_watch import LoopWatch

pytestmark = pytest.mark.requirement("004-143")
PATIENCE_S = 30.0


def counted(registry: CollectorRegistry) -> list[Sample]:
    return [sample for metric in registry.collect() for sample in metric.samples if sample.name.endswith("_total")]


async def holding_up(work: Callable[[], object]) -> list[Sample]:
    """Do some work in one step of a watched loop, and return what was counted."""
    registry = CollectorRegistry()
    watch = LoopWatch(registry)
    watch.begin()
    await asyncio.sleep(0.1)

    async def talks() -> None:
        work()

    await asyncio.create_task(talks())
    deadline = time.monotonic() + PATIENCE_S
    while not (stalls := counted(registry)) and time.monotonic() < deadline:
        await asyncio.sleep(0.02)
    watch.end()
    return stalls


async def test_a_step_that_waits_is_counted_and_logged_with_its_task(caplog):
    """A library that blocks: the processor has nothing to do meanwhile."""
    with caplog.at_level(logging.WARNING):
        (seen,) = await holding_up(lambda: time.sleep(1.0))
    assert seen.labels["task"].endswith("holding_up.<locals>.talks")
    (told,) = [record for record in caplog.records if record.name == "switchboard.loop_watch"]
    assert told.task == seen.labels["task"]
    assert told.elapsed_ms >= 200


async def test_a_step_within_native_code_is_counted_too():
    """It lets no other thread look before it ends."""
    seen = await holding_up(lambda: sum(range(30_000_000)))
    assert sum(value.value for value in seen) >= 1


async def test_a_process_that_gets_no_processor_held_nobody_up(monkeypatch):
    """An idle instance is frozen between requests: its clock goes on, and it has used nothing."""
    registry = CollectorRegistry()
    watch = LoopWatch(registry)
    watch.begin()
    await asyncio.sleep(0.1)
    assert watch._loop is not None
    watch._loop = None
    await asyncio.sleep(0.2)
    watch._due, watch._looks = time.monotonic() - 60, 1
    watch._turn(asyncio.get_running_loop())
    assert counted(registry) == []
    watch.end()


async def test_short_steps_are_not_told(monkeypatch):
    """Whatever else the machine does: what counts as long is far off here."""
    monkeypatch.setattr(loop_watch, "LONGEST_STEP_S", 60.0)
    registry = CollectorRegistry()
    watch = LoopWatch(registry)
    watch.begin()
    for _ in range(20):
        await asyncio.sleep(0.01)
    watch.end()
    assert counted(registry) == []


@pytest.mark.parametrize(("seconds", "is_told"), [(0.19, False), (0.199, False), (0.201, True), (5.0, True)])
async def test_what_takes_longer_than_200_ms_is_told_and_nothing_else(monkeypatch, seconds, is_told):
    """By a clock that stands still, so that the machine has no say."""
    now = 1_000.0
    monkeypatch.setattr(loop_watch, "time", SimpleNamespace(monotonic=lambda: now, process_time=lambda: 0.0))
    registry = CollectorRegistry()
    watch = LoopWatch(registry)
    loop = asyncio.get_running_loop()
    watch._turn_on(loop)
    assert watch._timer is not None
    watch._timer.cancel()
    now, watch._looks = watch._due + seconds, 3
    watch._turn(loop)
    assert bool(counted(registry)) is is_told


def watchers() -> set[threading.Thread]:
    return {thread for thread in threading.enumerate() if thread.name == "loop watch"}


@pytest.mark.parametrize("times", [1, 3])
async def test_a_loop_is_watched_once(times):
    """By one thread, however often that is asked for; it ends with the watch."""
    others, watch = watchers(), LoopWatch()
    for _ in range(times):
        watch.begin()
    (own,) = watchers() - others
    before = watch._timer
    watch.begin()
    assert watch._timer is before
    watch.end()
    await asyncio.to_thread(own.join, PATIENCE_S)
    assert not own.is_alive()
