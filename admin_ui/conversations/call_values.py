"""What a call was given, what it gave back and what the model was sent, with a mask and its reason for the rest."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import streamlit as st

from admin_ui.widgets import whereabouts
from admin_ui.widgets.plain_text import plain

_PARTS = {
    "arguments": "What it was given",
    "result": "What it gave back",
    "sentToModel": "What the model was sent",
}
_NONE = {
    "result": "Nothing: it has no result.",
    "sentToModel": "Nothing yet.",
}
_MOST_PLACES = 6


def show(call_id: str, story: Mapping[str, Any]) -> None:
    """Draw the values of an explained call; one of an earlier server has none."""
    if "arguments" not in story:
        return
    part = whereabouts.part("Values", list(_PARTS.values()), f"values/{call_id}", label_visibility="collapsed")
    name = next(name for name, title in _PARTS.items() if title == part)
    _value(story[name], _NONE.get(name, ""))


def _value(shown: Mapping[str, Any] | None, otherwise: str) -> None:
    if shown is None:
        st.caption(otherwise)
        return
    value = shown["value"]
    text = value if isinstance(value, str) else json.dumps(value, indent=2, ensure_ascii=False)
    # In one colour: the marks of JSON are too pale to be read by everybody.
    st.code(text or "(nothing)", language=None, wrap_lines=True)
    by_reason: dict[str, list[str]] = {}
    for part in shown["masked"]:
        by_reason.setdefault(part["why"], []).append(part["at"])
    for why, places in by_reason.items():
        named = ", ".join(place.strip("/").replace("/", ".") or "all of it" for place in places[:_MOST_PLACES])
        more = f" and {len(places) - _MOST_PLACES} more" if len(places) > _MOST_PLACES else ""
        st.caption(f":material/visibility_off: {plain(named)}{more}: {plain(why)}")
