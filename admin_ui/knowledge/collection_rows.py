"""The rows of a collection: a list in pages, and a form in place of one that is edited."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import streamlit as st

from admin_ui.shell.server import Server, below
from admin_ui.widgets import base_revision, own_key, saving
from admin_ui.widgets.card import card
from admin_ui.widgets.paging import pages_of
from admin_ui.widgets.plain_text import plain, shortened
from admin_ui.widgets.saving import Change

PLACE, _NEW = "collection_rows", "new/row"
_A_PAGE, _SHOWN_OF_ONE, _LONG = 25, 200, 80
_PAGES = "row_pages"
_WORDS = {None: "", True: "Yes", False: "No"}


def show(server: Server, path: str, collection: Mapping[str, Any], may: bool) -> None:
    """Draw the list; whoever `may` adds, edits and removes rows."""
    fields, edited = collection["fields"], saving.edited(PLACE) if may else ""
    rows = f"{path}/rows"
    if may and edited != _NEW and st.button("Add a row", type="primary", icon=":material/add:"):
        saving.edit(PLACE, _NEW)
        st.rerun()
    if edited == _NEW:
        _form(server, rows, fields, {"fields": {}, "others": []}, "")
    pages = pages_of(_PAGES, path)
    body = server.get(rows, {"limit": _A_PAGE, "cursor": pages.cursor}).body
    if not body["rows"] and pages.is_first:
        st.info("There is no row yet: a caller who asks is told that nothing is known.", icon=":material/table_rows:")
    with st.container(gap="xsmall"):
        for row in body["rows"]:
            if edited == row["id"]:
                one = rows + below(row["id"])
                read = base_revision.read_once(PLACE, lambda one=one: server.get(one))
                _form(server, one, fields, read.body, read.revision)
            else:
                _line(row, fields, may)
    pages.show_buttons(body["nextCursor"], "Back", "More")


def close() -> None:
    """Close the form; the rows are read anew."""
    base_revision.forget(PLACE)
    saving.stop_editing(PLACE)


def _line(row: Mapping[str, Any], fields: Sequence[Mapping[str, Any]], may: bool) -> None:
    values = [(field["name"], row["fields"][field["name"]]) for field in fields if field["name"] in row["fields"]]
    with card() as (text, button):
        for number, (name, value) in enumerate(values):
            words = plain(shortened(_told(value), _SHOWN_OF_ONE))
            if number == 0:
                text.markdown(f"**{words}**")
            else:
                text.caption(f"{plain(name)}: {words}")
        if row["others"]:
            text.caption(f"Written by programs: {plain(', '.join(row['others']))}")
        if may and button.button("Edit", key=f"row/{row['id']}", icon=":material/edit:"):
            base_revision.forget(PLACE)
            saving.edit(PLACE, row["id"])
            st.rerun()


def _form(
    server: Server, path: str, fields: Sequence[Mapping[str, Any]], row: Mapping[str, Any], revision: str
) -> None:
    key, now = own_key.of(f"row/{path}", revision), row["fields"]
    with st.form(key):
        given = {field["name"]: _input(field, now.get(field["name"]), key) for field in fields}
        with st.container(horizontal=True):
            wants_save = st.form_submit_button("Save", type="primary")
            wants_stop = st.form_submit_button("Cancel")
            wants_gone = bool(revision) and st.form_submit_button("Remove this row", icon=":material/delete:")
    if wants_stop:
        close()
        st.rerun()
    elif wants_gone:
        base_revision.forget("collections")
        saving.send(server, Change(PLACE, "DELETE", path, None, revision, "The row is removed."))
    elif wants_save:
        base_revision.forget("collections")
        body = {"fields": {name: value for name, value in given.items() if value is not None}}
        method = "PUT" if revision else "POST"
        saving.send(server, Change(PLACE, method, path, body, revision, "Saved. Callers are told so at once."))


def _input(field: Mapping[str, Any], now: Any, key: str) -> Any:
    """Draw a field, and return what is in it; None where it is empty."""
    name, key = field["name"], f"{key}/{field['name']}"
    if field["type"] == "boolean":
        choices = list(_WORDS)
        at = choices.index(now) if isinstance(now, bool) else 0
        return st.selectbox(name, choices, at, format_func=_WORDS.__getitem__, key=key)
    text = "" if now is None else str(now)
    is_long = field["type"] == "text" and len(text) > _LONG
    typed = (st.text_area if is_long else st.text_input)(name, text, key=key).strip()
    return _number(typed) if field["type"] == "number" else typed or None


def _number(typed: str) -> Any:
    """Return the number that was typed; what is none stays text, of which the server says what is wrong."""
    if not typed:
        return None
    for read in (int, float):
        try:
            return read(typed.replace(",", "."))
        except ValueError:
            continue
    return typed


def _told(value: Any) -> str:
    return _WORDS[value] if isinstance(value, bool) else str(value)
