"""What a channel gets to hear while a turn is answered, in order; `TurnEnded` is always the last."""

from enum import StrEnum
from typing import TypeAlias

from switchboard.contract.python.dataclass import dataclass
from switchboard.contract.response import Intent, ToolResponse


@dataclass(frozen=True, slots=True)
class Text:
    """Words to be said or shown at once.

    Attributes:
        text: A piece; pieces of one turn are joined without anything between them.
        is_filler: Whether it only bridges a wait, and is no part of the answer: who listens hears it, who reads may be
            shown it until the answer comes.
        is_audible: False once a tool asked for silence: show it, do not speak it.
        is_reported: Whether a visitor's browser tells that a model said it, where the words go past the house.
    """

    text: str
    is_filler: bool = False
    is_audible: bool = True
    is_reported: bool = False


@dataclass(frozen=True, slots=True)
class ToolStarted:
    """A tool was called; `label` says what it does in the caller's language, empty where it has no words for it."""

    call_id: str
    name: str
    label: str = ""


@dataclass(frozen=True, slots=True)
class ToolFinished:
    """A call was answered, however it went."""

    call_id: str
    name: str
    response: ToolResponse
    elapsed_ms: float


@dataclass(frozen=True, slots=True)
class QuestionAsked:
    """The caller is asked to agree, in so many words; `turn` is what a button's answer has to name."""

    question: str
    turn: int
    tool: str


@dataclass(frozen=True, slots=True)
class Effect:
    """A tool asked the channel for an effect."""

    intent: Intent


class TurnOutcome(StrEnum):
    """How a turn ended."""

    ANSWERED = "answered"
    ENDED = "ended"
    TRANSFERRED = "transferred"
    INTERRUPTED = "interrupted"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class TurnEnded:
    """Nothing more is said in this turn; after `ended` and `transferred`, nothing more at all."""

    outcome: TurnOutcome


Event: TypeAlias = Text | ToolStarted | ToolFinished | QuestionAsked | Effect | TurnEnded
