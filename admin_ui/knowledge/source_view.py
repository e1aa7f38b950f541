"""A document that was read from a file or a web page: what it says and where, read again or taken away whole."""

from __future__ import annotations

import streamlit as st

from admin_ui.knowledge import reading_form
from admin_ui.knowledge.document_form import PLACE, READ
from admin_ui.shell.server import Server
from admin_ui.widgets import saving, second_question
from admin_ui.widgets.base_revision import Opened
from admin_ui.widgets.plain_text import lines, plain
from admin_ui.widgets.saving import Change


def show(server: Server, base: str, path: str, read: Opened, may: bool) -> None:
    """Draw it; whoever `may` has it read again, or takes it away."""
    document, origin = read.body, read.body["origin"]
    st.markdown(f"**{plain(document['title'])}**")
    st.caption(f"Read from {plain(origin['name'])} on {origin['readOn']}")
    reading_form.tell_unread(origin["unread"])
    if may:
        with st.container(horizontal=True):
            again = st.button("Read it again", icon=":material/refresh:")
            question = "All that was read from it is taken away, and callers are no longer answered from it."
            label = "Take it away"
            is_gone = second_question.sure(f"source/{document['id']}", label, question, label, ":material/delete:")
        if again and origin["kind"] == "page":
            reading_form.take(server, base, {"address": origin["name"]})
        elif again:
            reading_form.forget()
            saving.edit(PLACE, READ)
            st.rerun()
        if is_gone:
            saving.send(server, Change(PLACE, "DELETE", path, None, read.revision, "It is taken away."))
    for part in document["parts"]:
        with st.container(border=True):
            if part["place"]:
                st.caption(plain(part["place"]))
            st.markdown(lines(part["text"]))
