"""What Calendar's own discovery document says about a request, held against one.

The document is the one that ships with google-api-python-client: methods, parameters with their types, bounds and
enums, accepted scopes, and the schemas of bodies. Nothing about the API is written down a second time here.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime
from functools import cache
from importlib.resources import files
from typing import Any

from starlette.datastructures import QueryParams

from stand_ins.google_calendar_refusal import Refusal, invalid, required

_OFFSET = re.compile(r"(?:[zZ]|[+-]\d\d:\d\d)$")


@cache
def discovery() -> dict[str, Any]:
    """Return the discovery document of Calendar v3."""
    resource = files("googleapiclient").joinpath("discovery_cache/documents/calendar.v3.json")
    document: dict[str, Any] = json.loads(resource.read_text(encoding="utf-8"))
    return document


@dataclass(frozen=True)
class Method:
    """One method of the API, such as `events.insert`."""

    name: str

    @property
    def document(self) -> dict[str, Any]:
        resource, _, method = self.name.partition(".")
        method_document: dict[str, Any] = discovery()["resources"][resource]["methods"][method]
        return method_document

    @property
    def http_method(self) -> str:
        return str(self.document["httpMethod"])

    @property
    def path(self) -> str:
        """The path below the host, as Starlette writes it."""
        return "/" + str(discovery()["servicePath"]) + str(self.document["path"])

    def accepts(self, scopes: frozenset[str]) -> bool:
        """Tell whether any of the scopes is good for this method."""
        return not scopes.isdisjoint(self.document["scopes"])

    def read_query(self, query: QueryParams) -> dict[str, Any]:
        """Return the query's parameters with their types and defaults.

        Raises:
            Refusal: The document does not allow one of them.
        """
        known = {**discovery()["parameters"], **self.document.get("parameters", {})}
        for name in query:
            if name not in known or known[name].get("location") != "query":
                raise Refusal(400, "badRequest", f'Unknown name "{name}": Cannot bind query parameter.', name)
        by_name = {}
        for name, rule in known.items():
            texts = query.getlist(name)
            if len(texts) > 1 and not rule.get("repeated"):
                raise invalid(name, f"{name} is given more than once.")
            values = [_scalar(name, text, rule) for text in texts]
            if rule.get("repeated"):
                by_name[name] = values
            elif values:
                by_name[name] = values[0]
            elif "default" in rule:
                by_name[name] = _scalar(name, rule["default"], rule)
        return by_name

    def read_body(self, text: bytes) -> dict[str, Any]:
        """Return the body as its schema allows it; nulls, which clear a field, only where a patch may have them.

        Raises:
            Refusal: It is no JSON, or not of the schema.
        """
        reference = self.document.get("request", {}).get("$ref")
        if reference is None:
            return {}
        try:
            body = json.loads(text)
        except ValueError:
            raise Refusal(400, "parseError", "Parse Error") from None
        schema = discovery()["schemas"][reference]
        _check(reference, body, schema, self.name == "events.patch")
        method_id = f"calendar.{self.name}"
        for name, rule in schema["properties"].items():
            if method_id in rule.get("annotations", {}).get("required", ()) and name not in body:
                raise required(name)
        return dict(body)


def _scalar(name: str, text: str, rule: Mapping[str, Any]) -> Any:
    kind = rule.get("type")
    if kind == "boolean":
        if text not in ("true", "false"):
            raise invalid(name, f"Invalid boolean value: '{text}'.")
        return text == "true"
    if kind == "integer":
        if not re.fullmatch(r"-?\d{1,10}", text):
            raise invalid(name, f"Invalid integer value: '{text}'.")
        low, high = int(rule.get("minimum", -(2**31))), int(rule.get("maximum", 2**31 - 1))
        if not low <= int(text) <= high:
            raise invalid(name, f"Invalid value '{text}'. Values must be within the range: [{low}, {high}]")
        return int(text)
    if "enum" in rule and text not in rule["enum"]:
        raise invalid(name, f"Invalid value '{text}'. Allowed values: {rule['enum']}")
    if rule.get("format") == "date-time":
        _check_time(name, text, needs_offset=True)
    return text


def _check(place: str, value: Any, rule: Mapping[str, Any], may_clear: bool) -> None:
    if "$ref" in rule:
        rule = discovery()["schemas"][rule["$ref"]]
    if value is None:
        if not may_clear:
            raise invalid(place, f"{place} is null.")
        return
    kind = rule.get("type")
    if not _is_of(value, str(kind)):
        raise invalid(place, f"Invalid value at '{place}' (TYPE_{str(kind).upper()}).")
    if kind == "object":
        for name, inner in value.items():
            _check(f"{place}.{name}", inner, _rule_of(place, name, rule), may_clear)
    elif kind == "array":
        for number, inner in enumerate(value):
            _check(f"{place}[{number}]", inner, rule["items"], may_clear)
    elif rule.get("format") == "date-time":
        _check_time(place, value, needs_offset=False)
    elif rule.get("format") == "date":
        _check_date(place, value)


def _rule_of(place: str, name: str, rule: Mapping[str, Any]) -> Mapping[str, Any]:
    rule_found: Mapping[str, Any] | None = rule.get("properties", {}).get(name, rule.get("additionalProperties"))
    if rule_found is None:
        raise Refusal(400, "badRequest", f"Unknown name \"{name}\" at '{place}': Cannot find field.", name)
    return rule_found


def _is_of(value: Any, kind: str) -> bool:
    if isinstance(value, bool):
        return kind == "boolean"
    types = {"string": str, "integer": int, "number": (int, float), "object": dict, "array": list, "any": object}
    return isinstance(value, types.get(kind, ()))


def _check_time(name: str, text: str, *, needs_offset: bool) -> None:
    try:
        datetime.fromisoformat(text)
    except ValueError:
        raise invalid(name, f"Invalid date-time: '{text}'.") from None
    if "T" not in text.upper() or (needs_offset and not _OFFSET.search(text)):
        raise Refusal(400, "badRequest", "Bad Request", name)


def _check_date(name: str, text: str) -> None:
    try:
        date.fromisoformat(text)
    except ValueError:
        raise invalid(name, f"Invalid date: '{text}'.") from None
