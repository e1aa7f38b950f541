"""Calling a tool as any channel would, or holding a conversation, and seeing all there is to see about it."""

from __future__ import annotations

import streamlit as st

from admin_ui.conversations import conversation_view, tool_trial
from admin_ui.shell.business import Business
from admin_ui.shell.server import Server
from admin_ui.widgets import unsaved, whereabouts

_PARTS = {"Call a tool": tool_trial.show, "Hold a conversation": conversation_view.show}


def show(server: Server, business: Business) -> None:
    """Draw the page."""
    part = whereabouts.part("Part", list(_PARTS), "playground_part")
    st.warning("This is real: what a tool does is done. Texts are sent, appointments are made.", icon=":material/bolt:")
    if not business.may("edit_tools"):
        st.info("Only an owner or editor can try things out here.", icon=":material/visibility:")
        return
    # What is tried is done at once, and kept nowhere.
    with unsaved.aside("try"):
        _PARTS[part](server, business)
