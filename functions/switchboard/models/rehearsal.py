"""The rehearsal: an offline stand-in for a model, so that everything runs without a key (design §7).

It is no language model and says so. What a caller says is matched with the examples in the tools' guides; the example's
call is made with the times, names and numbers that the caller said, and the answer is put into plain words. The same
words always get the same answer.
"""

import asyncio
import json
from collections.abc import AsyncIterator, Iterable, Sequence

from switchboard.contract.call import ToolCall
from switchboard.contract.error import ErrorType
from switchboard.contract.json import JsonObject
from switchboard.contract.model import (
    Answered,
    CallPiece,
    Ended,
    Ending,
    Heard,
    Message,
    ModelEvent,
    Noted,
    Prompt,
    Spoken,
    TextPiece,
)
from switchboard.models.rehearsal_matching import Example, Matching
from switchboard.models.rehearsal_words import describe
from switchboard.models.said import Said, moment_of

LABEL = "This is Switchboard's rehearsal, not a language model: it only knows the examples in the tools' guides."
_LOST = "Try one of these: {examples}"


class Rehearsal:
    """A model that needs nothing; it speaks the `openai` dialect."""

    name, dialect = "rehearsal", "openai"

    def __init__(self, examples: Iterable[Example]) -> None:
        """Know the examples of every tool that could be offered."""
        self._matching = Matching(examples)

    async def stream(self, prompt: Prompt) -> AsyncIterator[ModelEvent]:
        """Yield an answer word by word; it never fails."""
        offered = {tool["function"]["name"]: tool["function"] for tool in prompt.tools}
        answer = self._answer(prompt, offered)
        if isinstance(answer, ToolCall):
            arguments = answer.arguments if isinstance(answer.arguments, str) else json.dumps(answer.arguments)
            yield CallPiece(0, "", answer.name, arguments)
            yield Ended(Ending.CALLS)
            return
        for position, word in enumerate(answer.split(" ")):
            yield TextPiece(word if position == 0 else f" {word}")
            # Real models let others run between two words; so does this one.
            await asyncio.sleep(0)
        yield Ended(Ending.STOPPED)

    def _answer(self, prompt: Prompt, offered: dict[str, JsonObject]) -> str | ToolCall:
        messages = prompt.messages
        turn = _this_turn(messages)
        answers = [message for message in turn if isinstance(message, Answered)]
        if answers:
            return " ".join(_told(answered) for answered in answers)
        agreed = _agreed(messages, turn)
        if agreed is not None:
            return agreed
        if any(isinstance(message, Noted) and "declined" in message.text for message in turn):
            return "All right, I have left it as it is. Is there anything else?"
        heard = next((message.text for message in turn if isinstance(message, Heard)), "")
        said = Said(heard, moment_of(prompt.system))
        example = self._matching.best(heard, offered)
        if example is None:
            known = "; ".join(self._matching.suggestions(offered))
            first = "" if any(isinstance(message, Spoken) for message in messages[:-1]) else f"{LABEL} "
            return first + _LOST.format(examples=known)
        return ToolCall(example.tool, said.filled(example, offered[example.tool]))


def _this_turn(messages: Sequence[Message]) -> Sequence[Message]:
    """Return what happened since the human's last word, that word first."""
    for position in range(len(messages) - 1, -1, -1):
        if isinstance(messages[position], Heard):
            return messages[position:]
    return messages


def _agreed(messages: Sequence[Message], turn: Sequence[Message]) -> ToolCall | None:
    """Return the call that the caller has just agreed to, as it was made before."""
    if not any(isinstance(message, Noted) and message.text.startswith("The caller has agreed") for message in turn):
        return None
    asked = {
        m.call_id
        for m in messages
        if isinstance(m, Answered) and m.response.failure and m.response.failure.type is ErrorType.CONFIRMATION_REQUIRED
    }
    made = [call for m in messages if isinstance(m, Spoken) for call in m.calls if call.call_id in asked]
    return ToolCall(made[-1].name, made[-1].arguments) if made else None


def _told(answered: Answered) -> str:
    response = answered.response
    if response.failure is None:
        return describe(answered.name, response.data or {})
    if response.failure.type is ErrorType.CONFIRMATION_REQUIRED:
        return str(response.meta.get("readBack") or "Shall I do that?")
    say = response.meta.get("say")
    return str(say) if say else f"That did not work: {response.failure.message}"
