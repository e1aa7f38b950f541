"""How Vapi calls a tool: what it posts to the tool's server, for tests and drills of callbacks."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any, Literal

Shape = Literal["text", "object", "arguments", "parameters"]
SHAPES: tuple[Shape, ...] = ("text", "object", "arguments", "parameters")
"""The four shapes of one call that Vapi's document, pages and live messages show."""
_VARIABLE = re.compile(r"\{\{\s*([\w.]+)\s*\}\}")


def call_in(shape: Shape, id: str, name: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Return one call in one of the shapes."""
    if shape == "text":
        return {"id": id, "type": "function", "function": {"name": name, "arguments": json.dumps(arguments)}}
    if shape == "object":
        return {"id": id, "type": "function", "function": {"name": name, "arguments": dict(arguments)}}
    return {"id": id, "name": name, shape: dict(arguments)}


def message_of(calls: Sequence[Mapping[str, Any]], variables: Mapping[str, str]) -> dict[str, Any]:
    """Return the `tool-calls` message of a phone call; `variables` are as Liquid names them (`customer.number`)."""
    number = {"number": variables.get("phoneNumber.number")}
    customer = {"number": variables.get("customer.number")}
    call = {
        "id": variables.get("call.id"),
        "type": "inboundPhoneCall",
        "assistantId": variables.get("assistant.id"),
        "phoneCallProvider": "twilio",
        "phoneCallProviderId": variables.get("transport.callSid"),
        "customer": customer,
    }
    message = {"type": "tool-calls", "timestamp": 1_767_200_000_000, "toolCallList": list(calls), "call": call}
    return {"message": message | {"phoneNumber": number, "customer": customer}}


def handover_of(variables: Mapping[str, str], assistant_id: str = "", at: int = 1_767_200_000_000) -> dict[str, Any]:
    """Return the message in which a phone call asks where to hand it over.

    `assistant_id` is who asks; empty for the one that the phone call began with.
    """
    message = message_of([], variables)["message"]
    message |= {"type": "handoff-destination-request", "timestamp": at, "parameters": {"destination": "dynamic"}}
    del message["toolCallList"]
    return {"message": message | ({"assistant": {"id": assistant_id}} if assistant_id else {})}


def body_of(tool: Mapping[str, Any], arguments: Mapping[str, Any], variables: Mapping[str, str]) -> dict[str, Any]:
    """Return the body that an `apiRequest` tool posts: what the model says, and the static parameters over it."""
    return {**arguments, **{row["key"]: filled(row["value"], variables) for row in tool.get("parameters", [])}}


def filled(value: Any, variables: Mapping[str, str]) -> Any:
    """Return a static value with its variables resolved, at any depth; one that is not set is nothing."""
    if isinstance(value, str):
        return _VARIABLE.sub(lambda match: variables.get(match[1], ""), value)
    if isinstance(value, dict):
        return {key: filled(inner, variables) for key, inner in value.items()}
    return [filled(inner, variables) for inner in value] if isinstance(value, list) else value
