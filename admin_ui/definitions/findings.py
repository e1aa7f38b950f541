"""What could go wrong with a tool that can be kept, and what could be better about it: the worst first."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

import streamlit as st

from admin_ui.shell import words
from admin_ui.widgets.plain_text import plain, sentence

_SEVERITIES = {
    "error": ("cannot be used", "red", "error"),
    "warning": ("may go wrong", "orange", "warning"),
    "hint": ("could be better", "blue", "lightbulb"),
}
_PARAMETER = re.compile(r"(?:/properties/([^/]+))+(?:/.*)?")
_PLACES = {
    "description": "When a model should use it",
    "name": "What a model calls it",
    "parameters": "Parameters",
    "executeOnCallStart": "Runs before the first word of a phone call",
    "recipients": "To whom",
    "destination.number": "Number",
    "destination.id": "Person",
}
_HEADER = "request.headers."


def show(findings: Sequence[Mapping[str, Any]]) -> None:
    """Draw a list of findings, as the API answers them; nothing where there is none."""
    order = list(_SEVERITIES)
    lines = []
    for finding in sorted(findings, key=lambda one: order.index(one["severity"])):
        severity, color, icon = _SEVERITIES[finding["severity"]]
        text = sentence(f"it {finding['text']}" if _is_bare(finding["text"]) else finding["text"])
        lines.append(f"- :{color}-badge[:material/{icon}: {severity}] **{plain(_place(finding['place']))}:** {text}")
    if lines:
        st.markdown("\n".join(lines))


def _place(place: str) -> str:
    """Return where something was found, in the words of the form."""
    parameter = _PARAMETER.fullmatch(place)
    if parameter:
        return f"Parameter {parameter[1]}"
    if place.startswith(_HEADER):
        return f"Header {place.removeprefix(_HEADER)}"
    return _PLACES.get(place) or words.field(place.strip("/").replace("/", ".")) or "The tool"


def _is_bare(text: str) -> bool:
    """Tell whether a sentence leaves out what it is about, which then is its place."""
    return text.startswith(("is ", "has ", "costs ", "mixes ", "begins ", "says ", "cannot ", "needs "))
