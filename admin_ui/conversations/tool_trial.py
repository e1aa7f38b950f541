"""One call of one tool: the channel and the caller, its arguments, and then everything about what came of it."""

from __future__ import annotations

import json
import time
from typing import Any

import streamlit as st

from admin_ui.conversations import envelope_view, trial_bookings
from admin_ui.definitions.preview import DIALECTS
from admin_ui.shell import words
from admin_ui.shell.business import Business
from admin_ui.shell.server import Server, below
from admin_ui.widgets import base_revision, json_editor, own_key, parameter_form, whereabouts
from admin_ui.widgets.plain_text import plain

_DECISIONS = {
    "passed": ("green", "check", "passed"),
    "refused": ("red", "block", "refused"),
    "failed": ("red", "error", "failed"),
    "skipped": ("gray", "remove", "not needed"),
}
_CHECKS = {
    "replay": "Is it a new call?",
    "session_active": "Does the conversation go on?",
    "resolve": "Is there such a tool?",
    "admit": "May it be used here and now?",
    "loop": "Is the model going round in circles?",
    "validate": "Can the values be used?",
    "confirm": "Has the caller said yes?",
    "budget": "Is there room left in this turn?",
    "reuse": "Is there an answer already?",
    "run": "What did the tool do?",
    "settle": "What was kept of it?",
}


def show(server: Server, business: Business) -> None:
    """Draw the form, and the last answer below it."""
    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium"):
        channel = whereabouts.part(
            "Channel", list(words.CHANNELS), "channel", "phone", format_func=words.CHANNELS.__getitem__
        )
        is_verified = whereabouts.toggle("Caller is verified", "verified")
        fits_only = whereabouts.toggle("Only what is offered", "only_offered", usual=True)
    tools = _tools(server, business, channel, is_verified, fits_only)
    if not tools:
        st.info("No tool is offered here. The page Tools says why.", icon=":material/do_not_disturb_on:")
        return
    name = whereabouts.choice("Tool", list(tools), "tool") or next(iter(tools))
    place = f"{business.id}/{channel}/{name}"
    args, is_broken = _arguments(tools[name], own_key.of("try", channel, name))
    with st.expander("The conversation around it"):
        phone = st.text_input("Caller's number", placeholder="+15185550161", key=own_key.of("caller_phone"))
        dialect = whereabouts.choice(
            *("Show what the model sees as", list(DIALECTS), "trial_dialect"), format_func=DIALECTS.__getitem__
        )
        session = st.session_state.get("trial_session", "")
        st.caption(f"Each call is a turn of one conversation{f': `{session}`' if session else ''}.")
        if session and st.button("Begin a new conversation", icon=":material/restart_alt:"):
            st.session_state.pop("trial_session")
            st.session_state.pop("trial_turn", None)
            st.rerun()
    is_run = st.button("Run it", type="primary", icon=":material/play_arrow:", disabled=is_broken)
    if is_run:
        wish = {"name": name, "args": args, "channel": channel, "isVerified": is_verified, "format": dialect}
        _run(server, business, place, wish | ({"callerPhone": phone.strip()} if phone.strip() else {}))
    answered, answer, took_s = st.session_state.get("trial_answer", ("", {}, 0.0))
    if answered == place:
        _answer(answer, took_s)
        trial_bookings.show(server, business, (answer["response"].get("meta") or {}).get("receipt"), "tool")
    if is_run:
        # Only now: whoever presses twice before they have seen the answer says no yes to it.
        st.session_state["trial_turn"], st.session_state["trial_session"] = answer["turn"], answer["sessionId"]


def _tools(server: Server, business: Business, channel: str, is_verified: bool, fits_only: bool) -> dict[str, Any]:
    path = below("admin", "businesses", business.id, "offered")
    query = {"channel": channel, "verified": "1" if is_verified else "0", "all": "" if fits_only else "1"}
    read = base_revision.read_once(f"offered/{channel}/{is_verified}/{fits_only}", lambda: server.get(path, query))
    return {tool["name"]: tool for tool in read.body["tools"]}


def _arguments(tool: dict[str, Any], form: str) -> tuple[Any, bool]:
    """Draw the arguments; return them, and whether they cannot be read."""
    as_json = st.toggle("Write the arguments as JSON, as a model would", key=f"{form}/json")
    if as_json:
        try:
            return json_editor.draw(
                "Anything may stand here, also what a model gets wrong.", {}, f"{form}/args"
            ) or {}, False
        except json_editor.Broken:
            return {}, True
    try:
        return parameter_form.draw(tool["parameters"], form), False
    except parameter_form.NotJson as error:
        st.error(plain(error), icon=":material/error:")
        return {}, True


def _run(server: Server, business: Business, place: str, wish: dict[str, Any]) -> None:
    # Each try is a later turn of the same conversation: a caller who is asked first can say yes by trying again.
    turn = int(st.session_state.get("trial_turn", 0)) + 1
    session = st.session_state.get("trial_session")
    started = time.monotonic()
    body = wish | {"turn": turn} | ({"sessionId": session} if session else {})
    answer = server.send("POST", below("admin", "businesses", business.id, "try"), body).body
    st.session_state["trial_answer"] = (place, answer, time.monotonic() - started)


def _answer(answer: dict[str, Any], took_s: float) -> None:
    st.subheader("What came of it", anchor=False)
    response, why = answer["response"], answer["explanation"]
    if (response.get("error") or {}).get("type") == "CONFIRMATION_REQUIRED":
        st.info("The caller is asked first. **Run it** again is their yes, in the next turn.", icon=":material/help:")
    envelope_view.show(response, took_s)
    if why:
        _story(why)
    with st.expander(f"Exactly what the model was told ({len(answer['told'])} tools)"):
        st.caption(f"Catalog version `{answer['catalogVersion']}`, turn {answer['turn']}.")
        st.code(json.dumps(answer["told"], indent=2, ensure_ascii=False), language="json", wrap_lines=True, height=480)


def _story(why: dict[str, Any]) -> None:
    st.markdown("**Each check, in order**")
    with st.container(gap="xsmall"):
        for check in why["checks"]:
            color, icon, label = _DECISIONS.get(check["decided"], ("gray", "remove", check["decided"]))
            about = " — ".join(filter(None, (check.get("saw"), check.get("why"))))
            title = _CHECKS.get(check["check"], check["check"])
            st.markdown(f":{color}-badge[:material/{icon}: {label}] **{plain(title)}** :gray[{plain(about)}]")
    with st.expander("The same as a story"):
        st.markdown("\n".join(f"- {plain(one)}" for one in why["sentences"]))
    if why.get("receipt"):
        with st.container(border=True):
            st.markdown(":blue-badge[:material/receipt_long: Receipt]")
            st.markdown(words.value({n: v for n, v in why["receipt"].items() if v not in (None, "")}))
