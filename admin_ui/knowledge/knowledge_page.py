"""What the receptionist knows: policies, questions, documents, collections, and a place to try the search."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from admin_ui.knowledge import collections_view, documents_view, entry_list, near_question, search_test
from admin_ui.knowledge.document_form import PLACE
from admin_ui.shell.business import Business
from admin_ui.shell.server import Server
from admin_ui.widgets import base_revision, saving, whereabouts

_SECTION, _SHOWN, _DOCUMENTS = "knowledge_section", "at/section", "Documents"
_SECTIONS: dict[str, Callable[[Server, Business], None]] = {
    "Policies": lambda server, business: entry_list.show(server, business, entry_list.POLICIES),
    "Questions and answers": lambda server, business: entry_list.show(server, business, entry_list.FAQS),
    _DOCUMENTS: documents_view.show,
    "Collections": collections_view.show,
    "Try the search": lambda server, business: search_test.show(server, business, _open_document),
}


def show(server: Server, business: Business) -> None:
    """Draw the page."""
    section = whereabouts.part("Part", list(_SECTIONS), _SECTION)
    if st.session_state.setdefault(_SHOWN, section) != section:
        base_revision.forget()
        for form in (entry_list.POLICIES, entry_list.FAQS):
            saving.stop_editing(form.collection)
            near_question.forget(form.collection)
        documents_view.close()
        collections_view.close()
        st.session_state[_SHOWN] = section
    _SECTIONS[section](server, business)


def _open_document(id: str) -> None:
    # Called before the page is drawn, when the choice of its part can still be set.
    whereabouts.turn(_SECTION, _DOCUMENTS)
    saving.edit(PLACE, id)
