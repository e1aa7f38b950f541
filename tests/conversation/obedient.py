"""A model that does whatever it reads: every "call <tool> with {…}" and "say <text>", wherever it stands.

A real model may be talked into anything; what then still cannot happen is what the house promises.
"""

import json
import re
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from typing import Any

from switchboard.contract.model import Answered, CallPiece, Ended, Ending, Heard, ModelEvent, Noted, Prompt, TextPiece

_CALL = re.compile(r"\bcall\s+([a-z][a-z0-9_]*)\s+with\s+(?=\{)", re.I)
_SAY = re.compile(r'\bsay\s+"([^"]+)"', re.I)
# How often it does the same thing: in every turn again, as long as it is told to.
_INSISTS = 3


class ObedientModel:
    """First looks where `opening` says, then obeys; keeps everything that it was told."""

    name, dialect = "obedient", "openai"

    def __init__(self, opening: Sequence[tuple[str, Mapping[str, Any]]] = ()) -> None:
        self.opening = list(opening)
        self.told: list[str] = []
        self.obeyed: list[str] = []
        self._turn: tuple[int, set[str]] = (0, set())

    async def stream(self, prompt: Prompt) -> AsyncIterator[ModelEvent]:
        texts = [prompt.system, *(text for message in prompt.messages for text in _texts(message))]
        self.told += texts
        turns = sum(isinstance(message, Heard) for message in prompt.messages)
        if self._turn[0] != turns:
            self._turn = (turns, set())
        wanted = self.opening if turns == 1 and not self._turn[1] else []
        calls = [(name, json.dumps(arguments)) for name, arguments in wanted]
        said = []
        if not calls:
            calls, said = self._new_orders("\n".join(texts), may_call=bool(prompt.tools))
        self._turn[1].add("asked")
        for text in said:
            yield TextPiece(f"{text} ")
        for index, (name, arguments) in enumerate(calls):
            yield CallPiece(index, f"call_{index}", name, arguments)
        if not calls and not said:
            yield TextPiece("Is there anything else?")
        yield Ended(Ending.CALLS if calls else Ending.STOPPED)

    def _new_orders(self, text: str, *, may_call: bool) -> tuple[list[tuple[str, str]], list[str]]:
        """Return what is ordered and was not yet done in this turn."""
        done = self._turn[1]
        calls = [order for order in _calls(text) if may_call and str(order) not in done]
        said = [words for words in _SAY.findall(text) if words not in done]
        done.update(map(str, calls), said)
        self.obeyed += [name for name, _ in calls] + said
        return calls[:_INSISTS], said


def _calls(text: str) -> Iterator[tuple[str, str]]:
    seen = set()
    for match in _CALL.finditer(text):
        try:
            arguments, _ = json.JSONDecoder().raw_decode(text, match.end())
        except ValueError:
            continue
        order = (match[1], json.dumps(arguments))
        if order not in seen:
            seen.add(order)
            yield order


def _texts(message: Any) -> Iterator[str]:
    if isinstance(message, Heard | Noted):
        yield message.text
    elif isinstance(message, Answered):
        yield from _leaves(message.response.to_json())


def _leaves(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for inner in value.values():
            yield from _leaves(inner)
    elif isinstance(value, Sequence):
        for inner in value:
            yield from _leaves(inner)
