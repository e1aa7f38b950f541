"""A file or a web page, read into what callers are answered from: shown first, and kept in one step."""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence
from typing import Any

import streamlit as st

from admin_ui.knowledge.document_form import PLACE
from admin_ui.shell import failure_view
from admin_ui.shell.server import Refused, Server, below
from admin_ui.widgets import own_key, saving
from admin_ui.widgets.plain_text import lines, plain
from admin_ui.widgets.saving import Change

LONGEST_MB = 10
ENDINGS = ("pdf", "docx", "html", "htm", "txt", "md")
_DRAFT = "at/reading_draft"
_SHOWN_DIFFERENCES = 40


def show(server: Server, base: str) -> None:
    """Draw what is asked for, and below it what would be kept."""
    draft: dict[str, Any] | None = st.session_state.get(_DRAFT)
    if draft is None:
        _ask(server, base)
        return
    _draft(server, base, draft)


def forget() -> None:
    """Drop what was read and not kept."""
    st.session_state.pop(_DRAFT, None)


def take(server: Server, base: str, asked: Mapping[str, Any]) -> None:
    """Have something read, and the page drawn anew with what would be kept of it; or say why nothing can be."""
    try:
        with st.spinner("Reading …"):
            st.session_state[_DRAFT] = server.ask(f"{base}/read", asked).body
    except Refused as error:
        forget()
        failure_view.tell(error)
        return
    saving.edit(PLACE, "read")
    st.rerun()


def _ask(server: Server, base: str) -> None:
    dropped = st.file_uploader("A file", list(ENDINGS), key=own_key.of("reading/file"), max_upload_size=LONGEST_MB)
    with st.form("reading/address"):
        address = st.text_input(
            "Or the address of a web page", placeholder="https://www.example.com/prices", key=own_key.of("reading/at")
        )
        wants_page = st.form_submit_button("Read the page", icon=":material/language:")
    st.caption("You see what was read before anything is kept. The same file or page read again replaces what it said.")
    if wants_page and address.strip():
        take(server, base, {"address": address.strip()})
    elif dropped is not None and st.session_state.get("at/reading_file") != dropped.file_id:
        # Once for each file: whoever goes back from what was read is not taken there again.
        st.session_state["at/reading_file"] = dropped.file_id
        take(server, base, {"name": dropped.name, "file": base64.b64encode(dropped.getvalue()).decode()})


def _draft(server: Server, base: str, draft: Mapping[str, Any]) -> None:
    document, is_new = draft["document"], draft["revision"] is None
    tell_unread(document["origin"]["unread"])
    for note in draft["notes"]:
        st.info(plain(note), icon=":material/info:")
    if not is_new:
        _differences(draft["differences"])
    key = own_key.of("reading", draft["id"], str(draft["revision"]))
    with st.form(key):
        title = st.text_input("Title", document["title"], key=f"{key}/title")
        topic = st.text_input("Topic (optional)", document["topic"], key=f"{key}/topic")
        with st.container(horizontal=True):
            label = "Keep it" if is_new else "Put it in place of what is there"
            wants_save = st.form_submit_button(label, type="primary")
            wants_stop = st.form_submit_button("Drop it")
    if wants_stop:
        forget()
        saving.stop_editing(PLACE)
        st.rerun()
    elif wants_save:
        body = {**document, "title": title.strip(), "topic": topic.strip()}
        path, method = (base, "POST") if is_new else (base + below(draft["id"]), "PUT")
        forget()
        change = Change(PLACE, method, path, body, draft["revision"] or "", "Kept. Callers are told so at once.")
        try:
            saving.send(server, change)
        finally:
            if saving.edited(PLACE):
                # It was not kept, and is still to be seen.
                st.session_state[_DRAFT] = dict(draft)
    st.markdown(f"**What would be known: {_counted(len(draft['passages']), 'passage')}**")
    for passage in draft["passages"]:
        with st.container(border=True):
            st.caption(plain(passage["source"]))
            st.markdown(lines(passage["text"]))


def tell_unread(parts: Sequence[str]) -> None:
    """Name what could not be read, part by part."""
    if parts:
        st.warning("Not readable: " + plain("; ".join(parts)) + ".", icon=":material/visibility_off:")


def _differences(differences: Sequence[Mapping[str, Any]]) -> None:
    if not differences:
        st.info("It says what it said when it was read before.", icon=":material/check:")
        return
    st.info(f"It was read before: {_counted(len(differences), 'place')} would change.", icon=":material/history:")
    with st.expander("What would change", expanded=True, icon=":material/difference:"):
        for one in differences[:_SHOWN_DIFFERENCES]:
            st.markdown(f"**{plain(one['place'] or 'Beginning')}**")
            left, right = st.columns(2)
            for cell, name, side in ((left, "Known now", "before"), (right, "Just read", "after")):
                with cell.container(border=True):
                    st.caption(name)
                    st.markdown("*is not there*" if one[side] is None else lines(one[side]))
        if len(differences) > _SHOWN_DIFFERENCES:
            st.caption(f"And {len(differences) - _SHOWN_DIFFERENCES} more.")


def _counted(count: int, one: str) -> str:
    return f"{count:,} {one}" + ("" if count == 1 else "s")
