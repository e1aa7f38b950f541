"""Ask as a caller would, and see which texts the receptionist would answer from, and how well they fit."""

from __future__ import annotations

import uuid
from typing import Any

import streamlit as st

from admin_ui import words
from admin_ui.business import Business
from admin_ui.plain_text import lines, plain, sentence
from admin_ui.server import Refused, Server

_KINDS = {"knowledge": "Document", "policy": "Policy", "faq": "Question"}
_MOST = 10


def show(server: Server, business: Business) -> None:
    """Draw the question and what is found."""
    with st.form("search"):
        question = st.text_input("What a caller might ask", placeholder="Can I bring my dog?", key="question")
        left, right = st.columns(2)
        channels = list(words.CHANNELS)
        channel = left.selectbox(
            *("Asked on", channels, channels.index("portal")),
            format_func=words.CHANNELS.__getitem__,
            key="search_channel",
        )
        most = right.number_input("How many texts", 1, _MOST, 5, key="search_most")
        wanted = st.form_submit_button("Search", type="primary", icon=":material/search:")
    if not wanted:
        return
    if not question.strip():
        st.info("Write a question first.", icon=":material/edit:")
        return
    context = {"channel": channel, "sessionId": f"admin_{uuid.uuid4().hex[:12]}", "turn": 1}
    try:
        with st.spinner("Searching …"):
            envelope = server.execute(business.id, "search_knowledge", {"query": question, "limit": most}, context)
    except Refused as error:
        if error.status not in (401, 403):
            raise
        st.info(f"This needs an API key of the business. {sentence(str(error))}", icon=":material/key:")
        return
    if not envelope.get("ok"):
        st.error(sentence(envelope["error"]["message"]), icon=":material/error:")
        return
    results: list[dict[str, Any]] = envelope["data"]["results"]
    if not results:
        st.info("Nothing fits. A caller who asks this is offered to leave a message.", icon=":material/search_off:")
        st.caption("Add a policy, or a question with its answer, and try again.")
    for result in results:
        with st.container(border=True):
            with st.container(horizontal=True, vertical_alignment="center"):
                st.markdown(f"**{plain(result['title'])}**", width="content")
                st.badge(_KINDS.get(result["kind"], result["kind"]), color="gray")
            st.progress(min(max(float(result["score"]), 0.0), 1.0), text=f"Fits by {result['score']:.2f} of 1")
            st.markdown(lines(result["text"]))
