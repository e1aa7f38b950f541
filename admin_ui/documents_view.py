"""The longer texts that are searched when a caller asks: how many there are, and how to see what they answer."""

from __future__ import annotations

import streamlit as st

from admin_ui import opened
from admin_ui.business import Business
from admin_ui.server import Server, below


def show(server: Server, business: Business) -> None:
    """Draw what is known of them."""
    path = below("admin", "businesses", business.id, "counts")
    stored = opened.read_once("documents", lambda: server.get(path)).body["stored"]
    with st.grid(min_column_width=150):
        for label, name in (("Documents", "knowledge"), ("Policies", "policies"), ("Questions", "faqs")):
            st.metric(label, f"{stored[name]:,}", border=True)
    st.info(
        "Documents are put in by whoever looks after Switchboard, with `scripts/seed`. All are searched: try it "
        "under **Try the search**.",
        icon=":material/description:",
    )
