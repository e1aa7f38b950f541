"""A document as it is entered: typed, or taken from a file."""

from __future__ import annotations

from typing import Any

import streamlit as st

from admin_ui.shell.server import Server
from admin_ui.widgets import own_key, saving, text_file
from admin_ui.widgets.base_revision import Opened
from admin_ui.widgets.plain_text import plain
from admin_ui.widgets.saving import Change

PLACE, NEW, READ = "documents", "new", "read"


def show(server: Server, path: str, read: Opened | None) -> None:
    """Draw the form, filled with what was read or dropped into it, and what can be done with it."""
    entry: dict[str, Any] = read.body if read else {}
    key = read.form if read else own_key.of("document/new")
    title, content = str(entry.get("title") or ""), str(entry.get("content") or "")
    dropped = st.file_uploader(
        *("Take the text from a file (.txt, .md)", list(text_file.ENDINGS)),
        key=f"{key}/file",
        max_upload_size=text_file.LONGEST_MB,
    )
    if dropped is not None:
        # With another file the fields are others, and show what is in it.
        key = f"{key}/{dropped.file_id}"
        try:
            content = text_file.read(dropped.getvalue())
            title = title or text_file.title(dropped.name, content)
        except text_file.NotText as error:
            st.error(plain(str(error)), icon=":material/error:")
    with st.form(f"document/{key}"):
        body: dict[str, Any] = {
            "title": st.text_input("Title", title, key=f"{key}/title"),
            "content": st.text_area("Text", content, height=320, key=f"{key}/content", help="Plain text or Markdown."),
        }
        left, right = st.columns(2)
        body["topic"] = left.text_input("Topic (optional)", entry.get("topic") or "", key=f"{key}/topic")
        source = "What callers are told it is from; the title where this is empty."
        body["source"] = right.text_input(
            "Source (optional)", entry.get("source") or "", key=f"{key}/source", help=source
        )
        tags = st.text_input("Tags (optional)", ", ".join(entry.get("tags") or ()), key=f"{key}/tags")
        with st.container(horizontal=True):
            wants_save = st.form_submit_button("Save", type="primary")
            wants_gone = read is not None and st.form_submit_button("Remove this document", icon=":material/delete:")
    revision = read.revision if read else ""
    if wants_gone:
        saving.send(server, Change(PLACE, "DELETE", path, None, revision, "The document is removed."))
    elif wants_save:
        body = {name: value.strip() for name, value in body.items()}
        body["tags"] = [tag.strip() for tag in tags.split(",") if tag.strip()]
        method = "PUT" if read else "POST"
        saving.send(server, Change(PLACE, method, path, body, revision, "Saved. Callers are told so at once."))
