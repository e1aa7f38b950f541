"""Time that stands still or passes slowly, and a connection to the store that can be slow, fail, or be cut for ever."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from functools import partial
from typing import TypeVar

from switchboard.contract.ports import Store
from switchboard.contract.store import Document, Query, Unavailable, Write, WriteResult

_SLOWNESS = 10
_Result = TypeVar("_Result")


@contextmanager
def unhurried() -> Iterator[None]:
    """Let time that is measured pass ten times slower, so that no machine is too slow for a deadline.

    What a scenario comes to then does not depend on what else a machine does; the conversation has a clock of its own.
    It is so in all of the process: one that serves anybody may not do it.
    """
    real, began = time.monotonic, time.monotonic()
    time.monotonic = lambda: began + (real() - began) / _SLOWNESS
    try:
        yield
    finally:
        time.monotonic = real


class StandingClock:
    """A time that stands still until it is moved; what is measured goes on."""

    def __init__(self, moment: datetime) -> None:
        """Begin at an aware moment."""
        self.moment = moment

    def now(self) -> datetime:
        """Return the time."""
        return self.moment

    def monotonic(self) -> float:
        """Return seconds that never run backwards."""
        return asyncio.get_running_loop().time()


class Connection:
    """One process's connection to the store; it can be slow, fail for a while, and be cut for ever.

    Attributes:
        delay_s: How much longer everything takes.
        is_frozen: Nothing is answered, and nothing done.
        loses_answers: What is written is written, and the answer is lost; once for each time that it is set.
    """

    def __init__(self, inner: Store) -> None:
        """Pass everything on."""
        self._inner = inner
        self.delay_s, self.is_frozen, self.is_cut, self.loses_answers = 0.0, False, False, False
        self._is_over = asyncio.Event()

    def end(self) -> None:
        """Let whoever still waits know that nothing comes any more: the run is over."""
        self.is_cut = True
        self._is_over.set()

    async def get(self, path: str) -> Document | None:
        """As the inner store."""
        return await self._asked(partial(self._inner.get, path))

    async def get_many(self, paths: Sequence[str]) -> list[Document | None]:
        """As the inner store."""
        return await self._asked(partial(self._inner.get_many, paths))

    async def query(self, query: Query) -> list[Document]:
        """As the inner store."""
        return await self._asked(partial(self._inner.query, query))

    async def count(self, query: Query) -> int:
        """As the inner store."""
        return await self._asked(partial(self._inner.count, query))

    async def commit(self, writes: Sequence[Write]) -> list[WriteResult]:
        """As the inner store; the answer may be lost."""
        results = await self._asked(partial(self._inner.commit, writes))
        if self.loses_answers:
            self.loses_answers = False
            raise Unavailable("the connection was lost before the answer came")
        return results

    async def warm(self) -> None:
        """As the inner store."""
        await self._asked(self._inner.warm)

    async def close(self) -> None:
        """Leave the inner store to the others."""

    async def _asked(self, ask: Callable[[], Awaitable[_Result]]) -> _Result:
        if self.is_cut:
            # A process that is dead does not even notice.
            await self._is_over.wait()
            raise Unavailable("the run is over")
        if self.is_frozen:
            raise Unavailable("no answer in time")
        if self.delay_s:
            await asyncio.sleep(self.delay_s)
        return await ask()
