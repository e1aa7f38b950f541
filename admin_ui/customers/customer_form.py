"""The form for a customer: entering one, and correcting what is on file."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import streamlit as st

from admin_ui.shell.server import Refused, Server
from admin_ui.widgets import own_key, problems, saving, whereabouts
from admin_ui.widgets.base_revision import Opened
from admin_ui.widgets.problems import Problems
from admin_ui.widgets.saving import Change

PLACE, NEW = "customers", "new"
_CONFLICT, _ASKED = 409, "at/customer_asked"


def enter(server: Server, path: str, known: Mapping[str, Any]) -> None:
    """Draw the form for a customer who is not on file, with what is known of them."""
    form = own_key.of("customer/new", str(known.get("phone") or known.get("name") or ""))
    wrong = problems.of(PLACE)
    with st.form(form, enter_to_submit=False):
        typed, is_saved = _fields(form, known, "Enter the customer", wrong)
    if is_saved:
        sent = {name: value for name, value in typed.items() if value} | _yes(path, typed)
        try:
            made = server.send("POST", path, sent).body
        except Refused as error:
            _told(error, path, typed, "Enter it again for somebody else.")
            return
        whereabouts.open("customer", made["id"])
        problems.forget(PLACE)
        saving.finish(PLACE, f"{made['name'] or made['phone']} is on file.")
    wrong.rest()


def correct(server: Server, path: str, read: Opened) -> None:
    """Draw the form for what is on file of a customer."""
    wrong = problems.of(PLACE)
    with st.form(read.form, enter_to_submit=False):
        typed, is_saved = _fields(read.form, read.body, "Save", wrong)
    if is_saved:
        changed = {name: value for name, value in typed.items() if value != _now(read.body, name)}
        if not changed:
            saving.finish(PLACE, "Nothing was changed.")
        change = Change(PLACE, "PATCH", path, changed | _yes(path, typed), read.revision, "It is corrected.")
        saving.send(server, change, lambda error: _told(error, path, typed, "Save it again if it is theirs as well."))
    wrong.rest()


def _told(error: Refused, path: str, typed: Mapping[str, Any], again: str) -> None:
    """Say why a customer was refused; of a number that is somebody's already, that the same again is a yes to that."""
    sentence, asks, _ = str(error).partition(" Send confirm")
    if error.status == _CONFLICT and asks:
        st.session_state[_ASKED] = _numbers(path, typed)
        field = "phone" if typed["phone"] else "otherPhones"
        problems.keep(PLACE, [{"field": field, "message": f"{sentence} {again}"}])
    problems.tell(PLACE, error)


def _yes(path: str, typed: Mapping[str, Any]) -> dict[str, bool]:
    """Return what says so, where the page has asked about these numbers."""
    return {"confirm": True} if st.session_state.get(_ASKED) == _numbers(path, typed) else {}


def _numbers(path: str, typed: Mapping[str, Any]) -> list[str]:
    return [path, typed["phone"], *typed["otherPhones"]]


def _fields(form: str, now: Mapping[str, Any], save: str, wrong: Problems) -> tuple[dict[str, Any], bool]:
    left, right = st.columns(2)
    with left:
        name = st.text_input("Name", now.get("name") or "", key=f"{form}/name", max_chars=120)
        wrong.below("name")
        phone = st.text_input("Phone", now.get("phone") or "", key=f"{form}/phone", max_chars=60)
        wrong.below("phone")
        others = "\n".join(now.get("otherPhones") or ())
        more = st.text_area("Other numbers, one in a line", others, key=f"{form}/others", height=80)
        wrong.below("otherPhones")
    with right:
        email = st.text_input("E-mail", now.get("email") or "", key=f"{form}/email", max_chars=254)
        wrong.below("email")
        born = st.text_input(
            "Date of birth", now.get("dateOfBirth") or "", key=f"{form}/born", placeholder="1988-04-12"
        )
        wrong.below("dateOfBirth")
        notes = st.text_area("Notes", now.get("notes") or "", key=f"{form}/notes", height=80, max_chars=2_000)
        wrong.below("notes")
    with st.container(horizontal=True):
        is_saved = st.form_submit_button(save, type="primary")
        is_stopped = st.form_submit_button("Close")
    if is_stopped:
        problems.forget(PLACE)
        saving.stop_editing(PLACE)
        st.rerun()
    typed = {"name": name.strip(), "phone": phone.strip(), "email": email.strip(), "dateOfBirth": born.strip()}
    numbers = [line.strip() for line in more.splitlines() if line.strip()]
    return typed | {"otherPhones": numbers, "notes": notes.strip()}, is_saved


def _now(body: Mapping[str, Any], name: str) -> Any:
    return list(body.get(name) or ()) if name == "otherPhones" else body.get(name) or ""
