"""How long the steps of one human turn took, as they were measured: what nobody has measured is not in it.

Carried beside the turn like its trace, so that whatever is done for it may add its step: also what a turn begins in
tasks of its own. It names tools and calls, and never an argument, a result or a person.
"""

import time
from contextvars import ContextVar
from dataclasses import field
from datetime import datetime
from enum import StrEnum
from typing import Any, Final

from switchboard.contract.json import JsonObject
from switchboard.contract.python.dataclass import dataclass

MOST_STEPS: Final = 40
"""So many steps of a turn are kept, the first ones; of the rest, how many there were."""


class StepKind(StrEnum):
    """What a step is."""

    LISTENING = "listening"
    MODEL = "model"
    TOOL = "tool"
    STORE = "store"
    SPEECH = "speech"


@dataclass(slots=True)
class TurnTimes:
    """The steps of one turn.

    Attributes:
        turn: Its number.
        at: When it began, which is when what was heard had come (aware, UTC).
        channel: Where.
        began: The same by the monotonic clock, in seconds.
        steps: As they stand in the conversation's record: `{kind, startMs, ms}`, some with more.
        left_out: How many more there were.
    """

    turn: int
    at: datetime
    channel: str
    began: float = field(default_factory=time.monotonic)
    steps: list[JsonObject] = field(default_factory=list)
    left_out: int = 0
    _speech: JsonObject | None = None

    def note(self, kind: StepKind, began: float, ended: float, **more: Any) -> None:
        """Add a step by when it began and ended on the monotonic clock; `more` is stored beside it."""
        self._add({"kind": kind.value, "startMs": self._ms(began), "ms": round((ended - began) * 1000, 1), **more})

    def spoke(self) -> None:
        """Note that a word was passed on to the channel just now: speech lasts from the first to the last of them."""
        now = time.monotonic()
        if self._speech is None:
            self._speech = {"kind": StepKind.SPEECH.value, "startMs": self._ms(now), "ms": 0.0}
        self._speech["ms"] = round(self._ms(now) - self._speech["startMs"], 1)

    def document(self) -> JsonObject | None:
        """Return them as they stand in the conversation's record, in the order of their beginning; None without any."""
        steps = [*self.steps, *([dict(self._speech)] if self._speech is not None else [])]
        if not steps:
            return None
        steps.sort(key=lambda step: step["startMs"])
        where = {"turn": self.turn, "channel": self.channel, "at": self.at}
        return where | {"steps": steps} | ({"leftOut": self.left_out} if self.left_out else {})

    def _add(self, step: JsonObject) -> None:
        if len(self.steps) < MOST_STEPS:
            self.steps.append(step)
        else:
            self.left_out += 1

    def _ms(self, at: float) -> float:
        return round((at - self.began) * 1000, 1)


CURRENT_TURN: Final[ContextVar[TurnTimes | None]] = ContextVar("switchboard_turn_times", default=None)
"""The turn that this task works for; None outside of any."""


def noted(kind: StepKind, began: float, **more: Any) -> None:
    """Add a step that ends now to the turn that this task works for, if there is one."""
    times = CURRENT_TURN.get()
    if times is not None:
        times.note(kind, began, time.monotonic(), **more)
