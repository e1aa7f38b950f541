"""What a human did in their turn: spoke or typed, pressed keys, or clicked a button."""

from switchboard.contract.python.dataclass import dataclass
from switchboard.pipeline.confirmation.consent import Reply, Said, clicked, pressed

_UNSAID = "[The caller has written nothing since. Answer what they wrote last, which nobody has answered.]"


@dataclass(frozen=True, slots=True)
class Utterance:
    """One of text, digits and button.

    Attributes:
        text: What was said or typed.
        digits: Keys of the phone.
        button: `yes` or `no`.
        question: For a button: the turn under whose question it stands.
        confidence: For text: how sure the recogniser was of it, from 0 to 1; None where nobody says.
        listened_s: How long it was listened to, where the channel has measured that; else None.
        is_unsaid: Whether the human did nothing: a turn for what they wrote to a person who does not answer any more.
    """

    text: str = ""
    digits: str = ""
    button: str = ""
    question: int | None = None
    confidence: float | None = None
    listened_s: float | None = None
    is_unsaid: bool = False

    @property
    def words(self) -> str:
        """What the model is told that the human did."""
        if self.is_unsaid:
            return _UNSAID
        if self.digits:
            return f"[pressed {self.digits}]"
        return self.text or (f"[{self.button}]" if self.button else "")

    def answer(self, language: str) -> Reply | Said:
        """Return what it says to an open question; the language is the business's."""
        if self.digits:
            return pressed(self.digits)
        return clicked(self.button) if self.button else Said(self.text, language)

    def is_yes(self, language: str) -> bool:
        """Tell whether it says yes, to whatever was asked."""
        answer = self.answer(language)
        return (answer.about(None) if isinstance(answer, Said) else answer) == "yes"
