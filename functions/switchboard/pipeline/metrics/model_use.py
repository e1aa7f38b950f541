"""What models have read and written for a conversation, in tokens: an entry an answer, in the conversation's record.

An entry that is added twice stands there once, so that a commit of which nobody knows whether it was made may be made
again. Whoever sums them up gets each answer once.
"""

from collections.abc import Iterable
from typing import Any, Final

from switchboard.contract.document import mapping, objects_of, text
from switchboard.contract.json import JsonObject
from switchboard.contract.model import REHEARSAL, Ended
from switchboard.contract.python.dataclass import dataclass

MODEL_USE: Final = "modelUse"
"""Where the entries stand in a record."""


@dataclass(frozen=True, slots=True)
class TokenSums:
    """What one model has read and written.

    Attributes:
        input: Tokens, as the vendor counted them.
        output: The same, of what it wrote.
        answers: How many answers there were.
        unknown: Of how many of them nobody knows the tokens: broken off, or of a vendor that does not tell.
    """

    input: int = 0
    output: int = 0
    answers: int = 0
    unknown: int = 0

    def with_answer(self, entry: JsonObject) -> "TokenSums":
        """Return the sums with one answer more."""
        read, written = entry.get("in"), entry.get("out")
        is_known = type(read) is int and type(written) is int
        more = (read, written) if is_known else (0, 0)
        return TokenSums(
            self.input + int(more[0] or 0),
            self.output + int(more[1] or 0),
            self.answers + 1,
            self.unknown + (not is_known),
        )


def use_of(model: str, turn: int, number: int, ended: Ended) -> JsonObject:
    """Return the entry of an answer; `turn` and `number` tell it apart from the others of its conversation."""
    return {"turn": turn, "n": number, "model": model, "in": ended.input_tokens, "out": ended.output_tokens}


def tokens_by_model(record: Any) -> dict[str, TokenSums]:
    """Return what each model has read and written, as a record's entries say; the rehearsal is none of them."""
    return summed(objects_of(mapping(record).get(MODEL_USE)))


def summed(entries: Iterable[JsonObject]) -> dict[str, TokenSums]:
    """Return the sums of entries, by model."""
    sums: dict[str, TokenSums] = {}
    for entry in entries:
        model = text(entry.get("model"))
        if model and model != REHEARSAL:
            sums[model] = sums.get(model, TokenSums()).with_answer(entry)
    return sums
