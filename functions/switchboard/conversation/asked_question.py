"""The question that a caller was asked last, as a conversation and its record keep it."""

from switchboard.contract.json import JsonObject
from switchboard.contract.python.dataclass import dataclass


@dataclass(slots=True)
class AskedQuestion:
    """The question that was put to the human last, and waits for a yes.

    Attributes:
        words: As it stands in what waits for the answer.
        tool: What waits for the answer.
        turn: The turn that a button's answer names.
        asked_in: The turn whose last words it was; any other words after it close it.
        is_heard: Whether it was heard to its end, as far as is known.
        before: What the model had said before it in the same turn.
        spoken: As it was said, where that is without marks or addresses that stand in `words`; else empty.
    """

    words: str
    tool: str
    turn: int
    asked_in: int
    is_heard: bool = True
    before: str = ""
    spoken: str = ""

    @property
    def told(self) -> str:
        """All that was said up to its end, which is what a yes may be to."""
        return f"{self.before} {self.words}"

    def to_document(self) -> JsonObject:
        """Return it as it stands in the conversation's record."""
        return {
            "words": self.words,
            "tool": self.tool,
            "turn": self.turn,
            "askedIn": self.asked_in,
            "isHeard": self.is_heard,
            "before": self.before,
            "spoken": self.spoken,
        }

    @classmethod
    def of(cls, document: object) -> "AskedQuestion | None":
        """Read what `to_document` wrote; None where nothing is open, or nothing that can be read."""
        try:
            fields: JsonObject = dict(document)  # type: ignore[call-overload]
            words, tool, turn, asked_in = (fields[name] for name in ("words", "tool", "turn", "askedIn"))
        except (KeyError, TypeError, ValueError):
            return None
        if not (isinstance(words, str) and isinstance(turn, int) and isinstance(asked_in, int)):
            return None
        before, spoken = (str(fields.get(name) or "") for name in ("before", "spoken"))
        return cls(words, str(tool), turn, asked_in, fields.get("isHeard") is True, before, spoken)
