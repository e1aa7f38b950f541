"""How long a caller hears nothing while a slow model thinks, calls a tool and thinks again, and whether it is answered.

On the phone, in real time; what is said is taken to be spoken as fast as a voice speaks.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from typing import TypeAlias

from benchmarks.dispatch import ARGUMENTS
from benchmarks.figure import Effort, Line
from benchmarks.planted import BUSINESS
from benchmarks.talking import open_talks
from switchboard.contract.context import Context, PhoneContext
from switchboard.contract.model import CallPiece, Ended, Ending, ModelEvent, Prompt, TextPiece
from switchboard.conversation.conversation import Conversation
from switchboard.conversation.event import Text
from switchboard.conversation.speech.bridging import CHARACTERS_PER_S
from switchboard.conversation.speech.utterance import Utterance

ANSWER = "We open at nine on Fridays."
LONGEST_S = 1.2
THINKING_S = (0.5, 1.0, 2.0, 3.0, 5.0, 9.5)
_QUICK_S = (0.5, 1.0)
# The limit on silence is for models that one would put on a phone; a slower one is held to answer at all.
_SLOWEST_S = 5.0

Begin: TypeAlias = Callable[[], Conversation]


class SlowModel:
    """Thinks, calls a tool without a word, thinks as long again, and answers."""

    name, dialect = "slow", "openai"

    def __init__(self, thinks_s: float) -> None:
        self._thinks_s, self._asked = thinks_s, 0

    async def stream(self, prompt: Prompt) -> AsyncIterator[ModelEvent]:
        """Yield an answer, late."""
        self._asked += 1
        await asyncio.sleep(self._thinks_s)
        if self._asked % 2:
            yield CallPiece(0, "call_1", "tool_0000", ARGUMENTS[0])
            yield Ended(Ending.CALLS)
        else:
            yield TextPiece(ANSWER)
            yield Ended(Ending.STOPPED)


async def silences(effort: Effort) -> list[Line]:
    """Return a line for each model."""
    thinking = _QUICK_S if effort.quick else THINKING_S
    # A call at a time waits for the model far longer than it works: all of them wait together.
    return list(await asyncio.gather(*map(_line, thinking)))


async def _line(thinks_s: float) -> Line:
    begin = await open_talks(SlowModel(thinks_s), facts=_on_the_phone)
    silence, answer, fillers = await heard(begin())
    met = answer.strip() == ANSWER and (silence <= LONGEST_S or thinks_s > _SLOWEST_S)
    target = f"≤ {LONGEST_S:g} s, answered" if thinks_s <= _SLOWEST_S else "answered"
    text = f"{silence:.2f} s, {fillers} fillers, {'answered' if answer.strip() == ANSWER else 'answer LOST'}"
    return Line(f"longest silence, a model of {thinks_s:g} s that calls a tool", text, "", "", target, met)


async def heard(conversation: Conversation) -> tuple[float, str, int]:
    """Return the longest silence of a turn, its answer, and how many fillers bridged it."""
    silent_from, longest, answer, fillers = time.monotonic(), 0.0, "", 0
    async for event in conversation.reply(Utterance("When do you open?")):
        if type(event) is Text:
            now = time.monotonic()
            longest = max(longest, now - silent_from)
            silent_from = max(silent_from, now) + len(event.text) / CHARACTERS_PER_S
            fillers += event.is_filler
            answer += "" if event.is_filler else event.text
    return longest, answer, fillers


def _on_the_phone(number: int) -> Context:
    return PhoneContext(business_id=BUSINESS, session_id=f"s{number}", turn=0, call_sid=f"CA{number}")
