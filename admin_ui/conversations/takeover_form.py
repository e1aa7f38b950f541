"""Taking a running phone call over: who took it, or who can be rung."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import streamlit as st

from admin_ui.shell.business import Business
from admin_ui.shell.server import Refused, Server, below
from admin_ui.widgets import notice, own_key, time_text
from admin_ui.widgets.plain_text import plain

_PHONE = "phone"


def show(server: Server, business: Business, record: Mapping[str, Any]) -> None:
    """Draw who has taken a call over; of one that goes on, and that perhaps nobody has, how that is done."""
    taken_over = record["takenOver"]
    if taken_over:
        _taken_over(taken_over, business)
        if taken_over["isSure"]:
            return
    if record["endedAt"] or record["channel"] != _PHONE or record["isTrial"] or not business.may("take_over"):
        return
    path = below("admin", "businesses", business.id, "interactions", record["id"], "takeover")
    choices = server.get(path).body
    people = {one["id"]: one for one in choices["people"]}
    with st.popover("Take over", icon=":material/phone_forwarded:"):
        if not people:
            st.info(plain(choices["whyNot"]), icon=":material/info:")
            return
        st.markdown("The caller is put through, and the receptionist says nothing more. If nobody answers, it goes on.")
        chosen = st.radio(
            "Who is rung",
            list(people),
            format_func=lambda id: _name(people[id]),
            key=own_key.of("takeover_to", record["id"]),
        )
        if st.button("Ring", key="takeover_ring", type="primary", icon=":material/call:"):
            _ring(server, path, chosen)


def _name(person: Mapping[str, Any]) -> str:
    label = plain(person["label"])
    return label if person["isThere"] else f"{label} (not there now, by their hours)"


def _ring(server: Server, path: str, chosen: str) -> None:
    try:
        taken_over = server.send("POST", path, {"destination": chosen}).body["takenOver"]
    except Refused as error:
        st.error(plain(str(error)), icon=":material/error:")
        return
    notice.say(f"The caller is put through; {plain(taken_over['to'])} is rung.", ":material/phone_forwarded:")
    st.rerun()


def _taken_over(taken_over: Mapping[str, Any], business: Business) -> None:
    when = time_text.told(taken_over["at"], business.zone, seconds=True)
    by, to = plain(taken_over["by"]), plain(taken_over["to"])
    if taken_over["isSure"]:
        st.info(f"{by} took this call over on {plain(when)}; {to} was rung.", icon=":material/phone_forwarded:")
        return
    asked = f"{by} wanted to take this call over on {plain(when)}, and have {to} rung."
    st.warning(f"{asked} Twilio has not said whether the caller was put through.", icon=":material/help:")
