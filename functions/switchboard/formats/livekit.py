"""LiveKit Agents: raw function schemas for `function_tool`, its calls, and the outputs it records.

The worker hands a raw schema on to whichever model it drives, so only what OpenAI,
Gemini and Anthropic all take is said, and under names that all three take.
"""

from collections.abc import Sequence
from json import dumps
from typing import Any

from switchboard.contract.call import ToolCall
from switchboard.contract.definitions.definition import Definition
from switchboard.contract.json import JsonObject
from switchboard.contract.response import ToolResponse
from switchboard.formats import gemini, openai
from switchboard.formats.model_view import visible
from switchboard.formats.schema.spelling import restorer, spelled

# `on_duplicate="confirm"` adds it to what the model is told; it is the worker's own business.
_OF_THE_WORKER = "lk_agents_confirm_duplicate"


def declare(definition: Definition) -> JsonObject:
    """Return one tool as the `raw_schema` of `function_tool`: `{name, description, parameters}`."""
    return {
        "name": spelled(definition.name, openai.TOOL_NAMES),
        "description": definition.description,
        "parameters": gemini.as_json_schema(definition.parameters).schema,
    }


def lowerings(definition: Definition) -> tuple[str, ...]:
    """Return what `declare` could not say, one sentence each, by JSON pointer into `parameters`."""
    return gemini.as_json_schema(definition.parameters).notes


def declare_all(declarations: Sequence[JsonObject]) -> list[JsonObject]:
    """Return the raw schemas of all tools."""
    return list(declarations)


def parse(vendor: Any) -> ToolCall:
    """Read a `FunctionCall` `{call_id, name, arguments}`, or what a raw function gets: `{…, raw_arguments}`.

    Raises:
        Refused: It names no function, or its arguments are neither text nor an object.
    """
    if not isinstance(vendor, dict):
        vendor = {}
    arguments = vendor.get("raw_arguments", vendor.get("arguments"))
    call = openai.parse({"id": vendor.get("call_id"), "function": {"name": vendor.get("name"), "arguments": arguments}})
    if isinstance(call.arguments, dict):
        own = {name: value for name, value in call.arguments.items() if name != _OF_THE_WORKER}
        return ToolCall(call.name, own, call.call_id)
    return call


restore = restorer(gemini.ARGUMENT_NAMES)
"""Gives a call's arguments the names they have in the definition."""


def render(call_id: str, name: str, response: ToolResponse) -> JsonObject:
    """Return a `FunctionCallOutput`; a raw function returns its `output`, or raises a `ToolError` with it."""
    seen = visible(response)
    output = dumps(seen["data"] if response.ok else seen["error"], ensure_ascii=False, separators=(",", ":"))
    return {"call_id": call_id, "name": name, "output": output, "is_error": not response.ok}
