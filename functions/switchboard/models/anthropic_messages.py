"""Anthropic's Messages API, streamed as server-sent events.

Each event says its own type, so that the names beside the data are not needed. What is unknown, such as a `ping` or an
event of later versions, is passed over.
"""

from collections.abc import AsyncIterator, Iterable, Mapping
from contextlib import aclosing
from typing import Any

import orjson

from switchboard.contract.document import integer, mapping
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
from switchboard.formats import anthropic
from switchboard.models.message_order import arranged, as_object, of_unknown, words_of
from switchboard.models.request import Sessions, events, object_of

VERSION = "2023-06-01"
# The vendor asks for a limit in every request; the smallest model takes this one.
_MOST_TOKENS = 4_096
# An answer that is paused is handed back so often before it counts as cut off.
_PAUSES = 3
_ENDINGS = {
    "end_turn": Ending.STOPPED,
    "stop_sequence": Ending.STOPPED,
    "tool_use": Ending.CALLS,
    "max_tokens": Ending.CUT_OFF,
    "model_context_window_exceeded": Ending.CUT_OFF,
    "pause_turn": Ending.CUT_OFF,
    "refusal": Ending.REFUSED,
}


class AnthropicMessages:
    """A model behind `{base_url}/v1/messages`."""

    dialect = "anthropic"

    def __init__(self, model: str, base_url: str, api_key: str, sessions: Sessions) -> None:
        """Connect nowhere yet; `base_url` is like `https://api.anthropic.com`, `sessions` gives the HTTP session."""
        self.name = f"anthropic:{model}"
        self._model, self._sessions = model, sessions
        # The vendor's own clients are configured without the version, people often write it.
        self._url = f"{base_url.rstrip('/').removesuffix('/v1')}/v1/messages"
        self._headers = {
            "Content-Type": "application/json",
            "Accept": "text/event-stream",
            "anthropic-version": VERSION,
        }
        if api_key:
            self._headers["x-api-key"] = api_key

    async def stream(self, prompt: Prompt) -> AsyncIterator[ModelEvent]:
        """Yield what the model says as it says it; an answer that the vendor pauses is gone on with.

        Raises:
            ModelError: See `ChatModel.stream`.
        """
        body = self.request(prompt)
        reading = _AnthropicEvents()
        for left in reversed(range(_PAUSES + 1)):
            async with aclosing(events(self._sessions, self._url, self._headers, orjson.dumps(body))) as source:
                async for data in source:
                    for event in reading.read(data):
                        yield event
                    if reading.is_done:
                        break
            if not reading.is_paused or not left:
                break
            # Handed back as it is, and last, it is what the vendor goes on from.
            body["messages"] = [*body["messages"], {"role": "assistant", "content": reading.blocks()}]
            reading.go_on()
        yield reading.ended()

    def request(self, prompt: Prompt) -> JsonObject:
        """Return the body of the request."""
        body: JsonObject = {
            "model": self._model,
            "max_tokens": prompt.max_tokens or _MOST_TOKENS,
            "messages": _History().told(arranged(prompt.messages, anthropic.TOOL_NAMES, takes_turns=True)),
            "stream": True,
        }
        if prompt.system.strip():
            body["system"] = prompt.system
        if prompt.tools:
            body["tools"] = list(prompt.tools)
        return body


class _History:
    """Messages in which roles take turns: what follows in the same role is joined, results before texts."""

    def __init__(self) -> None:
        self._found: list[JsonObject] = []

    def told(self, messages: Iterable[Message]) -> list[JsonObject]:
        for message in messages:
            if isinstance(message, Spoken):
                self._add("assistant", _given_back(message) or _written(message))
            elif isinstance(message, ToolMessage):
                self._add("user", [anthropic.render(message.call_id, message.name, message.response)])
            else:
                self._add("user", [_text(words_of(message))])
        return self._found

    def _add(self, role: str, content: list[JsonObject]) -> None:
        if self._found and self._found[-1]["role"] == role:
            self._found[-1]["content"] += content
        else:
            self._found.append({"role": role, "content": list(content)})


def _written(message: Spoken) -> list[JsonObject]:
    content = [_text(message.text)] if message.text else []
    for call in message.calls:
        inner = {"name": call.name, "input": as_object(call.arguments)}
        content.append({"type": "tool_use", "id": call.call_id, **inner})
    return content


def _given_back(message: Spoken) -> list[JsonObject]:
    """Return what the vendor said as it wants it back, its thoughts among it; empty where that is not known."""
    native = message.native.get("content") if isinstance(message.native, Mapping) else None
    if not isinstance(native, list) or sum(block["type"] == "tool_use" for block in native) != len(message.calls):
        return []
    if message.has_unheard:
        heard = [_text(message.text)] if message.text.strip() else []
        first = next(at for at, block in enumerate(native) if block["type"] in {"text", "tool_use"})
        native = [*native[:first], *heard, *(block for block in native[first:] if block["type"] != "text")]
    left = iter(message.calls)
    return [{**block, "id": next(left).call_id} if block["type"] == "tool_use" else block for block in native]


def _text(text: str) -> JsonObject:
    return {"type": "text", "text": text}


class _Block:
    """A content block while it comes."""

    def __init__(self, start: Mapping[str, Any], call: int | None) -> None:
        self.start, self.call = start, call
        self.pieces: list[str] = []
        self.more: JsonObject = {}
        self.is_whole = False

    @property
    def kind(self) -> str:
        return str(self.start.get("type") or "")

    def block(self) -> JsonObject:
        """Return it as it is handed back."""
        text = "".join(self.pieces)
        if self.kind in ("text", "thinking"):
            return {**self.start, self.kind: str(self.start.get(self.kind) or "") + text, **self.more}
        if "input" not in self.start:
            return {**self.start, **self.more}
        return {**self.start, "input": as_object(text) if text else as_object(self.start["input"]), **self.more}


class _AnthropicEvents:
    """Reads the events of one answer."""

    def __init__(self) -> None:
        self.is_done = False
        self._blocks: dict[int, _Block] = {}
        self._reason = ""
        self._calls = 0
        self._last = ""
        self._usage: dict[str, int] = {}
        # Of the answers before a pause.
        self._spent: dict[str, int] = {}

    @property
    def is_paused(self) -> bool:
        return self._reason == "pause_turn" and not self._calls

    def read(self, data: bytes) -> Iterable[ModelEvent]:
        event = object_of(data)
        match event.get("type"):
            case "content_block_delta":
                yield from self._more(event.get("index"), mapping(event.get("delta")))
            case "content_block_start":
                yield from self._begun(event.get("index"), mapping(event.get("content_block")))
            case "content_block_stop":
                yield from self._stopped(event.get("index"))
            case "message_start":
                self._count(mapping(event.get("message")).get("usage"))
            case "message_delta":
                self._reason = str(mapping(event.get("delta")).get("stop_reason") or self._reason)
                self._count(event.get("usage"))
            case "message_stop":
                self.is_done = True
            case "error":
                raise _failure(mapping(event.get("error")))

    def blocks(self) -> list[JsonObject]:
        """Return what was said, as it is handed back; the vendor sends empty texts and refuses them."""
        blocks = [block.block() for block in self._blocks.values()]
        return [block for block in blocks if block.get("type") != "text" or block["text"].strip()]

    def go_on(self) -> None:
        """Read what comes after a pause."""
        self._spent = {name: self._spent.get(name, 0) + count for name, count in self._usage.items()}
        self._usage, self._blocks, self._reason, self.is_done = {}, {}, "", False

    def ended(self) -> Ended:
        if not self._reason:
            raise ModelError("the stream ended without an end")
        used = {name: self._spent.get(name, 0) + count for name, count in self._usage.items()}
        read = [used[name] for name in used if name.endswith("input_tokens")]
        native = {"role": "assistant", "content": self.blocks()} if self._calls else None
        return Ended(self._ending(), native, sum(read) if read else None, used.get("output_tokens"))

    def _ending(self) -> Ending:
        ending = _ENDINGS.get(self._reason)
        if ending is None:
            ending = of_unknown(self._reason, has_calls=self._calls > 0, last_words=self._last)
        if any(block.call is not None and not block.is_whole for block in self._blocks.values()):
            return Ending.REFUSED if ending is Ending.REFUSED else Ending.CUT_OFF
        if self._reason == "pause_turn" and self._calls:
            return Ending.CALLS
        if ending is Ending.CALLS and not self._calls:
            return Ending.STOPPED
        return Ending.CALLS if ending is Ending.STOPPED and self._calls else ending

    def _begun(self, index: Any, start: Mapping[str, Any]) -> Iterable[ModelEvent]:
        is_call = start.get("type") == "tool_use"
        block = self._blocks[integer(index)] = _Block(start, self._calls if is_call else None)
        if is_call:
            self._calls += 1
            yield CallPiece(self._calls - 1, str(start.get("id") or ""), str(start.get("name") or ""))
        elif block.kind == "text" and start.get("text"):
            yield TextPiece(str(start["text"]))

    def _more(self, index: Any, delta: Mapping[str, Any]) -> Iterable[ModelEvent]:
        block = self._blocks.get(integer(index))
        if block is None:
            raise ModelError("a piece belongs to no block")
        match delta.get("type"):
            case "text_delta":
                text = str(delta.get("text") or "")
                block.pieces.append(text)
                if text:
                    self._last = text
                    yield TextPiece(text)
            case "input_json_delta":
                piece = str(delta.get("partial_json") or "")
                block.pieces.append(piece)
                if piece and block.call is not None:
                    yield CallPiece(block.call, arguments=piece)
            case "thinking_delta":
                block.pieces.append(str(delta.get("thinking") or ""))
            case "signature_delta":
                block.more["signature"] = str(delta.get("signature") or "")
            case "citations_delta":
                block.more.setdefault("citations", []).append(delta.get("citation"))

    def _stopped(self, index: Any) -> Iterable[ModelEvent]:
        block = self._blocks.get(integer(index))
        if block is None:
            return
        block.is_whole = True
        given = block.start.get("input")
        if block.call is not None and given and not "".join(block.pieces):
            # Some servers that speak alike send the whole at once.
            yield CallPiece(block.call, arguments=given if isinstance(given, str) else orjson.dumps(given).decode())

    def _count(self, usage: Any) -> None:
        """Keep the newest of each count: they are sums of the answer so far."""
        for name in ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens", "output_tokens"):
            count = mapping(usage).get(name)
            if isinstance(count, int):
                self._usage[name] = count


def _failure(error: Mapping[str, Any]) -> ModelError:
    kind = str(error.get("type") or "")
    permanent = ("invalid_request_error", "authentication_error", "permission_error", "not_found_error")
    return ModelError(f"the model failed: {kind} {error.get('message')}"[:200], is_permanent=kind in permanent)
