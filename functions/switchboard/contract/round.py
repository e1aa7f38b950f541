"""The look-ups of one answer of a model: they run side by side, the caller waits once for all, and they count so.

What a caller asks in one breath ("how much, when, and is there parking?") is looked up in one breath. The first of them
that is admitted stands for all in the turn's counts; the others are admitted after it, in the model's order.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager


class Round:
    """What the look-ups of one answer share.

    Attributes:
        has_begun: Whether one of them has been counted.
        is_refused: Whether that one did not fit into the turn, so that none of the others does.
        longest_ms: How long the longest of those took that have ended.
    """

    __slots__ = ("_gone", "_news", "has_begun", "is_refused", "longest_ms")

    def __init__(self) -> None:
        """Start with none of them."""
        self.has_begun = self.is_refused = False
        self.longest_ms = 0.0
        self._gone = 0
        self._news = asyncio.Event()

    def begin(self, *, is_refused: bool) -> None:
        """Note that one was counted, and whether it fitted; the others may go."""
        if not self.has_begun:
            self.has_begun, self.is_refused = True, is_refused
            self._tell()

    def leave(self) -> None:
        """Note that one has ended, perhaps before it was counted: then the next stands for the others."""
        self._gone += 1
        self._tell()

    def more_ms(self, elapsed_ms: float) -> float:
        """Return what one that has ended adds to the time that the caller waits for all of them."""
        more = max(elapsed_ms - self.longest_ms, 0.0)
        self.longest_ms += more
        return more

    async def reach(self, place: int) -> None:
        """Wait until the look-up in this place may go: one before it was counted, or none before it will be."""
        while not self.has_begun and self._gone < place:
            await self._news.wait()

    def _tell(self) -> None:
        news, self._news = self._news, asyncio.Event()
        news.set()


class Beside:
    """A look-up's place in its round.

    Attributes:
        round: What it shares with the others.
        place: How many stand before it in the model's answer.
        is_counted: Whether it counts in its turn; the first one does, and stands for the others.
    """

    __slots__ = ("is_counted", "place", "round")

    def __init__(self, round: Round, place: int) -> None:
        """Take a place."""
        self.round, self.place, self.is_counted = round, place, True


@asynccontextmanager
async def in_order(beside: Beside | None) -> AsyncIterator[None]:
    """Hold a look-up back until those before it have been counted; nothing for a call that stands alone."""
    if beside is None:
        yield
        return
    try:
        await beside.round.reach(beside.place)
        beside.is_counted = not beside.round.has_begun
        yield
    finally:
        beside.round.leave()
