"""What a model is told, for whoever wants to see it: the latest request of the turn that is being watched.

Only a turn that is held inside `watching` is looked at; every other one costs a look at a context variable.
"""

from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import replace

from switchboard.contract.model import ModelEvent, Prompt
from switchboard.contract.ports import ChatModel
from switchboard.contract.python.dataclass import dataclass


@dataclass(slots=True)
class CapturedPrompt:
    """What a model was told in a turn: the latest request, None before the first, and how many there were.

    `model` is the one that was asked, None before that.
    """

    prompt: Prompt | None = None
    requests: int = 0
    model: ChatModel | None = None

    def note(self, prompt: Prompt, model: ChatModel | None = None) -> None:
        """Keep a request as it is now: the conversation goes on with the same list of messages."""
        self.model = model
        self.prompt = replace(prompt, messages=tuple(prompt.messages), tools=tuple(prompt.tools))
        self.requests += 1


_SEEN: ContextVar[CapturedPrompt | None] = ContextVar("switchboard_seen", default=None)


@contextmanager
def watching() -> Iterator[CapturedPrompt]:
    """Have what models are told inside, also in tasks that begin there, noted in what this yields."""
    seen = CapturedPrompt()
    token = _SEEN.set(seen)
    try:
        yield seen
    finally:
        _SEEN.reset(token)


class CapturingModel:
    """Passes everything on to another model; fits the port."""

    def __init__(self, inner: ChatModel) -> None:
        """Start unwatched."""
        self._inner, self.name, self.dialect = inner, inner.name, inner.dialect

    def stream(self, prompt: Prompt) -> AsyncIterator[ModelEvent]:
        """Yield what the model says as it says it; see `ChatModel.stream`."""
        seen = _SEEN.get()
        if seen is not None:
            seen.note(prompt, self._inner)
        return self._inner.stream(prompt)
