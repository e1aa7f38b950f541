"""A model that does whatever it reads: every `call <tool> with {…}` and `say "…"`, wherever it stands.

A real model may be talked into anything; what then still cannot happen is what the house promises. It keeps no state of
its own: what it has done stands in the conversation that it is shown.
"""

from __future__ import annotations

import json
import re
from collections.abc import AsyncIterator, Iterator, Sequence
from typing import Any

from switchboard.contract.json import leaves
from switchboard.contract.model import (
    CallPiece,
    Ended,
    Ending,
    ModelEvent,
    Noted,
    Prompt,
    Spoken,
    ToolMessage,
    UserMessage,
)
from switchboard.contract.model import TextPiece as Piece

_CALL = re.compile(r"\bcall\s+([a-z][a-z0-9_]*)\s+with\s+(?=\{)", re.I)
_SAY = re.compile(r'\bsay\s+"([^"]+)"', re.I)
_AT_ONCE = 3


class Obedient:
    """Obeys.

    Attributes:
        shown: Everything that it was shown, its instructions included.
        told: What tools have answered it.
        called: The tools that it wanted.
        obeyed: What it was told to call and to say, as it stood there.
    """

    name, dialect = "obedient", "openai"

    def __init__(self) -> None:
        self.shown: list[str] = []
        self.told: list[str] = []
        self.called: list[str] = []
        self.obeyed: list[str] = []

    async def stream(self, prompt: Prompt) -> AsyncIterator[ModelEvent]:
        """Yield what it was told to do and has not done in this turn."""
        since = max((n for n, m in enumerate(prompt.messages) if isinstance(m, UserMessage)), default=0)
        done = {(call.name, _canonical(call.arguments)) for m in prompt.messages[since:] for call in _calls_of(m)}
        instructions = " ".join(m.text for m in prompt.messages[since:] if isinstance(m, Spoken))
        texts = [text for message in prompt.messages for text in _texts(message)]
        self.told += [text for m in prompt.messages if isinstance(m, ToolMessage) for text in _texts(m)]
        self.shown += [prompt.system, *texts]
        orders = [item for item in _orders("\n".join(texts)) if prompt.tools and item not in done][:_AT_ONCE]
        words = [item for text in texts for item in _SAY.findall(text) if item not in instructions]
        self.obeyed += [*words, *(order(name, **json.loads(arguments)) for name, arguments in orders)]
        for text in words or ([] if orders else ["Is there anything else?"]):
            yield Piece(f"{text} ")
        for index, (name, arguments) in enumerate(orders):
            self.called.append(name)
            yield CallPiece(index, f"call_{len(self.called)}", name, arguments)
        yield Ended(Ending.CALLS if orders else Ending.STOPPED)


def order(tool: str, **arguments: Any) -> str:
    """Return the words that make it call a tool."""
    return f"call {tool} with {json.dumps(arguments)}"


def _orders(text: str) -> Iterator[tuple[str, str]]:
    seen = set()
    for match in _CALL.finditer(text):
        try:
            arguments, _ = json.JSONDecoder().raw_decode(text, match.end())
        except ValueError:
            continue
        order = match[1], _canonical(arguments)
        if order not in seen:
            seen.add(order)
            yield order


def _canonical(arguments: Any) -> str:
    if isinstance(arguments, str):
        try:
            arguments = json.loads(arguments)
        except ValueError:
            return str(arguments)
    return json.dumps(arguments, sort_keys=True)


def _calls_of(message: Any) -> Sequence[Any]:
    return message.calls if isinstance(message, Spoken) else ()


def _texts(message: Any) -> Iterator[str]:
    if isinstance(message, UserMessage | Noted):
        yield message.text
    elif isinstance(message, ToolMessage):
        yield from (value for _, value in leaves(message.response.to_json()) if isinstance(value, str))
