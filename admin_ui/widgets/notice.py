"""One short sentence that outlives the redrawing of a page, such as that something was saved."""

from __future__ import annotations

import streamlit as st

from admin_ui.widgets import unsaved

_KEY = "notice"


def say(text: str, icon: str = ":material/check_circle:") -> None:
    """Have the next drawing of the page say it; what was typed for it is no draft any more."""
    unsaved.settle()
    st.session_state[_KEY] = (text, icon)


def show() -> None:
    """Say what is to be said, once."""
    message = st.session_state.pop(_KEY, None)
    if message:
        st.toast(message[0], icon=message[1], duration="long")
