"""Simulated time: nobody waits, and nothing is left to chance."""

import asyncio
import importlib
import os
import time
import uuid

import pytest

from simulator.simulated_time import BEGINS, NothingIsDue, SimulatedClock, SimulatedLoop, simulated


def happening(work, seed: str = "1"):
    """Return what comes of some work in a simulated loop, and how much of its time went by."""
    loop = SimulatedLoop()
    with simulated(loop, seed):
        began = loop.time()
        result = loop.run_until_complete(work(loop))
        took = loop.time() - began
    loop.close()
    return result, took


def test_an_hour_is_over_at_once_and_everything_that_tells_the_time_says_so():
    async def wait(loop: SimulatedLoop) -> tuple[float, float]:
        clock, began = SimulatedClock(loop), time.monotonic()
        await asyncio.sleep(3_600)
        return time.monotonic() - began, (clock.now() - BEGINS).total_seconds()

    (monotonic, shown), took = happening(wait)
    assert monotonic == shown == pytest.approx(took) == pytest.approx(3_600)


def test_what_is_random_is_a_function_of_the_seed_and_random_again_afterwards():
    async def draw(loop: SimulatedLoop) -> str:
        return uuid.uuid4().hex + os.urandom(4).hex()

    assert happening(draw)[0] == happening(draw)[0] != happening(draw, "2")[0]
    assert os.urandom(16) != os.urandom(16)


def test_who_waits_for_what_never_comes_is_told_so():
    """A history that hangs is a failure like others, and takes no time."""

    async def hang(loop: SimulatedLoop) -> None:
        await loop.create_future()

    loop = SimulatedLoop()
    with simulated(loop, "1"), pytest.raises(NothingIsDue):
        loop.run_until_complete(hang(loop))
    loop.close()


def test_what_is_given_to_a_thread_is_done_in_its_place():
    async def ask(loop: SimulatedLoop) -> int:
        return await asyncio.to_thread(lambda: 7)

    assert happening(ask) == (7, 0.0)


def test_a_module_that_is_loaded_meanwhile_has_the_real_time_afterwards(tmp_path, monkeypatch):
    """Or whatever waits by it afterwards would wait for ever."""
    (tmp_path / "loaded_meanwhile.py").write_text("from time import monotonic\n")
    monkeypatch.syspath_prepend(tmp_path)
    loop = SimulatedLoop()
    with simulated(loop, "1"):
        meanwhile = importlib.import_module("loaded_meanwhile")
        assert meanwhile.monotonic() == loop.time()
    loop.close()
    assert meanwhile.monotonic is time.monotonic
