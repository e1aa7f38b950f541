"""How long a caller waits for the first word of an answer, whose sentences are said when they are whole."""

from __future__ import annotations

import asyncio
import re
import statistics
from collections.abc import AsyncIterator

from benchmarks.figure import Effort, Line
from benchmarks.talking import open_talks
from claims.corpus import labelled
from switchboard.contract.model import Ended, Ending, ModelEvent, Prompt, TextPiece
from switchboard.conversation.event import Text
from switchboard.conversation.speech.utterance import Utterance

TOKENS_A_SECOND = 60
_ANSWERS, _MEDIAN_S = 200, 0.5
# Some five letters, with the blank before them, or a mark.
_TOKEN = re.compile(r"\s?\w{1,6}|\s?[^\w\s]")
_STEPS = 5
_CLOSING = " Is there anything else?"


class Counting:
    """Answers in tokens, and counts them; nothing waits, so that a busy machine changes nothing."""

    name, dialect = "counting", "openai"

    def __init__(self) -> None:
        self.answer, self.told = "", 0

    async def stream(self, prompt: Prompt) -> AsyncIterator[ModelEvent]:
        """Yield the answer."""
        self.told = 0
        for token in _TOKEN.findall(self.answer + _CLOSING):
            self.told += 1
            yield TextPiece(token)
            # Whoever listens hears it before the next one is there.
            for _ in range(_STEPS):
                await asyncio.sleep(0)
        yield Ended(Ending.STOPPED)


async def first_words(effort: Effort) -> list[Line]:
    """Return how much later the first word is heard than it is there."""
    model = Counting()
    lines = []
    for is_guarded in (False, True):
        begin = await open_talks(model, is_guarded, is_recorded=False)
        waits = []
        for sentence in _sentences(10 if effort.quick else _ANSWERS):
            model.answer = sentence
            async for event in begin().reply(Utterance("Hello.")):
                if type(event) is Text:
                    waits.append(model.told / TOKENS_A_SECOND)
                    break
        median, slow = statistics.median(waits), statistics.quantiles(waits, n=20)[18]
        text = f"p50 {median:.2f} s, p95 {slow:.2f} s"
        what = f"first word of an answer at {TOKENS_A_SECOND} tokens/s"
        if is_guarded:
            lines.append(Line(what, text, "", "", f"≤ {_MEDIAN_S:g} s", median <= _MEDIAN_S))
        else:
            lines.append(Line(f"{what}, without the guard", text))
    return lines


def _sentences(count: int) -> list[str]:
    """Return everyday sentences of receptionists, as the claim classifier has never seen them."""
    return [one.text for one in labelled("en") if one.is_kept_back and not one.deeds][:count]
