"""The first seed's own protocol: `tool_call` and `tool_result` objects, for models that know no vendor's format.

Seed 000 ("Tool Call Protocol (JSON)"). The seed gives a call no id; one that a model writes is given back to it, so
that two calls of one tool can be told apart.
"""

from collections.abc import Sequence
from typing import Any

from switchboard.contract.call import ToolCall
from switchboard.contract.definitions.definition import Definition
from switchboard.contract.error import ErrorType, Refused
from switchboard.contract.json import JsonObject
from switchboard.contract.response import ToolResponse
from switchboard.formats.model_view import visible
from switchboard.formats.schema.dialect import STANDARD, Dialect, Lowered
from switchboard.formats.schema.lowering import lower
from switchboard.formats.schema.memo import once_per_schema

_DIALECT = Dialect(STANDARD)


def declare(definition: Definition) -> JsonObject:
    """Return one tool as `{tool_name, description, arguments}`, named as in its calls."""
    return {
        "tool_name": definition.name,
        "description": definition.description,
        "arguments": _lowered(definition.parameters).schema,
    }


def lowerings(definition: Definition) -> tuple[str, ...]:
    """Return what `declare` could not say, one sentence each, by JSON pointer into `parameters`."""
    return _lowered(definition.parameters).notes


def declare_all(declarations: Sequence[JsonObject]) -> list[JsonObject]:
    """Return what a prompt lists."""
    return list(declarations)


def parse(vendor: Any) -> ToolCall:
    """Read `{type: "tool_call", tool_name, arguments, call_id?}`.

    Raises:
        Refused: It is something else, names no tool, or its arguments are neither an object nor its JSON text.
    """
    if not isinstance(vendor, dict) or vendor.get("type", "tool_call") != "tool_call":
        raise Refused(ErrorType.VALIDATION, 'A call must have the type "tool_call".')
    if not isinstance(vendor.get("tool_name"), str):
        raise Refused(ErrorType.VALIDATION, "A call must name its tool in tool_name.")
    arguments = vendor.get("arguments")
    if arguments is None:
        arguments = {}
    if not isinstance(arguments, str | dict):
        raise Refused(ErrorType.VALIDATION, "The arguments of a call must be an object.")
    return ToolCall(vendor["tool_name"], arguments, str(vendor.get("call_id") or ""))


def render(call_id: str, name: str, response: ToolResponse) -> JsonObject:
    """Return `{type: "tool_result", tool_name, result}`; the result of a failure is `{error: {…}}`."""
    seen = visible(response)
    result = seen["data"] if response.ok else {"error": seen["error"]}
    answer: JsonObject = {"type": "tool_result", "tool_name": name}
    return answer | ({"call_id": call_id} if call_id else {}) | {"result": result}


@once_per_schema
def _lowered(parameters: JsonObject) -> Lowered:
    return lower(parameters, _DIALECT)
