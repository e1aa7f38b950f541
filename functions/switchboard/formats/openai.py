"""OpenAI Chat Completions, and every server that speaks it; strict and not.

Whether a
tool is strict is always said, because a vendor that is not told may decide for itself.
"""

from collections.abc import Sequence
from json import dumps
from typing import Any

from switchboard.contract.call import ToolCall
from switchboard.contract.definitions.definition import Definition
from switchboard.contract.error import ErrorType, Refused
from switchboard.contract.json import JsonObject
from switchboard.contract.response import ToolResponse
from switchboard.formats.model_view import visible
from switchboard.formats.schema.dialect import COMBINING, STANDARD, Dialect, Lowered
from switchboard.formats.schema.lowering import lower
from switchboard.formats.schema.memo import once_per_schema
from switchboard.formats.schema.spelling import SpellingRule, rewritten, spelled
from switchboard.formats.schema.strict import strictly, without_nulls

TOOL_NAMES = SpellingRule("A-Za-z0-9_-", 64)
"""How functions may be called."""

# The outermost schema is refused with these: "must have type 'object' and not have 'oneOf'/'anyOf'/'allOf'/..."
_LENIENT = Dialect(STANDARD, forbidden_at_root=COMBINING | {"enum", "const"})


@once_per_schema
def lenient(parameters: JsonObject) -> Lowered:
    """Return the schema of a tool that is not strict."""
    return lower(parameters, _LENIENT)


def declare(definition: Definition) -> JsonObject:
    """Return one tool as `{type: "function", function: {…, strict: false}}`."""
    return _function(definition, lenient(definition.parameters).schema, strict=False)


def lowerings(definition: Definition) -> tuple[str, ...]:
    """Return what `declare` could not say, one sentence each, by JSON pointer into `parameters`."""
    return lenient(definition.parameters).notes


def declare_strict(definition: Definition) -> JsonObject:
    """Return one tool under the strict subset, or as `declare` does where that cannot say it.

    Optional arguments become required and nullable, as strict mode demands; `restore_strict` takes the null that the
    model then sends for what was left out.
    """
    schema = strictly(definition.parameters).schema
    return declare(definition) if schema is None else _function(definition, schema, strict=True)


def lowerings_strict(definition: Definition) -> tuple[str, ...]:
    """Return what `declare_strict` could not say, and why a tool is not strict."""
    strict = strictly(definition.parameters)
    if strict.schema is not None:
        return strict.notes
    return (*(f"not strict: {reason}" for reason in strict.reasons), *lowerings(definition))


def declared_to_chat(declarations: Sequence[JsonObject]) -> list[JsonObject]:
    """Return declarations for Chat Completions alone, where a function that is not said to be strict is not."""
    return [_unless_strict(declaration) for declaration in declarations]


def _unless_strict(declaration: JsonObject) -> JsonObject:
    function = declaration["function"]
    if function.get("strict") is not False:
        return declaration
    return {**declaration, "function": {name: value for name, value in function.items() if name != "strict"}}


def declare_all(declarations: Sequence[JsonObject]) -> list[JsonObject]:
    """Return what stands under `tools` in a request."""
    return list(declarations)


def parse(vendor: Any) -> ToolCall:
    """Read one element of `tool_calls`; arguments stay the JSON text that the model wrote.

    Raises:
        Refused: It names no function, or its arguments are neither text nor an object.
    """
    function = vendor.get("function") if isinstance(vendor, dict) else None
    if not isinstance(function, dict) or not isinstance(function.get("name"), str):
        raise Refused(ErrorType.VALIDATION, "A tool call must name its function.")
    arguments = function.get("arguments") or ""
    # Some compatible servers send the object itself.
    if not isinstance(arguments, str | dict):
        raise Refused(ErrorType.VALIDATION, "The arguments of a tool call must be a JSON object.")
    return ToolCall(function["name"], arguments, str(vendor.get("id") or ""))


def restore_strict(definition: Definition, call: ToolCall) -> ToolCall:
    """Return a call of a tool that was declared as strict, with what was left out left out."""
    if strictly(definition.parameters).schema is None:
        return call
    return rewritten(call, lambda arguments: without_nulls(arguments, definition.parameters), only_with=("null",))


def render(call_id: str, name: str, response: ToolResponse) -> JsonObject:
    """Return the message that answers a call; there is no error convention, so `content` says whether it went well."""
    content = dumps(visible(response), ensure_ascii=False, separators=(",", ":"))
    return {"role": "tool", "tool_call_id": call_id, "content": content}


def _function(definition: Definition, parameters: JsonObject, *, strict: bool) -> JsonObject:
    function = {
        "name": spelled(definition.name, TOOL_NAMES),
        "description": definition.description,
        "parameters": parameters,
        "strict": strict,
    }
    return {"type": "function", "function": function}
