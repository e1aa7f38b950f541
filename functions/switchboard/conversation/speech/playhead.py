"""How far a voice can have come in what was sent to it, at the very most.

Nobody tells when a word is played. That one cannot have been yet is certain for a while: what is sent waits for what
was sent before it, and no voice speaks faster than this.
"""

from collections.abc import Callable
from datetime import datetime, timedelta

FASTEST_CHARACTERS_PER_S = 25.0
"""Three hundred words a minute. Voices on the phone have half of that (`CHARACTERS_PER_S`), the quickest two thirds."""
HEARD_SHARE = 0.65
"""How much of a question has to be heard: deed, person and day stand before that, and what is asked last is no news."""


class Playhead:
    """What is played of one turn's words, as early as it can be."""

    def __init__(self, now: Callable[[], datetime]) -> None:
        """Begin with silence; `now` tells the time (aware)."""
        self._now = now
        # When the words that were sent last can have begun, and when they can have ended.
        self._begins: datetime | None = None
        self._ends: datetime | None = None

    def add(self, text: str) -> None:
        """Note words that are sent now."""
        now = self._now()
        self._begins = now if self._ends is None else max(now, self._ends)
        self._ends = self._begins + timedelta(seconds=len(text) / FASTEST_CHARACTERS_PER_S)

    def stop(self) -> None:
        """Note that it is quiet, and known by others how much was heard."""
        self._begins = self._ends = None

    def can_have_played(self, question: str, spoke_for_s: float | None = None) -> bool:
        """Tell whether a question, the end of what was sent last, can have been heard as far as an answer needs.

        `spoke_for_s` is how long whoever answers now has been speaking, where that is known: who began before the
        question did does not answer it.
        """
        if self._begins is None or self._ends is None:
            return True
        now, lasts = self._now(), timedelta(seconds=len(question) / FASTEST_CHARACTERS_PER_S)
        if spoke_for_s is not None and now - timedelta(seconds=spoke_for_s) < self._ends - lasts:
            return False
        return now >= self._ends - lasts * (1 - HEARD_SHARE)
