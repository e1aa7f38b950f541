"""The settings of a connected account as form fields, drawn from its schema; secrets are written and never shown."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import streamlit as st

from admin_ui.shell import words
from admin_ui.shell.business import Business
from admin_ui.widgets import time_text


def draw(
    schema: Mapping[str, Any],
    config: Mapping[str, Any],
    place: str,
    disabled: bool,
    choices: Mapping[str, Mapping[str, str]] | None = None,
) -> dict[str, Any]:
    """Draw a field per setting with what is set now, and return all that is filled in.

    `choices` are what can stand in a setting, with what each is called: they are chosen instead of typed.
    """
    required = set(schema.get("required", ()))
    typed = {}
    for name, rules in schema.get("properties", {}).items():
        now = config.get(name, rules.get("default"))
        if choices and name in choices:
            label = _label(name, rules, name in required)
            typed[name] = _chosen(label, choices[name], now, f"{place}/{name}/choice", rules)
            continue
        typed[name] = _field(name, rules, now, name in required, f"{place}/{name}", disabled)
    return {name: value for name, value in typed.items() if value not in (None, "", [])}


def draw_secrets(
    schema: Mapping[str, Any], stored: Mapping[str, Mapping[str, Any]], place: str, business: Business
) -> dict[str, Any]:
    """Draw an always empty field per secret, and return what is to be written; None takes one away."""
    required = set(schema.get("required", ()))
    typed: dict[str, Any] = {}
    for name, rules in schema.get("properties", {}).items():
        state = stored.get(name) or {}
        is_set = bool(state.get("isSet"))
        since = f"Kept since {time_text.told(state.get('since'), business.zone)}" if is_set else "Not set"
        value = st.text_input(
            _label(name, rules, name in required),
            type="password",
            placeholder=f"{since}; leave empty to keep it" if is_set else since,
            help=rules.get("description"),
            key=f"{place}/{name}",
            autocomplete="new-password",
        )
        wants_gone = is_set and st.checkbox(f"Forget the {_title(name, rules).lower()}", key=f"{place}/{name}/forget")
        if wants_gone:
            typed[name] = None
        elif value:
            typed[name] = value
    return typed


def _field(name: str, rules: Mapping[str, Any], now: Any, is_required: bool, key: str, disabled: bool) -> Any:
    shared: dict[str, Any] = {"help": rules.get("description"), "key": key, "disabled": disabled}
    label = _label(name, rules, is_required)
    if "enum" in rules:
        options = list(rules["enum"])
        index = options.index(now) if now in options else None
        return st.selectbox(label, options, index, placeholder="Usual", **shared)
    match rules.get("type"):
        case "boolean":
            return st.toggle(label, bool(now), **shared)
        case "integer" | "number" as kind:
            number = int if kind == "integer" else float
            bounds = [number(rules[word]) if word in rules else None for word in ("minimum", "maximum")]
            value = number(now) if isinstance(now, int | float) else None
            return st.number_input(label, *bounds, value, number(1), **shared)
        case "array":
            text = st.text_input(
                label, ", ".join(map(str, now or [])), placeholder="One or more, with commas", **shared
            )
            return [part.strip() for part in text.split(",") if part.strip()]
        case _:
            return st.text_input(label, now or "", max_chars=rules.get("maxLength"), **shared).strip()


def _chosen(label: str, choices: Mapping[str, str], now: Any, key: str, rules: Mapping[str, Any]) -> Any:
    # What is set stays choosable, also where it is not among them any more.
    options = [*choices, *([now] if now and now not in choices else [])]
    index = options.index(now) if now in options else None
    help = rules.get("description")
    return st.selectbox(
        label, options, index, lambda it: choices.get(it, it), key=key, help=help, placeholder="Choose one"
    )


def _label(name: str, rules: Mapping[str, Any], is_required: bool) -> str:
    return _title(name, rules) if is_required else f"{_title(name, rules)} (optional)"


def _title(name: str, rules: Mapping[str, Any]) -> str:
    return str(rules.get("title") or words.field(name))
