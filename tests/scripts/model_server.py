"""A model that says what a test tells it, on the wires of OpenAI, Anthropic and Google; each vendor's types judge both.

What a program sends is read by the vendor's own types, and so is what is answered: a stand-in that strays from the
wire fails here, and not the program that it stands before.
"""

import json
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import anthropic.types
import openai.types.chat
from google.genai import types as google
from pydantic import TypeAdapter
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from stand_ins import vendor_histories
from stand_ins.loopback import serving

Call = tuple[str, dict[str, Any]]
Step = list[Call] | str
"""Calls that the model makes together, or words, in which `{told}` stands for all that it has been told by tools."""

_OPENAI_TOOLS = TypeAdapter(list[openai.types.chat.ChatCompletionFunctionToolParam])
_OPENAI_MESSAGES = TypeAdapter(list[openai.types.chat.ChatCompletionMessageParam])
_ANTHROPIC_TOOLS = TypeAdapter(list[anthropic.types.ToolParam])
_ANTHROPIC_MESSAGES = TypeAdapter(list[anthropic.types.MessageParam])


@dataclass
class Script:
    """What the model does, step by step, and what it was shown."""

    steps: list[Step]
    tools: list[str] = field(default_factory=list)
    told: list[str] = field(default_factory=list)
    asked: str = ""
    url: str = ""

    def next(self) -> Step:
        """Return what comes now."""
        step = self.steps.pop(0)
        return step.replace("{told}", " | ".join(self.told)) if isinstance(step, str) else step


@contextmanager
def model_server(*steps: Step) -> Iterator[Script]:
    """Serve a model on this machine while the block runs."""
    script = Script(list(steps))

    async def on_openai(request: Request) -> Response:
        body = await request.json()
        if refused := vendor_histories.refusal(request.url.path, body):
            return JSONResponse({"error": {"message": refused}}, 400)
        messages = list(_OPENAI_MESSAGES.validate_python(body["messages"]))
        _OPENAI_TOOLS.validate_python(body["tools"], strict=True)
        script.tools = [tool["function"]["name"] for tool in body["tools"]]
        script.asked = next(m["content"] for m in body["messages"] if m["role"] == "user")
        script.told = [m["content"] for m in body["messages"] if m["role"] == "tool"]
        assert messages
        return _streamed(script.next()) if body.get("stream") else _as_openai(script.next())

    async def on_anthropic(request: Request) -> Response:
        body = await request.json()
        if refused := vendor_histories.refusal(request.url.path, body):
            return JSONResponse({"error": {"message": refused}}, 400)
        _ANTHROPIC_MESSAGES.validate_python(body["messages"])
        _ANTHROPIC_TOOLS.validate_python(body["tools"])
        script.tools = [tool["name"] for tool in body["tools"]]
        script.asked = body["messages"][0]["content"]
        blocks = [b for m in body["messages"] if isinstance(m["content"], list) for b in m["content"]]
        script.told = [block["content"] for block in blocks if block["type"] == "tool_result"]
        return _as_anthropic(script.next())

    async def on_google(request: Request) -> Response:
        assert request.path_params["named"].endswith(":generateContent")
        body = await request.json()
        if refused := vendor_histories.refusal(request.url.path, body):
            return JSONResponse({"error": {"message": refused}}, 400)
        contents = [google.Content.model_validate(content) for content in body["contents"]]
        tools = [google.Tool.model_validate(tool) for tool in body["tools"]]
        script.tools = [str(d.name) for tool in tools for d in tool.function_declarations or []]
        script.asked = str((contents[0].parts or [])[0].text)
        answers = [p.function_response for c in contents for p in c.parts or [] if p.function_response]
        script.told = [json.dumps(answer.response) for answer in answers]
        return _as_google(script.next())

    app = Starlette(
        routes=[
            Route("/v1/chat/completions", on_openai, methods=["POST"]),
            Route("/v1/messages", on_anthropic, methods=["POST"]),
            Route("/{version}/models/{named:path}", on_google, methods=["POST"]),
        ]
    )
    with serving(app) as script.url:
        yield script


def _id(kind: str) -> str:
    return f"{kind}_{uuid.uuid4().hex}"


def _as_openai(step: Step) -> Response:
    message: dict[str, Any] = {"role": "assistant", "content": None, "refusal": None}
    if isinstance(step, str):
        message["content"] = step
    else:
        message["tool_calls"] = [
            {"id": _id("call"), "type": "function", "function": {"name": name, "arguments": json.dumps(args)}}
            for name, args in step
        ]
    reason = "stop" if isinstance(step, str) else "tool_calls"
    choice = {"index": 0, "message": message, "finish_reason": reason, "logprobs": None}
    body = {"id": "c", "object": "chat.completion", "created": 1, "model": "m", "choices": [choice]}
    openai.types.chat.ChatCompletion.model_validate(body, strict=True)
    return JSONResponse(body)


def _streamed(step: Step) -> Response:
    deltas: list[dict[str, Any]] = [{"role": "assistant", "content": step if isinstance(step, str) else None}]
    for index, (name, args) in enumerate([] if isinstance(step, str) else step):
        function = {"name": name, "arguments": json.dumps(args)}
        call = {"index": index, "id": _id("call"), "type": "function", "function": function}
        deltas.append({"tool_calls": [call]})
    reason = "stop" if isinstance(step, str) else "tool_calls"
    chunks = []
    for delta, ended in [*((delta, None) for delta in deltas), ({}, reason)]:
        choice = {"index": 0, "delta": delta, "finish_reason": ended, "logprobs": None}
        chunk = {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": [choice]}
        openai.types.chat.ChatCompletionChunk.model_validate(chunk, strict=True)
        chunks.append(f"data: {json.dumps(chunk)}\n\n")
    return Response("".join([*chunks, "data: [DONE]\n\n"]), media_type="text/event-stream")


def _as_anthropic(step: Step) -> Response:
    content: list[dict[str, Any]] = [{"type": "text", "text": step, "citations": None}]
    if not isinstance(step, str):
        content = [{"type": "tool_use", "id": _id("toolu"), "name": name, "input": args} for name, args in step]
    body = {
        "id": "msg",
        "type": "message",
        "role": "assistant",
        "model": "m",
        "content": content,
        "stop_reason": "end_turn" if isinstance(step, str) else "tool_use",
        "stop_sequence": None,
        "usage": {"input_tokens": 1, "output_tokens": 1},
    }
    anthropic.types.Message.model_validate(body)
    return JSONResponse(body)


def _as_google(step: Step) -> Response:
    parts: list[dict[str, Any]] = [{"text": step}]
    if not isinstance(step, str):
        # No ids: the Gemini API gives none for plain requests.
        parts = [{"functionCall": {"name": name, "args": args}} for name, args in step]
    body = {"candidates": [{"content": {"role": "model", "parts": parts}, "finishReason": "STOP", "index": 0}]}
    google.GenerateContentResponse.model_validate(body)
    return JSONResponse(body)
