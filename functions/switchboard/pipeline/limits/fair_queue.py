"""Whose turn it is: a few calls of a business run at once, others wait in its own lanes, which are served in turn.

However many calls one business makes, another's next one waits for no more than one of each lane. Everything happens
in the event loop, where between two awaits nobody else runs: counts need no lock.
"""

import asyncio
from collections import deque
from enum import Enum
from typing import TypeAlias, TypeVar

from switchboard.contract.policy import RUNNING_AT_ONCE, RUNNING_OF_ALL

T = TypeVar("T")


class Lane(Enum):
    """Which of a business's calls wait for each other, and for no others: a lane that is stuck keeps none else back."""

    READING = "reading"
    ACTING = "acting"
    QUEUED = "queued"

    # A call asks for its lane's counts a dozen times, and an enumeration's own hash is worked out in Python.
    __hash__ = object.__hash__


OwnLane: TypeAlias = tuple[str, Lane]
"""A lane of one business."""


class FairQueue:
    """Gives turns to the calls of one process; a lane without calls takes no memory."""

    def __init__(self, running: int = RUNNING_AT_ONCE, running_of_all: int = RUNNING_OF_ALL) -> None:
        """Start with empty lanes.

        Args:
            running: How many calls of one lane may run at once.
            running_of_all: How many calls of all lanes may.
        """
        self._most_running, self._most_of_all = running, running_of_all
        self._running: dict[OwnLane, int] = {}
        # In the order in which they are served; a lane without calls that wait is not there.
        self._waiting: dict[OwnLane, deque[asyncio.Future[bool]]] = {}
        self._begun: set[OwnLane] = set()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._is_round_due = False

    def running(self, lane: OwnLane) -> int:
        """Return how many calls of a lane have had their turn and have not ended."""
        return self._running.get(lane, 0)

    def begins_now(self, lane: OwnLane) -> bool:
        """Begin a call of the lane if it need not wait for its turn; tell whether it has begun, and so has to `end`."""
        loop = asyncio.get_running_loop()
        if loop is not self._loop:
            # What waited in a loop that has ended waits no more.
            self._loop, self._is_round_due = loop, False
            self._waiting.clear()
            self._begun.clear()
        if lane in self._waiting or not self._may_begin(lane):
            return False
        self._begin(lane)
        return True

    async def turn(self, lane: OwnLane, within_s: float) -> bool:
        """Wait until a call of the lane that did not begin at once may, and begin it; tell whether that came in time.

        Whoever has had a turn says when the call has ended, by `end`.
        """
        loop = asyncio.get_running_loop()
        turn: asyncio.Future[bool] = loop.create_future()
        self._waiting.setdefault(lane, deque()).append(turn)
        self._ask_for_round()
        # Its time being up makes no exception, so that it cannot come between a turn and whoever has been given it.
        timer = loop.call_later(within_s, _tell, turn, False)
        try:
            return await turn
        except asyncio.CancelledError:
            if not turn.cancelled() and turn.result():
                self.end(lane)
            raise
        finally:
            timer.cancel()
            if turn.cancelled() or not turn.result():
                self._ask_for_round()

    def end(self, lane: OwnLane) -> None:
        """Let a call that had its turn run no more; whoever waits may."""
        take_one(self._running, lane)
        if self._waiting:
            self._ask_for_round()

    def _begin(self, lane: OwnLane) -> None:
        self._running[lane] = self._running.get(lane, 0) + 1
        self._begun.add(lane)
        self._ask_for_round()

    def _may_begin(self, lane: OwnLane) -> bool:
        """Tell whether a call of a lane may begin now: one in each round of the loop, so that others get theirs."""
        running = self._running.get(lane, 0)
        if lane in self._begun or running >= self._most_running:
            return False
        # Nobody keeps a business out altogether, however long its calls take.
        return not running or sum(self._running.values()) < self._most_of_all

    def _ask_for_round(self) -> None:
        if not self._is_round_due and self._loop is not None:
            self._is_round_due = True
            self._loop.call_soon(self._round, self._loop)

    def _round(self, loop: asyncio.AbstractEventLoop) -> None:
        """Let one call of each lane begin, as far as there is room."""
        if loop is not self._loop:
            return
        self._is_round_due = False
        self._begun.clear()
        for lane, turns in list(self._waiting.items()):
            while turns and turns[0].done():
                turns.popleft()
            has_begun = bool(turns) and self._may_begin(lane)
            if has_begun:
                self._begin(lane)
                turns.popleft().set_result(True)
            if has_begun or not turns:
                # Who has had a turn stands behind the others in the next round.
                del self._waiting[lane]
                if turns:
                    self._waiting[lane] = turns


def take_one(counts: dict[T, int], of: T) -> None:
    """Count one less, and nothing where none is left."""
    left = counts[of] - 1
    if left:
        counts[of] = left
    else:
        del counts[of]


def _tell(turn: "asyncio.Future[bool]", has_begun: bool) -> None:
    if not turn.done():
        turn.set_result(has_begun)
