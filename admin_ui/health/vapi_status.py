"""How a business's tools stand at Vapi, held against what should be there, and bringing them in line."""

from __future__ import annotations

from typing import Any

import streamlit as st

from admin_ui.shell import failure_view
from admin_ui.shell.business import Business
from admin_ui.shell.server import Refused, Server, below
from admin_ui.widgets.plain_text import plain, sentence


def show(server: Server, business: Business) -> None:
    """Draw it."""
    path = below("api", business.id, "vapi")
    with st.spinner("Looking at Vapi …"):
        status = st.session_state.pop("at/vapi", None) or server.get(path).body
    if not status["isConnected"]:
        st.info(
            "Vapi is not connected. That is only needed for agents that speak through it; connect it under "
            "**Business**, Connections.",
            icon=":material/link_off:",
        )
        return
    for finding in status["repaired"]:
        st.markdown(f":green-badge[:material/build: put right] {_told(finding)}")
    if status["isInLine"]:
        st.success(f"Vapi has all {status['tools']} tools as they should be.", icon=":material/check_circle:")
    for finding in status["findings"]:
        with st.container(border=True):
            st.markdown(f":orange-badge[:material/sync_problem: differs] {_told(finding)}")
            if finding.get("problem"):
                st.caption(sentence(finding["problem"]))
    with st.container(horizontal=True):
        may = status["findings"] and business.may("edit_tools")
        if may and st.button("Put it right", type="primary", icon=":material/build:"):
            try:
                st.session_state["at/vapi"] = server.send("POST", f"{path}/repair", {}).body
            except Refused as error:
                failure_view.tell(error)
                return
            st.rerun()
        st.button("Look again", icon=":material/refresh:", key="vapi_again")


def _told(finding: dict[str, Any]) -> str:
    name = f"**`{finding['name']}`**: " if finding.get("name") else ""
    return name + plain(finding["words"])
