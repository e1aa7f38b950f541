"""Definitions to declare, and a validator to hold declarations against."""

from typing import Any

import jsonschema_rs

from switchboard.contract.definition import Definition, Kind

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
    return jsonschema_rs.Draft202012Validator(schema, validate_formats=True).is_valid(value)
