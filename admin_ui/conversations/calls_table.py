"""The calls of the list as a CSV file, by the same filters: fetched when somebody wants it, page by page."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import streamlit as st

from admin_ui.shell.business import Business
from admin_ui.shell.server import Server, below

_KEPT = "at/calls_table"
_MOST_PAGES = 20
_A_PAGE = 500


def show(server: Server, business: Business, query: Mapping[str, Any]) -> None:
    """Draw the way to the file of what the filters let through."""
    asked = (business.id, dict(query))
    with st.expander("As a file (CSV)", icon=":material/table:"):
        st.caption("One line for each call or chat that the filters let through, for a spreadsheet; times are in UTC.")
        if st.button("Make a file", icon=":material/download:"):
            with st.spinner("Reading …"):
                st.session_state[_KEPT] = (asked, *_file(server, business, query))
        kept = st.session_state.get(_KEPT)
        if kept is None or kept[0] != asked:
            return
        _, text, rows, is_cut = kept
        st.download_button(
            f"Save the file ({rows} {'line' if rows == 1 else 'lines'})",
            text.encode("utf-8-sig"),
            f"calls-{business.id}.csv",
            "text/csv",
        )
        if is_cut:
            st.warning(f"There are more than these {rows}; choose a shorter time.", icon=":material/content_cut:")


def _file(server: Server, business: Business, query: Mapping[str, Any]) -> tuple[str, int, bool]:
    """Return the file, how many lines it has, and whether there were more than are fetched at once."""
    path = below("admin", "businesses", business.id, "interactions-table")
    text, rows, cursor = "", 0, ""
    for _ in range(_MOST_PAGES):
        page = server.get(path, {**query, "limit": _A_PAGE, "cursor": cursor}).body
        text, rows, cursor = text + page["csv"], rows + page["rows"], page["nextCursor"] or ""
        if not cursor:
            return text, rows, False
    return text, rows, True
