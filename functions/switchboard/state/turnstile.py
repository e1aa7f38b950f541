"""How many requests go to the store at once, and how long the others wait for their turn.

A hundred callers in one instant are a queue, not an outage: each request's own time-out starts when it is sent, and
whoever waits goes on waiting as long as answers keep coming. Only when none has come for the whole of somebody's
patience is the store taken to be away, and then for everybody who waits.
"""

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from switchboard.contract.deadline import bounded
from switchboard.contract.store import Unavailable

# Measured on the emulator with two cores: more at once are not answered sooner, only later each.
PLACES = 24


class Turnstile:
    """Lets `places` requests go at once."""

    def __init__(self, places: int = PLACES) -> None:
        self._places = asyncio.Semaphore(places)
        self._last_answer = time.monotonic()

    def answered(self) -> None:
        """Note that the store has answered somebody."""
        self._last_answer = time.monotonic()

    @asynccontextmanager
    async def turn(self, patience_s: float) -> AsyncIterator[None]:
        """Wait for a place and hold it.

        Raises:
            Unavailable: The call's deadline has come, or the store has answered nobody for `patience_s`.
        """
        if self._places.locked():
            await self._wait(patience_s)
        else:
            await self._places.acquire()
        try:
            yield
        finally:
            self._places.release()

    async def _wait(self, patience_s: float) -> None:
        since = time.monotonic()
        while True:
            allowed_s = bounded(patience_s)
            try:
                async with asyncio.timeout(allowed_s):
                    await self._places.acquire()
                    return
            except TimeoutError:
                silent_s = time.monotonic() - max(since, self._last_answer)
                if allowed_s < patience_s or silent_s >= patience_s:
                    raise Unavailable("the store is answering too slowly to wait for a turn") from None
