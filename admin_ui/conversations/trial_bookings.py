"""Taking back an appointment that was made here to try something out: it holds somebody's time like any other."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import streamlit as st

from admin_ui.shell import failure_view
from admin_ui.shell.business import Business
from admin_ui.shell.server import Refused, Server, below
from admin_ui.widgets import notice
from admin_ui.widgets.plain_text import plain

_APPOINTMENT = "bk_"
_CANCELLED = "cancelled"


def show(server: Server, business: Business, receipt: Mapping[str, Any] | None, place: str) -> None:
    """Draw a button for each appointment that a receipt tells of, unless it is cancelled; `place` names where."""
    ids = [str(id) for id in (receipt or {}).get("effectIds") or () if str(id).startswith(_APPOINTMENT)]
    if not business.may("edit_business"):
        return
    for id in ids:
        key = f"at/taken_back/{id}"
        if st.session_state.get(key) or str((receipt or {}).get("what", "")).startswith(_CANCELLED):
            st.caption("This appointment is cancelled, and its time is free.")
        elif st.button("Take this appointment back", key=f"take_back/{place}/{id}", icon=":material/event_busy:"):
            _take_back(server, business, id, key)


def _take_back(server: Server, business: Business, id: str, key: str) -> None:
    path = below("admin", "businesses", business.id, "appointments", id)
    try:
        booking = server.get(path).body
        if booking["status"] != _CANCELLED:
            server.send("POST", f"{path}/cancel", {}, booking["revision"])
    except Refused as error:
        failure_view.tell(error)
        return
    st.session_state[key] = True
    notice.say(f"{plain(booking['service'])} of {plain(booking['customer'])} is cancelled, and its time is free.")
    st.rerun()
