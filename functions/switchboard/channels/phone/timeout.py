"""Answers in time: whatever fails or hangs inside, whoever waits gets something to say."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Coroutine, Hashable
from typing import Any

from switchboard.contract.error import ToolError
from switchboard.contract.store import StoreError

log = logging.getLogger(__name__)


async def in_time(work: Awaitable[str], within_s: float, otherwise: Callable[[], str]) -> str:
    """Return what the work returns; what `otherwise` does when it fails or takes too long."""
    task = asyncio.ensure_future(work)
    try:
        await asyncio.wait({task}, timeout=within_s)
    finally:
        if not task.done():
            task.cancel()
    if not task.done() or task.cancelled():
        log.error("a webhook took too long")
        return otherwise()
    error = task.exception()
    if error is None:
        return task.result()
    if isinstance(error, StoreError | ToolError):
        log.error("a webhook failed", extra={"reason": type(error).__name__, "pii.detail": str(error)})
    else:
        log.error("a webhook failed unexpectedly", exc_info=error)
    return otherwise()


class Flights:
    """Work under way, by key: who asks for the same meanwhile waits for it, with a store or without one."""

    def __init__(self) -> None:
        """Start with none."""
        self._flights: dict[Hashable, asyncio.Task[str]] = {}

    async def join(self, key: Hashable, work: Callable[[], Coroutine[Any, Any, str]]) -> str:
        """Return what the work for a key returns, beginning it if nobody has."""
        flight = self._flights.get(key)
        if flight is None:
            flight = self._flights[key] = asyncio.create_task(work())
            flight.add_done_callback(lambda _: self._flights.pop(key, None))
        # Shielded: one who hangs up must not take the answer away from the others.
        return await asyncio.shield(flight)
