"""Whether the store is away, as far as a process has seen: what nothing can record is not offered."""

import asyncio
import time
from typing import Any

import pytest
from prometheus_client import CollectorRegistry

from switchboard.contract.store import Query, Set, Stale, Unavailable, Unsent
from switchboard.state import measured
from switchboard.state.measured import MeasuredStore
from switchboard.state.memory.store import MemoryStore

pytestmark = pytest.mark.requirement("004-2204")


class Silent(MemoryStore):
    """A store that answers once it is let, or fails as it is told."""

    def __init__(self) -> None:
        super().__init__()
        self.answers, self.error = asyncio.Event(), None
        self.answers.set()

    async def get(self, path: str) -> Any:
        await self.answers.wait()
        if self.error is not None:
            raise self.error
        return await super().get(path)

    async def query(self, query: Query) -> Any:
        await self.answers.wait()
        return await super().query(query)


@pytest.fixture
def inner() -> Silent:
    return Silent()


@pytest.fixture
def store(inner: Silent, monkeypatch: pytest.MonkeyPatch) -> MeasuredStore:
    """One that is late when it has been silent for some hundredths of a second."""
    monkeypatch.setattr(measured, "_LATE_S", 0.05)
    return MeasuredStore(inner, CollectorRegistry())


async def test_a_store_that_answers_is_there_also_where_it_refuses(store: MeasuredStore, inner: Silent) -> None:
    """And one that nobody has asked yet."""
    assert not store.is_away
    await store.commit([Set("a/b", {})])
    inner.error = Stale("changed")
    with pytest.raises(Stale):
        await store.get("a/b")
    assert not store.is_away


async def test_what_was_never_sent_tells_nothing_of_it(store: MeasuredStore, inner: Silent) -> None:
    """Whoever had no time left to ask leaves it as it was: there, or away."""
    for was_away in (False, True):
        if was_away:
            inner.error = Unavailable("hangs")
            with pytest.raises(Unavailable):
                await store.get("a/b")
        inner.error = Unsent("no time left")
        with pytest.raises(Unsent):
            await store.get("a/b")
        assert store.is_away is was_away


async def test_one_that_did_not_answer_is_away_until_it_does(
    store: MeasuredStore, inner: Silent, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Or until that is long ago."""
    inner.error = Unavailable("hangs")
    with pytest.raises(Unavailable):
        await store.get("a/b")
    assert store.is_away
    monkeypatch.setattr(measured, "_AWAY_S", 0.0)
    assert not store.is_away
    monkeypatch.setattr(measured, "_AWAY_S", 30.0)
    inner.error = None
    await store.get("a/b")
    assert not store.is_away


async def test_one_that_is_silent_is_away_before_anybody_gives_up(store: MeasuredStore, inner: Silent) -> None:
    """And after they have; while others are answered, one slow operation says nothing."""
    inner.answers.clear()
    waiting = asyncio.create_task(store.get("a/b"))
    began = time.monotonic()
    while not store.is_away:
        assert time.monotonic() - began < 60
        await asyncio.sleep(0.01)
    waiting.cancel()
    await asyncio.gather(waiting, return_exceptions=True)
    assert store.is_away
    other = asyncio.create_task(store.get("a/c"))
    await store.commit([Set("a/b", {})])
    assert not store.is_away
    inner.answers.set()
    await other


async def test_what_reads_many_documents_may_take_its_time(store: MeasuredStore, inner: Silent) -> None:
    """An owner's export says nothing of a caller's message."""
    inner.answers.clear()
    reading = asyncio.create_task(store.query(Query("a")))
    await asyncio.sleep(0.1)
    assert not store.is_away
    inner.answers.set()
    await reading
