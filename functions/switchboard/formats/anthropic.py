"""Anthropic Messages.

The vendor refuses a whole request over one argument whose name breaks its
rule, and over a tool whose outermost schema combines others.
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
from switchboard.formats.schema.spelling import SpellingRule, restorer, spelled

TOOL_NAMES = SpellingRule("A-Za-z0-9_-", 64)
"""How tools may be called."""
ARGUMENT_NAMES = SpellingRule("A-Za-z0-9_.-", 64)
"""How arguments may be called: "Property keys should match pattern '^[a-zA-Z0-9_.-]{1,64}$'"."""
_DIALECT = Dialect(STANDARD, forbidden_at_root=COMBINING, names=ARGUMENT_NAMES)


def declare(definition: Definition) -> JsonObject:
    """Return one tool as `{name, description, input_schema}`."""
    return {
        "name": spelled(definition.name, TOOL_NAMES),
        "description": definition.description,
        "input_schema": _lowered(definition.parameters).schema,
    }


def lowerings(definition: Definition) -> tuple[str, ...]:
    """Return what `declare` could not say, one sentence each, by JSON pointer into `parameters`."""
    return _lowered(definition.parameters).notes


def declare_all(declarations: Sequence[JsonObject]) -> list[JsonObject]:
    """Return what stands under `tools` in a request."""
    return list(declarations)


def parse(vendor: Any) -> ToolCall:
    """Read a content block `{type: "tool_use", id, name, input}`; streamed input may still be its JSON text.

    Raises:
        Refused: It names no tool, or its input is neither an object nor text.
    """
    if not isinstance(vendor, dict) or not isinstance(vendor.get("name"), str):
        raise Refused(ErrorType.VALIDATION, "A tool_use block must name its tool.")
    given = vendor.get("input")
    if given is None:
        given = {}
    if not isinstance(given, str | dict):
        raise Refused(ErrorType.VALIDATION, "The input of a tool_use block must be an object.")
    return ToolCall(vendor["name"], given, str(vendor.get("id") or ""))


restore = restorer(ARGUMENT_NAMES)
"""Gives a call's arguments the names they have in the definition."""


def render(call_id: str, name: str, response: ToolResponse) -> JsonObject:
    """Return the content block that answers a call; all of a turn's stand first in the next `user` message.

    Raises:
        Refused: There is no call id: the vendor could not tell which call is answered.
    """
    if not call_id:
        raise Refused(ErrorType.VALIDATION, f"The call of {name} has no id, so it cannot be answered.")
    seen = visible(response)
    content = dumps(seen["data"] if response.ok else seen["error"], ensure_ascii=False, separators=(",", ":"))
    return {"type": "tool_result", "tool_use_id": call_id, "content": content, "is_error": not response.ok}


@once_per_schema
def _lowered(parameters: JsonObject) -> Lowered:
    return lower(parameters, _DIALECT)
