"""Which agents have an own tool, and giving it to them or taking it from them."""

from __future__ import annotations

from typing import Any

import streamlit as st

from admin_ui.shell import failure_view
from admin_ui.shell.business import Business
from admin_ui.shell.server import Refused, Server, below
from admin_ui.widgets import notice
from admin_ui.widgets.base_revision import Opened
from admin_ui.widgets.card import card
from admin_ui.widgets.plain_text import plain


def show(server: Server, business: Business, read: Opened) -> None:
    """Draw the agents."""
    tool = read.body["tool"]
    agents = server.get(below("admin", "businesses", business.id, "agents")).body["agents"]
    if not agents:
        st.info(
            "There is no agent yet, and a tool of your own belongs to one. Add an agent under **Agents** first.",
            icon=":material/support_agent:",
        )
    for agent in agents:
        _agent(server, business, tool, agent)


def _agent(server: Server, business: Business, tool: dict[str, Any], agent: dict[str, Any]) -> None:
    has = tool["id"] in agent["attachedTools"]
    with card() as (text, button):
        flag = " :green-badge[:material/check: has it]" if has else ""
        text.markdown(f"**{plain(agent['name'] or agent['id'])}**{flag}")
        if not business.may("edit_agents"):
            return
        wants = button.button("Take it away" if has else "Give it", key=f"attach/{agent['id']}")
    if wants:
        path = below("api", business.id, "agents", agent["id"], "tools") + ("/detach" if has else "/attach")
        try:
            server.send("POST", path, {"toolId": tool["id"]})
        except Refused as error:
            failure_view.tell(error)
            return
        notice.say("Taken away." if has else "Given. New conversations can use it at once.")
        st.rerun()
