"""A real call of an own tool, and what came of it."""

from __future__ import annotations

import time
from typing import Any

import streamlit as st

from admin_ui.conversations import envelope_view
from admin_ui.definitions import findings
from admin_ui.shell import failure_view, words
from admin_ui.shell.business import Business
from admin_ui.shell.server import Refused, Server, below
from admin_ui.widgets import own_key, parameter_form, unsaved
from admin_ui.widgets.plain_text import plain


def show(server: Server, business: Business, tool: dict[str, Any]) -> None:
    """Draw the form, and the last answer."""
    if not business.may("edit_tools"):
        st.info("Only an owner or editor can try a tool.", icon=":material/visibility:")
        return
    st.warning("This is real: whatever the tool does is done.", icon=":material/bolt:")
    place = own_key.of("try", tool["id"])
    with unsaved.aside("try"), st.form(place):
        try:
            args, problem = parameter_form.draw(tool["functionSchema"].get("parameters") or {}, place), ""
        except parameter_form.NotJson as error:
            args, problem = {}, str(error)
        left, right = st.columns(2)
        channel = left.selectbox(
            "As if on", list(words.CHANNELS), format_func=words.CHANNELS.__getitem__, key=f"{place}/channel"
        )
        phone = right.text_input("Caller's number (optional)", placeholder="+15185550161", key=f"{place}/phone")
        is_submitted = st.form_submit_button("Call it", type="primary", icon=":material/play_arrow:")
    if is_submitted and problem:
        st.error(plain(problem), icon=":material/error:")
    elif is_submitted:
        given = {"args": args, "channel": channel} | ({"callerPhone": phone.strip()} if phone.strip() else {})
        started = time.monotonic()
        try:
            answer = server.send("POST", below("api", business.id, "tools", tool["id"], "test"), given).body
        except Refused as error:
            failure_view.tell(error)
            return
        st.session_state["at/tried"] = (tool["id"], answer, time.monotonic() - started)
    tried, answer, took_s = st.session_state.get("at/tried", ("", {}, 0.0))
    if tried == tool["id"]:
        envelope_view.show(answer["response"], took_s)
        findings.show(answer["findings"])
        _story(server, business, answer["sessionId"])


def _story(server: Server, business: Business, session_id: str) -> None:
    query = {"businessId": business.id, "session": session_id}
    try:
        calls = server.get("/admin/explain", query).body["calls"]
        stories = [server.get("/admin/explain", query | {"call": call["id"]}).body for call in calls]
    except Refused as error:
        if error.status != 404:
            raise
        return
    for one in stories:
        with st.expander("Why it came to that"):
            st.markdown("\n".join(f"- {plain(sentence)}" for sentence in one["sentences"]))
