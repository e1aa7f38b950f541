"""One short sentence that outlives the redrawing of a page, such as that something was saved.

It is still to be seen when somebody has gone on to another business, so it says which one it is about.
"""

from __future__ import annotations

from collections.abc import Mapping

import streamlit as st

from admin_ui.widgets import unsaved, whereabouts
from admin_ui.widgets.plain_text import plain

_KEY = "notice"


def say(text: str, icon: str = ":material/check_circle:") -> None:
    """Have the next drawing of the page say it; what was typed for it is no draft any more."""
    unsaved.settle()
    st.session_state[_KEY] = (text, icon, whereabouts.arrived_at()[0])


def show(businesses: Mapping[str, str]) -> None:
    """Say what is to be said, once, with the name of its business, by its id, where there are several to look at."""
    message = st.session_state.pop(_KEY, None)
    if message:
        text, icon, business_id = message
        name = businesses.get(business_id, "")
        st.toast(f"**{plain(name)}:** {text}" if name else text, icon=icon, duration="long")
