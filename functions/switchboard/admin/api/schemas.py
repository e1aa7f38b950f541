"""JSON Schemas of what the owners' API takes and answers, for its OpenAPI document.

What is taken is checked by the forms, in words for people; tests hold both against each other.
"""

from collections.abc import Mapping
from typing import Any

from switchboard.contract.conclusion import OUTCOMES
from switchboard.contract.json import JsonObject

TEXT: JsonObject = {"type": "string"}
MAYBE_TEXT: JsonObject = {"type": ["string", "null"]}
TIME: JsonObject = {"type": "string", "format": "date-time"}
MAYBE_TIME: JsonObject = {"type": ["string", "null"]}
COUNT: JsonObject = {"type": "integer", "minimum": 0}
MAYBE_NUMBER: JsonObject = {"type": ["number", "null"]}
FLAG: JsonObject = {"type": "boolean"}
CONFIRM: JsonObject = {**FLAG, "description": "true saves although something breaks by it."}
ANYTHING: JsonObject = {"type": "object"}
TEXTS: JsonObject = {"type": "array", "items": TEXT}
ROWS: JsonObject = {"type": "array", "items": ANYTHING}
COUNTS: JsonObject = {"type": "object", "additionalProperties": COUNT}
OK: JsonObject = {"const": "ok"}


def record(properties: Mapping[str, Any], optional: tuple[str, ...] = ()) -> JsonObject:
    """Return the schema of an object with these fields and no others, all there but the optional ones."""
    return {
        "type": "object",
        "properties": dict(properties),
        "required": [name for name in properties if name not in optional],
        "additionalProperties": False,
    }


def listed(schema: JsonObject) -> JsonObject:
    """Return the schema of a list."""
    return {"type": "array", "items": schema}


def paged(name: str, schema: JsonObject, **more: JsonObject) -> JsonObject:
    """Return the schema of a page of a list; `nextCursor` is null at its end."""
    return record({name: listed(schema), "nextCursor": MAYBE_TEXT, **more})


PAGING: dict[str, JsonObject] = {
    "limit": {"type": "integer", "minimum": 1, "maximum": 100, "description": "How many are returned at most."},
    "cursor": {"type": "string", "description": "Where to go on: `nextCursor` of the page before."},
}

PERIOD: dict[str, JsonObject] = {
    "from": {**TIME, "description": "Begun at this time, with its offset, or later."},
    "to": {**TIME, "description": "Begun before this time."},
    "channel": {**TEXT, "description": "phone, portal or browser_voice."},
    "outcome": {
        **TEXT,
        "description": f"What came of it, or how its last turn ended while it goes on: {', '.join(OUTCOMES)}.",
    },
}
