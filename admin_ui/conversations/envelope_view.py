"""The answer to a call, first for people and then as it is."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import streamlit as st

from admin_ui.widgets.plain_text import plain


def show(envelope: Mapping[str, Any], took_s: float) -> None:
    """Draw an envelope: whether it worked, what it says, its data, and all of it as JSON."""
    with st.container(border=True):
        if envelope.get("ok"):
            _badges(took_s, st.badge, ("ok", "green", ":material/check_circle:"))
            _show_data(envelope.get("data") or {})
        else:
            error = envelope.get("error", {})
            _badges(took_s, st.badge, (f"failed: {error.get('type', '?')}", "red", ":material/error:"))
            st.markdown(plain(error.get("message", "")))
            st.caption(_consequences(error))
        for intent in envelope.get("intents", ()):
            st.badge(f"asks the channel for {intent.get('type')}", color="blue", icon=":material/bolt:")
        with st.expander("The whole answer as JSON"):
            st.code(json.dumps(envelope, indent=2, ensure_ascii=False), language="json", wrap_lines=True)


def _badges(took_s: float, badge: Any, words: tuple[str, str, str]) -> None:
    text, color, icon = words
    with st.container(horizontal=True, vertical_alignment="center"):
        badge(text, color=color, icon=icon)
        st.caption(f"after {took_s * 1000:.0f} ms")


def _consequences(error: Mapping[str, Any]) -> str:
    again = "The same call may be tried again." if error.get("retryable") else "The same call would fail again."
    changed = "Something may have changed." if error.get("partialSideEffects") else "Nothing was changed."
    return f"{again} {changed}"


def _show_data(data: Mapping[str, Any]) -> None:
    if not data:
        st.caption("The answer holds no data.")
    facts = {name: value for name, value in data.items() if not _is_nested(value)}
    if facts:
        st.table([{"Field": f"`{name}`", "Value": _worded(value)} for name, value in facts.items()])
    for name, value in data.items():
        if name in facts:
            continue
        st.markdown(f"`{name}`")
        if isinstance(value, list) and all(isinstance(row, Mapping) for row in value):
            st.table([{field: _worded(cell) for field, cell in row.items()} for row in value])
        else:
            st.json(value)


def _is_nested(value: Any) -> bool:
    rows = value if isinstance(value, list) else [value]
    return any(isinstance(row, Mapping | list) for row in rows)


def _worded(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if value is None or value == []:
        return "none"
    if isinstance(value, list) and not _is_nested(value):
        return ", ".join(map(_worded, value))
    return plain(json.dumps(value, ensure_ascii=False) if isinstance(value, Mapping | list) else value)
