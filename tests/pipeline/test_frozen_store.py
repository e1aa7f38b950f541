"""A store that stands still in the middle of an action and goes on seconds later: nothing is done that nobody knows."""

import asyncio
from contextlib import ExitStack
from typing import Any

import pytest

from switchboard.contract import policy
from switchboard.contract.store import Set
from switchboard.state.firestore.store import FirestoreStore
from tests.pipeline.conftest import BUSINESS, PATHS, Instance
from tests.pipeline.planted import done
from tests.state.conftest import own_emulator
from tests.state.test_outages import frozen

__all__ = ["own_emulator"]
pytestmark = [pytest.mark.emulator, pytest.mark.requirement("004-2101")]


class Stopping:
    """Stops its emulator before one of the commits that are made through it, until it is told to go on."""

    def __init__(self, store: FirestoreStore, running: Any) -> None:
        self._store, self._running = store, running
        self.left: int | None = None
        self.stopped = ExitStack()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._store, name)

    async def commit(self, writes: Any) -> Any:
        if self.left == 0:
            self.stopped.enter_context(frozen(self._running))
        self.left = None if self.left in (None, 0) else self.left - 1
        return await self._store.commit(writes)


@pytest.fixture
async def store(own_emulator: Any, monkeypatch: pytest.MonkeyPatch) -> Any:
    """A store over an emulator that may be stopped, which knows the business."""
    for name in ("STORE_READ_S", "STORE_FIRST_CALL_S"):
        monkeypatch.setattr(policy, name, 30.0)
    found = FirestoreStore("demo-frozen", emulator_host=own_emulator.host)
    await found.warm()
    monkeypatch.setattr(policy, "STORE_WRITE_S", 30.0)
    await found.commit([Set(PATHS.within(BUSINESS).business, {"name": "Salon", "timezone": "UTC"})])
    stopping = Stopping(found, own_emulator)
    yield stopping
    stopping.stopped.close()
    await found.close()


@pytest.mark.parametrize(
    ("tool", "commits", "is_known"),
    [("act", 0, False), ("act_again", 0, False), ("act", 1, False), ("act", 2, True), ("act_again", 1, True)],
)
async def test_what_is_told_while_the_store_stands_still_holds_when_it_goes_on(
    store: Any, clock: Any, monkeypatch: pytest.MonkeyPatch, tool: str, commits: int, is_known: bool
) -> None:
    """What was not begun is not known, and is not done, whoever makes the passes; what was done is told as done."""
    first, second = Instance(store, clock), Instance(store, clock)
    session = f"s.{tool}.{commits}"
    assert (await first.call("look", session_id=session)).ok
    monkeypatch.setattr(policy, "STORE_WRITE_S", 0.3)
    monkeypatch.setattr(policy, "STORE_READ_S", 0.3)
    store.left = commits
    answer = await first.call(tool, {"what": "x"}, session_id=session, call_id="c1")
    assert answer.ok is is_known
    assert is_known or answer.failure.partial_side_effects
    keeping = asyncio.create_task(first.dispatcher.keep_cleared_up())
    # It finds the store away once, before that goes on.
    await asyncio.sleep(1.2)
    monkeypatch.setattr(policy, "STORE_WRITE_S", 30.0)
    monkeypatch.setattr(policy, "STORE_READ_S", 30.0)
    store.stopped.close()
    async with asyncio.timeout(60):
        while first.dispatcher._unsettled._left.is_set():
            await asyncio.sleep(0.05)
            clock.wait(0.5)
    keeping.cancel()
    clock.wait(policy.CALL_LEASE_S + 1)
    assert await second.dispatcher.recover() == 0
    assert len(done) == is_known
