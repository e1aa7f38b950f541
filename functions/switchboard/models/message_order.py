"""A conversation in an order that every vendor takes: the one place that messages pass before a request leaves.

Vendors refuse a whole request over one message in the wrong place, and every later turn of that conversation with it,
since the message stays. So nothing depends on who has noted what, and when: behind
words with calls stands one answer for each, in the order of the calls, then everything else; nothing is blank, and no
words begin or end with the blank that keeps them apart from others where they are spoken; ids are unique.

For vendors in whose histories only a user and the model speak, notes of the house stand there, marked; for every
vendor what was true when the caller spoke does. What the caller writes can therefore not look like one.
"""

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import orjson

from switchboard.contract.call import ToolCall
from switchboard.contract.document import json_object
from switchboard.contract.error import ErrorType
from switchboard.contract.json import JsonObject
from switchboard.contract.model import Ending, Message, Noted, Spoken, ToolMessage, UserMessage
from switchboard.contract.response import Failure, ToolResponse
from switchboard.formats.model_view import visible
from switchboard.formats.schema.spelling import SpellingRule, spelled

_NOT_IN_IDS = re.compile(r"[^a-zA-Z0-9_-]")
# OpenAI takes no longer ones.
_LONGEST_ID = 40
_NO_RESULT = ToolResponse(
    failure=Failure(ErrorType.TRANSIENT, "There is no result of this call.", retryable=True, partial_side_effects=False)
)
_BEGINNING = Noted("The conversation begins; this was said first.")
_GO_ON = Noted("Go on.")

# Closing quotation marks and brackets may stand behind the end of a sentence, also the full-width one.
_WHOLE = re.compile(r"[.!?\u2026:;\u3002\uff01\uff1f][\"'\u201d\u2019\xbb)\]*_`\s]*$")
_LIMIT = re.compile(r"length|max|limit|truncat", re.IGNORECASE)

_MARK = "[Note from the switchboard: "
_FORGED = re.compile(r"[\[\uff3b\u3010(]\s*(note\s+from\s+the\s+switchboard)", re.IGNORECASE)


def arranged(messages: Sequence[Message], names: SpellingRule, *, takes_turns: bool = False) -> list[Message]:
    """Return messages as vendors take them, whatever the order in which they came to be.

    A call without an answer is told that there is none; an answer without a call, or a second one, is told as a note.

    Args:
        messages: The conversation, oldest first.
        names: How the vendor lets functions be called; whatever a model has made up is spelt so.
        takes_turns: Whether the vendor wants the other side to speak first and last.
    """
    return _Arrangement(messages, names).arrange(takes_turns=takes_turns)


class _Arrangement:
    def __init__(self, messages: Sequence[Message], names: SpellingRule) -> None:
        self._messages, self._names = messages, names
        self._ids: set[str] = set()
        # By where its call stands, and as which of its calls.
        self._answers: dict[tuple[int, int], ToolMessage] = {}
        self._late: set[int] = set()

    def arrange(self, *, takes_turns: bool) -> list[Message]:
        self._match()
        messages: list[Message] = []
        for at, message in enumerate(self._messages):
            if isinstance(message, Spoken):
                # Vendors with turns read what stands side by side as one: there the blank keeps sentences apart.
                is_joined = takes_turns and bool(messages) and isinstance(messages[-1], Spoken)
                messages += self._spoken(at, message, " " if is_joined and message.text[:1].isspace() else "")
            elif isinstance(message, ToolMessage):
                if at in self._late:
                    answer_text = orjson.dumps(visible(message.response), default=str).decode()
                    messages.append(Noted(f"{message.name} has answered: {answer_text}"))
            elif message.text.strip() or (isinstance(message, UserMessage) and message.moment):
                messages.append(message)
        if takes_turns and (not messages or isinstance(messages[-1], Spoken)):
            messages.append(_GO_ON)
        if takes_turns and isinstance(messages[0], Spoken):
            messages.insert(0, _BEGINNING)
        return messages

    def _match(self) -> None:
        """Find the call of each answer: the latest before it that has its id and no answer yet."""
        waiting: dict[str, list[tuple[int, int]]] = {}
        for at, message in enumerate(self._messages):
            if isinstance(message, Spoken):
                places = [(call.call_id, (at, n)) for n, call in enumerate(message.calls)]
                # Two of one answer that have the same id are answered in their order.
                for call_id, place in reversed(places):
                    waiting.setdefault(call_id, []).append(place)
            elif isinstance(message, ToolMessage):
                if places_left := waiting.get(message.call_id):
                    self._answers[places_left.pop()] = message
                else:
                    self._late.add(at)

    def _spoken(self, at: int, message: Spoken, before: str) -> list[Message]:
        text = message.text.strip()
        text = f"{before}{text}" if text else ""
        if not message.calls:
            return [replace(message, text=text)] if text else []
        calls = tuple(self._call(call) for call in message.calls)
        messages: list[Message] = [replace(message, text=text, calls=calls)]
        for n, call in enumerate(calls):
            answer = self._answers.get((at, n))
            messages.append(ToolMessage(call.call_id, call.name, answer.response if answer is not None else _NO_RESULT))
        return messages

    def _call(self, call: ToolCall) -> ToolCall:
        return replace(call, name=spelled(call.name, self._names), call_id=self._id(call.call_id))

    def _id(self, call_id: str) -> str:
        """Return an id that every vendor takes: of their characters, and of no other call of this conversation."""
        plain = id = _NOT_IN_IDS.sub("_", call_id)[:_LONGEST_ID] or "call"
        n = 1
        while id in self._ids:
            n += 1
            id = f"{plain[: _LONGEST_ID - 1 - len(str(n))]}_{n}"
        self._ids.add(id)
        return id


def of_unknown(reason: str, *, has_calls: bool, last_words: str) -> Ending:
    """Return how an answer ended: calls are meant, a sentence that is none was cut off, and a limit always cuts."""
    if _LIMIT.search(reason):
        return Ending.CUT_OFF
    if has_calls:
        return Ending.CALLS
    return Ending.STOPPED if not last_words.strip() or _WHOLE.search(last_words) else Ending.CUT_OFF


def words_of(message: UserMessage | Noted) -> str:
    """Return what stands in the user's message; only what the house has noted is marked as a note of it."""
    if isinstance(message, Noted):
        return note(message.text)
    text = _FORGED.sub(r'"\1', message.text)
    return f"{note(message.moment)}\n\n{text}".strip() if message.moment else text


def note(text: str) -> str:
    """Return a note of the house."""
    return f"{_MARK}{text}]"


def as_object(arguments: Any) -> JsonObject:
    """Return arguments as the object that vendors insist on; what a model wrote may be none, and is then empty."""
    if isinstance(arguments, dict):
        return arguments
    try:
        decoded = orjson.loads(arguments)
    except (ValueError, TypeError):
        return {}
    return json_object(decoded)
