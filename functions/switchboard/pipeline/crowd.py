"""RATE_LIMIT: one business has as many calls under way in this instance as it may; the others must not wait for it.

Asked before anything is read or recorded, so that a refused call costs nothing and may come again under its own id.
Everything happens in the event loop, where between two awaits nobody else runs: counts need no lock.
"""

from collections.abc import Awaitable
from types import TracebackType
from typing import TypeVar

from switchboard.contract.error import ErrorType, Refused
from switchboard.contract.policy import CALLS_AT_ONCE

T = TypeVar("T")


class Crowd:
    """How many calls each business has under way in this instance; one that has none takes no memory."""

    def __init__(self, at_once: int = CALLS_AT_ONCE) -> None:
        """Start with nobody inside; `at_once` is how many calls of one business may be."""
        self._at_once = at_once
        self._inside: dict[str, int] = {}

    def inside(self, business_id: str) -> int:
        """Return how many calls of a business are under way."""
        return self._inside.get(business_id, 0)

    def place(self, business_id: str) -> "Place":
        """Return a call's place, to be entered with `with`; nothing is taken before that."""
        return Place(self._inside, business_id, self._at_once)


class Place:
    """One call's place among those of its business: taken while anybody inside a `with` works on the call."""

    __slots__ = ("_at_once", "_business_id", "_holders", "_inside", "_is_let_in")

    def __init__(self, inside: dict[str, int], business_id: str, at_once: int) -> None:
        """Made by `Crowd.place`."""
        self._inside, self._business_id, self._at_once = inside, business_id, at_once
        self._holders = 0
        self._is_let_in = False

    def __enter__(self) -> "Place":
        """Take the place, or join those who hold it.

        Raises:
            Refused: RATE_LIMIT, retryable; the business has no place left.
        """
        if not self._holders:
            inside = self._inside.get(self._business_id, 0)
            # A call that was let in once is under way, whatever happens to its caller: it is never refused again.
            if inside >= self._at_once and not self._is_let_in:
                raise Refused(
                    ErrorType.RATE_LIMIT,
                    f"This business has {inside} tool calls under way, as many as it may; nothing was done. Wait a "
                    "second and make the same call again; if that does not work either, answer without it or offer to "
                    "take a message.",
                    retryable=True,
                )
            self._inside[self._business_id] = inside + 1
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
        left = self._inside[self._business_id] - 1
        if left:
            self._inside[self._business_id] = left
        else:
            del self._inside[self._business_id]

    async def kept(self, work: Awaitable[T]) -> T:
        """Do work that may outlive whoever waits for it, and keep the place until it ends."""
        with self:
            return await work
