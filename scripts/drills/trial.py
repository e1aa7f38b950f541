"""One booking whose server is killed: where, how it is recovered, and what came of it."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from drills import premises
from drills.callers import Answer
from drills.crashing_store import ADMISSION, CLAIM, LOOK, SETTLEMENT, TAKE_OVER

POINTS = {
    "before admission": (ADMISSION, True),
    "after admission": (ADMISSION, False),
    "in the handler, before it looks": (LOOK, True),
    "in the handler, before the claim": (CLAIM, True),
    "in the handler, after the claim": (CLAIM, False),
    "before settlement": (SETTLEMENT, True),
    "after settlement, before the answer": (SETTLEMENT, False),
}
# Where whoever takes over is killed in turn: all but the steps that a taken-over call does not come to.
SECOND_POINTS = (
    *((step, before) for step in (TAKE_OVER, LOOK, SETTLEMENT) for before in (True, False)),
    (CLAIM, True),
    (CLAIM, False),
)
REDELIVERY, REAPER, TWO, RIVAL, SECOND = "redelivery", "reaper", "two at once", "rival", "killed again"
RECOVERIES = (REDELIVERY, REAPER, TWO, RIVAL, SECOND)

# Real ones are fifteen times as long: then a drill would mostly wait.
LEASE_S, REAPER_S = 2.0, 0.5
# Above every other trial's number.
_SECOND_TRIES = 5_000


@dataclass
class Trial:
    """One booking whose server is killed at a point, and how it is recovered.

    Attributes:
        number: Tells trials, and thereby times and names, apart.
        second: Where the server that takes over is killed.
        is_second_try: Whether it stands in for one whose server was not killed.
        killed: How many servers died as they were to.
        answers: The final answers that the caller got.
        rival: The final answer that the rival got.
        was_left: Whether the reaper had not brought it to its end when patience was over.
        settled_s: From the first kill until the call was brought to its end.
        stuck_s: The same from the last kill.
    """

    number: int
    point: str
    recovery: str
    start: datetime
    second: tuple[str, bool]
    is_second_try: bool = False
    killed: int = 0
    answers: list[Answer] = field(default_factory=list)
    rival: Answer | None = None
    was_left: bool = False
    settled_s: float = 0.0
    stuck_s: float = 0.0

    def once_more(self) -> Trial:
        """Return the same with another call, for a time that nobody else wants: between those of two trials."""
        later = self.start + timedelta(minutes=premises.MINUTES)
        return Trial(self.number + _SECOND_TRIES, self.point, self.recovery, later, self.second, is_second_try=True)

    @property
    def body(self) -> dict[str, Any]:
        """The caller's request."""
        return premises.booking(f"{self.number}", self.start, phone=f"+1518555{self.number:04}")

    @property
    def rival_body(self) -> dict[str, Any]:
        """The request of another caller who wants the same time."""
        return premises.booking(f"{self.number}-rival", self.start, phone=f"+1518556{self.number:04}")

    def __str__(self) -> str:
        step, before = self.second
        again = f" ({'before' if before else 'after'} {step})" if self.recovery == SECOND else ""
        return f"{self.number}: killed {self.point}, {self.recovery}{again}"

    @property
    def is_lost(self) -> bool:
        """Whether nobody can know of the call: its server died before it was recorded, and nobody asks again."""
        return self.recovery == REAPER and self.point == "before admission"
