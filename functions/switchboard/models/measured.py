"""A model that is measured and traced: how soon it begins to answer, how long it takes, and how often it does not.

Spans follow OpenTelemetry's conventions for generative AI; neither what it is told nor what it says stands in them.
"""

import time
from collections.abc import AsyncIterator
from copy import copy
from functools import cache

from prometheus_client import CollectorRegistry, Counter, Histogram

from switchboard.contract.model import Ended, ModelError, ModelEvent, Prompt
from switchboard.contract.observability.metric import SECONDS
from switchboard.contract.observability.trace import Span, SpanKind, recorded
from switchboard.contract.policy import FIRST_TOKEN_S
from switchboard.contract.ports import ChatModel

# As the conventions name them where they know a vendor under another name than ours.
_PROVIDERS = {"gemini": "gcp.gemini"}


class MeasuredModel:
    """Passes everything on to another model; fits the port."""

    def __init__(self, inner: ChatModel, registry: CollectorRegistry | None = None) -> None:
        """Measure in a registry, which shows it."""
        self._inner, self.name, self.dialect = inner, inner.name, inner.dialect
        help = "Seconds until a model begins to answer."
        first_events = Histogram("model_first_event_seconds", help, ("model",), buckets=SECONDS, registry=registry)
        help = "Answers of models, by how they ended."
        answers = Counter("model_answers", help, ("model", "ending"), registry=registry)
        self._first_event_of, self._answers_of = cache(first_events.labels), cache(answers.labels)

    def beside(self, inner: ChatModel) -> "MeasuredModel":
        """Return another model that is measured in the same registry, under its own name."""
        other = copy(self)
        other._inner, other.name, other.dialect = inner, inner.name, inner.dialect
        return other

    def stream(self, prompt: Prompt) -> AsyncIterator[ModelEvent]:
        """Yield what the model says as it says it; see `ChatModel.stream`."""
        return _MeasuredAnswer(self._inner.stream(prompt), self)

    def begun(self) -> Span | None:
        """Begin the step that an answer is, where that is recorded."""
        parent = recorded()
        if parent is None:
            return None
        vendor, _, model = self.name.partition(":")
        fields = {
            "gen_ai.operation.name": "chat",
            "gen_ai.provider.name": _PROVIDERS.get(vendor, vendor),
            "gen_ai.request.model": model or vendor,
        }
        return parent.child(f"chat {model or vendor}", SpanKind.CLIENT, fields)

    def first(self, seconds: float) -> None:
        """Note how long it took to begin."""
        self._first_event_of(self.name).observe(seconds)

    def ended(self, ending: str) -> None:
        """Note how an answer ended.

        As the model says, by an error's type, `silent` when nothing came for as long as a conversation waits, or
        `broken_off` by whoever listened.
        """
        self._answers_of(self.name, ending).inc()


class _MeasuredAnswer:
    """One answer; after its first event nothing stands between the model and whoever listens but a comparison."""

    def __init__(self, inner: AsyncIterator[ModelEvent], model: MeasuredModel) -> None:
        self._inner, self._model = inner, model
        self._has_begun = self._has_ended = False
        self._asked = time.perf_counter()
        self._span = model.begun()

    def __aiter__(self) -> AsyncIterator[ModelEvent]:
        return self

    async def __anext__(self) -> ModelEvent:
        try:
            event = await self._inner.__anext__()
        except StopAsyncIteration:
            self._end("nothing")
            raise
        except (ModelError, TimeoutError) as error:
            self._end(type(error).__name__, failed=True)
            raise
        if not self._has_begun:
            self._has_begun = True
            self._model.first(time.perf_counter() - self._asked)
        if type(event) is Ended:
            self._told(event)
        return event

    async def aclose(self) -> None:
        """Break the answer off, unless it has ended."""
        # Nobody who waits so long has merely changed their mind.
        is_silent = not self._has_begun and time.perf_counter() - self._asked >= FIRST_TOKEN_S
        self._end("silent" if is_silent else "broken_off", failed=is_silent)
        close = getattr(self._inner, "aclose", None)
        if close is not None:
            await close()

    def _told(self, ended: Ended) -> None:
        if self._span is not None:
            self._span.note("gen_ai.response.finish_reasons", (ended.ending.value,))
            for name, tokens in (("input", ended.input_tokens), ("output", ended.output_tokens)):
                if tokens is not None:
                    self._span.note(f"gen_ai.usage.{name}_tokens", tokens)
        self._end(ended.ending.value)

    def _end(self, ending: str, *, failed: bool = False) -> None:
        if self._has_ended:
            return
        self._has_ended = True
        self._model.ended(ending)
        if self._span is not None:
            self._span.end(ending if failed else None)
