"""A conversation as any channel holds it: what was said, what was done, and what the model saw and was told."""

from __future__ import annotations

import uuid
from dataclasses import replace
from typing import Any

import streamlit as st

from admin_ui.conversations import conversation_start, prompt_view, trial_bookings
from admin_ui.shell import words
from admin_ui.shell.business import Business
from admin_ui.shell.server import Refused, Server, below
from admin_ui.widgets import own_key, time_text
from admin_ui.widgets.plain_text import lines, plain

_KEPT = "conversation"
_MOST_STORIES = 5
# A turn with several tools and a slow model may take as long as the server lets any turn take.
_TURN_S = 100.0
_OVER = {
    "ended": "The receptionist has hung up; on the phone, the line would be closed now.",
    "transferred": "The caller would be put through now; in a trial nobody is rung.",
}


def show(server: Server, business: Business) -> None:
    """Draw what was said so far, and the field for the next message."""
    talk = st.session_state.get(_KEPT)
    if talk is None or talk["business"] != business.id:
        talk = st.session_state[_KEPT] = _new(business)
    if not talk["said"]:
        talk["start"] = conversation_start.choose(server, business)
        st.info("Say what a caller would, for example: what are your opening hours?", icon=":material/chat:")
    else:
        with st.container(horizontal=True, vertical_alignment="center"):
            st.caption(
                f"{plain(conversation_start.told(talk['start']))} Its record is `{talk['session']}`, under Calls."
            )
            if st.button("New conversation", icon=":material/restart_alt:"):
                st.session_state[_KEPT] = _new(business)
                st.rerun()
    for number, exchange in enumerate(talk["said"]):
        _turn(server, business, number, exchange)
    is_over = bool(talk["said"]) and talk["said"][-1]["reply"]["isOver"]
    if is_over:
        outcome = talk["said"][-1]["reply"]["outcome"]
        st.info(_OVER.get(outcome, "The conversation is over."), icon=":material/call_end:")
    # In a place of its own it stays below what was said, instead of at the edge of the window.
    asked = st.container().chat_input("What the caller says", key=own_key.of("conversation_message"), disabled=is_over)
    if asked:
        talk["open"] = {"messageId": uuid.uuid4().hex, "text": asked}
    if talk.get("open"):
        _answer(server, business, talk)
    if talk["said"]:
        prompt_view.show(talk["said"][-1]["reply"]["saw"])
        if st.button("Why? Each tool's story", icon=":material/help:"):
            st.session_state["at/stories"] = not st.session_state.get("at/stories")
        if st.session_state.get("at/stories"):
            _stories(server, business, talk["session"])


def _new(business: Business) -> dict[str, Any]:
    return {"business": business.id, "session": f"try_{uuid.uuid4().hex[:16]}", "said": [], "start": {}}


def _answer(server: Server, business: Business, talk: dict[str, Any]) -> None:
    # Kept until it is answered: a page that is drawn anew meanwhile asks again, and the server knows the message.
    message = talk["open"]
    body = message | talk["start"] | {"sessionId": talk["session"]}
    with st.spinner("The receptionist is thinking …"):
        patient = replace(server, answers_within_s=_TURN_S)
        try:
            reply = patient.send("POST", below("admin", "businesses", business.id, "converse"), body).body
        except Refused as error:
            if error.status != 400:
                raise
            talk.pop("open")
            for problem in error.problems:
                st.error(plain(problem["message"]), icon=":material/error:")
            return
    talk.pop("open")
    talk["said"].append({"asked": message["text"], "reply": reply})
    st.rerun()


def _turn(server: Server, business: Business, number: int, exchange: dict[str, Any]) -> None:
    asked, reply = exchange["asked"], exchange["reply"]
    if reply["greeting"]:
        _spoken(reply["greeting"])
    with st.chat_message("user", avatar=":material/person:"):
        st.markdown(lines(asked))
    with st.chat_message("assistant", avatar=":material/support_agent:"):
        st.markdown(lines(reply["said"] or "…"))
        st.markdown(" ".join([*map(_tool, reply["tools"]), *map(_intent, reply["intents"])]))
        for at, tool in enumerate(reply["tools"]):
            if tool["receipt"]:
                _receipt(tool)
                trial_bookings.show(server, business, tool["receipt"], f"{number}/{at}")
        outcome = reply["outcome"]
        if outcome not in ("answered", "interrupted"):
            label, color = words.turn_outcome(outcome)
            st.badge(label, color=color)
        if reply["asked"]:
            st.caption("The caller is asked for a yes. Answer with yes, in the next message.")


def _spoken(text: str) -> None:
    with st.chat_message("assistant", avatar=":material/support_agent:"):
        st.markdown(lines(text))


def _tool(tool: dict[str, Any]) -> str:
    color, icon = ("gray", "build") if tool["ok"] else ("red", "error")
    parts = " · ".join(filter(None, (tool["name"], time_text.took(tool["elapsedMs"]), tool["error"])))
    return f":{color}-badge[:material/{icon}: {plain(parts)}]"


def _intent(intent: dict[str, Any]) -> str:
    return f":blue-badge[:material/bolt: {plain(intent['type'])}]"


def _receipt(tool: dict[str, Any]) -> None:
    receipt = tool["receipt"]
    parts = " · ".join(str(receipt[name]) for name in ("what", "for", "when") if receipt.get(name))
    st.markdown(f":blue-badge[:material/receipt_long: {plain(parts or tool['name'])}]")


def _stories(server: Server, business: Business, session: str) -> None:
    query = {"businessId": business.id, "session": session}
    try:
        calls = server.get("/admin/explain", query).body["calls"]
    except Refused as error:
        if error.status != 404:
            raise
        st.caption("No tool was used yet, or it was not written down yet.")
        return
    for call in calls[-_MOST_STORIES:]:
        story = server.get("/admin/explain", query | {"call": call["id"]}).body
        with st.container(border=True):
            st.markdown(f"**`{story['tool']}`**")
            st.markdown("\n".join(f"- {plain(one)}" for one in story["sentences"]))
