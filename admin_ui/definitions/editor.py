"""Words, rules and schemas of a tool, edited as a draft that is checked while it is typed."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import streamlit as st

from admin_ui.definitions import fields
from admin_ui.shell import words
from admin_ui.shell.business import Business
from admin_ui.shell.server import Server, below
from admin_ui.widgets import difference_view, json_editor, saving, time_text, unsaved, whereabouts
from admin_ui.widgets.base_revision import Opened
from admin_ui.widgets.plain_text import plain, sentence
from admin_ui.widgets.saving import Change

Document = dict[str, Any]
_SECTIONS: dict[str, Callable[[Document, str, bool], None]] = {
    "Words": fields.words,
    "Rules": fields.rules,
    "What it takes": lambda document, key, locked: _schema(document, "parameters", key, locked),
    "What it gives back": lambda document, key, locked: _schema(document, "returns", key, locked),
    "Everything": lambda document, key, locked: _everything(document, key, locked),
}


def show(server: Server, business: Business, read: Opened) -> None:
    """Draw the editor, and what is wrong with what stands in it."""
    tool = read.body
    base = base_of(tool)
    draft, may = tool["draft"], tool["mayEdit"]
    if draft:
        who = f" by {plain(draft['savedBy'])}" if draft["savedBy"] else ""
        at = plain(time_text.told(draft["savedAt"], business.zone))
        st.info(
            f"This is a draft, saved{who}{f' on {at}' if at else ''}. Callers get it once it is published.",
            icon=":material/edit_note:",
        )
    section = whereabouts.part("What to edit", list(_SECTIONS), "edit_part", keeps_typed=True)
    # Kept beside the fields: those of another section are not drawn now, and would forget what was typed.
    document = st.session_state.setdefault(f"at/working/{read.form}", copy.deepcopy(base))
    try:
        _SECTIONS[section](document, f"{read.form}/{section}", not may)
    except json_editor.Broken:
        unsaved.hold(True)
        return
    if may:
        _verdict(server, read, base, document)


def base_of(tool: dict[str, Any]) -> Document:
    """Return what is edited: the draft, or else what is published, with what that leaves to the built-in one."""
    stored = tool["draft"]["document"] if tool["draft"] else tool["published"] or {}
    return {**tool["builtIn"], **stored}


def _verdict(server: Server, read: Opened, base: Document, document: Document) -> None:
    path, place = below("admin", "definitions", read.body["name"]), f"definition/{read.body['name']}"
    checked = server.ask(f"{path}/check", {"document": document}).body
    st.subheader("What is to be said of it", anchor=False)
    for problem in checked["problems"]:
        st.error(sentence(problem["message"]), icon=":material/error:")
    warnings = [finding for finding in checked["findings"] if finding["severity"] == "warning"]
    hints = [finding for finding in checked["findings"] if finding["severity"] == "hint"]
    for finding in warnings:
        st.markdown(f":orange-badge[:material/warning: will go wrong] {_found(finding)}")
    if not checked["problems"] and not warnings:
        st.success("Nothing is wrong with it.", icon=":material/check_circle:")
    if hints:
        with st.expander(f"What could be better ({len(hints)})"):
            st.markdown("\n".join(f"- {_found(finding)}" for finding in hints))
    if checked["tokens"]:
        costs = sorted(set(checked["tokens"].values()))
        st.caption(f"It costs a model about {costs[0]} to {costs[-1]} tokens in every turn.")
    is_changed = document != base
    unsaved.hold(is_changed)
    with st.container(horizontal=True):
        if st.button("Save draft", type="primary", disabled=not is_changed or bool(checked["problems"])):
            done = "The draft is saved. Publish it when you have seen what it changes."
            saving.send(server, Change(place, "PUT", f"{path}/draft", {"document": document}, read.revision, done))
        if is_changed and st.button("Undo what I typed"):
            saving.finish(place, "Back to what was saved.")
        if read.body["draft"] and st.button("Throw the draft away", icon=":material/delete:"):
            saving.send(
                server, Change(place, "DELETE", f"{path}/draft", {}, read.revision, "The draft is gone.", False)
            )
    with st.expander(f"What differs from what is published ({len(checked['differences'])})"):
        difference_view.show(checked["differences"], "Published", "Here", "Nothing: it says what is published.")


def _found(finding: dict[str, Any]) -> str:
    place = finding["place"]
    at = f"{words.field(place) or place}: " if place else ""
    return f"{plain(at)}{sentence(finding['text'])}"


def _schema(document: Document, field: str, key: str, locked: bool) -> None:
    label = {
        "parameters": "What a model may fill in, as JSON Schema. The names belong to the tool and stay as they are.",
        "returns": "What the tool promises to give back, as JSON Schema.",
    }[field]
    edited = json_editor.draw(label, document.get(field), key, locked)
    if edited is None:
        document.pop(field, None)
    else:
        document[field] = edited


def _everything(document: Document, key: str, locked: bool) -> None:
    edited = json_editor.draw(
        "The whole definition as JSON, with what the other parts do not show.", document, key, locked
    )
    if isinstance(edited, dict):
        document.clear()
        document.update(edited)
