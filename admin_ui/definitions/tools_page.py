"""Every tool: where it is offered and why not elsewhere; opened, its words, rules, publication and history."""

from __future__ import annotations

from functools import partial
from typing import Any

import streamlit as st

from admin_ui.definitions import business_use, offer_rows, view
from admin_ui.shell import words
from admin_ui.shell.business import Business
from admin_ui.shell.server import Refused, Server, below, together
from admin_ui.widgets import whereabouts
from admin_ui.widgets.card import card
from admin_ui.widgets.plain_text import plain

SOURCES = {
    "firestore": "as published",
    "stale": "the store does not answer: as published when it last did",
    "fallback": "as built in: nothing is published, or the store does not answer",
}
_SHOWN = ("All", "Offered", "Not offered", "Changed")


def show(server: Server, business: Business) -> None:
    """Draw the list, or the tool that was opened."""
    name = whereabouts.opened("tool")
    if name:
        if st.button("All tools", icon=":material/arrow_back:", type="tertiary"):
            whereabouts.open("tool", "")
            st.rerun()
        view.show(server, business, name)
        return
    if business_use.show_all(server, business):
        return
    tools, source, states = _read(server, business)
    _list(tools, states)
    st.caption(f"Source: **{source}** ({plain(SOURCES.get(source, source))}).")


def _list(tools: list[dict[str, Any]], states: dict[str, dict[str, Any]]) -> None:
    left, right = st.columns([3, 4], vertical_alignment="bottom")
    search_text = whereabouts.search("Find", "find_tool", left, placeholder=f"Words of one of {len(tools)} tools")
    shown = whereabouts.part("Show", _SHOWN, "show_tools", at=right)
    matching = [
        tool for tool in offer_rows.found_in(tools, search_text) if _fits(tool, states.get(tool["name"], {}), shown)
    ]
    offered = sum(map(offer_rows.is_offered, tools))
    st.caption(f"{offered} of {len(tools)} tools are offered somewhere.")
    if not offered:
        st.info("No tool is offered here; below it says why.", icon=":material/do_not_disturb_on:")
    if not matching:
        st.caption("No tool fits this.")
    with st.container(gap="xsmall"):
        for tool in offer_rows.paged(matching, "tool_page", f"{shown}/{search_text}"):
            _row(tool, states.get(tool["name"]))


def _row(tool: dict[str, Any], state: dict[str, Any] | None) -> None:
    with card() as (text, button):
        text.markdown(offer_rows.head(tool, *_flags(state or {})))
        if tool["description"]:
            text.markdown(plain(_beginning(tool["description"])))
        text.markdown(offer_rows.places(tool))
        for why in offer_rows.reasons(tool):
            text.caption(why)
        if state and button.button("Open", key=f"open/{tool['name']}", icon=":material/chevron_right:"):
            whereabouts.open("tool", tool["name"])
            st.rerun()


def _flags(state: dict[str, Any]) -> list[tuple[str, str]]:
    known = (
        (state.get("isEnabled", True) is False, "switched off", "red"),
        (state.get("differs"), "changed", "green"),
        (state.get("hasDraft"), "draft", "yellow"),
        (state.get("isTried"), "being tried", "violet"),
    )
    return [(text, color) for is_so, text, color in known if is_so]


def _fits(tool: dict[str, Any], state: dict[str, Any], shown: str) -> bool:
    if shown == "Changed":
        return bool(_flags(state))
    return shown == "All" or offer_rows.is_offered(tool) == (shown == "Offered")


def _beginning(text: str) -> str:
    first = text.partition(". ")[0]
    return text if first == text else f"{first}."


def _read(server: Server, business: Business) -> tuple[list[dict[str, Any]], str, dict[str, dict[str, Any]]]:
    path = below("admin", "businesses", business.id, "what-if")
    try:
        answer, states = together(lambda: server.get(path).body, partial(_states, server))
        return answer["tools"], answer["source"], states
    except Refused as error:
        if error.status not in (401, 403):
            raise
    # A key that services have may list tools, and see nothing else.
    asked = [(channel, is_verified) for channel in words.CHANNELS for is_verified in (False, True)]
    listings = dict(
        zip(asked, together(*(partial(server.definitions, business.id, *one) for one in asked)), strict=True)
    )
    return offer_rows.of_listings(listings), next(iter(listings.values()))["source"], {}


def _states(server: Server) -> dict[str, Any]:
    definitions, cursor = {}, ""
    while True:
        body = server.get("/admin/definitions", {"cursor": cursor}).body
        definitions |= {line["name"]: line for line in body["definitions"]}
        cursor = body["nextCursor"] or ""
        if not cursor:
            return definitions
