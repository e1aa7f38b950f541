"""Gemini's `streamGenerateContent`, as server-sent events."""

from collections.abc import AsyncIterator, Iterable, Mapping
from contextlib import aclosing
from typing import Any

import orjson

from switchboard.contract.json import JsonObject
from switchboard.contract.model import (
    CallPiece,
    Ended,
    Ending,
    Message,
    ModelError,
    ModelEvent,
    Prompt,
    Spoken,
    TextPiece,
    ToolMessage,
)
from switchboard.formats import gemini
from switchboard.models.message_order import arranged, as_object, of_unknown, words_of
from switchboard.models.request import Sessions, events, object_of

_CUT_OFF = frozenset(
    {"MAX_TOKENS", "MALFORMED_FUNCTION_CALL", "MALFORMED_RESPONSE", "TOO_MANY_TOOL_CALLS", "UNEXPECTED_TOOL_CALL"}
    | {"MISSING_THOUGHT_SIGNATURE", "NO_IMAGE", "IMAGE_OTHER", "CONTINUATION"}
)
_REFUSED = frozenset(
    {"SAFETY", "RECITATION", "LANGUAGE", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII", "MODEL_ARMOR"}
    | {"IMAGE_SAFETY", "IMAGE_PROHIBITED_CONTENT", "IMAGE_RECITATION"}
)


class Gemini:
    """A model of Google's behind `{base_url}/models/{model}:streamGenerateContent`."""

    dialect = "gemini_json"

    def __init__(self, model: str, base_url: str, api_key: str, sessions: Sessions) -> None:
        """Connect nowhere yet; `base_url` is like `https://generativelanguage.googleapis.com/v1beta`."""
        self.name = f"gemini:{model}"
        self._sessions = sessions
        self._url = f"{base_url.rstrip('/')}/models/{model}:streamGenerateContent?alt=sse"
        # In a header: what stands in an address ends up in logs.
        self._headers = {"Content-Type": "application/json", "x-goog-api-key": api_key}

    async def stream(self, prompt: Prompt) -> AsyncIterator[ModelEvent]:
        """Yield what the model says as it says it.

        Raises:
            ModelError: See `ChatModel.stream`.
        """
        reading = _GeminiChunks()
        body = orjson.dumps(self.request(prompt))
        async with aclosing(events(self._sessions, self._url, self._headers, body)) as source:
            async for data in source:
                for event in reading.read(data):
                    yield event
        yield reading.ended()

    def request(self, prompt: Prompt) -> JsonObject:
        """Return the body of the request."""
        body: JsonObject = {
            "systemInstruction": {"parts": [{"text": prompt.system}]},
            "contents": list(_contents(arranged(prompt.messages, gemini.TOOL_NAMES, takes_turns=True))),
        }
        if prompt.tools:
            body["tools"] = list(prompt.tools)
        if prompt.max_tokens is not None:
            body["generationConfig"] = {"maxOutputTokens": prompt.max_tokens}
        return body


def _contents(messages: Iterable[Message]) -> Iterable[JsonObject]:
    """Yield contents in which roles take turns: what follows in the same role is joined."""
    joined: JsonObject | None = None
    waiting: list[Mapping[str, Any]] = []
    for message in messages:
        if isinstance(message, Spoken):
            content = _given_back(message) or _spoken(message)
            waiting = [part["functionCall"] for part in content["parts"] if "functionCall" in part]
        elif isinstance(message, ToolMessage):
            # A call that came without an id is answered without one; its position tells which it was.
            call = waiting.pop(0)
            answer = gemini.render(str(call.get("id") or ""), str(call.get("name") or ""), message.response)
            content = {"role": "user", "parts": [answer]}
        else:
            content = {"role": "user", "parts": [{"text": words_of(message)}]}
        if joined is not None and joined["role"] == content["role"]:
            joined = {"role": joined["role"], "parts": [*joined["parts"], *content["parts"]]}
            continue
        if joined is not None:
            yield joined
        joined = content
    if joined is not None:
        yield joined


def _given_back(message: Spoken) -> JsonObject | None:
    """Return what the vendor said as it wants it back; None where that is not known."""
    parts = message.native.get("parts") if isinstance(message.native, Mapping) else None
    if not isinstance(parts, list) or sum("functionCall" in part for part in parts) != len(message.calls):
        return None
    if message.has_unheard:
        # Its thoughts stay: without their signatures it refuses its own calls.
        heard = [{"text": message.text}] if message.text.strip() else []
        first = next(at for at, part in enumerate(parts) if not part.get("thought"))
        behind = (part for part in parts[first:] if "text" not in part or part.get("thought"))
        parts = [*parts[:first], *heard, *behind]
    return {"role": "model", "parts": parts}


def _spoken(message: Spoken) -> JsonObject:
    parts: list[JsonObject] = [{"text": message.text}] if message.text else []
    for call in message.calls:
        parts.append({"functionCall": {"name": call.name, "args": as_object(call.arguments), "id": call.call_id}})
    return {"role": "model", "parts": parts}


class _GeminiChunks:
    """Reads the chunks of one answer."""

    def __init__(self) -> None:
        self._parts: list[JsonObject] = []
        self._reason = ""
        self._usage: Mapping[str, Any] = {}
        self._calls = 0
        self._last = ""

    def read(self, data: bytes) -> Iterable[ModelEvent]:
        chunk = object_of(data)
        if chunk.get("error"):
            raise ModelError(f"the model failed: {str(chunk['error'])[:200]}")
        self._usage = chunk.get("usageMetadata") or self._usage
        if (chunk.get("promptFeedback") or {}).get("blockReason"):
            self._reason = "SAFETY"
        candidates = chunk.get("candidates")
        if not candidates:
            return
        self._reason = candidates[0].get("finishReason") or self._reason
        for part in (candidates[0].get("content") or {}).get("parts") or ():
            self._keep(part)
            if "functionCall" in part:
                call = part["functionCall"]
                arguments = orjson.dumps(call.get("args") or {}).decode()
                yield CallPiece(self._calls, call.get("id") or "", call.get("name") or "", arguments)
                self._calls += 1
            elif part.get("text") and not part.get("thought"):
                self._last = part["text"]
                yield TextPiece(part["text"])

    def ended(self) -> Ended:
        if not self._reason:
            raise ModelError("the stream ended without an end")
        native = {"role": "model", "parts": self._parts} if self._calls else None
        used = self._usage
        return Ended(self._ending(), native, used.get("promptTokenCount"), used.get("candidatesTokenCount"))

    def _ending(self) -> Ending:
        if self._reason == "STOP":
            return Ending.CALLS if self._calls else Ending.STOPPED
        if self._reason in _REFUSED:
            return Ending.REFUSED
        if self._reason in _CUT_OFF:
            return Ending.CUT_OFF
        # The vendor sends calls whole: with a reason that says nothing against them they are meant.
        return of_unknown(self._reason, has_calls=self._calls > 0, last_words=self._last)

    def _keep(self, part: JsonObject) -> None:
        """Keep a part as it must be given back, with its thought signature; pieces of plain text are joined."""
        last = self._parts[-1] if self._parts else None
        if part.keys() == {"text"} and not part["text"]:
            # Sent at the end of some streams, and refused in a history.
            return
        if last is not None and last.keys() == part.keys() == {"text"}:
            self._parts[-1] = {"text": last["text"] + part["text"]}
        else:
            self._parts.append(part)
