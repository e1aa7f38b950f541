"""Asking once more before something that cannot simply be taken back."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st


def sure(key: str, label: str, question: str | Callable[[], str], yes: str, icon: str) -> bool:
    """Draw a button, and once it is pressed a question in its place; tell whether it was answered with yes now.

    A question that has to be looked up first is only asked for then.
    """
    asked = f"at/asked/{key}"
    if not st.session_state.get(asked):
        if st.button(label, key=f"{key}/ask", icon=icon):
            st.session_state[asked] = True
            st.rerun()
        return False
    with st.container(border=True):
        st.markdown(question if isinstance(question, str) else question())
        with st.container(horizontal=True):
            is_sure = st.button(yes, key=f"{key}/yes", type="primary", icon=icon)
            if is_sure or st.button("No, leave it", key=f"{key}/no"):
                st.session_state.pop(asked, None)
                if not is_sure:
                    st.rerun()
    return is_sure
