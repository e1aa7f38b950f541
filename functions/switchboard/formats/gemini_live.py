"""Gemini's Live API: Gemini's native declarations with a behaviour, answers with a scheduling, calls taken back.

Vendors' defaults for the behaviour differ, so it is
always said.
"""

from collections.abc import Sequence
from typing import Any

from switchboard.contract.call import ToolCall
from switchboard.contract.definitions.definition import Definition, Kind
from switchboard.contract.document import mapping, strings
from switchboard.contract.error import ErrorType, Refused
from switchboard.contract.json import JsonObject
from switchboard.contract.response import ToolResponse
from switchboard.formats import gemini


def declare(definition: Definition) -> JsonObject:
    """Return one function declaration with upper-case types and its `behavior`."""
    return gemini.declare(definition) | {"behavior": behavior(definition)}


def behavior(definition: Definition) -> str:
    """Return whether the model speaks on while a tool runs.

    Only past an action whose outcome nobody waits to hear: one that needs no yes and lets the agent claim nothing. A
    model that speaks on past a booking may say that it is booked before it is, and its speech goes from the vendor
    straight to the caller, where nothing holds it against receipts. What is looked up, it has to wait for anyway.
    """
    is_errand = definition.kind is Kind.ACTION and not definition.deeds and not definition.confirm
    return "NON_BLOCKING" if is_errand else "BLOCKING"


def scheduling(definition: Definition | None, response: ToolResponse) -> str:
    """Return when the model speaks of an answer; empty for a blocking call, for which the vendor takes none."""
    if definition is None or behavior(definition) == "BLOCKING":
        return ""
    # That an errand was done needs no words; that it was not may change what is said next.
    return "SILENT" if response.ok else "WHEN_IDLE"


def parse(vendor: Any) -> ToolCall:
    """Read an element of `toolCall.functionCalls`.

    Raises:
        Refused: It names no function, or its arguments are not an object.
    """
    return gemini.parse(vendor)


def cancelled(vendor: Any) -> tuple[str, ...]:
    """Return the ids of the calls that a message takes back, each once; none where it takes nothing back.

    The caller spoke in between. A call that is taken back is not answered, whatever became of it.
    """
    ids = strings(mapping(mapping(vendor).get("toolCallCancellation")).get("ids"))
    return tuple(dict.fromkeys(id for id in ids if id))


def answer(call_id: str, name: str, response: ToolResponse, definition: Definition | None = None) -> JsonObject:
    """Return one element of `toolResponse.functionResponses`.

    Args:
        call_id: The call's.
        name: The name under which the vendor called the tool.
        response: What came of it.
        definition: The tool's, where it is offered; without it the answer carries no scheduling.

    Raises:
        Refused: There is no call id: the vendor could not tell which call is answered.
    """
    if not call_id:
        raise Refused(ErrorType.VALIDATION, f"The call of {name} has no id, so it cannot be answered.")
    rendered: JsonObject = gemini.render(call_id, name, response)["functionResponse"]
    when = scheduling(definition, response)
    return rendered | {"scheduling": when} if when else rendered


def together(answers: Sequence[JsonObject]) -> JsonObject:
    """Return the one client message that holds several answers."""
    return {"toolResponse": {"functionResponses": list(answers)}}


def render(call_id: str, name: str, response: ToolResponse) -> JsonObject:
    """Return the client message that answers one call.

    Raises:
        Refused: There is no call id: the vendor could not tell which call is answered.
    """
    return together([answer(call_id, name, response)])
