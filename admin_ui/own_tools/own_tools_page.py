"""A business's own tools: the list, one of them opened, and what stands beside them."""

from __future__ import annotations

from typing import Any

import streamlit as st

from admin_ui.business import mcp_servers
from admin_ui.health import vapi_status
from admin_ui.own_tools import exchange, secrets, view
from admin_ui.own_tools.kinds import KINDS
from admin_ui.shell.business import Business
from admin_ui.shell.server import Server, below
from admin_ui.widgets import whereabouts
from admin_ui.widgets.card import card
from admin_ui.widgets.plain_text import plain, sentence

NEW, OPEN = "new", "own"
_BESIDE = {
    "Secrets": secrets.show,
    "Vapi": vapi_status.show,
    "Connected servers": mcp_servers.show,
    "Bring in, take out": exchange.show,
}
_TOOLS = "Tools"


def show(server: Server, business: Business) -> None:
    """Draw the page."""
    opened_id = whereabouts.opened(OPEN)
    if opened_id == NEW and not business.may("edit_tools"):
        whereabouts.open(OPEN, "")
        opened_id = ""
    if opened_id:
        if st.button("All your tools", icon=":material/arrow_back:", type="tertiary"):
            whereabouts.open(OPEN, "")
            st.rerun()
        view.show(server, business, "" if opened_id == NEW else opened_id)
        return
    part = whereabouts.part("Part", [_TOOLS, *_BESIDE], "own_part")
    if part == _TOOLS:
        _list(server, business)
    else:
        _BESIDE[part](server, business)


def _list(server: Server, business: Business) -> None:
    tools = server.get(below("api", business.id, "tools")).body["tools"]
    if not business.may("edit_tools"):
        st.info("You may look at this, but only an owner or editor can change it.", icon=":material/visibility:")
    elif st.button("Add a tool", type="primary", icon=":material/add:"):
        whereabouts.open(OPEN, NEW)
        st.rerun()
    if not tools:
        st.info(
            "There is no tool of your own yet. One can look something up in your own system, send a text, or put a "
            "caller through.",
            icon=":material/handyman:",
        )
    with st.container(gap="xsmall"):
        for tool in tools:
            _row(tool)


def _row(tool: dict[str, Any]) -> None:
    kind = KINDS.get(str(tool["type"]))
    with card() as (text, button):
        flags = [
            (kind.title if kind else tool["type"], "blue"),
            *([("off", "red")] if not tool["enabled"] else []),
            *([("when a call starts", "violet")] if tool["executeOnCallStart"] else []),
            *([("not finished", "orange")] if tool["unfinished"] else []),
        ]
        badges = " ".join(f":{color}-badge[{plain(label)}]" for label, color in flags)
        text.markdown(f"**{plain(tool['label'] or tool['name'])}** {badges}")
        text.caption(f"`{tool['name']}`" + (f" · {plain(tool['description'])}" if tool["description"] else ""))
        if tool["problem"]:
            text.markdown(f":red-badge[:material/error: cannot be used] {sentence(tool['problem'])}")
        if button.button("Open", key=f"open/{tool['id']}", icon=":material/chevron_right:"):
            whereabouts.open(OPEN, tool["id"])
            st.rerun()
