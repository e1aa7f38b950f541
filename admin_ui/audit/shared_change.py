"""A change of what all businesses share, as it concerns this one, and what differs by it."""

from __future__ import annotations

from typing import Any

import streamlit as st

from admin_ui.shell.business import Business
from admin_ui.shell.server import Server
from admin_ui.widgets import time_text, whereabouts
from admin_ui.widgets.card import card
from admin_ui.widgets.plain_text import plain

_COMPARED = "shared_change"
_KINDS = {"definition": "Built-in tools", "prompt": "What receptionists are told"}
# As a sentence begins; anybody else has a name, or an address.
_AT_BEGINNING = {"the platform": "The platform", "somebody": "Somebody"}
_WORDS = {
    "canary started": "had this business try new words",
    "canary changed": "changed what this business tries",
    "canary ended": "ended what this business tried",
    "prompt changed": "changed a prompt",
    "enabled": "switched on",
    "disabled": "switched off",
}


def show(server: Server, business: Business, path: str, change: dict[str, Any]) -> None:
    """Draw one; `path` is where the API tells more of it."""
    who = change["who"].get("name") or "somebody"
    with card() as (text, button):
        with text.container(horizontal=True, vertical_alignment="center"):
            deed = _WORDS.get(change["deed"], change["deed"])
            st.markdown(f"**{plain(_AT_BEGINNING.get(who, who))}** {plain(deed)}", width="content")
            st.badge(_KINDS[change["kind"]], color="violet")
        text.caption(plain(time_text.told(change["at"], business.zone, seconds=True)))
        text.markdown(plain(change["what"]))
        if change["words"]:
            text.caption(plain(change["words"]))
        if button.button("Compare", key=f"compare/{change['id']}"):
            whereabouts.fold(_COMPARED, change["id"])
        if whereabouts.unfolded(_COMPARED, change["id"]):
            _differences(server.get(path).body["documents"])


def _differences(documents: dict[str, Any]) -> None:
    if not documents:
        st.markdown("For this business nothing differs.")
    for name, sides in documents.items():
        lines = [f"- {plain(line)}" for line in sides["changes"]]
        st.markdown("\n".join([f"**{plain(name)}**", "", *lines]))
