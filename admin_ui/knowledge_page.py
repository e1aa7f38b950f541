"""What the receptionist knows: policies, questions and answers, documents, and a place to try the search."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from admin_ui import documents_view, entry_list, opened, saving, search_test
from admin_ui.business import Business
from admin_ui.server import Server

_SECTIONS: dict[str, Callable[[Server, Business], None]] = {
    "Policies": lambda server, business: entry_list.show(server, business, entry_list.POLICIES),
    "Questions and answers": lambda server, business: entry_list.show(server, business, entry_list.FAQS),
    "Documents": documents_view.show,
    "Try the search": search_test.show,
}


def show(server: Server, business: Business) -> None:
    """Draw the page."""
    section = st.segmented_control("Part", list(_SECTIONS), default="Policies", required=True, key="knowledge_section")
    if st.session_state.get("at/section") != section:
        opened.forget()
        for form in (entry_list.POLICIES, entry_list.FAQS):
            saving.stop_editing(form.collection)
        st.session_state["at/section"] = section
    _SECTIONS[section](server, business)
