"""A conversation as the model is told it: every call answered exactly once, and only what the caller heard.

Vendors refuse a history in which a call has no answer, or two (wire-formats §6.2).
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from switchboard.contract.model import Answered, Heard, Message, Spoken

# So many human turns are told again; what came before is in the interaction's record.
TURNS_TOLD = 30


@dataclass(slots=True)
class History:
    """The messages, oldest first."""

    messages: list[Message] = field(default_factory=list)
    _turn_began: int = 0

    def heard(self, text: str) -> None:
        """Begin a human turn."""
        self._forget_beginnings()
        self._turn_began = len(self.messages)
        self.messages.append(Heard(text))

    def add(self, message: Message) -> None:
        """Add what followed."""
        self.messages.append(message)

    def cut_to(self, heard: str) -> None:
        """Keep of this turn's words what the caller heard, as far as that can be told, and drop the rest."""
        spoken = [i for i in range(self._turn_began, len(self.messages)) if isinstance(self.messages[i], Spoken)]
        texts = [message.text for i in spoken if isinstance(message := self.messages[i], Spoken)]
        for i, text in zip(spoken, heard_of(texts, heard), strict=True):
            message = self.messages[i]
            assert isinstance(message, Spoken)
            if message.text != text:
                # The vendor's own copy holds words that were not heard.
                self.messages[i] = replace(message, text=text, native=None)

    @property
    def this_turn(self) -> Sequence[Message]:
        """What has been added since a human was heard last, that included."""
        return self.messages[self._turn_began :]

    @property
    def last_spoken(self) -> str:
        """What the model said in this turn, as far as it is known to have been heard."""
        return "".join(m.text for m in self.this_turn if isinstance(m, Spoken))

    def unanswered(self) -> tuple[str, ...]:
        """Return the ids of calls that have no answer yet."""
        answered = {m.call_id for m in self.messages if isinstance(m, Answered)}
        return tuple(
            c.call_id for m in self.messages if isinstance(m, Spoken) for c in m.calls if c.call_id not in answered
        )

    def _forget_beginnings(self) -> None:
        begins = [i for i, message in enumerate(self.messages) if isinstance(message, Heard)]
        if len(begins) >= TURNS_TOLD:
            del self.messages[: begins[1 - TURNS_TOLD]]


def heard_of(texts: Sequence[str], heard: str) -> list[str]:
    """Return how much of each text was heard, where `heard` is what a channel says was played.

    A channel may tell it with other blanks, and with fillers in between: it is followed letter by letter, and where it
    cannot be followed, its length decides.
    """
    wanted = "".join(heard.split())
    remaining = wanted
    result = []
    for text in texts:
        letters = "".join(text.split())
        at = remaining.find(letters) if letters else 0
        if at >= 0:
            remaining = remaining[at + len(letters) :]
            result.append(text)
            continue
        # The last one that was begun: from where it starts in what was heard, to the end of that.
        begun = next((n for n in range(len(remaining), 0, -1) if letters.startswith(remaining[-n:])), None)
        count = begun if begun is not None else min(len(letters), len(remaining))
        result.append(_first_letters(text, count))
        remaining = ""
    return result


def _first_letters(text: str, count: int) -> str:
    """Return the beginning of a text that holds so many letters, blanks not counted."""
    if count <= 0:
        return ""
    for i, character in enumerate(text):
        count -= not character.isspace()
        if count == 0:
            return text[: i + 1]
    return text
