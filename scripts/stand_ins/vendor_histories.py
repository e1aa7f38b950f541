"""What vendors of language models refuse about the order of messages: a stand-in answers 400 over it, as they do.

Each function takes the body of a request and returns what the vendor would say, or None where it takes the request.
Nothing here is shared with the product: a rule that it gets wrong is not wrong on both sides.
"""

from __future__ import annotations

import json
import re
from typing import Any

_OPENAI_ID = 40
_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")
_GOOGLE_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_.:-]{0,63}")
_ANTHROPIC_ID = re.compile(r"[a-zA-Z0-9_-]+")


def refusal(path: str, body: Any) -> str | None:
    """Return what the vendor behind a path would refuse."""
    if path.endswith("/chat/completions"):
        return openai_refusal(body)
    if path.endswith("/v1/messages"):
        return anthropic_refusal(body)
    return gemini_refusal(body) if "enerateContent" in path else None


def openai_refusal(body: Any) -> str | None:
    """Return what Chat Completions refuses, and what servers that speak alike refuse."""
    waiting: list[str] = []
    for at, message in enumerate(body["messages"]):
        role, content = message["role"], message.get("content")
        if role == "tool":
            if message["tool_call_id"] not in waiting:
                return "messages with role 'tool' must be a response to a preceding message with 'tool_calls'."
            waiting.remove(message["tool_call_id"])
            continue
        if waiting:
            return (
                "An assistant message with 'tool_calls' must be followed by tool messages responding to each "
                f"'tool_call_id'. The following tool_call_ids did not have response messages: {', '.join(waiting)}"
            )
        calls = message.get("tool_calls")
        if calls == [] or (not calls and not isinstance(content, str | list)):
            return f"Invalid value for 'messages[{at}]': it needs content or tool calls."
        for call in calls or ():
            waiting.append(call["id"])
            if problem := _openai_call(call):
                return f"Invalid 'messages[{at}].tool_calls': {problem}"
        if len(set(waiting)) < len(waiting):
            return f"Duplicate value for 'tool_call_id' in 'messages[{at}]'."
    return f"The following tool_call_ids did not have response messages: {', '.join(waiting)}" if waiting else None


def _openai_call(call: Any) -> str | None:
    if not call["id"] or len(call["id"]) > _OPENAI_ID:
        return f"an id of {len(call['id'])} characters."
    if not _NAME.fullmatch(call["function"]["name"]):
        return f"the name {call['function']['name']!r} does not match the pattern."
    try:
        # Servers that put a conversation into a template read these.
        is_object = isinstance(json.loads(call["function"]["arguments"]), dict)
    except ValueError:
        is_object = False
    return None if is_object else "the arguments are no JSON object."


def anthropic_refusal(body: Any) -> str | None:
    """Return what the Messages API refuses; the model's own words last are taken, for an answer that was paused."""
    messages = _combined(body["messages"])
    if not messages or messages[0]["role"] != "user":
        return "messages: first message must use the user role"
    waiting: list[str] = []
    used: set[str] = set()
    for at, message in enumerate(messages):
        blocks = message["content"]
        if not blocks or any(block["type"] == "text" and not block["text"].strip() for block in blocks):
            return f"messages.{at}: text content blocks must be non-empty and contain non-whitespace text"
        if message["role"] == "user":
            if problem := _anthropic_results(blocks, waiting):
                return f"messages.{at}: {problem}"
            waiting = []
            continue
        calls = [block for block in blocks if block["type"] == "tool_use"]
        waiting = [call["id"] for call in calls]
        if len(set(waiting)) < len(waiting) or used & set(waiting):
            return f"messages.{at}: `tool_use` ids must be unique"
        used |= set(waiting)
        if any(not _ANTHROPIC_ID.fullmatch(call["id"]) or not _NAME.fullmatch(call["name"]) for call in calls):
            return f"messages.{at}: String should match pattern"
        if any(not isinstance(call["input"], dict) for call in calls):
            return f"messages.{at}: tool_use.input: Input should be a valid dictionary"
    if waiting:
        return f"`tool_use` ids were found without `tool_result` blocks immediately after: {', '.join(waiting)}"
    return None


def _combined(messages: Any) -> list[Any]:
    """Return messages as the vendor reads them: what follows in the same role is one turn."""
    rows: list[Any] = []
    for message in messages:
        blocks = message["content"]
        blocks = [{"type": "text", "text": blocks}] if isinstance(blocks, str) else list(blocks)
        if rows and rows[-1]["role"] == message["role"]:
            rows[-1]["content"] += blocks
        else:
            rows.append({"role": message["role"], "content": blocks})
    return rows


def _anthropic_results(blocks: Any, waiting: list[str]) -> str | None:
    results = [block["tool_use_id"] for block in blocks if block["type"] == "tool_result"]
    if [block["type"] for block in blocks[: len(results)]] != ["tool_result"] * len(results):
        return "`tool_result` blocks must come first"
    if set(results) - set(waiting):
        return "unexpected `tool_use_id` found in `tool_result` blocks"
    if sorted(results) != sorted(waiting):
        return "`tool_use` ids were found without exactly one `tool_result` block immediately after"
    return None


def gemini_refusal(body: Any) -> str | None:
    """Return what `generateContent` refuses."""
    contents = body.get("contents")
    if not contents:
        return "GenerateContentRequest.contents: contents is not specified"
    asked: list[Any] = []
    for at, content in enumerate(contents):
        parts, role = content["parts"], content.get("role", "user")
        if not parts or any("text" in part and not part["text"] for part in parts):
            return f"contents[{at}].parts: must have one initialized field"
        if at and contents[at - 1].get("role") == role:
            return "Please ensure that multiturn requests alternate between user and model."
        calls = [part["functionCall"] for part in parts if "functionCall" in part]
        answers = [part["functionResponse"] for part in parts if "functionResponse" in part]
        if problem := _gemini_answers(asked, answers):
            return problem
        if calls and (role != "model" or not at):
            return (
                "Please ensure that function call turn comes immediately after a user turn or after a function "
                "response turn."
            )
        if any(not _GOOGLE_NAME.fullmatch(c["name"]) or not isinstance(c.get("args", {}), dict) for c in calls):
            return f"contents[{at}].parts: function_call.name: Invalid function name"
        asked = calls
    if asked:
        return "Please ensure that function call turn is followed by a function response turn."
    return None if contents[-1].get("role", "user") == "user" else "Please end with a user role or a function response."


def _gemini_answers(asked: list[Any], answers: list[Any]) -> str | None:
    if len(answers) != len(asked):
        return (
            "Please ensure that the number of function response parts is equal to the number of function call parts of "
            "the function call turn."
        )
    if [answer["name"] for answer in answers] != [call["name"] for call in asked]:
        return "Please ensure that each function response has the name of its function call."
    if any(answer.get("id") != (call.get("id") or None) for answer, call in zip(answers, asked, strict=True)):
        return "Please ensure that each function response has the id of its function call."
    if any(not isinstance(answer["response"], dict) for answer in answers):
        return "function_response.response: must be an object"
    return None
