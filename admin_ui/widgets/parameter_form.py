"""A tool's parameters as form fields, drawn from their JSON Schema; what is left empty is not sent."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

import streamlit as st

_JSON_HINT = "JSON"


class NotJson(ValueError):
    """A field that takes JSON holds something else; the text names it."""


def draw(schema: Mapping[str, Any], place: str) -> dict[str, Any]:
    """Draw a field per parameter and return the arguments that are filled in.

    Args:
        schema: An object schema.
        place: Tells this form's fields from those of other tools, so that each keeps what was typed.

    Raises:
        NotJson: What was typed for an array or an object cannot be read.
    """
    properties: Mapping[str, Any] = schema.get("properties", {})
    required = set(schema.get("required", ()))
    if not properties:
        st.caption("This tool takes no parameters.")
    # All are drawn before any is judged: a form with a mistake in it must not lose its other fields.
    cells = _cells(properties)
    typed = {}
    for name, rules in properties.items():
        with next(cells):
            typed[name] = _field(name, rules, name in required, f"{place}/{name}")
    filled = {name: value for name, value in typed.items() if value is not None}
    return {name: _read(name, value) if _takes_json(properties[name]) else value for name, value in filled.items()}


def _cells(properties: Mapping[str, Any]) -> Iterator[Any]:
    """Yield a place for each field: two to a row, in the order in which a phone shows them below each other."""
    left_over = None
    for rules in properties.values():
        if rules.get("format") == "date-time":
            left_over = None
            yield st.container()  # has two fields of its own
        elif left_over is None:
            cell, left_over = st.columns(2)
            yield cell
        else:
            cell, left_over = left_over, None
            yield cell


def _field(name: str, rules: Mapping[str, Any], is_required: bool, key: str) -> Any:
    label = name if is_required else f"{name} (optional)"
    shared: dict[str, Any] = {"label": label, "help": rules.get("description"), "key": key}
    hint = "" if rules.get("default") is None else f"{rules['default']} if left empty"
    if "enum" in rules:
        return st.selectbox(options=rules["enum"], index=None, placeholder=hint or "Choose", **shared)
    match _type(rules), rules.get("format"):
        case "boolean", _:
            return st.selectbox(
                options=[True, False], index=None, format_func=_yes_or_no, placeholder=hint or "Choose", **shared
            )
        case ("integer" | "number") as kind, _:
            return _number(int if kind == "integer" else float, rules, hint, shared)
        case "string", "date-time":
            return _moment(shared)
        case "string", "date":
            day = st.date_input(value=None, **shared)
            return day and day.isoformat()
        case "string", _:
            return st.text_input(max_chars=rules.get("maxLength"), placeholder=hint, **shared) or None
        case _:
            return st.text_area(placeholder=hint or _JSON_HINT, **shared).strip() or None


def _number(kind: type[int] | type[float], rules: Mapping[str, Any], hint: str, shared: dict[str, Any]) -> Any:
    bounds = {
        bound: kind(rules[word])
        for bound, word in (("min_value", "minimum"), ("max_value", "maximum"))
        if rules.get(word) is not None
    }
    step = kind(rules.get("multipleOf", 1)) or None
    return st.number_input(value=None, step=step, placeholder=hint or "A number", **bounds, **shared)


def _moment(shared: dict[str, Any]) -> str | None:
    label, key = shared["label"], shared["key"]
    left, right = st.columns(2)
    day = left.date_input(**{**shared, "label": f"{label}: day"}, value=None)
    clock = right.time_input(f"{label}: time", value=None, key=f"{key}/time", help="Local time of the business.")
    if day is None:
        return None
    # Without a time a bare date: tools that can answer for a whole day then do.
    return day.isoformat() if clock is None else f"{day.isoformat()}T{clock.isoformat(timespec='seconds')}"


def _type(rules: Mapping[str, Any]) -> str:
    kinds = rules.get("type", "")
    if isinstance(kinds, list):
        kinds = next((kind for kind in kinds if kind != "null"), "")
    return str(kinds)


def _takes_json(rules: Mapping[str, Any]) -> bool:
    return "enum" not in rules and _type(rules) not in ("boolean", "integer", "number", "string")


def _read(name: str, text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError as error:
        raise NotJson(f"{name} must be JSON: {error}") from None


def _yes_or_no(value: bool) -> str:
    return "yes" if value else "no"
