"""One built-in tool: what it says now, the draft of it, how that is published, and what was published before."""

from __future__ import annotations

from typing import Any

import streamlit as st

from admin_ui.definitions import business_use, editor, history, offer_rows, preview, publishing
from admin_ui.shell import roles
from admin_ui.shell.business import Business
from admin_ui.shell.server import Server, below
from admin_ui.widgets import base_revision, saving, second_question, whereabouts
from admin_ui.widgets.base_revision import Opened
from admin_ui.widgets.plain_text import plain
from admin_ui.widgets.saving import Change

_PARTS = {
    "Words and rules": editor.show,
    "What models see": preview.show,
    "Publish": publishing.show,
    "History": history.show,
}


def show(server: Server, business: Business, name: str) -> None:
    """Draw the tool."""
    path, place = below("admin", "definitions", name), f"definition/{name}"
    read = base_revision.read_once(place, lambda: server.get(path))
    _head(read.body)
    if saving.conflict(server, place):
        return
    business_use.show_one(server, business, name)
    if read.body["mayEdit"]:
        _switch(server, read, place, path)
    else:
        least = roles.LEAST[roles.MAY["publish_definitions"]]
        st.info(
            f"All businesses share these words and rules, so only {least} can change them.",
            icon=":material/visibility:",
        )
    part = whereabouts.part("Part", list(_PARTS), "tool_part")
    _PARTS[part](server, business, read)


def _head(tool: dict[str, Any]) -> None:
    flags = [
        (not tool["isEnabled"], "switched off for everybody", "red"),
        (tool["differs"], "differs from the built-in one", "green"),
        (tool["draft"], "has a draft", "yellow"),
        (tool["canary"], "being tried", "violet"),
    ]
    st.markdown("#### " + offer_rows.head(tool, *((text, color) for is_so, text, color in flags if is_so)))
    st.caption(plain(tool["summary"]))


def _switch(server: Server, read: Opened, place: str, path: str) -> None:
    name, is_on = read.body["name"], read.body["isEnabled"]
    done = "Switched off, for everybody." if is_on else "Switched on again."
    change = Change(place, "PUT", f"{path}/enabled", {"enabled": not is_on}, read.revision, done)
    if is_on:

        def question() -> str:
            words = (
                f"Switch **`{name}`** off for **every** business? Conversations that are going on lose it, too, "
                "within a minute."
            )
            return f"{words}\n\n{saving.listed(saving.losses(server, change))}"

        wants = second_question.sure(
            f"switch/{name}", "Switch it off for everybody", question, "Yes, switch it off", ":material/block:"
        )
    else:
        wants = st.button("Switch it on again", icon=":material/toggle_on:")
    if wants:
        saving.send(server, change)
