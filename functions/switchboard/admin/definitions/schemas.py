"""JSON Schemas of what the API takes and answers about definitions."""

from switchboard.admin.api.schemas import (
    ANYTHING,
    COUNT,
    COUNTS,
    FLAG,
    MAYBE_TEXT,
    MAYBE_TIME,
    ROWS,
    TEXT,
    TEXTS,
    TIME,
    listed,
    record,
)
from switchboard.contract.json import JsonObject

_MAYBE: JsonObject = {"type": ["object", "null"]}
_LINE = {
    **dict.fromkeys(("name", "category", "kind", "summary"), TEXT),
    **dict.fromkeys(("isPublished", "isEnabled", "differs", "hasDraft", "isTried"), FLAG),
}
_DIFFERENCE = record({"field": TEXT, "before": {}, "after": {}, "line": TEXT}, optional=("before", "after"))
FINDING = record({**dict.fromkeys(("rule", "tool", "place", "text"), TEXT), "severity": TEXT})
_PROBLEM = record({"field": TEXT, "message": TEXT})
LINE = record(_LINE)
DEFINITION = record(
    {
        **_LINE,
        "revision": TEXT,
        "setRevision": COUNT,
        "mayEdit": FLAG,
        "published": _MAYBE,
        "builtIn": ANYTHING,
        "differences": listed(_DIFFERENCE),
        "findings": listed(FINDING),
        "draft": {"anyOf": [{"type": "null"}, record({"document": ANYTHING, "savedAt": MAYBE_TIME, "savedBy": TEXT})]},
        "canary": {"anyOf": [{"type": "null"}, record({"businesses": TEXTS, "count": COUNT, "document": ANYTHING})]},
    }
)
CHECKED = record(
    {
        "problems": listed(_PROBLEM),
        "findings": listed(FINDING),
        "tokens": COUNTS,
        "differences": listed(_DIFFERENCE),
        "preview": _MAYBE,
    }
)
_DIALECT = record({"dialect": TEXT, "tools": ROWS, "losses": TEXTS, "tokens": COUNT})
PREVIEW = record(
    {
        "of": TEXT,
        "tool": TEXT,
        "description": TEXT,
        "channels": TEXTS,
        "conditions": TEXTS,
        "dialects": listed(_DIALECT),
        "prompt": record({"written": TEXT}),
    }
)
DIFF = record({"from": TEXT, "to": TEXT, "differences": listed(_DIFFERENCE)})
_VERSION = {
    "version": COUNT,
    "at": TIME,
    "by": TEXT,
    "deed": TEXT,
    "isRemoved": FLAG,
    "content": MAYBE_TEXT,
    "earlier": MAYBE_TEXT,
}
VERSION_LINE = record(_VERSION)
VERSION = record({**_VERSION, "document": _MAYBE})
REPORT = record(
    {
        "tool": TEXT,
        "revision": TEXT,
        "until": TIME,
        **dict.fromkeys(("callsEach", "calls", "unreadable", "businesses"), COUNT),
        "isWhole": FLAG,
        "counts": COUNTS,
        "hash": TEXT,
        "findings": ROWS,
        "nextCursor": MAYBE_TEXT,
    }
)


def _body(properties: JsonObject, required: tuple[str, ...] = ()) -> JsonObject:
    found: JsonObject = {
        "type": "object",
        "properties": {"revision": TEXT, **properties},
        "additionalProperties": False,
    }
    return found | ({"required": list(required)} if required else {})


_CHANGE = {
    "id": TEXT,
    "at": TIME,
    "who": ANYTHING,
    "deed": TEXT,
    "tools": TEXTS,
    "isDraft": FLAG,
    **dict.fromkeys(("undoes", "undoneBy", "redoneBy"), MAYBE_TEXT),
    "isUndoable": FLAG,
    "whyNotUndoable": MAYBE_TEXT,
}
CHANGE_LINE = record(_CHANGE)
CHANGE = record({**_CHANGE, "documents": ANYTHING, "revision": MAYBE_TEXT})


DRAFT = _body(
    {"document": {**ANYTHING, "description": "The whole definition, as it stands in `builtIn`."}}, ("document",)
)
NOTHING = _body({})
_HASH = {**TEXT, "description": "The hash of the replay's report."}
ACKNOWLEDGED = _body({"acknowledged": _HASH}, ("acknowledged",))
STAGED = _body({"businesses": TEXTS, "acknowledged": _HASH}, ("businesses", "acknowledged"))
ENABLED = _body({"enabled": FLAG}, ("enabled",))
