"""What differs between two versions of something, field by field, as it was and as it is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import streamlit as st

from admin_ui.shell import words
from admin_ui.widgets.plain_text import plain

_MOST = 40


def show(differences: Sequence[Mapping[str, Any]], before: str, after: str, same: str) -> None:
    """Draw differences under the names of their two sides; `same` is said where there are none."""
    if not differences:
        st.caption(same)
    for one in differences[:_MOST]:
        st.markdown(f"**{plain(words.field(one['field']) or one['field'])}**")
        left, right = st.columns(2)
        for cell, title, side in ((left, before, "before"), (right, after, "after")):
            with cell.container(border=True):
                st.caption(title)
                st.markdown(words.value(one[side]) if side in one else "*is not there*")
    if len(differences) > _MOST:
        st.caption(f"And {len(differences) - _MOST} more.")
