"""Which tools a business offers on a channel right now, why the others are missing, and a place to try one."""

from __future__ import annotations

import time
import uuid
from typing import Any

import streamlit as st

from admin_ui import envelope_view, parameter_form
from admin_ui.plain_text import plain, sentence
from admin_ui.server import Refused, Server, Unreachable

CHANNELS = {"phone": "Phone", "portal": "Portal chat", "browser_voice": "Browser voice"}
KIND_COLORS = {"retrieval": "blue", "action": "orange", "utility": "gray"}
SOURCES = {
    "firestore": "read from the store",
    "stale": "the store does not answer: this is what it said last",
    "fallback": "built in: the store has no definitions, or does not answer",
}


def show(server: Server, business_id: str) -> None:
    """Draw the page for one business."""
    with st.container(horizontal=True, vertical_alignment="bottom", gap="large"):
        channel = st.segmented_control(
            "Channel", list(CHANNELS), format_func=CHANNELS.__getitem__, default="phone", required=True, key="channel"
        )
        is_verified = st.toggle("Caller is verified", key="verified")
    try:
        listing = server.definitions(business_id, channel, is_verified)
        _show_listing(listing)
        if listing["tools"]:
            _try_one(server, business_id, channel, is_verified, listing["tools"])
    except Unreachable as error:
        st.error(f"No server answers at {plain(server.url)}.", icon=":material/cloud_off:")
        st.caption(f"Start it with `scripts/run`, then look again. What happened: {sentence(str(error))}")
        st.button("Look again", icon=":material/refresh:")
    except Refused as error:
        _show_refusal(error, business_id)


def _show_refusal(error: Refused, business_id: str) -> None:
    titles = {401: "The server does not know this API key.", 403: "This API key may not do that.", 404: "Not found."}
    st.error(titles.get(error.status, f"The server answered {error.status}."), icon=":material/block:")
    st.caption(sentence(str(error)))
    if error.status == 401:
        st.caption(
            f"Was the server started anew? Then start the pages with it, or make a key for {plain(business_id)}."
        )


def _show_listing(listing: dict[str, Any]) -> None:
    offered, excluded = listing["tools"], listing.get("excluded", [])
    source = SOURCES.get(listing["source"], listing["source"])
    st.caption(f"Catalog version `{listing['catalogVersion']}` · source: **{listing['source']}** ({plain(source)})")
    st.subheader(f"Offered ({len(offered)})")
    if not offered:
        st.info("No tool is offered here; below it says why.", icon=":material/do_not_disturb_on:")
    with st.container(gap="xsmall"):
        for tool in offered:
            name, words = _row([2, 5])
            with name.container(horizontal=True, vertical_alignment="center"):
                st.markdown(f"**`{tool['name']}`**", width="content")
                st.badge(tool["kind"], color=KIND_COLORS.get(tool["kind"], "gray"))
            words.markdown(plain(tool["description"]))
    st.subheader(f"Not offered ({len(excluded)})")
    if not excluded:
        st.caption("Every tool there is, is offered here.")
    with st.container(gap="xsmall"):
        for exclusion in excluded:
            name, condition, reason = _row([2, 2, 3])
            name.markdown(f"**`{exclusion['name']}`**")
            condition.markdown(f":gray[{plain(exclusion['condition'])}]")
            reason.markdown(sentence(exclusion["reason"]))


def _row(widths: list[int]) -> list[Any]:
    # Columns and not st.table: on a phone they stand below each other, where a table would be cut off.
    return st.container(border=True).columns(widths, gap="small")


def _try_one(server: Server, business_id: str, channel: str, is_verified: bool, tools: list[dict[str, Any]]) -> None:
    st.subheader("Try a tool")
    by_name = {tool["name"]: tool for tool in tools}
    name = st.selectbox("Tool", list(by_name), key="tool")
    tool = by_name[name]
    place = f"{business_id}/{channel}/{name}"
    with st.form(f"try/{place}"):
        try:
            args = parameter_form.draw(tool["parameters"], place)
            problem = ""
        except parameter_form.NotJson as error:
            args, problem = {}, str(error)
        with st.expander("Conversation"):
            session_id = st.text_input("Session", value=_session_id(), key=f"session/{business_id}")
            phone = st.text_input("Caller's number", placeholder="+15185550161", key="caller_phone")
        wanted = st.form_submit_button("Run it", type="primary", icon=":material/play_arrow:")
    if wanted and problem:
        st.error(plain(problem), icon=":material/error:")
    elif wanted:
        context = {"channel": channel, "sessionId": session_id, "turn": _next_turn(), "callerVerified": is_verified}
        if phone.strip():
            context["callerPhone"] = phone.strip()
        started = time.monotonic()
        envelope = server.execute(business_id, name, args, context)
        st.session_state["answer"] = (place, envelope, time.monotonic() - started)
    answered, envelope, took_s = st.session_state.get("answer", ("", {}, 0.0))
    if answered == place:
        envelope_view.show(envelope, took_s)


def _session_id() -> str:
    return str(st.session_state.setdefault("own_session", f"admin_{uuid.uuid4().hex[:12]}"))


def _next_turn() -> int:
    # Each try is a turn of its own: limits per turn are not what is tried here.
    turn = int(st.session_state.get("turn", 0)) + 1
    st.session_state["turn"] = turn
    return turn
