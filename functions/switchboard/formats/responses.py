"""OpenAI Responses: flat tools, calls known by `call_id`, and answers as input items; strict and not.

The schemas are those of Chat Completions. `strict` is always said,
because the vendor makes tools strict that do not say it (trap 26).
"""

from collections.abc import Sequence
from json import dumps
from typing import Any

from switchboard.contract.call import ToolCall
from switchboard.contract.definitions.definition import Definition
from switchboard.contract.error import ErrorType, Refused
from switchboard.contract.json import JsonObject
from switchboard.contract.response import ToolResponse
from switchboard.formats import openai
from switchboard.formats.model_view import visible


def declare(definition: Definition) -> JsonObject:
    """Return one tool as `{type: "function", name, description, parameters, strict: false}`."""
    return {"type": "function", **openai.declare(definition)["function"]}


def declare_strict(definition: Definition) -> JsonObject:
    """Return one tool under the strict subset, or as `declare` does where that cannot say it."""
    return {"type": "function", **openai.declare_strict(definition)["function"]}


def declare_all(declarations: Sequence[JsonObject]) -> list[JsonObject]:
    """Return what stands under `tools` in a request."""
    return list(declarations)


def parse(vendor: Any) -> ToolCall:
    """Read an output item `{type: "function_call", call_id, name, arguments}`; its `id` is not the call's.

    Raises:
        Refused: It names no function, or its arguments are neither text nor an object.
    """
    if not isinstance(vendor, dict):
        vendor = {}
    return openai.parse({"id": vendor.get("call_id"), "function": vendor})


def render(call_id: str, name: str, response: ToolResponse) -> JsonObject:
    """Return the input item that answers a call; its output is text, which says whether it went well.

    Raises:
        Refused: There is no call id: the vendor could not tell which call is answered.
    """
    if not call_id:
        raise Refused(ErrorType.VALIDATION, f"The call of {name} has no call_id, so it cannot be answered.")
    output = dumps(visible(response), ensure_ascii=False, separators=(",", ":"))
    return {"type": "function_call_output", "call_id": call_id, "output": output}
