"""A conversation with the receptionist through the portal's chat, with what happened behind each answer."""

from __future__ import annotations

import uuid
from typing import Any

import streamlit as st

from admin_ui import moment
from admin_ui.business import Business
from admin_ui.plain_text import lines, plain
from admin_ui.server import Refused, Server

_KEPT = "conversation"
_MOST_STORIES = 5


def show(server: Server, business: Business) -> None:
    """Draw what was said so far, and the field for the next message."""
    kept = st.session_state.get(_KEPT)
    if kept is None or kept["business"] != business.id:
        kept = st.session_state[_KEPT] = {
            "business": business.id,
            "session": f"try_{uuid.uuid4().hex[:16]}",
            "said": [],
            "visitor": "",
        }
    if not kept["said"]:
        st.info("Write as a caller would, for example: what are your opening hours?", icon=":material/chat:")
    for said in kept["said"]:
        with st.chat_message("user", avatar=":material/person:"):
            st.markdown(lines(said["asked"]))
        with st.chat_message("assistant", avatar=":material/support_agent:"):
            _reply(said["reply"])
    # In a place of its own it stays below what was said, instead of at the edge of the window.
    asked = st.container().chat_input("Your message", key="conversation_message")
    if asked:
        kept["open"] = {"messageId": uuid.uuid4().hex, "text": asked}
    if kept.get("open"):
        # Kept until it is answered: a page that is drawn anew meanwhile asks again, and the server knows the message.
        with st.spinner("The receptionist is thinking …"):
            reply = _send(server, kept, kept["open"])
            kept["said"].append({"asked": kept.pop("open")["text"], "reply": reply})
        st.rerun()
    if kept["said"]:
        with st.container(horizontal=True):
            if st.button("Why? Each tool's story", icon=":material/help:"):
                st.session_state["at/stories"] = not st.session_state.get("at/stories")
            if st.button("Begin anew", icon=":material/restart_alt:"):
                st.session_state.pop(_KEPT)
                st.rerun()
        if st.session_state.get("at/stories"):
            _stories(server, business, kept)


def _reply(reply: dict[str, Any]) -> None:
    st.markdown(lines(reply["text"] or "…"))
    for event in reply["events"]:
        data = event["data"]
        if event["event"] == "tool" and data["state"] == "finished":
            color, icon = ("gray", "build") if data["ok"] else ("red", "error")
            told = " · ".join((data["name"], moment.took(data["elapsedMs"])))
            st.markdown(f":{color}-badge[:material/{icon}: {plain(told)}]")
        elif event["event"] == "receipt":
            told = " · ".join(str(data[name]) for name in ("what", "for", "when") if data.get(name))
            st.markdown(f":blue-badge[:material/receipt_long: {plain(told or data['tool'])}]")
        elif event["event"] == "intent":
            st.markdown(f":blue-badge[:material/bolt: {plain(data['type'])}]")


def _send(server: Server, kept: dict[str, Any], message: dict[str, Any]) -> dict[str, Any]:
    if not kept["visitor"]:
        named = {"businessId": kept["business"], "sessionId": kept["session"]}
        try:
            return server.send("POST", "/portal/chat", message | named).body
        except Refused as error:
            if error.status != 401:
                raise
        # Whoever is signed in speaks as a visitor of the portal does.
        begun = server.send("POST", "/portal/session", {"businessId": kept["business"]}).body
        kept["visitor"], kept["session"] = begun["token"], begun["sessionId"]
    return Server(server.url, kept["visitor"]).send("POST", "/portal/chat", message).body


def _stories(server: Server, business: Business, kept: dict[str, Any]) -> None:
    query = {"businessId": business.id, "session": kept["session"]}
    try:
        calls = server.get("/admin/explain", query).body["calls"]
    except Refused as error:
        if error.status != 404:
            raise
        st.caption("No tool was used yet, or it was not written down yet.")
        return
    for call in calls[-_MOST_STORIES:]:
        told = server.get("/admin/explain", query | {"call": call["id"]}).body
        with st.container(border=True):
            st.markdown(f"**`{told['tool']}`**")
            st.markdown("\n".join(f"- {plain(one)}" for one in told["sentences"]))
