"""How drafts on trial did beside the old words, the running one and those that ended."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import streamlit as st

from admin_ui.shell.business import Business
from admin_ui.shell.server import Server
from admin_ui.widgets import time_text, trial_sides
from admin_ui.widgets.plain_text import plain

_NAMED = 5
_COUNTS = {"conversations": "Conversations", "calls": "Calls of it"}


def show(server: Server, business: Business, path: str) -> None:
    """Draw the trials of a tool, the newest first; nothing where there was none."""
    canaries = server.get(f"{path}/canaries", {"limit": 5}).body["canaries"]
    if not canaries:
        return
    with st.container(border=True):
        st.markdown("**New words beside the old ones**")
        st.caption(
            "Conversations that began while some businesses tried the draft. The old words are what all others had "
            "meanwhile, so differences between businesses show here, too."
        )
        _trial(canaries[0], business)
        for canary in canaries[1:]:
            with st.expander(plain(_when(canary, business)), key=f"canary/{canary['since']}"):
                _numbers(canary)


def _trial(canary: Mapping[str, Any], business: Business) -> None:
    badge = ":gray-badge[ended]" if canary["endedAt"] else ":violet-badge[going on]"
    st.markdown(f"{badge} {plain(_when(canary, business))}")
    _numbers(canary)


def _numbers(canary: Mapping[str, Any]) -> None:
    trial_sides.show(canary, "New words", "Old words", _COUNTS)
    named = ", ".join(canary["businesses"][:_NAMED])
    more = len(canary["businesses"]) - _NAMED
    st.caption(plain(f"Tried by {named}{f' and {more} more' if more > 0 else ''}."))


def _when(canary: Mapping[str, Any], business: Business) -> str:
    began = time_text.told(canary["since"], business.zone)
    if not canary["endedAt"]:
        return f"since {began}, begun by {canary['by']}"
    return f"{began} to {time_text.told(canary['endedAt'], business.zone)}: {canary['ended']}"
