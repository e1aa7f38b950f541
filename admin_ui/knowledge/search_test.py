"""Ask as a caller would, and see which texts the receptionist would answer from, and how well they fit."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import streamlit as st

from admin_ui.shell import words
from admin_ui.shell.business import Business
from admin_ui.shell.server import Refused, Server, below, together
from admin_ui.widgets import own_key, unsaved
from admin_ui.widgets.plain_text import lines, plain, sentence

_KINDS = {"knowledge": "Document", "policy": "Policy", "faq": "Question"}
_MOST = 10
_FOUND = "at/search_found"


def show(server: Server, business: Business, open_document: Callable[[str], None]) -> None:
    """Draw the question and what is found; `open_document` shows a document by its id."""
    if not business.may("edit_tools"):
        st.info("Asking calls the receptionist's own tool, which an owner or editor may.", icon=":material/visibility:")
        return
    st.caption("What you try here counts nowhere: not as a call, and not as a question that found no answer.")
    with unsaved.aside("search"), st.form("search"):
        question = st.text_input(
            "What a caller might ask", placeholder="Can I bring my dog?", key=own_key.of("question")
        )
        left, right = st.columns(2)
        channels = list(words.CHANNELS)
        channel = left.selectbox(
            *("Asked on", channels, channels.index("portal")),
            format_func=words.CHANNELS.__getitem__,
            key=own_key.of("search_channel"),
        )
        most = right.number_input("How many texts", 1, _MOST, 5, key=own_key.of("search_most"))
        is_submitted = st.form_submit_button("Search", type="primary", icon=":material/search:")
    if is_submitted:
        st.session_state.pop(_FOUND, None)
        if not question.strip():
            st.info("Write a question first.", icon=":material/edit:")
            return
        body = {"name": "search_knowledge", "args": {"query": question, "limit": most}, "channel": channel}
        with st.spinner("Searching …"):
            tried = server.ask(below("admin", "businesses", business.id, "try"), body)
            envelope = tried.body["response"]
            if not envelope.get("ok"):
                st.error(sentence(envelope["error"]["message"]), icon=":material/error:")
                return
            st.session_state[_FOUND] = _with_passages(server, business, envelope["data"]["results"])
    # Kept while it is shown: a button below a result draws the page anew.
    results: list[dict[str, Any]] | None = st.session_state.get(_FOUND)
    if results == []:
        st.info("Nothing fits. A caller who asks this is told what can be had instead.", icon=":material/search_off:")
        st.caption("Add a policy, a document, or a question with its answer, and try again.")
    for result in results or ():
        _result(result, open_document)


def _result(result: dict[str, Any], open_document: Callable[[str], None]) -> None:
    with st.container(border=True):
        with st.container(horizontal=True, vertical_alignment="center"):
            st.markdown(f"**{plain(result['title'])}**", width="content")
            st.badge(_KINDS.get(result["kind"], result["kind"]), color="gray")
            if result.get("passage"):
                st.badge(result["passage"], color="blue", icon=":material/segment:")
        st.progress(min(max(float(result["score"]), 0.0), 1.0), text=f"Fits by {result['score']:.2f} of 1")
        st.markdown(lines(result["text"]))
        if result["kind"] == "knowledge":
            key, of = f"open/{result['id']}", (result["id"],)
            st.button("Open the document", key=key, type="tertiary", on_click=open_document, args=of)


def _with_passages(server: Server, business: Business, results: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return results with the words that say which passage of its document each is."""
    asked = [lambda result=result: _passage(server, business, result) for result in results]
    return [
        result | {"passage": passage}
        for result, passage in zip(results, together(*asked) if asked else (), strict=True)
    ]


def _passage(server: Server, business: Business, result: dict[str, Any]) -> str:
    if result["kind"] != "knowledge":
        return ""
    try:
        document = server.get(below("admin", "businesses", business.id, "documents", result["id"])).body
    except Refused as error:
        if error.status != 404:
            raise
        # It was removed a moment ago.
        return ""
    passages: list[str] = document["passages"]
    # A channel with little room is told the beginning.
    beginning = result["text"].removesuffix(" …")
    at = next((n for n, passage in enumerate(passages, 1) if passage.startswith(beginning)), None)
    return f"Passage {at} of {len(passages)}" if at else ""
