"""One appointment in the list: its line, what more is known of it, and what can be done with it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import streamlit as st

from admin_ui.appointments import appointment_forms
from admin_ui.appointments.appointment_forms import PLACE
from admin_ui.shell import elsewhere
from admin_ui.shell.business import Business
from admin_ui.shell.server import Server, below
from admin_ui.widgets import saving, second_question, time_text, whereabouts
from admin_ui.widgets.card import card
from admin_ui.widgets.plain_text import lines, plain
from admin_ui.widgets.saving import Change

STATUS = {
    "confirmed": ("booked", "green"),
    "pending": ("being booked", "orange"),
    "cancelling": ("being cancelled", "gray"),
    "cancelled": ("cancelled", "gray"),
    "no_show": ("did not come", "red"),
    "completed": ("done", "blue"),
}
_MADE = {"phone": "by phone", "portal": "in the portal", "browser_voice": "by voice", "desk": "by yourselves"}
_CANCELLED = {
    "caller": "Cancelled by the caller.",
    "business": "Cancelled by you.",
    "taken": "Cancelled: something in your calendar was in the way.",
    "calendar": "Cancelled: the calendar did not take it.",
    "late": "Cancelled: the calendar did not answer in time.",
}
OPEN = "appointment"
"""Under which name the address says which one is opened."""


def show(server: Server, business: Business, path: str, setting: Mapping[str, Any], booking: Mapping[str, Any]) -> None:
    """Draw an appointment; opened, with everything about it."""
    is_open = whereabouts.opened(OPEN) == booking["id"]
    with card() as (text, button):
        with text.container(horizontal=True, vertical_alignment="center"):
            st.markdown(
                f"**{_clock(booking, business)}** {plain(booking['customer']) or '*nobody named*'}", width="content"
            )
            label, color = STATUS.get(booking["status"], (booking["status"], "gray"))
            if booking["status"] != "confirmed":
                st.badge(plain(label), color=color)
            if booking["isTrial"]:
                st.badge("your own trial", color="violet", icon=":material/science:")
        whom = ", ".join(one["name"] for one in booking["with"])
        party = f"{booking['party']} people" if booking["party"] > 1 else ""
        text.caption(plain(" · ".join(filter(None, (booking["service"], whom, party)))))
        label = "Close" if is_open else "Open"
        about = f"{label} the appointment of {booking['customer']} at {_clock(booking, business)}"
        if button.button(label, key=f"open/{booking['id']}", help=about):
            whereabouts.open(OPEN, "" if is_open else booking["id"])
            saving.stop_editing(PLACE)
            st.rerun()
    if is_open:
        with st.container(border=True, key=f"opened-{booking['id']}"):
            _details(booking, business)
            if saving.conflict(server, PLACE):
                return
            if business.may("edit_business"):
                _actions(server, business, path + below(booking["id"]), setting, booking)


def _details(booking: Mapping[str, Any], business: Business) -> None:
    st.markdown(
        f"**{plain(booking['service'])}**, {plain(time_text.told(booking['start'], business.zone))}, "
        f"{booking['minutes']} minutes"
    )
    reached = [booking["phone"] or "", booking["email"] or ""]
    st.markdown(plain(" · ".join(filter(None, reached)) or "Nobody knows how to reach them."))
    if booking["caution"]:
        st.warning(plain(booking["caution"]), icon=":material/warning:")
    if booking["notes"]:
        st.markdown(f"> {lines(booking['notes'])}")
    if booking["status"] == "cancelled" and booking["cancelledBecause"] in _CANCELLED:
        st.caption(_CANCELLED[booking["cancelledBecause"]])
    made = _MADE.get(booking["channel"], "")
    facts = [f"Made {made}".strip(), time_text.told(booking["madeAt"], business.zone), booking["price"], booking["id"]]
    st.caption(plain(" · ".join(filter(None, facts))))
    if booking["interactionId"]:
        label = "The conversation that it was made in"
        if st.button(label, key=f"conversation/{booking['id']}", icon=":material/call:", type="tertiary"):
            elsewhere.go("calls", call=booking["interactionId"])
    elif booking["sessionId"] and booking["channel"] != "desk":
        st.caption(plain(f"Made in the conversation {booking['sessionId']}."))


def _actions(
    server: Server, business: Business, path: str, setting: Mapping[str, Any], booking: Mapping[str, Any]
) -> None:
    edited, id = saving.edited(PLACE), booking["id"]
    if edited == f"move/{id}":
        appointment_forms.move(server, business, path, setting, booking)
        return
    if edited == f"correct/{id}":
        appointment_forms.correct(server, path, booking)
        return
    with st.container(horizontal=True):
        if booking["canChange"]:
            for what, label, icon in (("move", "Move", "event_repeat"), ("correct", "Correct", "edit")):
                if st.button(label, key=f"{what}/{id}/begin", icon=f":material/{icon}:"):
                    saving.edit(PLACE, f"{what}/{id}")
                    st.rerun()
            question = f"Cancel the appointment of **{plain(booking['customer'])}**? Its time is free then."
            yes = "Yes, cancel it"
            if second_question.sure(f"cancel/{id}", "Cancel it", question, yes, ":material/event_busy:"):
                done = f"The appointment of {booking['customer']} is cancelled."
                saving.send(server, Change(PLACE, "POST", f"{path}/cancel", {}, booking["revision"], done, False))
        if booking["canBeMissed"]:
            is_missed = booking["status"] == "no_show"
            label = "They came after all" if is_missed else "They did not come"
            if st.button(label, key=f"missed/{id}", icon=":material/person_off:"):
                body = {"missed": not is_missed}
                saving.send(
                    server, Change(PLACE, "POST", f"{path}/no-show", body, booking["revision"], "It is noted.", False)
                )


def _clock(booking: Mapping[str, Any], business: Business) -> str:
    start, end = (time_text.read(booking[name]) for name in ("start", "end"))
    if start is None or end is None:
        return ""
    return f"{start.astimezone(business.zone):%H:%M}\u2013{end.astimezone(business.zone):%H:%M}"
