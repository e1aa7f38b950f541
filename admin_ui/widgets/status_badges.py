"""Whether a change is in force, as badges beside it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import streamlit as st

_BACK = ":material/undo:"
_AGAIN = ":material/redo:"


def show(entry: Mapping[str, Any]) -> None:
    """Draw them for an entry of the API."""
    if entry["undoes"]:
        st.badge("Undid a change", color="blue", icon=_BACK)
    if entry["undoneBy"]:
        st.badge("Undone", color="orange", icon=_BACK)
    elif entry["redoneBy"]:
        st.badge("In force again", color="green", icon=_AGAIN)
