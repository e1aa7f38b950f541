"""RATE_LIMIT: one business has as many calls under way in this instance as it may; the others must not wait for it.

Asked before anything is read or recorded, so that a refused call costs nothing and may come again under its own id.
Everything happens in the event loop, where between two awaits nobody else runs: counts need no lock.
"""

from collections.abc import Awaitable, Collection
from types import TracebackType
from typing import Protocol, TypeVar

from switchboard.contract.error import ErrorType, Refused
from switchboard.contract.policy import CALLS_AT_ONCE

T = TypeVar("T")


class Passing(Protocol):
    """A call that is under way without having taken a place."""

    @property
    def business_id(self) -> str:
        """Whose call it is."""


class Crowd:
    """How many calls each business has under way in this instance; one that has none takes no memory."""

    def __init__(self, passing: Collection[Passing] = (), at_once: int = CALLS_AT_ONCE) -> None:
        """Start with nobody inside.

        Args:
            passing: The calls that are under way without having taken a place, of every business.
            at_once: How many calls of one business may be.
        """
        self._passing, self._at_once = passing, at_once
        self._inside: dict[str, int] = {}

    def inside(self, business_id: str) -> int:
        """Return how many calls of a business are under way."""
        return self._inside.get(business_id, 0) + sum(call.business_id == business_id for call in self._passing)

    def has_room(self, business_id: str) -> bool:
        """Tell whether a business may have another call under way; when in doubt, it may not."""
        return self._inside.get(business_id, 0) + len(self._passing) < self._at_once

    def lets_in(self, business_id: str) -> bool:
        """Tell whether a business may have another call under way."""
        return self.has_room(business_id) or self.inside(business_id) < self._at_once

    def enter(self, business_id: str) -> None:
        """Take a place, which `leave` gives back."""
        self._inside[business_id] = self._inside.get(business_id, 0) + 1

    def leave(self, business_id: str) -> None:
        """Give back a place."""
        left = self._inside[business_id] - 1
        if left:
            self._inside[business_id] = left
        else:
            del self._inside[business_id]

    def place(self, business_id: str, *, is_let_in: bool = False) -> "Place":
        """Return a call's place, to be entered with `with`; nothing is taken before that.

        A call `is_let_in` that is made within another: whoever waits for the inner one would hold the place it needs.
        """
        return Place(self, business_id, is_let_in)


class Place:
    """One call's place among those of its business: taken while anybody inside a `with` works on the call."""

    __slots__ = ("_business_id", "_crowd", "_holders", "_is_let_in")

    def __init__(self, crowd: Crowd, business_id: str, is_let_in: bool) -> None:
        """Made by `Crowd.place`."""
        self._crowd, self._business_id = crowd, business_id
        self._holders = 0
        self._is_let_in = is_let_in

    def __enter__(self) -> "Place":
        """Take the place, or join those who hold it.

        Raises:
            Refused: RATE_LIMIT, retryable; the business has no place left.
        """
        if not self._holders:
            # A call that was let in once is under way, whatever happens to its caller: it is never refused again.
            if not self._is_let_in and not self._crowd.lets_in(self._business_id):
                raise Refused(
                    ErrorType.RATE_LIMIT,
                    f"This business has {self._crowd.inside(self._business_id)} tool calls under way, as many as it "
                    "may; nothing was done. Wait a second and make the same call again; if that does not work either, "
                    "answer without it or offer to take a message.",
                    retryable=True,
                )
            self._crowd.enter(self._business_id)
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
        self._crowd.leave(self._business_id)

    async def kept(self, work: Awaitable[T]) -> T:
        """Do work that may outlive whoever waits for it, and keep the place until it ends."""
        with self:
            return await work
