"""A model's latest request as an owner reads it: who was told what, in order, and within bounds."""

from collections.abc import Sequence

import orjson

from switchboard.contract.json import JsonObject
from switchboard.contract.model import Message, Noted, ToolMessage, UserMessage
from switchboard.contract.ports import ChatModel
from switchboard.conversation.prompt_capture import CapturedPrompt
from switchboard.formats import FORMATS

# In bytes of JSON; together well below the 1 MiB that a document may have, in which an answer is kept.
_SYSTEM, _MESSAGES, _TOOLS = 120_000, 200_000, 250_000


def seen_prompt(seen: CapturedPrompt, model: ChatModel) -> JsonObject | None:
    """Return the latest request of a turn; None where the model was not asked.

    `{model, dialect, requests, system, messages, tools, leftOut}`: the tools are declared in the model's dialect, and
    what tools answered stands as it was sent in that dialect. What is beyond the bounds is left out: the end of the
    system prompt, the oldest messages and the last tools; `leftOut` counts characters, messages and tools.
    """
    prompt = seen.prompt
    if prompt is None:
        return None
    system = prompt.system.encode()[:_SYSTEM].decode(errors="ignore")
    told = [row for message in prompt.messages for row in _rows(message, model.dialect)]
    messages = _newest(told, _MESSAGES)
    tools = _newest(list(reversed(prompt.tools)), _TOOLS)[::-1]
    return {
        "model": model.name,
        "dialect": model.dialect,
        "requests": seen.requests,
        "system": system,
        "messages": messages,
        "tools": tools,
        "leftOut": {
            "characters": len(prompt.system) - len(system),
            "messages": len(told) - len(messages),
            "tools": len(prompt.tools) - len(tools),
        },
    }


def _rows(message: Message, dialect: str) -> list[JsonObject]:
    moment = message.moment if isinstance(message, UserMessage) else ""
    rows = [{"from": "house", "text": moment}] if moment else []
    return [*rows, _message(message, dialect)]


def _message(message: Message, dialect: str) -> JsonObject:
    if isinstance(message, UserMessage):
        return {"from": "caller", "text": message.text}
    if isinstance(message, Noted):
        return {"from": "house", "text": message.text}
    if isinstance(message, ToolMessage):
        sent = FORMATS[dialect].render(message.call_id, message.name, message.response)
        return {"from": "tool", "callId": message.call_id, "name": message.name, "sent": sent}
    calls = [{"callId": c.call_id, "name": c.name, "args": c.arguments} for c in message.calls]
    return {"from": "model", "text": message.text, "calls": calls}


def _newest(rows: Sequence[JsonObject], most: int) -> list[JsonObject]:
    """Return the last rows, as many as fit."""
    kept: list[JsonObject] = []
    for row in reversed(rows):
        most -= len(orjson.dumps(row, default=str))
        if most < 0:
            break
        kept.append(row)
    return kept[::-1]
