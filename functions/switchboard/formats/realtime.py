"""OpenAI Realtime: flat tools without `strict`, calls known by `call_id`, and answers as conversation items.

The schemas are those of Chat Completions. Since nothing is strict there,
arguments are validated when the call is made, like everybody's.
"""

from collections.abc import Sequence
from typing import Any

from switchboard.contract.call import ToolCall
from switchboard.contract.definitions.definition import Definition
from switchboard.contract.json import JsonObject
from switchboard.contract.response import ToolResponse
from switchboard.formats import openai, responses


def declare(definition: Definition) -> JsonObject:
    """Return one tool as `{type: "function", name, description, parameters}`."""
    function = openai.declare(definition)["function"]
    return {"type": "function", **{key: function[key] for key in ("name", "description", "parameters")}}


def lowerings(definition: Definition) -> tuple[str, ...]:
    """Return what `declare` could not say, one sentence each, by JSON pointer into `parameters`."""
    return openai.lowerings(definition)


def declare_all(declarations: Sequence[JsonObject]) -> list[JsonObject]:
    """Return what stands under `session.tools`."""
    return list(declarations)


def parse(vendor: Any) -> ToolCall:
    """Read an item `{type: "function_call", call_id, name, arguments}`, or the event that ends its arguments.

    Raises:
        Refused: It names no function, or its arguments are neither text nor an object.
    """
    return responses.parse(vendor)


def render(call_id: str, name: str, response: ToolResponse) -> JsonObject:
    """Return the client event that answers a call; nothing is spoken before a `response.create` follows it.

    Raises:
        Refused: There is no call id: the vendor could not tell which call is answered.
    """
    return {"type": "conversation.item.create", "item": responses.render(call_id, name, response)}
