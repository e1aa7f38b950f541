"""How every business is doing, for whoever looks after them all: the house first, then those with the worst."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import streamlit as st

from admin_ui.shell.server import Server
from admin_ui.widgets.card import card
from admin_ui.widgets.paging import pages_of
from admin_ui.widgets.plain_text import plain, sentence

SEVERITIES = {
    "trouble": ("Callers are not served", "red", "error"),
    "warning": ("Soon a problem", "orange", "warning"),
    "notice": ("Good to know", "blue", "info"),
}
"""How bad a finding is: in words, its colour, and its symbol."""
_PAGES = "all_health"
_A_PAGE, _FINDINGS = 10, 3


def show(server: Server) -> None:
    """Draw the house's own findings, and a page of the businesses."""
    pages = pages_of(_PAGES)
    body = server.get("/admin/health", {"limit": _A_PAGE, "cursor": pages.cursor}).body
    st.subheader("Switchboard itself", anchor=False)
    if not body["house"]:
        st.success("Everything works.", icon=":material/check_circle:")
    with st.container(gap="xsmall"):
        for finding in body["house"]:
            with st.container(border=True, gap="xsmall"):
                _finding(finding)
    st.subheader("Businesses", anchor=False)
    if not body["businesses"]:
        st.info("There is no business yet.", icon=":material/storefront:")
    with st.container(gap="xsmall"):
        for health in _worst_first(body["businesses"]):
            _business(health)
    pages.show_buttons(body["nextCursor"], "Back", "More")
    st.button("Look again", icon=":material/refresh:", type="tertiary", key="all_health_again")


def _worst_first(healths: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    order = [*SEVERITIES, "ok"]
    return sorted(healths, key=lambda health: order.index(health["worst"]))


def _business(health: Mapping[str, Any]) -> None:
    with card() as (text, button):
        with text:
            st.markdown(f"**{plain(health['name'] or health['businessId'])}**")
            if not health["findings"]:
                st.markdown(":green-badge[:material/check_circle: Everything works]")
            for finding in health["findings"][:_FINDINGS]:
                _finding(finding)
            more = len(health["findings"]) - _FINDINGS
            if more > 0:
                st.caption(f"And {more} more.")
        # Before anything is drawn: the choice of a business is a field by then.
        button.button("Open", key=f"health/{health['businessId']}", on_click=_choose, args=(health["businessId"],))


def _finding(finding: Mapping[str, Any]) -> None:
    text, color, icon = SEVERITIES[finding["severity"]]
    st.markdown(f":{color}-badge[:material/{icon}: {text}] **{sentence(finding['means'])}**")
    st.markdown(f":material/arrow_forward: {sentence(finding['do'])}")


def _choose(business_id: str) -> None:
    # Of another business the page begins with that business.
    st.session_state["business"] = business_id
