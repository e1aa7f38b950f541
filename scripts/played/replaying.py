"""Hold a recorded conversation again: the same caller, the same model, the product as it is now."""

from __future__ import annotations

import asyncio
import json
import math
import time
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from played.recording import Recording, Turn
from played.stage import staged
from switchboard.contract.model import CallPiece, Ended, Ending, ModelEvent, Prompt, TextPiece
from switchboard.conversation.event import Event, Text
from switchboard.conversation.speech.bridging import CHARACTERS_PER_S
from switchboard.models.openai_chat import OpenAIChat

if TYPE_CHECKING:
    from switchboard.app.container import Container

_CHARACTERS_OF_A_TOKEN = 4.0
_PIECES = 12


@dataclass(frozen=True, slots=True)
class Replayed:
    """What came of it.

    Attributes:
        recording: The conversation as it went now; its `answers` are those of the record.
        requests: What the model was sent, as its vendor reads it.
        silences: Seconds without a word in each turn, the longest; only where a model of some speed was played.
    """

    recording: Recording
    requests: Sequence[str]
    silences: Sequence[float] = ()

    @property
    def tokens(self) -> int:
        """About how many tokens all requests have together."""
        return sum(math.ceil(len(sent) / _CHARACTERS_OF_A_TOKEN) for sent in self.requests)


class RecordedModel:
    """Gives the answers of a record, in order, and keeps what it was sent.

    Args:
        answers: Of all turns.
        first_token_s: How long it thinks before each.
        token_s: How long each piece takes.
    """

    name, dialect = "recorded", "openai"

    def __init__(self, answers: Sequence[Mapping[str, Any]], first_token_s: float = 0, token_s: float = 0) -> None:
        """Wait for the first request."""
        self.answers, self.sent = list(answers), list[str]()
        self._first_token_s, self._token_s = first_token_s, token_s
        self._vendor = OpenAIChat("recorded", "https://api.openai.com/v1", "", _nobody)

    async def stream(self, prompt: Prompt) -> AsyncIterator[ModelEvent]:
        """Give the next answer; a record that has no more is not what goes on here."""
        body = self._vendor.request(prompt)
        self.sent.append(json.dumps(body, ensure_ascii=False, separators=(",", ":")))
        if not self.answers:
            raise AssertionError(f"the model is asked once more than on the record: {body['messages'][-1]}")
        answer, number = self.answers.pop(0), len(self.sent)
        await asyncio.sleep(self._first_token_s)
        text = answer["content"]
        for at in range(0, len(text), _PIECES):
            yield TextPiece(text[at : at + _PIECES])
            if self._token_s:
                await asyncio.sleep(self._token_s * _PIECES / _CHARACTERS_OF_A_TOKEN)
        for index, call in enumerate(answer["calls"]):
            arguments = json.dumps(call["arguments"], ensure_ascii=False)
            yield CallPiece(index, f"call_{number}_{index}", call["name"], arguments)
        yield Ended(Ending.CALLS if answer["calls"] else Ending.STOPPED)


@dataclass(slots=True)
class Silence:
    """The longest silence of a turn: what a voice has not finished saying is none."""

    longest_s: float = 0.0
    _quiet_from: float = field(default_factory=time.perf_counter)

    def watch(self, event: Event) -> None:
        """Take what happens."""
        if not isinstance(event, Text) or not event.text.strip():
            return
        now = time.perf_counter()
        self.longest_s = max(self.longest_s, now - self._quiet_from)
        self._quiet_from = max(now, self._quiet_from) + len(event.text) / CHARACTERS_PER_S


async def replay(recording: Recording, first_token_s: float = 0, token_s: float = 0) -> Replayed:
    """Hold the conversation again and return what came of it.

    Raises:
        AssertionError: The model was asked more often than on the record.
    """
    model = RecordedModel([answer for turn in recording.turns for answer in turn.answers], first_token_s, token_s)
    turns: list[Turn] = []
    silences: list[float] = []

    def open(house: Container) -> RecordedModel:
        return model

    async with staged(recording.setting, open) as stage:
        for turn in recording.turns:
            silence = Silence()
            left = len(model.answers) - len(turn.answers)
            replayed = await stage.say(turn.said, silence.watch)
            turns.append(replace(replayed, answers=turn.answers))
            silences.append(silence.longest_s)
            if len(model.answers) > left:
                raise AssertionError(f"after {turn.said!r} the model was asked less often than on the record")
        done = await stage.done()
    return Replayed(replace(recording, turns=turns, done=done), model.sent, silences if first_token_s else ())


def _nobody() -> Any:
    raise AssertionError("nothing is sent")
