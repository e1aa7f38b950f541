"""What Anthropic takes as a history; over anything else it refuses the whole request."""

from typing import Any

from anthropic.types import MessageParam
from pydantic import TypeAdapter

_MESSAGES = TypeAdapter(list[MessageParam])


def assert_taken(messages: list[dict[str, Any]]) -> None:
    """Assert each of the vendor's rules: types, turns, results first and complete, no empty text, ids of their own."""
    _MESSAGES.validate_python(messages)
    roles = [message["role"] for message in messages]
    assert roles == [("user", "assistant")[i % 2] for i in range(len(roles))] and roles[-1] == "user"
    waiting: list[str] = []
    used: list[str] = []
    for message in messages:
        content = message["content"]
        kinds = [block["type"] for block in content]
        assert kinds, "no message is empty"
        assert all(block["text"].strip() for block in content if block["type"] == "text")
        if message["role"] == "user":
            results = [block["tool_use_id"] for block in content if block["type"] == "tool_result"]
            assert sorted(results) == sorted(waiting), "each call is answered once, in the next message"
            assert kinds[: len(results)] == ["tool_result"] * len(results), "results stand first"
            waiting = []
        else:
            waiting = [block["id"] for block in content if block["type"] == "tool_use"]
            used += waiting
            assert all(isinstance(block["input"], dict) for block in content if block["type"] == "tool_use")
    assert len(set(used)) == len(used)
    assert all(id.isascii() and id.replace("_", "").replace("-", "").isalnum() for id in used)
