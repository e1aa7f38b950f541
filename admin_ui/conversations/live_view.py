"""The calls and chats that go on just now, as they go on."""

from __future__ import annotations

import time
from typing import Any

import streamlit as st

from admin_ui.shell import words
from admin_ui.shell.business import Business
from admin_ui.shell.event_stream import events
from admin_ui.shell.server import Refused, Server, Unreachable, below
from admin_ui.widgets import time_text, whereabouts
from admin_ui.widgets.card import card
from admin_ui.widgets.plain_text import plain

_KEPT, _OPEN = "at/live_calls", "call"
_EVERY_S = 4
_ENDED_SHOWN = 3
# Whoever was away for longer begins anew, as the server does with them: what has ended meanwhile, nobody tells.
_FORGOTTEN_AFTER_S = 600


def show(server: Server, business: Business) -> None:
    """Draw the switch, and behind it what goes on; it is looked at only while somebody wants to see it."""
    if whereabouts.toggle("Running now", key="call_live", help="What goes on just now, every few seconds."):
        _running(server, business)
    else:
        st.session_state.pop(_KEPT, None)


@st.fragment(run_every=_EVERY_S)
def _running(server: Server, business: Business) -> None:
    kept, now = st.session_state.get(_KEPT), time.monotonic()
    if kept is None or kept["business"] != business.id or now - kept["lookedAt"] > _FORGOTTEN_AFTER_S:
        kept = st.session_state[_KEPT] = {
            "business": business.id,
            "lookedAt": now,
            "lastId": "",
            "calls": {},
            "ended": [],
            "keys": set(),
        }
    path = f"{below('admin', 'businesses', business.id, 'interactions-live')}?lasts=0"
    try:
        for event in events(server, path, kept["lastId"]):
            _take(kept, event)
        kept["lookedAt"] = now
    except (Refused, Unreachable):
        st.caption("What goes on cannot be seen right now; it is tried again.")
    if not kept["calls"]:
        st.info("Nobody is calling or writing just now.", icon=":material/phone_disabled:")
    for call in kept["calls"].values():
        _line(call, business)
    for call in kept["ended"]:
        outcome, _ = words.outcome(call)
        st.caption(f"{plain(_about(call, business))} · ended: {plain(outcome)}")


def _take(kept: dict[str, Any], event: dict[str, Any]) -> None:
    """Note what happened; what comes twice is the same both times."""
    kept["lastId"] = event["eventId"] or kept["lastId"]
    if event["event"] == "end" or event["key"] in kept["keys"]:
        return
    kept["keys"].add(event["key"])
    if event["event"] == "ended":
        call = kept["calls"].pop(event["id"], {}) | event | {"endedAt": event["at"]}
        kept["ended"] = [call, *kept["ended"]][:_ENDED_SHOWN]
        return
    call = kept["calls"].setdefault(event["id"], {"id": event["id"], "channel": event["channel"], "turns": 0})
    if event["event"] == "begun":
        call |= {"startedAt": event["at"], "callerPhone": event["callerPhone"]}
        call["turns"] = max(call["turns"], event["turns"])
    else:
        call["turns"] = max(call["turns"], event["turn"])
    if event["event"] == "call":
        call["tool"] = event


def _about(call: dict[str, Any], business: Business) -> str:
    channel = str(call["channel"])
    began = time_text.told(call.get("startedAt"), business.zone, seconds=True)
    return " · ".join(filter(None, (words.CHANNELS.get(channel, channel), call.get("callerPhone"), began)))


def _line(call: dict[str, Any], business: Business) -> None:
    tool = call.get("tool")
    with card() as (text, button):
        with text.container(horizontal=True, vertical_alignment="center"):
            icon = words.CHANNEL_ICONS.get(str(call["channel"]), "help")
            st.markdown(f":material/{icon}: **{plain(_about(call, business))}**", width="content")
            st.badge(f"turn {call['turns']}", color="green")
            if tool:
                st.badge(
                    plain(str(tool["tool"])), color="red" if tool["isFailure"] else "gray", icon=":material/build:"
                )
        if button.button("Open", key=f"live/{call['id']}"):
            whereabouts.open(_OPEN, call["id"])
            st.rerun()
