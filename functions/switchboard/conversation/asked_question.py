"""The question that a caller was asked last, as a conversation and its record keep it, with the calls that it is about.

A model that is told of the yes calls once more, with the same arguments: wherever the yes is said, it has to see them.
"""

from collections.abc import Sequence

import orjson

from switchboard.catalog.offer.offer import Offer
from switchboard.contract.call import ToolCall
from switchboard.contract.document import json_object, objects_of
from switchboard.contract.error import ErrorType
from switchboard.contract.json import JsonObject
from switchboard.contract.model import Message, Spoken, ToolMessage, UserMessage
from switchboard.contract.python.dataclass import dataclass
from switchboard.contract.response import Failure, ToolResponse

# What a call may hold to be kept with its question: many times what people say before one.
_LONGEST_ARGUMENTS = 4_000
_WAITS = "Nothing was done yet: the caller has to agree first, and was asked right after this."


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
        calls: What waits for the answer, with its arguments as JSON text; none that holds a secret.
    """

    words: str
    tool: str
    turn: int
    asked_in: int
    is_heard: bool = True
    before: str = ""
    spoken: str = ""
    calls: tuple[ToolCall, ...] = ()

    @property
    def said(self) -> str:
        """The question as it was said."""
        return self.spoken or self.words

    def check_heard(self, heard: str) -> None:
        """Note that it was not heard where its last words are not among what is known to have been heard last."""
        self.is_heard = self.is_heard and self.is_told_by(heard)

    def is_told_by(self, heard: str) -> bool:
        """Tell whether its last words are the last of what is known to have been heard."""
        return _letters(heard).endswith(_letters(self.said))

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
            "calls": [{"tool": call.name, "arguments": call.arguments} for call in self.calls],
        }

    def recalled(self) -> list[Message]:
        """Return the calls as they stood before the question, for a history that holds nothing but words."""
        calls = tuple(ToolCall(call.name, call.arguments, f"asked_{n}") for n, call in enumerate(self.calls))
        waits = Failure(ErrorType.CONFIRMATION_REQUIRED, _WAITS, retryable=False, partial_side_effects=False)
        answers = [ToolMessage(call.call_id, call.name, ToolResponse(failure=waits)) for call in calls]
        return [Spoken("", calls), *answers] if calls else []

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
        calls = tuple(
            ToolCall(str(row.get("tool")), str(row.get("arguments"))) for row in objects_of(fields.get("calls"))
        )
        return cls(words, str(tool), turn, asked_in, fields.get("isHeard") is True, before, spoken, calls)


def calls_asked_about(messages: Sequence[Message], offer: Offer | None) -> tuple[ToolCall, ...]:
    """Return the calls of a conversation that were refused last since the caller has to agree first.

    Their arguments are JSON text. What holds a secret is left out, and what is not offered, as nobody knows that of it.
    """
    waiting, calls = set[str](), list[ToolCall]()
    for message in reversed(messages):
        if isinstance(message, UserMessage) and calls:
            break
        if isinstance(message, ToolMessage):
            failure = message.response.failure
            if failure is not None and failure.type is ErrorType.CONFIRMATION_REQUIRED:
                waiting.add(message.call_id)
        elif isinstance(message, Spoken):
            calls += (call for call in reversed(message.calls) if call.call_id in waiting)
    kept = {(call.name, text): ToolCall(call.name, text) for call in reversed(calls) if (text := _kept(call, offer))}
    return tuple(kept.values())


def _kept(call: ToolCall, offer: Offer | None) -> str:
    """Return a call's arguments as they may be kept; empty where they may not."""
    offered = offer.named(call.name) if offer is not None else None
    try:
        arguments = json_object(orjson.loads(call.arguments) if isinstance(call.arguments, str) else call.arguments)
        text = orjson.dumps(arguments).decode()
    except (ValueError, TypeError):
        return ""
    if offered is None or offered.tool.secret_arguments & arguments.keys() or len(text) > _LONGEST_ARGUMENTS:
        return ""
    return text


def _letters(text: str) -> str:
    """Return a text as channels agree about it: they tell what was heard with other blanks and marks."""
    return "".join(character for character in text.casefold() if character.isalnum())
