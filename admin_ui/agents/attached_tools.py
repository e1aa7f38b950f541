"""Which of the business's own tools an agent has, of both kinds, and giving it more or taking some away (seed 002)."""

from __future__ import annotations

from typing import Any

import streamlit as st

from admin_ui.shell import failure_view
from admin_ui.shell.business import Business
from admin_ui.shell.server import Refused, Server, below
from admin_ui.widgets import base_revision, notice, own_key
from admin_ui.widgets.plain_text import plain


def show(server: Server, business: Business, agent: dict[str, Any], place: str, may: bool) -> None:
    """Draw both lists; what was read under `place` is read anew once they change."""
    path = below("api", business.id, "agents", agent["id"], "tools")
    key = own_key.of("own_tools", agent["id"])
    with st.expander("Your own tools", icon=":material/handyman:"):
        # Read only for whoever looks: a business may have many agents, and each many tools.
        if not st.toggle("Show which it has, and which it could have", key=f"{key}/open"):
            return
        read = server.get(path).body
        if not read["tools"]:
            st.caption("It has none of your own tools.")
        for tool in read["tools"]:
            _attached(server, path, place, tool, f"{key}/{tool['id']}" if may else "")
        if may:
            _available(server, path, place, read["available"], key)


def _attached(server: Server, path: str, place: str, tool: dict[str, Any], key: str) -> None:
    row = st.container(horizontal=True, vertical_alignment="center")
    row.markdown(f"**{plain(tool['label'])}** {_badge(tool)}", width="stretch")
    if key and row.button("Detach", key=key, icon=":material/link_off:"):
        _send(
            server, f"{path}/detach", place, tool, "is taken away. Running conversations keep it for a minute at most."
        )


def _available(server: Server, path: str, place: str, tools: list[dict[str, Any]], key: str) -> None:
    if not tools:
        st.caption("There are no others. Make one under **Your tools**.")
        return
    with st.container(horizontal=True, vertical_alignment="bottom"):
        labels = {tool["id"]: tool["label"] for tool in tools}
        chosen = st.selectbox("Tools it could have", list(labels), format_func=labels.__getitem__, key=f"{key}/choice")
        wants = st.button("Attach", key=f"{key}/attach", icon=":material/add:")
    tool = next((tool for tool in tools if tool["id"] == chosen), None)
    if tool is not None and _badge(tool):
        st.caption("It runs when a phone call starts, and not in the conversation.")
    if wants and tool is not None:
        _send(server, f"{path}/attach", place, tool, "is attached. New conversations can use it at once.")


def _send(server: Server, path: str, place: str, tool: dict[str, Any], done: str) -> None:
    try:
        server.send("POST", path, {"toolId": tool["id"]})
    except Refused as error:
        failure_view.tell(error)
        return
    base_revision.forget(place)
    notice.say(f"{plain(tool['label'])} {done}")
    st.rerun()


def _badge(tool: dict[str, Any]) -> str:
    return "" if tool["attachToAgent"] else ":gray-badge[:material/call: when a call starts]"
