"""Secret addresses at which people's own calendars read the appointments: made, shown once, revoked."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import streamlit as st

from admin_ui.shell.business import Business
from admin_ui.shell.server import Server, below
from admin_ui.widgets import base_revision, problems, saving, second_question, time_text
from admin_ui.widgets.card import card
from admin_ui.widgets.plain_text import plain
from admin_ui.widgets.saving import Change
from admin_ui.widgets.shown_once import ShownOnce

PLACE = "calendar-feeds"
_MADE = ShownOnce(*(PLACE, "This is the address for {name}.", "I have copied the address", ":material/calendar_month:"))


def show(server: Server, business: Business) -> None:
    """Draw the addresses, and the form for another."""
    path = below("admin", "businesses", business.id, "calendar-feeds")
    st.markdown("**Read the appointments in another calendar**")
    st.caption(
        "Any calendar program can subscribe to a secret address. It shows the appointments and changes nothing. "
        "Whoever has the address can read it: give each person one of their own."
    )
    if saving.conflict(server, PLACE):
        return
    read = base_revision.read_once(PLACE, lambda: server.get(path))
    if not _MADE.show():
        _form(server, path, read.form)
    for feed in read.body["feeds"]:
        _line(server, business, path, feed)


def leave() -> None:
    """Forget an address that was made, and read the list anew when it is looked at again."""
    _MADE.forget()
    base_revision.forget(PLACE)


def _form(server: Server, path: str, form: str) -> None:
    wrong = problems.of(PLACE)
    with st.form(f"calendar-feed/{form}"):
        name = st.text_input(
            "Whose calendar reads it", placeholder="Rosa's phone", max_chars=100, key=f"{form}/feed/name"
        )
        wrong.below("name")
        shows_names = st.toggle(
            "Customers' names stand in it",
            key=f"{form}/feed/showsNames",
            help="Without this it tells services and times. Numbers and notes never stand in it.",
        )
        is_submitted = st.form_submit_button("Make an address", type="primary", icon=":material/add:")
    if is_submitted:
        body = {"name": name.strip(), "showsNames": shows_names}
        _MADE.make(server, path, body, "url", lambda _: "The address is made.")
        return
    wrong.rest()


def _line(server: Server, business: Business, path: str, feed: Mapping[str, Any]) -> None:
    with card() as (text, button):
        text.markdown(f"**{plain(feed['name'])}**")
        facts = [
            f"made {time_text.told(feed['createdAt'], business.zone)}",
            "with customers' names" if feed["showsNames"] else "without customers' names",
            f"of {feed['person']} only" if feed["person"] else "",
        ]
        text.caption(plain(" · ".join(filter(None, facts))))
        with button:
            question = (
                f"Revoke the address of **{plain(feed['name'])}**? Whatever reads it finds nothing there any more."
            )
            is_sure = second_question.sure(
                f"revoke-feed/{feed['id']}", "Revoke", question, "Yes, revoke it", ":material/block:"
            )
        if is_sure:
            done = "The address is revoked."
            saving.send(server, Change(PLACE, "DELETE", path + below(feed["id"]), None, feed["revision"], done))
