"""How many requests go to the store at once, how long the others wait, and when nobody waits any more.

A hundred callers in one instant are a queue, not an outage: each request's own time-out starts when it is sent, and
whoever waits goes on waiting as long as answers keep coming. Only when none has come for the whole of somebody's
patience is the store taken to be away, and then for everybody who waits.

While it is away, one request a second finds out whether it is back; the others fail at once. A call that needs the
store three times then waits once, and its caller does not hear three silences.
"""

import asyncio
import time
from types import TracebackType

from switchboard.contract.deadline import bounded
from switchboard.contract.store import Unsent

# Measured on the emulator with two cores: more at once are not answered sooner, only later each.
PLACES = 24
PROBE_EVERY_S = 1.0


class RequestLimiter:
    """Lets `places` requests go at once."""

    def __init__(self, places: int = PLACES) -> None:
        self._places = asyncio.Semaphore(places)
        self._last_answer = time.monotonic()
        self._next_probe: float | None = None

    def answered(self) -> None:
        """Note that the store has answered somebody."""
        self._last_answer, self._next_probe = time.monotonic(), None

    def unanswered(self, since: float) -> None:
        """Note that a request sent at `since` (monotonic) got no answer; if nobody else got one, the store is away."""
        if self._last_answer < since:
            self._next_probe = time.monotonic() + PROBE_EVERY_S

    def _refuse_while_away(self) -> None:
        if self._next_probe is None:
            return
        now = time.monotonic()
        if now < self._next_probe:
            raise Unsent("the store has answered nobody for a while, and is asked again every second")
        # This one finds out; whoever comes while it waits does not have to.
        self._next_probe = now + PROBE_EVERY_S

    def turn(self, patience_s: float) -> "RequestTurn":
        """Return a block that waits for a place and holds it."""
        return RequestTurn(self, patience_s)

    async def enter(self, patience_s: float) -> None:
        """Wait for a place; see `turn`.

        Raises:
            Unsent: The call's deadline has come, or the store has answered nobody for `patience_s`.
        """
        self._refuse_while_away()
        if self._places.locked():
            await self._wait(patience_s)
        else:
            await self._places.acquire()

    def leave(self) -> None:
        """Leave a place to somebody else."""
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
                    raise Unsent("the store is answering too slowly to wait for a turn") from None


class RequestTurn:
    """Holds one place for a block."""

    __slots__ = ("_limiter", "_patience_s")

    def __init__(self, limiter: RequestLimiter, patience_s: float) -> None:
        """Wait so long at most when the block is entered."""
        self._limiter, self._patience_s = limiter, patience_s

    async def __aenter__(self) -> None:
        await self._limiter.enter(self._patience_s)

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._limiter.leave()
