"""The rehearsal: an offline stand-in for a model, so that everything runs without a key.

It is no language model and says so. It speaks like a receptionist, in the business's language: it recognises what
people usually want, asks for what is missing, calls the tools for it, and says what they answered. The same words
always get the same answer.
"""

import asyncio
import json
import re
from collections.abc import AsyncIterator, Sequence
from datetime import datetime

from switchboard.contract.call import ToolCall
from switchboard.contract.error import ErrorType
from switchboard.contract.model import (
    REHEARSAL,
    CallPiece,
    Ended,
    Ending,
    Message,
    ModelEvent,
    Noted,
    Prompt,
    Spoken,
    TextPiece,
    ToolMessage,
    UserMessage,
)
from switchboard.contract.ports import Clock
from switchboard.models.rehearsal.receptionist import Receptionist
from switchboard.models.rehearsal.spoken_time import spoken, spoken_time
from switchboard.models.rehearsal.talk import RehearsedTalk
from switchboard.models.rehearsal.vocabulary import services_of, vocabulary

_HELD_BACK = "You were about to say"
_LAPSED = re.compile(r"The question about .{1,200} stands no longer")


class Rehearsal:
    """A model that needs nothing; it speaks the `openai` dialect."""

    name, dialect = REHEARSAL, "openai"

    def __init__(self, clock: Clock) -> None:
        """Know the time."""
        self._clock = clock

    async def stream(self, prompt: Prompt) -> AsyncIterator[ModelEvent]:
        """Yield an answer word by word; it never fails."""
        answer = self._answer(prompt)
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

    def _answer(self, prompt: Prompt) -> str | ToolCall:
        messages, business = prompt.messages, prompt.scene.business
        words = vocabulary(spoken(business.language if business else "en"))
        turn = _this_turn(messages)
        notes = [message.text for message in turn if isinstance(message, Noted)]
        if not any(isinstance(message, ToolMessage) for message in turn):
            is_yes = bool(turn) and isinstance(turn[0], UserMessage) and words.is_only("yes", words.words(turn[0].text))
            agreed = _agreed(messages, notes, is_yes=is_yes)
            if agreed is not None:
                return agreed
            if any("declined" in note for note in notes):
                return words.say("declined")
        talk = RehearsedTalk(
            words,
            spoken_time(words.language, self._now(prompt)),
            prompt.scene,
            services_of(business.services if business else (), words.language),
        )
        talk.take(messages)
        receptionist = Receptionist(talk)
        if turn and isinstance(turn[-1], Noted) and turn[-1].text.startswith(_HELD_BACK):
            # What was said was not taken for true: then nothing is claimed, neither that it was done nor that it was
            # not.
            is_done = any(isinstance(message, ToolMessage) and message.response.ok for message in turn)
            return words.say("offer_else") if is_done else talk.instead()
        answer = receptionist.next()
        # The last time that it is asked, it may call nothing.
        return answer if isinstance(answer, str) or prompt.tools else words.say("budget")

    def _now(self, prompt: Prompt) -> datetime:
        business, now = prompt.scene.business, self._clock.now()
        return (now.astimezone(business.timezone) if business else now).replace(tzinfo=None, second=0, microsecond=0)


def _this_turn(messages: Sequence[Message]) -> Sequence[Message]:
    """Return what happened since the human's last word, that word first."""
    for position in range(len(messages) - 1, -1, -1):
        if isinstance(messages[position], UserMessage):
            return messages[position:]
    return messages


def _agreed(messages: Sequence[Message], notes: Sequence[str], *, is_yes: bool) -> ToolCall | None:
    """Return the call that the caller has just agreed to, as it was made before.

    One whose question stands no longer is made again for a yes as well: they are then asked anew.
    """
    has_lapsed = any(_LAPSED.match(note) is not None for note in notes)
    if not any(note.startswith("The caller has agreed") for note in notes) and not (is_yes and has_lapsed):
        return None
    asked = {
        m.call_id
        for m in messages
        if isinstance(m, ToolMessage)
        and m.response.failure
        and m.response.failure.type is ErrorType.CONFIRMATION_REQUIRED
    }
    made = [call for m in messages if isinstance(m, Spoken) for call in m.calls if call.call_id in asked]
    return ToolCall(made[-1].name, made[-1].arguments) if made else None
