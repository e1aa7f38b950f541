"""The longer texts that are searched when a caller asks: a list in pages, and one of them with its passages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import streamlit as st

from admin_ui.knowledge import document_form, reading_form, source_view
from admin_ui.knowledge.document_form import NEW, PLACE, READ
from admin_ui.shell import words
from admin_ui.shell.business import Business
from admin_ui.shell.server import Server, below
from admin_ui.widgets import base_revision, saving, time_text
from admin_ui.widgets.base_revision import Opened
from admin_ui.widgets.card import card
from admin_ui.widgets.paging import pages_of
from admin_ui.widgets.plain_text import lines, plain
from admin_ui.widgets.saving import Change

_A_PAGE = 20
_PAGES = "document_pages"


def show(server: Server, business: Business) -> None:
    """Draw the list, or what was opened from it."""
    base = below("admin", "businesses", business.id, "documents")
    edited = saving.edited(PLACE)
    if edited in (NEW, READ) and not business.may("edit_entries"):
        close()
        edited = ""
    if not edited:
        _list(server, business, base)
        return
    if st.button("All documents", icon=":material/arrow_back:", type="tertiary"):
        close()
        st.rerun()
    if edited == READ:
        if not saving.conflict(server, PLACE):
            reading_form.show(server, base)
        return
    if edited == NEW:
        document_form.show(server, base, None)
        return
    path = base + below(edited)
    read = base_revision.read_once(PLACE, lambda: server.get(path))
    if saving.conflict(server, PLACE):
        return
    may = business.may("edit_entries")
    if read.body["origin"]:
        source_view.show(server, base, path, read, may)
    elif may:
        document_form.show(server, path, read)
    else:
        st.markdown(f"**{plain(read.body['title'])}**")
        st.markdown(lines(read.body["content"]))
    _passages(read)


def close() -> None:
    """Go back to the list, which is read anew."""
    base_revision.forget(PLACE)
    saving.stop_editing(PLACE)
    reading_form.forget()


def _passages(read: Opened) -> None:
    passages: list[str] = read.body["passages"]
    label = f"How it is searched: {_counted(len(passages), 'passage')}"
    with st.expander(label, icon=":material/segment:", key=f"{read.form}/passages"):
        st.caption("A caller is answered from one of these. Empty lines in the text are where it may be cut.")
        for number, passage in enumerate(passages, 1):
            with st.container(border=True):
                st.caption(f"{number} of {len(passages)}")
                st.markdown(lines(passage))


def _list(server: Server, business: Business, base: str) -> None:
    if saving.conflict(server, PLACE):
        return
    may = business.may("edit_entries")
    if may:
        with st.container(horizontal=True):
            wants_new = st.button("Add a document", type="primary", icon=":material/add:")
            wants_reading = st.button("Read a file or a web page", icon=":material/upload_file:")
        if wants_new or wants_reading:
            reading_form.forget()
            saving.edit(PLACE, NEW if wants_new else READ)
            st.rerun()
    pages = pages_of(_PAGES)
    body = server.get(base, {"limit": _A_PAGE, "cursor": pages.cursor}).body
    if not body["documents"] and pages.is_first:
        st.info("There is no document yet.", icon=":material/description:")
        st.caption("Price lists, leaflets, how things are done here: what callers ask is looked up in them.")
    with st.container(gap="xsmall"):
        for line in body["documents"]:
            _line(line, business, may)
    pages.show_buttons(body["nextCursor"], "Back", "More")
    if business.may("undo") and business.may("see_audit"):
        _latest_change(server, business)


def _line(line: Mapping[str, Any], business: Business, may: bool) -> None:
    with card() as (text, button):
        with text.container(horizontal=True, vertical_alignment="center"):
            st.markdown(f"**{plain(line['title'] or line['id'])}**", width="content")
            for badge in dict.fromkeys(filter(None, (line["topic"], *line["tags"]))):
                st.badge(plain(badge), color="gray")
        text.markdown(plain(line["excerpt"]) + (" …" if line["characters"] > len(line["excerpt"]) else ""))
        size = f"{_counted(line['characters'], 'character')} in {_counted(line['passageCount'], 'passage')}"
        text.caption(f"{size} · Changed {time_text.told(line['updatedAt'], business.zone)}")
        origin = line["origin"]
        if origin:
            text.caption(f"Read from {plain(origin['name'])} on {origin['readOn']}" + _unread(origin["unread"]))
        label, icon = ("Edit", ":material/edit:") if may and not origin else ("Read", ":material/menu_book:")
        if button.button(label, key=f"document/{line['id']}", icon=icon):
            base_revision.forget(PLACE)
            saving.edit(PLACE, line["id"])
            st.rerun()


def _unread(parts: Sequence[str]) -> str:
    return f" · {len(parts)} not readable" if parts else ""


def _latest_change(server: Server, business: Business) -> None:
    path = below("admin", "businesses", business.id, "audit")
    entries = server.get(path, {"kind": "knowledge", "limit": 1}).body["entries"]
    if not entries or not entries[0]["isUndoable"]:
        return
    entry = entries[0]
    who = entry["who"].get("name") or entry["who"].get("id") or "somebody"
    title = entry["after"].get("title") or entry["before"].get("title") or "a document"
    deed = words.DEEDS.get(entry["deed"], entry["deed"])
    with st.container(horizontal=True, vertical_alignment="center"):
        when = time_text.told(entry["at"], business.zone)
        st.caption(f"Last change: {plain(who)} {deed} {plain(title)}, {plain(when)}", width="content")
        if st.button("Undo", key=f"undo/{entry['id']}", icon=":material/undo:", type="tertiary"):
            one = path + below(entry["id"])
            revision = str(server.get(one).body["revision"] or "")
            saving.send(server, Change(PLACE, "POST", f"{one}/undo", {}, revision, "Undone.", is_forcible=False))


def _counted(count: int, one: str) -> str:
    return f"{count:,} {one}" + ("" if count == 1 else "s")
