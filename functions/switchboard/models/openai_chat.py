"""Any endpoint that speaks OpenAI's Chat Completions, streamed.

Compatible servers differ in what they leave out; what is read here is what all of them mean: calls without an index,
arguments as an object, content in parts, a stream without a finish reason.
"""

import json
from collections.abc import AsyncIterator, Mapping
from contextlib import aclosing
from typing import Any
from urllib.parse import urlsplit

import orjson

from switchboard.contract.document import objects_of, text
from switchboard.contract.json import JsonObject
from switchboard.contract.model import (
    CallPiece,
    Ended,
    Ending,
    Message,
    ModelError,
    ModelEvent,
    Noted,
    Prompt,
    Spoken,
    TextPiece,
    ToolMessage,
    UserMessage,
)
from switchboard.formats import openai
from switchboard.models.message_order import arranged, as_object, of_unknown, words_of
from switchboard.models.request import Sessions, events, object_of

_ENDINGS = {
    "stop": Ending.STOPPED,
    "tool_calls": Ending.CALLS,
    "function_call": Ending.CALLS,
    "length": Ending.CUT_OFF,
    "content_filter": Ending.REFUSED,
}


class OpenAIChat:
    """A model behind `{base_url}/chat/completions`."""

    dialect = "openai"

    def __init__(self, model: str, base_url: str, api_key: str, sessions: Sessions) -> None:
        """Connect nowhere yet; `base_url` is like `https://api.openai.com/v1`, `sessions` gives the HTTP session."""
        self.name = f"openai:{model}"
        self._model, self._sessions = model, sessions
        # OpenAI's newer models refuse the older name; compatible servers often know no other.
        is_vendor = (urlsplit(base_url).hostname or "").endswith("openai.com")
        self._limit = "max_completion_tokens" if is_vendor else "max_tokens"
        self._url = f"{base_url.rstrip('/')}/chat/completions"
        self._headers = {"Content-Type": "application/json", "Accept": "text/event-stream"}
        if api_key:
            self._headers["Authorization"] = f"Bearer {api_key}"

    async def stream(self, prompt: Prompt) -> AsyncIterator[ModelEvent]:
        """Yield what the model says as it says it.

        Raises:
            ModelError: See `ChatModel.stream`.
        """
        reading = _OpenAIChunks()
        body = orjson.dumps(self.request(prompt))
        async with aclosing(events(self._sessions, self._url, self._headers, body)) as source:
            async for data in source:
                if data == b"[DONE]":
                    reading.is_done = True
                    break
                for event in reading.read(data):
                    yield event
        ended = reading.ended()
        if ended is None:
            raise ModelError("the stream ended without an end")
        yield ended

    def request(self, prompt: Prompt) -> JsonObject:
        """Return the body of the request."""
        messages = [{"role": "system", "content": prompt.system}]
        messages += map(_message, arranged(prompt.messages, openai.TOOL_NAMES))
        body: JsonObject = {
            "model": self._model,
            "messages": messages,
            "stream": True,
            "stream_options": {"include_usage": True},
        }
        if prompt.tools:
            body["tools"] = list(prompt.tools)
        if prompt.max_tokens is not None:
            body[self._limit] = prompt.max_tokens
        return body


def _message(message: Message) -> JsonObject:
    if isinstance(message, ToolMessage):
        return openai.render(message.call_id, message.name, message.response)
    if isinstance(message, UserMessage):
        return {"role": "user", "content": words_of(message)}
    if isinstance(message, Noted):
        return {"role": "system", "content": message.text}
    return _spoken(message)


def _spoken(message: Spoken) -> JsonObject:
    spoken: JsonObject = {"role": "assistant", "content": message.text or None}
    if message.calls:
        spoken["tool_calls"] = [
            {"id": c.call_id, "type": "function", "function": {"name": c.name, "arguments": _object(c.arguments)}}
            for c in message.calls
        ]
    return spoken


def _object(arguments: Any) -> str:
    """Return arguments as a JSON object's text: servers that put a conversation into a template read it."""
    parsed = as_object(arguments)
    return arguments if isinstance(arguments, str) and parsed else json.dumps(parsed, ensure_ascii=False)


class _OpenAIChunks:
    """Reads the chunks of one answer."""

    def __init__(self) -> None:
        self.is_done = False
        self._reason = ""
        self._words = ""
        self._is_refused = False
        self._usage: Mapping[str, Any] = {}
        self._has_calls = False
        self._last = -1
        self._ids: dict[str, int] = {}

    def read(self, data: bytes) -> list[ModelEvent]:
        chunk = object_of(data)
        if chunk.get("error"):
            raise ModelError(f"the model failed: {str(chunk['error'])[:200]}")
        if chunk.get("usage"):
            self._usage = chunk["usage"]
        choices = chunk.get("choices")
        if not choices:
            return []
        choice = choices[0]
        reason = choice.get("finish_reason")
        if reason:
            self._reason = str(reason)
        delta = choice.get("delta") or {}
        events: list[ModelEvent] = []
        content = delta.get("content")
        if content:
            text = content if isinstance(content, str) else _joined(content)
            if text:
                self._words = text
                events.append(TextPiece(text))
        if delta.get("refusal"):
            # The vendor's own field for what the model will not say, in place of an answer.
            self._is_refused = True
        for call in delta.get("tool_calls") or ():
            events.append(self._piece(call.get("index"), call.get("id"), call.get("function") or {}))
        if delta.get("function_call"):
            events.append(self._piece(0, None, delta["function_call"]))
        return events

    def ended(self) -> Ended | None:
        """Return the end of the answer, None if the stream broke off before it."""
        if not self._reason and not self.is_done:
            return None
        ending = _ENDINGS.get(self._reason, Ending.STOPPED)
        if self._is_refused:
            ending = Ending.REFUSED
        elif self._reason and self._reason not in _ENDINGS:
            ending = of_unknown(self._reason, has_calls=self._has_calls, last_words=self._words)
        # With a forced function the reason may be "stop"; calls that are there are calls.
        if self._has_calls and ending is Ending.STOPPED:
            ending = Ending.CALLS
        return Ended(ending, None, self._usage.get("prompt_tokens"), self._usage.get("completion_tokens"))

    def _piece(self, index: Any, id: Any, function: Mapping[str, Any]) -> CallPiece:
        self._has_calls = True
        id = text(id)
        if not isinstance(index, int):
            # Without an index a new id is a new call, and what has none goes on with the last one.
            index = self._ids.setdefault(id, self._last + 1) if id else max(self._last, 0)
        self._last = max(self._last, index)
        return CallPiece(index, id, function.get("name") or "", _text(function.get("arguments") or ""))


def _text(arguments: Any) -> str:
    return arguments if isinstance(arguments, str) else json.dumps(arguments)


def _joined(parts: Any) -> str:
    return "".join(part.get("text") or "" for part in objects_of(parts))
