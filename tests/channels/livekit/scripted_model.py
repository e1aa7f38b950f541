"""A model for LiveKit that says what a test tells it, and remembers what it was shown."""

from collections.abc import Callable, Sequence
from typing import Any

from livekit.agents.llm import LLM, ChatChunk, ChatContext, ChoiceDelta, FunctionToolCall, LLMStream, RawFunctionTool

Call = tuple[str, str, str]
"""A tool to call: name, JSON arguments, call id."""
Said = str | Call | list[Call]
Step = Said | Callable[[ChatContext], Said]
"""Words to say, or one or several tools to call at once; or what makes such a step of the conversation so far."""


class ScriptedModel(LLM):
    """Says one step per request, and then "Done."."""

    def __init__(self, steps: Sequence[Step]) -> None:
        super().__init__()
        self._steps = list(steps)
        self.schemas: list[list[dict[str, Any]]] = []
        self.contexts: list[ChatContext] = []

    def chat(self, *, chat_ctx: ChatContext, tools: Any = None, conn_options: Any = None, **_: Any) -> LLMStream:
        """Take a request."""
        self.schemas.append([t.info.raw_schema for t in tools or () if isinstance(t, RawFunctionTool)])
        self.contexts.append(chat_ctx.copy())
        step = self._steps.pop(0) if self._steps else "Done."
        said = step(chat_ctx) if callable(step) else step
        return _Stream(self, said, chat_ctx=chat_ctx, tools=tools or [], conn_options=conn_options)


class _Stream(LLMStream):
    def __init__(self, model: ScriptedModel, step: Said, **more: Any) -> None:
        self._step = step
        super().__init__(model, **more)

    async def _run(self) -> None:
        if isinstance(self._step, str):
            delta = ChoiceDelta(role="assistant", content=self._step)
        else:
            made = self._step if isinstance(self._step, list) else [self._step]
            calls = [FunctionToolCall(name=name, arguments=text, call_id=id) for name, text, id in made]
            delta = ChoiceDelta(role="assistant", tool_calls=calls)
        self._event_ch.send_nowait(ChatChunk(id="1", delta=delta))
