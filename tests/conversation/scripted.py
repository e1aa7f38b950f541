"""A model that says what a test wrote, piece by piece, and keeps what it was told.

Whatever it is told, each vendor must take.
"""

import asyncio
import json
from collections.abc import AsyncIterator, Sequence
from typing import Any

from stand_ins import vendor_histories
from switchboard.contract.model import CallPiece, Ended, Ending, ModelEvent, Prompt, TextPiece
from tests.models.vendors import bodies


def says(*pieces: str) -> list[ModelEvent]:
    """An answer of words only."""
    return [*(TextPiece(piece) for piece in pieces), Ended(Ending.STOPPED)]


def calls(*wanted: tuple[str, Any], text: str = "") -> list[ModelEvent]:
    """An answer that calls tools, after some words; arguments come in fragments of three characters."""
    events: list[ModelEvent] = [TextPiece(text)] if text else []
    for index, (name, arguments) in enumerate(wanted):
        events.append(CallPiece(index, f"call_{index}", name))
        body = arguments if isinstance(arguments, str) else json.dumps(arguments)
        events += [CallPiece(index, arguments=body[i : i + 3]) for i in range(0, len(body), 3)]
    return [*events, Ended(Ending.CALLS)]


class ScriptedModel:
    """Gives one prepared answer per request; an exception among the events is raised, an Event is waited for."""

    name, dialect = "scripted", "openai"

    def __init__(self, *answers: Sequence[Any]) -> None:
        self.answers = list(answers)
        self.prompts: list[Prompt] = []
        self.closed = 0

    async def stream(self, prompt: Prompt) -> AsyncIterator[ModelEvent]:
        self.prompts.append(Prompt(prompt.system, list(prompt.messages), prompt.tools))
        for path, body in bodies(prompt.messages).items():
            assert vendor_histories.refusal(path, body) is None
        try:
            for event in self.answers.pop(0):
                if isinstance(event, BaseException):
                    raise event
                if isinstance(event, asyncio.Event):
                    await event.wait()
                    continue
                yield event
        finally:
            self.closed += 1
