"""What was published of a tool, when and by whom, and the way back to any of it."""

from __future__ import annotations

from typing import Any

import streamlit as st

from admin_ui.shell.business import Business
from admin_ui.shell.server import Server, below
from admin_ui.widgets import difference_view, saving, second_question, time_text, whereabouts
from admin_ui.widgets.base_revision import Opened
from admin_ui.widgets.card import card
from admin_ui.widgets.plain_text import plain
from admin_ui.widgets.saving import Change

_BUILT_IN, _COMPARED = "builtIn", "version"


def show(server: Server, business: Business, read: Opened) -> None:
    """Draw the versions, the newest first, and the built-in one."""
    tool, path = read.body, below("admin", "definitions", read.body["name"])
    cursor = whereabouts.opened("versions")
    page = server.get(f"{path}/versions", {"limit": 20, "cursor": cursor}).body
    if not page["versions"]:
        st.info("Nothing was published of this tool by itself yet.", icon=":material/history:")
    for at, version in enumerate(page["versions"]):
        _version(server, business, read, path, version, is_now=not cursor and at == 0)
    with st.container(horizontal=True):
        if cursor and st.button("Newest", icon=":material/first_page:"):
            whereabouts.open("versions", "")
            st.rerun()
        if page["nextCursor"] and st.button("Older", icon=":material/chevron_right:"):
            whereabouts.open("versions", page["nextCursor"])
            st.rerun()
    _built_in(server, read, path, tool)


def _version(
    server: Server, business: Business, read: Opened, path: str, version: dict[str, Any], is_now: bool
) -> None:
    number = version["version"]
    with card() as (text, button):
        flag = " :green-badge[now]" if is_now else ""
        text.markdown(f"**{plain(version['deed'].capitalize())}**{flag}")
        when = time_text.told(version["at"], business.zone)
        text.caption(plain(" · ".join(filter(None, (f"version {number}", when, f"by {version['by']}")))))
        if not is_now and not version["isRemoved"] and button.button("Compare", key=f"compare/{number}"):
            whereabouts.fold(_COMPARED, str(number))
        if whereabouts.unfolded(_COMPARED, str(number)) and not is_now:
            _compared(server, read, path, str(number), f"Version {number}")


def _built_in(server: Server, read: Opened, path: str, tool: dict[str, Any]) -> None:
    with card() as (text, button):
        text.markdown("**Built in**")
        text.caption("As it came with Switchboard." if tool["differs"] else "What is published says the same.")
        if tool["differs"] and button.button("Compare", key=f"compare/{_BUILT_IN}"):
            whereabouts.fold(_COMPARED, _BUILT_IN)
        if whereabouts.unfolded(_COMPARED, _BUILT_IN) and tool["differs"]:
            _compared(server, read, path, _BUILT_IN, "Built in")


def _compared(server: Server, read: Opened, path: str, which: str, title: str) -> None:
    diff = server.get(f"{path}/diff", {"from": "published", "to": which}).body
    difference_view.show(diff["differences"], "Now", title, "It says what is published now.")
    if not read.body["mayEdit"] or not diff["differences"]:
        return
    name = read.body["name"]
    at = f"{path}/reset" if which == _BUILT_IN else f"{path}/versions/{which}/rollback"
    done = "It is back, for every business. Conversations that are going on keep their words."
    change = Change(f"definition/{name}", "POST", at, {}, read.revision, done, False)

    def question() -> str:
        words = f"Bring this back for **every** business? What is published now of **`{name}`** stays in the history."
        return f"{words}\n\n{saving.listed(saving.losses(server, change))}"

    if second_question.sure(f"back/{which}", "Bring this back", question, "Yes, bring it back", ":material/undo:"):
        saving.send(server, change)
