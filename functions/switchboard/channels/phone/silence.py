"""How long a caller on the relay has said nothing: nobody there tells that, but the clock."""

import time
from collections.abc import Callable


class Silence:
    """The silence behind what was heard and said last.

    Attributes:
        is_asked: Whether the caller was asked in it whether they are there.
    """

    def __init__(self, characters_per_s: Callable[[], float]) -> None:
        """Begin now; it begins behind what is still being spoken, at a voice's usual speed."""
        self._characters_per_s = characters_per_s
        self._since = time.monotonic()
        self.is_asked = False

    def said(self, words: str) -> None:
        """Note words that are spoken behind those before them."""
        self._since = max(self._since, time.monotonic()) + len(words) / self._characters_per_s()

    def broken(self) -> None:
        """Begin anew: the caller was heard, and what was spoken is broken off."""
        self._since, self.is_asked = time.monotonic(), False

    def put_off(self) -> None:
        """Begin behind now at the soonest: it is not the caller who is waited for."""
        self._since = max(self._since, time.monotonic())

    def left_s(self, lasts_s: float) -> float:
        """Return how long it may last, of so many seconds that it may; 0 where that is over."""
        return max(0.0, self._since + lasts_s - time.monotonic())
