"""Policies, and questions with their answers: a list that can be narrowed down, and a form for one of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import streamlit as st

from admin_ui.knowledge import near_question
from admin_ui.shell.business import Business
from admin_ui.shell.server import Answer, Server, below
from admin_ui.widgets import base_revision, own_key, saving, time_text, whereabouts
from admin_ui.widgets.card import card
from admin_ui.widgets.plain_text import lines, plain, shortened
from admin_ui.widgets.saving import Change

_NEW = "new"
_SHOWN_AT_ONCE = 25
# A policy may be as long as a book; all of it stands in its form.
_SHOWN_OF_ONE = 400


@dataclass(frozen=True)
class Form:
    """One kind of entry: where it is kept, what one is called, and its fields with their labels, the long one last."""

    collection: str
    one: str
    noun: str
    fields: Mapping[str, str]
    has_tags: bool = False


POLICIES = Form("policies", "policy", "policy", {"topic": "Topic", "content": "What callers are told"})
FAQS = Form(
    *("faqs", "faq", "question"),
    {"topic": "Topic", "question": "Question", "answer": "What callers are told"},
    has_tags=True,
)


def show(server: Server, business: Business, form: Form) -> None:
    """Draw the list, with a form in place of what is edited."""
    place, base = form.collection, below("tts_admin", form.collection, business.id)
    listing = f"{place}/list"
    read = base_revision.read_once(listing, lambda: server.get(base))
    entries: list[dict[str, Any]] = read.body[form.collection]
    if near_question.show(server, place, base):
        return
    may = business.may("edit_entries")
    edited = saving.edited(place, [_NEW, *(entry["id"] for entry in entries)] if may else ())
    if may and not edited and st.button(f"Add a {form.noun}", type="primary", icon=":material/add:"):
        saving.edit(place, _NEW)
        st.rerun()
    if edited == _NEW:
        _form(server, form, base, "", Answer({}))
    if not entries:
        st.info(f"There is no {form.noun} yet. Who asks is told what can be had instead.", icon=":material/menu_book:")
        return
    search_text = whereabouts.search("Find", f"find/{place}", placeholder=f"Words in one of {len(entries)}")
    matching = [entry for entry in entries if _holds(entry, form, search_text)]
    if not matching:
        st.caption("Nothing here has these words.")
    at = whereabouts.page_number(-(-len(matching) // _SHOWN_AT_ONCE), f"page/{place}", search_text) - 1
    with st.container(gap="xsmall"):
        for entry in matching[at * _SHOWN_AT_ONCE : (at + 1) * _SHOWN_AT_ONCE]:
            if edited == entry["id"]:
                path = base + below(entry["id"])
                one = base_revision.read_once(place, lambda path=path: server.get(path))
                if not saving.conflict(server, place):
                    _form(server, form, path, one.revision, Answer(one.body[form.one], one.revision))
            else:
                _line(entry, form, business, may)


def _line(entry: Mapping[str, Any], form: Form, business: Business, may: bool) -> None:
    *titles, last = form.fields
    with card() as (text, button):
        with text.container(horizontal=True, vertical_alignment="center"):
            st.markdown(f"**{plain(entry[titles[-1]])}**", width="content")
            for tag in [entry["topic"]] * (len(titles) > 1) + list(entry.get("tags", ())):
                st.badge(plain(tag), color="gray")
        text.markdown(lines(shortened(entry[last], _SHOWN_OF_ONE)))
        text.caption(f"Changed {time_text.told(entry['updated_at'] + '+00:00', business.zone)}")
        if may and button.button("Edit", key=f"edit/{entry['id']}", icon=":material/edit:"):
            base_revision.forget(form.collection)
            saving.edit(form.collection, entry["id"])
            st.rerun()


def _form(server: Server, form: Form, path: str, revision: str, entry: Answer) -> None:
    is_new = not revision
    key = own_key.of(path, revision)
    entry = Answer({**entry.body, **near_question.draft(form.collection)}, revision)
    with st.form(f"entry/{key}"):
        *short, last = form.fields.items()
        typed = {name: st.text_input(label, entry.body.get(name) or "", key=f"{key}/{name}") for name, label in short}
        typed[last[0]] = st.text_area(last[1], entry.body.get(last[0]) or "", height=160, key=f"{key}/{last[0]}")
        body: dict[str, Any] = {name: value.strip() for name, value in typed.items()}
        if form.has_tags:
            tags = st.text_input("Tags (optional)", ", ".join(entry.body.get("tags") or ()), key=f"{key}/tags")
            body["tags"] = [tag.strip() for tag in tags.split(",") if tag.strip()]
        with st.container(horizontal=True):
            wants_save = st.form_submit_button("Save", type="primary")
            wants_stop = st.form_submit_button("Cancel")
            wants_gone = not is_new and st.form_submit_button(f"Remove this {form.noun}", icon=":material/delete:")
    if wants_stop or wants_gone or wants_save:
        near_question.forget(form.collection)
    if wants_stop:
        saving.stop_editing(form.collection)
        st.rerun()
    elif wants_gone:
        _send(server, Change(form.collection, "DELETE", path, None, revision, f"The {form.noun} is removed."))
    elif wants_save:
        method = "POST" if is_new else "PUT"
        # So that whoever typed it is asked about what says something on the same.
        body["alongside"] = []
        _send(server, Change(form.collection, method, path, body, revision, "Saved. Callers are told so at once."))


def _send(server: Server, change: Change) -> None:
    # Whatever becomes of it, the list is read anew: somebody else may have changed it, too.
    base_revision.forget(f"{change.place}/list")
    saving.send(server, change, lambda error: near_question.ask(change, error))


def _holds(entry: Mapping[str, Any], form: Form, search_text: str) -> bool:
    words = search_text.casefold().split()
    text = " ".join(str(entry.get(name, "")) for name in (*form.fields, "tags")).casefold()
    return all(word in text for word in words)
