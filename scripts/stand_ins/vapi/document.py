"""What Vapi's own OpenAPI document says about a request and an answer (`data/rest.json` names its origin)."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import Any

import jsonschema_rs

from stand_ins.vapi.refusal import Refusal

_DATA = Path(__file__).with_name("data") / "rest.json"
# Vapi's pages name these, and its document does not.
UNDOCUMENTED = {"CreateCallDTO": {"phoneCallProviderBypassEnabled": {"type": "boolean"}}}
CREATED = {
    "function": "CreateFunctionToolDTO",
    "apiRequest": "CreateApiRequestToolDTO",
    "handoff": "CreateHandoffToolDTO",
}
CHANGED = {
    "function": "UpdateFunctionToolDTO",
    "apiRequest": "UpdateApiRequestToolDTO",
    "handoff": "UpdateHandoffToolDTO",
}
KEPT = {"function": "FunctionTool", "apiRequest": "ApiRequestTool", "handoff": "HandoffTool"}


@cache
def document() -> dict[str, Any]:
    """Return the extract of the document."""
    parsed: dict[str, Any] = json.loads(_DATA.read_text())
    return parsed


def check(name: str, body: Any) -> None:
    """Hold a body against one of the document's schemas.

    Raises:
        Refusal: 400, with every problem, as Vapi lists them.
    """
    found = problems(name, body)
    if found:
        raise Refusal(400, found)


def problems(name: str, body: Any) -> list[str]:
    """Return what a schema of the document has against a body, in Vapi's words where it has them."""
    rows = []
    for error in _validator(name).iter_errors(body):
        at = ".".join(map(str, error.instance_path)) or "body"
        if error.kind.name == "additionalProperties":
            rows += [
                f"{'' if at == 'body' else at + '.'}property {key} should not exist" for key in error.kind.unexpected
            ]
        else:
            rows.append(f"{at}: {error.message}"[:300])
    return sorted(rows)


def checked_query(query: Mapping[str, str]) -> tuple[int, dict[str, datetime]]:
    """Return the limit and the bounds of a list.

    Raises:
        Refusal: 400.
    """
    known, bounds = document()["query"], {}
    for name, value in query.items():
        if name not in known:
            raise Refusal(400, [f"property {name} should not exist"])
        try:
            if name != "limit":
                bounds[name] = datetime.fromisoformat(value)
        except ValueError:
            raise Refusal(400, [f"{name} must be a valid ISO 8601 date string"]) from None
    limit = query.get("limit", "100")
    if not limit.isdigit() or int(limit) > known["limit"]["maximum"]:
        raise Refusal(400, [f"limit must not be greater than {known['limit']['maximum']}"])
    return int(limit), bounds


@cache
def _validator(name: str) -> jsonschema_rs.Draft202012Validator:
    schemas = {key: _standard(rule, is_open=key.endswith("Model")) for key, rule in document()["schemas"].items()}
    for key, more in UNDOCUMENTED.items():
        schemas[key]["properties"] |= more
    return jsonschema_rs.Draft202012Validator(
        {"$ref": f"#/components/schemas/{name}", "components": {"schemas": schemas}}, validate_formats=True
    )


def _standard(rule: Any, *, is_open: bool) -> Any:
    """Return a rule of OpenAPI 3.0 in the words of JSON Schema; unknown properties are refused unless it is open."""
    if isinstance(rule, list):
        return [_standard(item, is_open=is_open) for item in rule]
    if not isinstance(rule, dict):
        return rule
    standard = dict(rule)
    if "properties" in standard:
        standard["properties"] = {
            key: _standard(inner, is_open=is_open) for key, inner in standard["properties"].items()
        }
        if not is_open:
            standard.setdefault("additionalProperties", False)
    for key in ("items", "oneOf", "anyOf", "allOf", "additionalProperties"):
        if key in standard:
            standard[key] = _standard(standard[key], is_open=is_open)
    pattern = standard.get("pattern", "")
    if pattern.startswith("/") and pattern.endswith("/"):
        standard["pattern"] = pattern[1:-1]
    if standard.pop("nullable", False):
        standard = {"anyOf": [standard, {"type": "null"}]}
    return standard
