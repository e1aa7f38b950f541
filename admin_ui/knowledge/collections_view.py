"""Collections of the business's own: a list, a form for a new one, and one of them with its rows."""

from __future__ import annotations

from typing import Any

import streamlit as st

from admin_ui.knowledge import collection_rows, table_form
from admin_ui.shell.business import Business
from admin_ui.shell.server import Server, below
from admin_ui.widgets import base_revision, own_key, saving, second_question
from admin_ui.widgets.card import card
from admin_ui.widgets.paging import pages_of
from admin_ui.widgets.plain_text import plain
from admin_ui.widgets.saving import Change

PLACE, _NEW = "collections", "new/collection"
TYPES = {"text": "Text", "number": "Number", "boolean": "Yes or no"}
_A_PAGE, _FEWEST_FIELDS, _MORE_FIELDS, _MOST_FIELDS = 20, 4, 4, 30
_PAGES, _COUNT = "collection_pages", "at/collection_fields"


def show(server: Server, business: Business) -> None:
    """Draw the list, or what was opened from it."""
    base = below("admin", "businesses", business.id, "collections")
    edited = saving.edited(PLACE)
    if edited == _NEW and not business.may("edit_entries"):
        close()
        edited = ""
    if not edited:
        _list(server, business, base)
        return
    if st.button("All collections", icon=":material/arrow_back:", type="tertiary"):
        close()
        st.rerun()
    if edited == _NEW:
        _new(server, base)
        return
    path = base + below(edited)
    may = business.may("edit_entries")
    read = base_revision.read_once(PLACE, lambda: server.get(path))
    collection = read.body
    st.markdown(f"**{plain(collection['name'])}** · {collection['items']:,} rows")
    if may and not collection["items"] and collection["isDescribed"]:
        question = "The collection is removed; nothing lies in it."
        label = "Remove this collection"
        if second_question.sure(f"collection/{edited}", label, question, label, ":material/delete:"):
            saving.send(server, Change(PLACE, "DELETE", path, None, read.revision, "The collection is removed."))
    if saving.conflict(server, collection_rows.PLACE) or saving.conflict(server, PLACE):
        return
    table_form.show(server, path, collection, may)
    collection_rows.show(server, path, collection, may)


def close() -> None:
    """Go back to the list, which is read anew."""
    base_revision.forget(PLACE)
    saving.stop_editing(PLACE)
    collection_rows.close()
    table_form.forget()


def _list(server: Server, business: Business, base: str) -> None:
    if business.may("edit_entries") and st.button("Make a collection", type="primary", icon=":material/add:"):
        saving.edit(PLACE, _NEW)
        st.rerun()
    pages = pages_of(_PAGES)
    body = server.get(base, {"limit": _A_PAGE, "cursor": pages.cursor}).body
    if not body["collections"] and pages.is_first:
        st.info("There is no collection yet.", icon=":material/table_rows:")
        st.caption("Homes, cars, dishes, courses: rows of the same fields, which a tool of yours looks up for callers.")
    with st.container(gap="xsmall"):
        for one in body["collections"]:
            with card() as (text, button):
                text.markdown(f"**{plain(one['name'])}**")
                text.caption("1 row" if one["items"] == 1 else f"{one['items']:,} rows")
                if button.button("Open", key=f"collection/{one['name']}", icon=":material/table_rows:"):
                    base_revision.forget(PLACE)
                    saving.edit(PLACE, one["name"])
                    st.rerun()
    pages.show_buttons(body["nextCursor"], "Back", "More")


def _new(server: Server, base: str) -> None:
    count = int(st.session_state.get(_COUNT, _FEWEST_FIELDS))
    with st.form("collection/new"):
        name = st.text_input(
            "Name", placeholder="homes", key=own_key.of("collection/name"), help="Letters, digits, - and _."
        )
        st.caption("What stands in each row. Empty lines are left out.")
        fields: list[dict[str, Any]] = []
        for number in range(count):
            left, right = st.columns([2, 1])
            field = left.text_input(f"Field {number + 1}", key=own_key.of(f"collection/field/{number}"))
            type = right.selectbox(
                f"Type of field {number + 1}",
                list(TYPES),
                format_func=TYPES.__getitem__,
                key=own_key.of(f"collection/type/{number}"),
            )
            if field.strip():
                fields.append({"name": field.strip(), "type": type})
        with st.container(horizontal=True):
            wants_save = st.form_submit_button("Save", type="primary")
            wants_more = count < _MOST_FIELDS and st.form_submit_button("More fields", icon=":material/add:")
    if wants_more:
        st.session_state[_COUNT] = min(count + _MORE_FIELDS, _MOST_FIELDS)
        st.rerun()
    elif wants_save:
        body = {"name": name.strip(), "fields": fields}
        saving.send(server, Change(PLACE, "POST", base, body, "", "The collection is made. Now its rows can be added."))
