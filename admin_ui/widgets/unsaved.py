"""What somebody has typed and not saved: they are asked before a reload, a closed tab or a way elsewhere loses it.

A script in the page watches every form and every field that is not for looking around. What stands in a draft beside
the fields, as where a field is not drawn just now, only the pages know: they say so by `hold`.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from admin_ui.widgets import whereabouts

SCRIPT = Path(__file__).with_suffix(".js").read_text(encoding="utf-8")
"""What watches; a page has it before it has any field, so that nobody types unseen."""
_TOLD = "export default ({data}) => window.unsavedWatch.take(data);"
_HELD, _SAVED, _ONCE = "unsaved/held", "unsaved/saved", "unsaved/once"
_ASIDE = "aside-"
# Beginnings of keys of what opens something else.
_WAYS = (
    *("open", "edit", "document", "collection", "row", "test", "live", "conversation", "health", "file"),
    *("correct", "move", "calls"),
)
# What was typed and is not drawn while something is asked about it.
_DRAFTS = ("at/typed/", "at/conflict/", "at/losses/")
_WORDS = {
    "question": "You have typed something that is not saved.",
    "about": "It is lost if you go on.",
    "stays": "Stay",
    "leaves": "Leave without saving",
}
_WORDS_OF_ONCE = {
    "question": "What is shown here is shown this once.",
    "about": "Copy it first: it is kept nowhere, and nobody can show it again.",
    "stays": "Stay",
    "leaves": "Leave without it",
}


def begin() -> None:
    """Begin to draw a page, on which nothing is held yet."""
    st.session_state[_HELD] = st.session_state[_ONCE] = False


def hold(is_changed: bool) -> None:
    """Say whether a draft that this page draws is otherwise than what is saved."""
    st.session_state[_HELD] = st.session_state.get(_HELD, False) or is_changed


def hold_shown() -> None:
    """Say that this page shows what cannot be shown again."""
    st.session_state[_HELD] = st.session_state[_ONCE] = True


def settle() -> None:
    """Say that what was typed is saved."""
    st.session_state[_SAVED] = int(st.session_state.get(_SAVED, 0)) + 1


def aside(name: str) -> DeltaGenerator:
    """Return a place for fields in which nothing is typed that could be saved, such as those of a try."""
    return st.container(key=f"{_ASIDE}{name}")


def show() -> None:
    """Have the browser ask from here on; it takes no room."""
    told: dict[str, Any] = {
        "kept": [_class(key) for key in whereabouts.widget_keys()],
        "harmless": [_class(key) for key in whereabouts.harmless_keys()],
        "ways": list(_WAYS),
        "isDraft": bool(st.session_state.get(_HELD)) or any(str(key).startswith(_DRAFTS) for key in st.session_state),
        "saved": st.session_state.get(_SAVED, 0),
        "business": whereabouts.BUSINESS,
        "words": _WORDS_OF_ONCE if st.session_state.get(_ONCE) else _WORDS,
    }
    st.components.v2.component("unsaved", js=_TOLD)(key="unsaved", data=told, height=1)


def _class(key: str) -> str:
    """Return what Streamlit makes of a key in the class of what it draws."""
    return re.sub(r"[^a-zA-Z0-9_-]", "-", key.strip())
