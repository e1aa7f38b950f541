"""What Vapi knows of a phone call and the model must not say: the hidden static parameters, and how they are read back.

An `apiRequest` carries nothing but arguments, so that a mirrored tool has static parameters, which Vapi fills in, hides
from the model and merges last.
"""

from collections.abc import Mapping
from dataclasses import field
from typing import Any

from switchboard.contract.caller.outside_id import outside_id
from switchboard.contract.document import mapping
from switchboard.contract.json import JsonObject
from switchboard.contract.python.dataclass import dataclass

TOOL_KEY = "toolKey"
"""The static parameter with which a tool's callback proves that it is the one that we made."""
KEY_HEADER = "X-Vapi-Secret"
"""The header with which a tool proves the same that has no static parameters."""
CALL_FACTS: Mapping[str, str] = {
    "callId": "{{call.id}}",
    "callerNumber": "{{customer.number}}",
    "calledNumber": "{{phoneNumber.number}}",
    "providerCallSid": "{{transport.callSid}}",
    "assistantId": "{{assistant.id}}",
}
"""The static parameters and the server-set variables that Vapi fills them with."""
HIDDEN = frozenset({*CALL_FACTS, TOOL_KEY})
"""Names that no argument is told under."""
_LONGEST = 200


@dataclass(frozen=True, slots=True)
class VapiFacts:
    """What a callback says of its phone call; empty where Vapi does not say, as for web calls and withheld numbers.

    They are as trustworthy as the callback: whoever has not authenticated it knows nothing.

    Attributes:
        call_id: Vapi's id of the phone call.
        caller_number: Who calls, as Vapi has it: mostly E.164.
        called_number: Which number was called.
        provider_call_sid: The phone network's id of the phone call.
        assistant_id: Vapi's id of the assistant that asks.
        message_id: The message's own id, where it has one.
        tool_key: What the tool's own static parameter holds; a secret.
    """

    call_id: str = ""
    caller_number: str = ""
    called_number: str = ""
    provider_call_sid: str = ""
    assistant_id: str = ""
    message_id: str = ""
    tool_key: str = field(default="", repr=False)

    @property
    def conversation(self) -> str:
        """What the conversation is called in which this was said; empty where nothing tells it from others."""
        return self.call_id or self.provider_call_sid or self.message_id


def static_parameters(tool_key: str = "") -> list[JsonObject]:
    """Return what stands under a mirrored tool's top-level `parameters`."""
    rows: list[JsonObject] = [{"key": key, "value": variable} for key, variable in CALL_FACTS.items()]
    return [*rows, {"key": TOOL_KEY, "value": tool_key}] if tool_key else rows


def separated(arguments: Mapping[str, Any]) -> tuple[JsonObject, VapiFacts]:
    """Return the model's own arguments, and the facts that Vapi merged into them."""
    own = {name: value for name, value in arguments.items() if name not in HIDDEN}
    facts = VapiFacts(
        call_id=_text(arguments.get("callId")),
        caller_number=_text(arguments.get("callerNumber")),
        called_number=_text(arguments.get("calledNumber")),
        provider_call_sid=_text(arguments.get("providerCallSid")),
        assistant_id=_text(arguments.get("assistantId")),
        tool_key=_text(arguments.get(TOOL_KEY)),
    )
    return own, facts


def facts_of_message(message: Mapping[str, Any], tool_key: str) -> VapiFacts:
    """Return what a server message says of its phone call, which no model can have a word in."""
    call = mapping(message.get("call"))
    assistant = mapping(message.get("assistant"))
    customer = mapping(message.get("customer")) or mapping(call.get("customer"))
    number = mapping(message.get("phoneNumber")) or mapping(call.get("phoneNumber"))
    return VapiFacts(
        call_id=_text(call.get("id")),
        caller_number=_text(customer.get("number")),
        called_number=_text(number.get("number")),
        provider_call_sid=_text(call.get("phoneCallProviderId")),
        # After a handover the phone call is still that of the assistant it began with.
        assistant_id=_text(assistant.get("id")) or _text(call.get("assistantId")),
        message_id=_text(message.get("id")),
        tool_key=tool_key,
    )


def _text(value: Any) -> str:
    # A variable that Vapi did not fill in stands there as it was written, and says nothing.
    known = isinstance(value, str) and len(value) <= _LONGEST and "{{" not in value
    return outside_id(value) if known else ""
