"""RATE_LIMIT: one business has as many calls under way in this instance as it may; the others must not wait for it.

Asked before anything is read or recorded, so that a refused call costs nothing and may come again under its own id.
Everything happens in the event loop, where between two awaits nobody else runs: counts need no lock.
"""

import asyncio
from collections.abc import Awaitable
from types import TracebackType
from typing import TypeVar

from switchboard.contract.deadline import bounded
from switchboard.contract.error import ErrorType, Refused
from switchboard.contract.policy import CALLS_AT_ONCE, REFUSED_AFTER_S, TURN_WITHIN_S
from switchboard.pipeline.limits.fair_queue import FairQueue, Lane, OwnLane, take_one

T = TypeVar("T")


class Concurrency:
    """How many calls each business has under way in this instance; one that has none takes no memory.

    Attributes:
        lanes: In which they wait for their turns.
    """

    def __init__(self, at_once: int = CALLS_AT_ONCE, lanes: FairQueue | None = None) -> None:
        """Start with nobody inside.

        Args:
            at_once: How many calls of one lane may be, those that wait for their turn included.
            lanes: In which they wait.
        """
        self._at_once = at_once
        self._inside: dict[OwnLane, int] = {}
        self.lanes = lanes or FairQueue()

    def inside(self, business_id: str) -> int:
        """Return how many calls of a business are under way, those that wait for their turn included."""
        return sum(self._inside.get((business_id, lane), 0) for lane in Lane)

    def running(self, business_id: str) -> int:
        """Return how many calls of a business have had their turn and have not ended."""
        return sum(self.lanes.running((business_id, lane)) for lane in Lane)

    def lets_in(self, lane: OwnLane) -> bool:
        """Tell whether a lane may have another call under way."""
        return self._inside.get(lane, 0) < self._at_once

    def enter(self, lane: OwnLane) -> None:
        """Be under way, until `leave`."""
        self._inside[lane] = self._inside.get(lane, 0) + 1

    def leave(self, lane: OwnLane) -> None:
        """Be under way no more."""
        take_one(self._inside, lane)

    def slot(
        self, business_id: str, lane: Lane = Lane.ACTING, *, is_let_in: bool = False, within_s: float = TURN_WITHIN_S
    ) -> "Slot":
        """Return a call's place; nothing is taken before it is entered, by `async with`, or without waiting by `with`.

        Args:
            business_id: Whose call it is.
            lane: Which of its calls it waits for.
            is_let_in: It is made within another: whoever waits for the inner one would hold the place it needs.
            within_s: How long it may wait for its turn; less if the caller's deadline is sooner.
        """
        return Slot(self, (business_id, lane), is_let_in, within_s)


class Slot:
    """One call's place among those of its business: taken while anybody inside a `with` works on the call."""

    __slots__ = ("_concurrency", "_holders", "_is_let_in", "_is_running", "_lane", "_within_s")

    def __init__(self, concurrency: Concurrency, lane: OwnLane, is_let_in: bool, within_s: float) -> None:
        """Made by `Concurrency.slot`."""
        self._concurrency, self._lane, self._within_s = concurrency, lane, within_s
        self._holders = 0
        self._is_let_in, self._is_running = is_let_in, False

    async def __aenter__(self) -> "Slot":
        """Take the place and wait for the call's turn.

        Raises:
            Refused: RATE_LIMIT, retryable; too many are under way, or the turn did not come in time.
        """
        if self._is_let_in:
            return self.__enter__()
        if not self._concurrency.lets_in(self._lane):
            await asyncio.sleep(bounded(REFUSED_AFTER_S))
            raise self._refusal()
        self._concurrency.enter(self._lane)
        self._is_let_in, self._holders = True, 1
        lanes = self._concurrency.lanes
        try:
            self._is_running = lanes.begins_now(self._lane) or await lanes.turn(self._lane, bounded(self._within_s))
        finally:
            if not self._is_running:
                self.__exit__(None, None, None)
        if not self._is_running:
            raise self._refusal()
        return self

    def __enter__(self) -> "Slot":
        """Take the place without waiting, or join those who hold it.

        Raises:
            Refused: RATE_LIMIT, retryable; the business has no place left.
        """
        if not self._holders:
            # A call that was let in once is under way, whatever happens to its caller: it is never refused again.
            if not self._is_let_in and not self._concurrency.lets_in(self._lane):
                raise self._refusal()
            self._concurrency.enter(self._lane)
            self._is_let_in = True
        self._holders += 1
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        """Leave; the last one to leave gives the place back."""
        self._holders -= 1
        if self._holders:
            return
        self._concurrency.leave(self._lane)

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        """Leave; the next one's turn comes, even if an action goes on for which nobody waits any more."""
        if self._is_running:
            self._is_running = False
            self._concurrency.lanes.end(self._lane)
        self.__exit__(kind, error, traceback)

    async def kept(self, work: Awaitable[T]) -> T:
        """Do work that may outlive whoever waits for it, and keep the place until it ends."""
        with self:
            return await work

    def _refusal(self) -> Refused:
        under_way = self._concurrency.inside(self._lane[0])
        return Refused(
            ErrorType.RATE_LIMIT,
            f"This business has {under_way} tool calls under way, as many as it may; nothing was done. Wait a second "
            "and make the same call again; if that does not work either, answer without it.",
            retryable=True,
        )
