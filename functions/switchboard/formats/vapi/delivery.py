"""What Vapi posts to a tool's callback: a `tool-calls` message with several calls, or an `apiRequest`'s bare object.

Or a `handoff-destination-request`, which asks who takes the phone call over.
"""

from collections.abc import Mapping
from typing import Any

from switchboard.contract.call import ToolCall
from switchboard.contract.error import ErrorType, Refused
from switchboard.contract.python.dataclass import dataclass
from switchboard.formats.vapi.call_facts import CALL_FACTS, VapiFacts, facts_of_message, separated
from switchboard.formats.vapi.tools import id_of, name_of, parse_with_facts

TOOL_CALLS = "tool-calls"
HANDOVER = "handoff-destination-request"
_LISTS = ("toolCallList", "toolWithToolCallList", "toolCalls")


@dataclass(frozen=True, slots=True)
class Delivered:
    """One call of a delivery: as it was read, or why it could not be.

    Attributes:
        call_id: Under which it must be answered; empty for an `apiRequest`, which has none.
        name: What the model called; empty for an `apiRequest`, whose tool stands in the address.
        call: The call; None where it is refused.
        refusal: Why it is; None where it is not.
    """

    call_id: str
    name: str
    call: ToolCall | None = None
    refusal: Refused | None = None


@dataclass(frozen=True, slots=True)
class VapiDelivery:
    """Everything that one request of Vapi's asks for.

    Attributes:
        calls: In order, each id once.
        facts: What Vapi says of the phone call; to be believed once the request is authenticated.
        is_request: Whether it is an `apiRequest`, which is answered with the bare envelope, or asks for a handover.
        handover_at: When a handover was asked for, as Vapi dates the message; None for every other delivery.
    """

    calls: tuple[Delivered, ...]
    facts: VapiFacts
    is_request: bool
    handover_at: str | None = None


def read_delivery(body: Any) -> VapiDelivery:
    """Read the JSON body of a request to a tool's callback.

    Raises:
        Refused: It is none of these, so that nobody waits for a result of it.
    """
    if not isinstance(body, dict):
        raise Refused(ErrorType.VALIDATION, "The body must be a JSON object.")
    message = body.get("message")
    # An argument may be called `message` too, and a model must not get to say who calls: what an `apiRequest` of ours
    # carries beside its arguments tells them apart.
    if isinstance(message, Mapping) and isinstance(message.get("type"), str) and not body.keys() & CALL_FACTS.keys():
        return _message(message)
    arguments, facts = separated(body)
    return VapiDelivery((Delivered("", "", ToolCall("", arguments)),), facts, is_request=True)


def _message(message: Mapping[str, Any]) -> VapiDelivery:
    if message["type"] == HANDOVER:
        # What the model said is that it wants the one destination there is.
        asked = (Delivered("", "", ToolCall("", {})),)
        at = message.get("timestamp")
        return VapiDelivery(asked, facts_of_message(message, ""), is_request=True, handover_at=str(at or ""))
    if message["type"] != TOOL_CALLS:
        raise Refused(ErrorType.VALIDATION, f"A tool's callback takes {TOOL_CALLS} messages.")
    rows: list[Any] = next(
        (message[name] for name in _LISTS if isinstance(message.get(name), list) and message[name]), []
    )
    calls: dict[str, Delivered] = {}
    keys = set()
    for row in rows:
        id = id_of(row)
        # Without an id nothing could be answered, and a second of the same id is answered with the first.
        if not id or id in calls:
            continue
        try:
            call, merged = parse_with_facts(row)
        except Refused as refusal:
            calls[id] = Delivered(id, name_of(row), refusal=refusal)
        else:
            calls[id] = Delivered(id, call.name, call)
            keys.add(merged.tool_key)
    if not calls:
        raise Refused(ErrorType.VALIDATION, "The message holds no tool call with an id.")
    # One key for the whole message, or none: calls that bring several come from no tool of ours.
    tool_key = keys.pop() if len(keys) == 1 else ""
    return VapiDelivery(tuple(calls.values()), facts_of_message(message, tool_key), is_request=False)
