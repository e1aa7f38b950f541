"""What stands between a model's words and the caller's ear."""

from collections.abc import Callable, Collection
from enum import StrEnum
from typing import Final, Protocol

from switchboard.contract.business.working_hours import Opening
from switchboard.contract.python.dataclass import dataclass

HELD_NOTES: Final = ("You were about to say", "The caller has not heard this")
"""How the notes to a model begin that quote what was held: nothing in them is known."""


class HeldSubject(StrEnum):
    """What a sentence was about that told no deed."""

    HOURS = "hours"
    PRICE = "price"
    FREE = "free"
    PROMISE = "promise"


@dataclass(frozen=True, slots=True)
class HeldFact:
    """What a sentence told otherwise than it is, and what is known of it.

    Attributes:
        subject: What it was about.
        closed: The weekday, from Monday, 0, on, on which the business is never open; None where it was not that.
        openings: When it is open, where that is one answer.
        service: What was priced, where that is one service, as the business calls it.
        price: What it costs, as the business's list words it.
    """

    subject: HeldSubject
    closed: int | None = None
    openings: tuple[Opening, ...] = ()
    service: str = ""
    price: str = ""


class Unfounded(Exception):
    """A sentence claims what no receipt of this conversation bears out; nothing of it has been released.

    Attributes:
        sentence: What was about to be said.
        correction: For the model: what is known instead, and what it may say.
        fact: What it told wrongly, where it was no deed; None of any other.
    """

    def __init__(
        self,
        sentence: str,
        correction: str,
        are_about: Callable[[Collection[str]], bool] | None = None,
        fact: HeldFact | None = None,
    ) -> None:
        """Keep them all; `are_about` tells of calls that act whether they are what the sentence is about."""
        super().__init__(sentence)
        self.sentence = sentence
        self.correction = correction
        self.fact = fact
        self._are_about = are_about

    @property
    def leads_to_calls(self) -> bool:
        """Whether calls that act may be what the sentence is about."""
        return self._are_about is not None

    def may_run(self, acting: Collection[str]) -> bool:
        """Tell whether calls of the same answer may be made, of which these act; looking something up always may."""
        return self._are_about(acting) if self._are_about is not None else not acting


class SpeechGuard(Protocol):
    """Holds back what must not be said; made anew for every answer of a model."""

    @property
    def has_left_out(self) -> bool:
        """Whether an announcement was left to the call that follows it."""

    def feed(self, text: str) -> str:
        """Take a piece and return what may be said now, which may be nothing, or more than the piece.

        Raises:
            Unfounded: The sentence that was being held back must not be said.
        """

    def rest(self, calls: Collection[str] = ()) -> str:
        """Return what is left at the end of the answer, which calls these tools.

        Raises:
            Unfounded: It must not be said.
        """


class Unguarded:
    """Lets everything through, for a conversation whose tools claim nothing."""

    has_left_out: bool = False

    def feed(self, text: str) -> str:
        """Return the piece."""
        return text

    def rest(self, calls: Collection[str] = ()) -> str:
        """Return nothing: nothing is held back."""
        return ""
