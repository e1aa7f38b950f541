"""Appointments: what is booked and with whom, and what has lost its person and could be given to somebody else."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

import streamlit as st

from admin_ui.shell import failure_view
from admin_ui.shell.business import Business
from admin_ui.shell.server import Refused, Server, below, together
from admin_ui.widgets import consequences, notice
from admin_ui.widgets.card import card
from admin_ui.widgets.paging import pages_of
from admin_ui.widgets.plain_text import plain, sentence

_A_PAGE = 20
_COMING, _PAST = "To come", "Last 30 days"
_COLORS = {"confirmed": "green", "pending": "orange", "cancelling": "gray", "cancelled": "gray"}


def show(server: Server, business: Business) -> None:
    """Draw what needs somebody, and the list."""
    path = below("admin", "businesses", business.id, "bookings")
    period = st.segmented_control("Period", [_COMING, _PAST], default=_COMING, required=True, key="appointments_period")
    pages = pages_of("at/appointment_pages", period)
    now = datetime.now(UTC).replace(second=0, microsecond=0)
    span = {"from": now} if period == _COMING else {"from": now - timedelta(days=30), "to": now}
    query = {name: at.isoformat() for name, at in span.items()} | {"limit": _A_PAGE, "cursor": pages.cursor}
    astray, listed = together(
        lambda: server.get(f"{path}/astray").body if period == _COMING else {"bookings": [], "count": 0},
        lambda: server.get(path, query).body,
    )
    if astray["count"]:
        _astray(server, business, path, astray)
    if not listed["bookings"] and pages.is_first:
        st.info("Nothing is booked in this time.", icon=":material/event:")
    with st.container(gap="xsmall"):
        for booking in listed["bookings"]:
            _line(booking, business)
    pages.show_buttons(listed["nextCursor"], "Earlier", "Later")


def _line(booking: Mapping[str, Any], business: Business) -> None:
    with st.container(border=True, gap="xsmall"):
        with st.container(horizontal=True, vertical_alignment="center"):
            st.markdown(consequences.line(booking, business), width="content")
            for one in booking["with"]:
                if one["kind"] != "seats":
                    icon = "person" if one["kind"] == "person" else "meeting_room"
                    st.badge(plain(one["name"]), icon=f":material/{icon}:", color="blue")
            st.badge(plain(booking["status"]), color=_COLORS.get(booking["status"], "gray"))
        facts = [booking["phone"] or "", " ".join(lost["means"] for lost in booking["lost"]), booking["id"]]
        st.caption(plain(" · ".join(filter(None, facts))))


def _astray(server: Server, business: Business, path: str, astray: Mapping[str, Any]) -> None:
    count, may = astray["count"], business.may("edit_business")
    needs = "1 appointment needs" if count == 1 else f"{count} appointments need"
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
