"""A model for LiveKit that says what a test tells it, and remembers what it was shown."""

from collections.abc import Sequence
from typing import Any

from livekit.agents.llm import LLM, ChatChunk, ChatContext, ChoiceDelta, FunctionToolCall, LLMStream, RawFunctionTool

Step = str | tuple[str, str, str]
"""Words to say, or a tool to call: name, JSON arguments, call id."""


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
        return _Stream(self, step, chat_ctx=chat_ctx, tools=tools or [], conn_options=conn_options)


class _Stream(LLMStream):
    def __init__(self, model: ScriptedModel, step: Step, **more: Any) -> None:
        self._step = step
        super().__init__(model, **more)

    async def _run(self) -> None:
        if isinstance(self._step, str):
            delta = ChoiceDelta(role="assistant", content=self._step)
        else:
            name, arguments, call_id = self._step
            call = FunctionToolCall(name=name, arguments=arguments, call_id=call_id)
            delta = ChoiceDelta(role="assistant", tool_calls=[call])
        self._event_ch.send_nowait(ChatChunk(id="1", delta=delta))
