"""Appointments that have lost somebody, and giving them to somebody else."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import streamlit as st

from admin_ui.shell import failure_view
from admin_ui.shell.business import Business
from admin_ui.shell.server import Refused, Server, below
from admin_ui.widgets import consequences, notice
from admin_ui.widgets.card import card
from admin_ui.widgets.plain_text import plain, sentence


def show(server: Server, business: Business, path: str, astray: Mapping[str, Any]) -> None:
    """Draw those that need somebody, if there are any."""
    count, may = astray["count"], business.may("edit_business")
    if not count:
        return
    needs = "1 appointment needs" if count == 1 else f"{count} appointments need"
    if not astray["areAll"]:
        needs = f"Of those that come soonest, {needs}"
    with st.container(border=True, key="astray"):
        st.warning(f"**{needs} somebody.** They stand as they were; nobody was told.", icon=":material/person_alert:")
        for booking in astray["bookings"]:
            with card() as (text, button):
                text.markdown(consequences.line(booking, business))
                reasons = " ".join(lost["means"] for lost in booking["lost"])
                text.caption(f"{sentence(reasons)} {plain(consequences.instead(booking))}")
                if may and booking["instead"]:
                    with button:
                        _give(server, path, booking)
        if may and any(booking["instead"] for booking in astray["bookings"]):
            label = "Give all that can be to whoever is free"
            if st.button(label, type="primary", icon=":material/group_add:"):
                _give_all(server, path)


def _give(server: Server, path: str, booking: Mapping[str, Any]) -> None:
    names = {one["id"]: one["name"] for one in booking["instead"]}
    with st.popover("Give to", icon=":material/swap_horiz:", key=f"give/{booking['id']}"):
        for id, name in names.items():
            if st.button(plain(name), key=f"give/{booking['id']}/{id}", width="stretch"):
                done = f"{booking['service']} of {booking['customer']} is with {name} now."
                _send(server, path + below(booking["id"], "assign"), {"resource": id}, done)


def _give_all(server: Server, path: str) -> None:
    try:
        done = server.send("POST", f"{path}/assign", {}).body
    except Refused as error:
        failure_view.tell(error)
        return
    sentences = [f"{len(done['assigned'])} have somebody now."]
    sentences += [f"For {len(done['left'])} nobody was found."] if done["left"] else []
    sentences += [f"{done['remaining']} were not tried yet: press it again."] if done["remaining"] else []
    notice.say(" ".join(sentences))
    st.rerun()


def _send(server: Server, path: str, body: Mapping[str, Any], done: str) -> None:
    try:
        server.send("POST", path, body)
    except Refused as error:
        failure_view.tell(error)
        return
    notice.say(done)
    st.rerun()
