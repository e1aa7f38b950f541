"""The way from one page to something on another."""

from __future__ import annotations

from typing import Any

import streamlit as st

from admin_ui.widgets import whereabouts

_PAGES = "pages_by_path"


def know(pages: dict[str, Any]) -> None:
    """Remember the pages that there are, by their paths."""
    st.session_state[_PAGES] = pages


def go(path: str, **query: str) -> None:
    """Open a page with something of its address, such as the call that is shown there."""
    business = {whereabouts.BUSINESS: str(st.session_state.get("last_business") or "")}
    st.switch_page(st.session_state[_PAGES][path], query_params=business | query)
