"""One parameter of an own tool: always the same, filled in by the model, or a list that the model may add to."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import streamlit as st

from admin_ui.widgets.problems import Problems

Spec = dict[str, Any]
MODES = {
    "ai": "The model fills it in",
    "fixed": "Always the same",
    "array_extendable": "A list that the model may add to",
}
_TYPES: Mapping[str, Spec] = {
    "text": {"type": "string"},
    "whole number": {"type": "integer"},
    "number": {"type": "number"},
    "yes or no": {"type": "boolean"},
    "date and time": {"type": "string", "format": "date-time"},
    "day": {"type": "string", "format": "date"},
    "list of texts": {"type": "array", "items": {"type": "string"}},
}
_USUAL: Mapping[str, Any] = {"value": "", "schema": {"type": "string"}}
# What belongs to the mode, and what of that is not drawn; everything beside it is of the schema.
_KEPT = ("min", "max", "label")
_OWN = frozenset({"mode", "prompt", "schema", "required", "value", "fixedValues", "aiExtension", "enabled", *_KEPT})
_TELLING = frozenset({"type", "enum", "const", "anyOf", "oneOf", "allOf", "$ref"})
_VARIABLES = "{{caller_phone_number}} and {{called_phone_number}} are filled in for each call."


def draw(spec: Spec, key: str, locked: bool, usual: Mapping[str, Any] = _USUAL) -> Spec:
    """Draw a parameter's mode with what belongs to it, and return it as it then is.

    Args:
        spec: The parameter as it is.
        key: Begins the keys of the fields.
        locked: Whether nothing can be changed.
        usual: The `value` and the `schema` that it begins with where the parameter says none.
    """
    now = spec.get("mode") if spec.get("mode") in MODES else "ai"
    mode = st.segmented_control(
        "How it gets its value",
        list(MODES),
        default=now,
        required=True,
        format_func=MODES.__getitem__,
        key=f"{key}/mode",
        disabled=locked,
        label_visibility="collapsed",
    )
    place = f"{key}/{mode}"
    if mode == "fixed":
        return {"mode": "fixed", "value": _value(spec.get("value", usual["value"]), place, locked)}
    if mode == "array_extendable":
        return _list(spec, place, locked)
    return _asked(spec, usual["schema"], place, locked)


def place_of(row: Mapping[str, Any]) -> str:
    """Return what a problem with a parameter's name calls the parameter: two may have one name, or none."""
    return f"row {row['at']}"


def draw_all(rows: list[dict[str, Any]], key: str, locked: bool, problems: Problems) -> None:
    """Draw the parameters of a tool, with buttons to add and remove; rows `{at, name, spec}` are changed in place."""
    for row in list(rows):
        place = f"{key}/{row['at']}"
        with st.container(border=True):
            left, right = st.columns([5, 1], vertical_alignment="bottom")
            row["name"] = left.text_input(
                "Name", row["name"], placeholder="customer_number", key=f"{place}/name", disabled=locked
            ).strip()
            if not locked and right.button("Remove", key=f"{place}/remove", icon=":material/delete:", width="stretch"):
                rows.remove(row)
                st.rerun()
            row["spec"] = draw(row["spec"], place, locked)
            problems.below(place_of(row), *([f"params.{row['name']}"] if row["name"] else []))
    if not locked and st.button("Add a parameter", icon=":material/add:", key=f"{key}/add"):
        at = max((row["at"] for row in rows), default=0) + 1
        rows.append({"at": at, "name": "", "spec": {"mode": "ai", "schema": {"type": "string"}}})
        st.rerun()


def rows_of(params: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the rows of `draw_all` for the parameters of a configuration."""
    return [{"at": at, "name": name, "spec": dict(spec)} for at, (name, spec) in enumerate(params.items(), 1)]


def params_of(rows: list[dict[str, Any]]) -> dict[str, Any]:
    """Return the parameters that rows make; one without a name is not one yet."""
    return {row["name"]: row["spec"] for row in rows if row["name"]}


def _asked(spec: Spec, usual: Spec, key: str, locked: bool) -> Spec:
    schema, unchanged = _schema(spec, usual), {name: spec[name] for name in _KEPT if name in spec}
    prompt = st.text_input(
        "What it is, for the model",
        spec.get("prompt") or schema.get("description") or "",
        key=f"{key}/prompt",
        disabled=locked,
    ).strip()
    left, middle, right = st.columns([2, 3, 2], vertical_alignment="bottom")
    fitting = next((name for name, form in _TYPES.items() if _is_of(schema, form)), None)
    names = [*_TYPES] if fitting else ["as it is", *_TYPES]
    chosen = left.selectbox("Kind", names, names.index(fitting) if fitting else 0, key=f"{key}/type", disabled=locked)
    choices = middle.text_input(
        "Only one of these (optional)",
        ", ".join(map(str, schema.get("enum") or ())),
        placeholder="red, green, blue",
        key=f"{key}/enum",
        disabled=locked,
    )
    required = right.toggle("Needed", _is_needed(spec, schema), key=f"{key}/required", disabled=locked)
    if chosen in _TYPES and chosen != fitting:
        schema, unchanged = dict(_TYPES[chosen]), {}
    listed = [part.strip() for part in choices.split(",") if part.strip()]
    if listed and schema.get("type") == "string":
        schema["enum"] = listed
    elif not listed:
        schema.pop("enum", None)
    if prompt:
        schema.pop("description", None)
    return {**unchanged, "mode": "ai", "prompt": prompt, "schema": schema, "required": required}


def _schema(spec: Spec, usual: Spec) -> Spec:
    """Return the schema of what a model fills in; who wrote it over the API may have written it beside the mode."""
    beside = {name: value for name, value in spec.items() if name not in _OWN}
    if isinstance(spec.get("required"), list):
        beside["required"] = spec["required"]
    schema_shown = {**beside, **(spec.get("schema") or {})}
    return schema_shown if schema_shown.keys() & _TELLING else {**usual, **schema_shown}


def _is_needed(spec: Spec, schema: Spec) -> bool:
    is_required = spec.get("required")
    return is_required if isinstance(is_required, bool) else "default" not in schema


def _list(spec: Spec, key: str, locked: bool) -> Spec:
    fixed = st.text_area(
        "Always in it, one in a line",
        "\n".join(map(_written, spec.get("fixedValues") or ())),
        help=_VARIABLES,
        height=80,
        key=f"{key}/fixed",
        disabled=locked,
    )
    extension = dict(spec.get("aiExtension") or {})
    left, right = st.columns(2)
    # Where nothing is said of it, a list that is there already is not added to; a new one begins with it.
    usual = "aiExtension" in spec or "fixedValues" not in spec
    may = left.toggle("The model may add more", extension.get("enabled", usual), key=f"{key}/may", disabled=locked)
    must = right.toggle("It has to", extension.get("required", False), key=f"{key}/must", disabled=locked or not may)
    prompt = st.text_input(
        "What to add, for the model", extension.get("prompt", ""), key=f"{key}/prompt", disabled=locked or not may
    )
    values = [_read(line.strip()) for line in fixed.splitlines() if line.strip()]
    more = {**extension, "enabled": may, "prompt": prompt.strip(), "required": must}
    return {"mode": "array_extendable", "fixedValues": values, "aiExtension": more}


def _value(value: Any, key: str, locked: bool) -> Any:
    is_list = isinstance(value, list)
    if is_list and all(isinstance(one, str) for one in value):
        text = st.text_area(
            "Values, one in a line", "\n".join(value), help=_VARIABLES, height=80, key=f"{key}/values", disabled=locked
        )
        return [line.strip() for line in text.splitlines() if line.strip()]
    text = st.text_input("Value", _written(value), help=_VARIABLES, key=f"{key}/value", disabled=locked)
    return _read(text, like=value)


def _written(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _read(text: str, like: Any = "") -> Any:
    """Return what was typed: text stays text, and what was a number, a list or an object stays one while it can."""
    if isinstance(like, str):
        return text
    try:
        return json.loads(text)
    except ValueError:
        return text


def _is_of(schema: Spec, form: Spec) -> bool:
    return (
        schema.get("type") == form["type"]
        and schema.get("format") == form.get("format")
        and (form["type"] != "array" or schema.get("items") == form["items"])
    )
