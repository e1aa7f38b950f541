"""The inbox: what callers have left, calling back, and what is done."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import streamlit as st

from admin_ui.shell import elsewhere, words
from admin_ui.shell.business import Business
from admin_ui.shell.server import Server, below
from admin_ui.widgets import own_key, saving, time_text, unsaved, whereabouts
from admin_ui.widgets.paging import pages_of
from admin_ui.widgets.plain_text import lines, plain
from admin_ui.widgets.saving import Change

PLACE = "messages"
_A_PAGE = 20
_SHOWN = {"To do": "open", "Done": "done", "All": "all"}
_NOT_BROUGHT = {
    "failed": "It could not be brought to you by text or e-mail: look under Business whom messages go to.",
    "unknown": "Nobody knows whether it was brought to you by text or e-mail.",
    "todo": "On its way to you.",
    "sending": "On its way to you.",
}


def show(server: Server, business: Business) -> None:
    """Draw the messages."""
    path = below("admin", "businesses", business.id, "messages")
    chosen = whereabouts.part("Show", list(_SHOWN), "messages_shown")
    text = whereabouts.search(
        "Search", placeholder="Words, a name or a number", key="messages_text", icon=":material/search:"
    )
    pages = pages_of("message_pages", (chosen, text))
    query = {"show": _SHOWN[chosen], "text": text, "limit": _A_PAGE, "cursor": pages.cursor}
    body = server.get(path, query).body
    if saving.conflict(server, PLACE):
        return
    if not body["messages"] and pages.is_first and not body["nextCursor"]:
        nothing = "There is no message to see to." if chosen == "To do" and not text else "There is no such message."
        st.info(nothing, icon=":material/inbox:")
    with st.container(gap="xsmall"):
        for message in body["messages"]:
            _message(server, business, path + below(message["id"]), message)
    pages.show_buttons(body["nextCursor"], on="Older" if body["messages"] else "Go on searching")


def _message(server: Server, business: Business, path: str, message: Mapping[str, Any]) -> None:
    with st.container(border=True, gap="xsmall"):
        with st.container(horizontal=True, vertical_alignment="center"):
            st.markdown(f"**{plain(message['caller']) or 'Somebody'}**", width="content")
            if message["isUrgent"]:
                st.badge("urgent", color="red", icon=":material/priority_high:")
            if message["done"]:
                st.badge("done", color="green", icon=":material/check:")
            if message["calledBackAt"]:
                when = time_text.told(message["calledBackAt"], business.zone)
                st.badge(plain(f"called back {when}"), color="blue", icon=":material/call_made:")
        st.markdown(lines(message["text"]))
        if message["note"]:
            st.markdown(f"> {lines(message['note'])}")
        channel = words.CHANNELS.get(str(message["channel"]), "")
        by = f"by {message['handledBy']}" if message["handledBy"] else ""
        facts = [time_text.told(message["at"], business.zone), channel, message["phone"], message["email"], by]
        st.caption(plain(" · ".join(filter(None, facts))))
        if message["brought"] in _NOT_BROUGHT and not message["done"]:
            st.caption(_NOT_BROUGHT[message["brought"]])
        _actions(server, business, path, message)


def _actions(server: Server, business: Business, path: str, message: Mapping[str, Any]) -> None:
    id, who = message["id"], message["caller"] or "somebody"
    with st.container(horizontal=True):
        if message["phone"]:
            label = f"Call {message['phone']}"
            st.link_button(label, f"tel:{message['phone']}", icon=":material/call:", help=f"Call {who} back.")
        if business.may("edit_business"):
            if message["phone"] and not message["calledBackAt"]:
                _button(server, path, message, ("Called back", "call_made"), {"calledBack": True}, "It is noted.")
            if message["done"]:
                _button(server, path, message, ("Not done yet", "undo"), {"done": False}, "It is in the inbox again.")
            else:
                _button(server, path, message, ("Done", "check"), {"done": True}, f"The message of {who} is done.")
            with st.popover("Note", icon=":material/edit_note:", key=f"note/{id}"):
                note = st.text_area(
                    "For you and your colleagues", message["note"], key=own_key.of(f"note/{id}/text"), max_chars=1_000
                )
                unsaved.hold(note.strip() != message["note"].strip())
                if st.button("Save the note", key=f"note/{id}/save", type="primary"):
                    body = {"note": note.strip()}
                    saving.send(server, Change(PLACE, "PATCH", path, body, message["revision"], "The note is saved."))
        if message["interactionId"] and st.button(
            "The conversation", key=f"conversation/{id}", icon=":material/forum:", type="tertiary"
        ):
            elsewhere.go("calls", call=message["interactionId"])


def _button(
    server: Server, path: str, message: Mapping[str, Any], label: tuple[str, str], body: Mapping[str, Any], done: str
) -> None:
    text, icon = label
    if st.button(text, key=f"{text}/{message['id']}", icon=f":material/{icon}:"):
        saving.send(server, Change(PLACE, "PATCH", path, body, message["revision"], done))
