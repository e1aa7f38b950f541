"""Definitions to declare, and a validator to hold declarations against."""

from collections.abc import Callable
from typing import Any

import jsonschema_rs

from switchboard.contract.definitions.definition import Definition, Kind

BOOKING: dict[str, Any] = {
    "type": "object",
    "properties": {
        "service": {"type": "string", "minLength": 1, "description": "What to book."},
        "start_time": {"type": "string", "format": "date-time"},
        "duration_minutes": {"type": "integer", "minimum": 15, "maximum": 240, "default": 30},
        "kind": {"enum": ["first visit", "follow-up"]},
    },
    "required": ["service", "start_time"],
    "additionalProperties": False,
}


def tool(parameters: dict[str, Any] | None = None) -> Definition:
    """Return a definition with these parameters."""
    return Definition(
        name="book_appointment",
        category="calendar",
        kind=Kind.ACTION,
        description="Book it.",
        parameters=BOOKING if parameters is None else parameters,
    )


def one(schema: Any) -> dict[str, Any]:
    """Return parameters with one property, `x`."""
    return {"type": "object", "properties": {"x": schema}}


def accepts(schema: dict[str, Any], value: Any) -> bool:
    """Tell whether a JSON Schema accepts a value, formats asserted."""
    return validator(schema)(value)


def validator(schema: dict[str, Any]) -> Callable[[Any], bool]:
    """Return what tells whether a JSON Schema accepts a value, formats asserted."""
    return jsonschema_rs.Draft202012Validator(schema, validate_formats=True).is_valid


def as_json_schema(native: Any) -> Any:
    """Return a schema with upper-case types as a validator understands it."""
    if isinstance(native, list):
        return [as_json_schema(item) for item in native]
    if not isinstance(native, dict):
        return native
    schema = {key: as_json_schema(value) for key, value in native.items() if key not in ("nullable", "type")}
    if isinstance(native.get("type"), str):
        schema["type"] = native["type"].lower()
    elif "type" in native:  # an argument that is called so
        schema["type"] = as_json_schema(native["type"])
    return {"anyOf": [schema, {"type": "null"}]} if native.get("nullable") is True else schema
