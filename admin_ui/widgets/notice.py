"""One short sentence that outlives the redrawing of a page, such as that something was saved."""

from __future__ import annotations

import streamlit as st

_KEY = "notice"


def say(text: str, icon: str = ":material/check_circle:") -> None:
    """Have the next drawing of the page say it."""
    st.session_state[_KEY] = (text, icon)


def show() -> None:
    """Say what is to be said, once."""
    message = st.session_state.pop(_KEY, None)
    if message:
        st.toast(message[0], icon=message[1], duration="long")
