"""How drafts on trial did beside the old words, the running one and those that ended."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import streamlit as st

from admin_ui.shell.business import Business
from admin_ui.shell.server import Server
from admin_ui.widgets import time_text
from admin_ui.widgets.plain_text import plain

_NAMED = 5
_SHARES = {"refusals": "Refused", "failures": "Failed", "unknown": "Unknown outcome"}


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
    sides = {"New words": canary["new"], "Old words": canary["old"]}
    st.markdown("\n".join(["| | New words | Old words |", "|---|---|---|", *_rows(*sides.values())]))
    for name, side in sides.items():
        if side["remark"]:
            st.caption(f"{name}: {plain(side['remark'])}")
    if not canary["isWhole"]:
        st.caption("Some of it was not counted within a week, and cannot be counted any more.")
    named = ", ".join(canary["businesses"][:_NAMED])
    more = len(canary["businesses"]) - _NAMED
    st.caption(plain(f"Tried by {named}{f' and {more} more' if more > 0 else ''}."))


def _rows(*sides: Mapping[str, Any]) -> list[str]:
    rows = [["Conversations", *(str(side["conversations"]) for side in sides)]]
    rows += [["Calls of it", *(str(side["calls"]) for side in sides)]]
    rows += [[title, *(_share(side, name) for side in sides)] for name, title in _SHARES.items()]
    return [f"| {' | '.join(row)} |" for row in rows]


def _share(side: Mapping[str, Any], name: str) -> str:
    share = side["perHundred"][name]
    return str(side[name]) if share is None else f"{side[name]} ({share:g} of 100)"


def _when(canary: Mapping[str, Any], business: Business) -> str:
    began = time_text.told(canary["since"], business.zone)
    if not canary["endedAt"]:
        return f"since {began}, begun by {canary['by']}"
    return f"{began} to {time_text.told(canary['endedAt'], business.zone)}: {canary['ended']}"
