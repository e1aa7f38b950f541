"""The Model Context Protocol: tools with hints about their effect, and results with structured content.

Schemas are JSON Schema 2020-12 there as here, so hardly anything is lost; what
wraps these objects into messages is the server's.
"""

from collections.abc import Sequence
from json import dumps
from typing import Any

from switchboard.contract.call import ToolCall
from switchboard.contract.definitions.definition import Definition, Kind, Repeat
from switchboard.contract.document import json_object
from switchboard.contract.error import ErrorType, Refused
from switchboard.contract.json import JsonObject
from switchboard.contract.response import ToolResponse
from switchboard.formats.model_view import visible
from switchboard.formats.schema.dialect import STANDARD, Dialect, Lowered
from switchboard.formats.schema.lowering import lower
from switchboard.formats.schema.memo import once_per_schema
from switchboard.formats.schema.spelling import SpellingRule, spelled

TOOL_NAMES = SpellingRule("A-Za-z0-9_.-", 128)
"""How tools may be called."""
_DIALECT = Dialect(STANDARD)


def declare(definition: Definition) -> JsonObject:
    """Return one tool as `{name, title, description, inputSchema, outputSchema?, annotations}`."""
    tool: JsonObject = {
        "name": spelled(definition.name, TOOL_NAMES),
        "title": definition.name.replace("_", " ").capitalize(),
        "description": definition.description,
        "inputSchema": _lowered(definition.parameters).schema,
    }
    if definition.returns is not None:
        tool["outputSchema"] = _lowered(definition.returns).schema
    return tool | {"annotations": annotations(definition)}


def annotations(definition: Definition) -> JsonObject:
    """Return the hints about a tool's effect that follow from its kind.

    An action may destroy: what cannot be taken back is not told apart, and a client that asks once too often does no
    harm. One whose handler makes one effect of one wish is idempotent.
    """
    is_read_only = definition.kind is not Kind.ACTION and not definition.writes
    return {
        "readOnlyHint": is_read_only,
        "destructiveHint": not is_read_only,
        # What a later turn may ask for again has an effect again.
        "idempotentHint": is_read_only or (definition.is_repeatable and definition.repeat is Repeat.SESSION),
    }


def lowerings(definition: Definition) -> tuple[str, ...]:
    """Return what `declare` could not say, one sentence each, by JSON pointer into `parameters` or `returns`."""
    notes = _lowered(definition.parameters).notes
    if definition.returns is None:
        return notes
    return (*notes, *(f"returns {note}" for note in _lowered(definition.returns).notes))


def declare_all(declarations: Sequence[JsonObject]) -> list[JsonObject]:
    """Return what stands under `tools` in the result of `tools/list`."""
    return list(declarations)


def parse(vendor: Any) -> ToolCall:
    """Read a request of `tools/call`, or its `params`; the call id is that of the request, where there is one.

    Raises:
        Refused: It names no tool, or its arguments are not an object.
    """
    request = json_object(vendor)
    given = request.get("params", request)
    if not isinstance(given, dict) or not isinstance(given.get("name"), str):
        raise Refused(ErrorType.VALIDATION, "A call must name its tool.")
    arguments = given.get("arguments")
    if arguments is None:
        arguments = {}
    if not isinstance(arguments, dict):
        raise Refused(ErrorType.VALIDATION, "The arguments of a call must be an object.")
    # JSON-RPC counts from 0.
    id = request.get("id") if given is not request else None
    return ToolCall(given["name"], arguments, "" if id is None else str(id))


def render(call_id: str, name: str, response: ToolResponse) -> JsonObject:
    """Return the result of `tools/call`: the data as text and as `structuredContent`, or the error as text.

    A failure has no structured content, which would have to match the tool's output schema.
    """
    seen = visible(response)
    content = seen["data"] if response.ok else seen["error"]
    text = dumps(content, ensure_ascii=False, separators=(",", ":"))
    result: JsonObject = {"content": [{"type": "text", "text": text}], "isError": not response.ok}
    if response.ok:
        # All of it, samples too: a program reads this, and it has to match the tool's output schema.
        result["structuredContent"] = response.to_json()["data"]
    return result | {"resultType": "complete"}


@once_per_schema
def _lowered(schema: JsonObject) -> Lowered:
    return lower(schema, _DIALECT)
