"""One instance's connection to the store: it delays, reorders, refuses, contends, loses answers, and ends with it."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from contextvars import ContextVar
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from simulator.plan import OF_STORE, Chances
from switchboard.contract import policy
from switchboard.contract.deadline import bounded
from switchboard.contract.store import Document, Query, StoreError, Unavailable, Update, Write, WriteResult

if TYPE_CHECKING:
    from simulator.world import Life, World

STEP: ContextVar[Chances] = ContextVar("step")
"""Whose chances decide what goes wrong with a request: those of the step in which it is made."""
_QUICK_S, _SPREAD_S, _SLOW_S, _LATE_S = 0.002, 0.02, 0.6, 4.0
# What others change at the same moment: documents that many write, and that are conditioned on.
_CONTENDED = ("/sessions/", "/bookings/", "/outbox/", "/tickets/")
_Result = TypeVar("_Result")


class Connection:
    """A store port for one instance, over the one that all of them share."""

    def __init__(self, world: World, life: Life) -> None:
        """Connect one instance."""
        self._world, self._life, self._inner = world, life, world.store

    async def get(self, path: str) -> Document | None:
        """As the inner store; so do the others."""
        return await self._read("get", partial(self._inner.get, path))

    async def get_many(self, paths: Sequence[str]) -> list[Document | None]:
        return await self._read("get", partial(self._inner.get_many, paths))

    async def query(self, query: Query) -> list[Document]:
        return await self._read("query", partial(self._inner.query, query))

    async def count(self, query: Query) -> int:
        return await self._read("count", partial(self._inner.count, query))

    async def warm(self) -> None:
        """Do nothing: it is connected."""

    async def close(self) -> None:
        """Leave the inner store to the others."""

    async def commit(self, writes: Sequence[Write]) -> list[WriteResult]:
        limit_s = policy.STORE_WRITE_S
        fault, back_s = await self._begun(limit_s)
        writes = list(writes)
        if fault == "refused":
            await self._life.lasts(back_s)
            self._world.note(self._life, f"refused {_named(writes)}")
            raise Unavailable("the store refuses everything at the moment")
        if fault == "late":
            self._world.note(self._life, f"gave up {_named(writes)}, which comes late")
            self._world.later(back_s / _SPREAD_S * _LATE_S, partial(self._arrive_late, writes))
            await self._life.lasts(bounded(limit_s))
            raise Unavailable("no answer in time")
        if fault == "contended":
            await self._touch(writes)
        try:
            results = await self._inner.commit(writes)
        except StoreError as error:
            self._world.note(self._life, f"{type(error).__name__} {_named(writes)}")
            await self._life.lasts(back_s)
            raise
        self._world.committed(self._life, writes)
        if fault == "dies":
            self._world.die(self._life)
        await self._life.lasts(back_s)
        if fault == "lost":
            self._world.note(self._life, f"lost the answer to {_named(writes)}")
            raise Unavailable("the connection was lost before the answer came")
        return results

    async def _begun(self, limit_s: float) -> tuple[str, float]:
        """Let a request go out; return what goes wrong with it, and how long its answer will be on the way."""
        life = self._life
        await life.lasts(0.0)
        fault, share = STEP.get().request(OF_STORE)
        there_s = _QUICK_S + share * _SPREAD_S + (share * _SLOW_S if fault == "slow" else 0.0)
        frozen_s = life.frozen_until - self._world.loop.time()
        if min(frozen_s, 1e9) + there_s > bounded(limit_s):
            await life.lasts(bounded(limit_s))
            raise Unavailable("no answer in time")
        if fault == "dies" and share < 0.5:
            self._world.die(life)
        await life.lasts(max(frozen_s, 0.0) + there_s)
        return fault, _QUICK_S + (1 - share) * _SPREAD_S

    async def _read(self, what: str, ask: Callable[[], Awaitable[_Result]]) -> _Result:
        fault, back_s = await self._begun(policy.STORE_READ_S)
        if fault in ("refused", "lost", "late"):
            self._world.note(self._life, f"refused to {what}")
            await self._life.lasts(back_s)
            raise Unavailable("the store refuses everything at the moment")
        result = await ask()
        if fault == "dies":
            self._world.die(self._life)
        await self._life.lasts(back_s)
        return result

    async def _arrive_late(self, writes: Sequence[Write]) -> None:
        try:
            await self._inner.commit(writes)
        except StoreError as error:
            self._world.note(self._life, f"{type(error).__name__} late {_named(writes)}")
        else:
            self._world.committed(self._life, writes)

    async def _touch(self, writes: Sequence[Write]) -> None:
        """Change a document that a commit is conditioned on, as somebody else would who writes another field of it."""
        for write in writes:
            is_conditioned = isinstance(write, Update) and write.if_update_time is not None
            if is_conditioned and "/calls/" not in write.path and any(part in write.path for part in _CONTENDED):
                document = await self._inner.get(write.path)
                if document is not None:
                    count = document.data.get("touched", 0)
                    await self._inner.commit([Update(write.path, {"touched": count + 1})])
                    self._world.note(self._life, f"somebody changes {write.path}")
                return


def _named(writes: Sequence[Write]) -> str:
    return f"a commit to {writes[0].path}" + (f" and {len(writes) - 1} more" if len(writes) > 1 else "")


def told(writes: Sequence[Write]) -> str:
    """Return a commit as one line of a history: what it does to which document, and where that stands then."""
    words = []
    for write in writes:
        data: dict[str, Any] = getattr(write, "data", {})
        fields = [f"{name}={data[name]}" for name in ("state", "status") if isinstance(data.get(name), str)]
        words.append(" ".join([type(write).__name__.lower(), write.path.partition("/")[2], *fields]))
    return "commits " + "; ".join(words)


async def ever() -> None:
    """Wait for what never comes."""
    await asyncio.get_running_loop().create_future()
