"""Which of the business's own tools an agent has, of both kinds, and giving it more or taking some away (seed 002)."""

from __future__ import annotations

from typing import Any

import streamlit as st

from admin_ui.shell import failure_view
from admin_ui.shell.business import Business
from admin_ui.shell.server import Refused, Server, below
from admin_ui.widgets import base_revision, notice, whereabouts
from admin_ui.widgets.plain_text import plain


def show(server: Server, business: Business, agent: dict[str, Any], place: str, may: bool) -> None:
    """Draw both lists; what was read under `place` is read anew once they change."""
    key = f"own_tools/{agent['id']}"
    # Read only for whoever looks: a business may have many agents, and each many tools.
    if not whereabouts.toggle("Your own tools", key):
        return
    path = below("api", business.id, "agents", agent["id"], "tools")
    read = server.get(path).body
    if not read["tools"]:
        st.caption("It has none of your own tools.")
    for tool in read["tools"]:
        _attached(server, path, place, tool, f"{key}/{tool['id']}" if may else "")
    if may:
        _available(server, path, place, read["available"], key)


def _attached(server: Server, path: str, place: str, tool: dict[str, Any], key: str) -> None:
    row = st.container(horizontal=True, vertical_alignment="center")
    at_start = "" if tool["attachToAgent"] else " :gray-badge[:material/call: when a call starts]"
    row.markdown(f"**{plain(tool['label'])}**{at_start}", width="stretch")
    if key and row.button("Detach", key=key, icon=":material/link_off:"):
        _send(
            server, f"{path}/detach", place, tool, "is taken away. Running conversations keep it for a minute at most."
        )


def _available(server: Server, path: str, place: str, tools: list[dict[str, Any]], key: str) -> None:
    if not tools:
        st.caption("There are no others. Make one under **Your tools**.")
        return
    by_id = {tool["id"]: tool for tool in tools}
    with st.form(f"{key}/form", border=False), st.container(horizontal=True, vertical_alignment="bottom"):
        names = {id: _name(tool) for id, tool in by_id.items()}
        chosen = st.selectbox("Tools it could have", list(by_id), format_func=names.get, key=f"{key}/chosen")
        wants = st.form_submit_button("Attach", icon=":material/add:")
    if wants and chosen in by_id:
        _send(server, f"{path}/attach", place, by_id[chosen], "is attached. New conversations can use it at once.")


def _name(tool: dict[str, Any]) -> str:
    return str(tool["label"]) + ("" if tool["attachToAgent"] else " (when a call starts)")


def _send(server: Server, path: str, place: str, tool: dict[str, Any], done: str) -> None:
    try:
        server.send("POST", path, {"toolId": tool["id"]})
    except Refused as error:
        failure_view.tell(error)
        return
    base_revision.forget(place)
    notice.say(f"{plain(tool['label'])} {done}")
    st.rerun()
