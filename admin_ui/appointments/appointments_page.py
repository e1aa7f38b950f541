"""Appointments: by day and week, with whom, and of whom; making, moving and cancelling them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date, datetime, timedelta
from itertools import groupby
from typing import Any

import streamlit as st

from admin_ui.appointments import appointment_card, appointment_forms, astray_list
from admin_ui.appointments.appointment_forms import NEW, PLACE
from admin_ui.shell.business import Business
from admin_ui.shell.server import Server, below, together
from admin_ui.widgets import base_revision, saving, time_text, whereabouts
from admin_ui.widgets.paging import Pages, pages_of
from admin_ui.widgets.plain_text import plain

_A_PAGE = 50
# Each is read whenever the page is drawn, and those after them get their turn in time.
_SOONEST = 200
_TODAY, _TOMORROW, _WEEK, _DAY, _PAST = "Today", "Tomorrow", "7 days", "A day", "Last 7 days"
_EVERYBODY = "Everybody"


def show(server: Server, business: Business) -> None:
    """Draw what needs somebody, the filters, and the list."""
    base = below("admin", "businesses", business.id)
    setting = base_revision.read_once("team_of_appointments", lambda: server.get(f"{base}/resources")).body
    today = datetime.now(business.zone).date()
    # It stays open on another list, also where it does not stand in this one.
    whereabouts.opened(appointment_card.OPEN)
    period, first, days = _period(today)
    person, text = _narrowing(setting)
    query: dict[str, Any] = {"limit": _A_PAGE, "person": person, "text": text}
    if not text:
        query |= {"day": first.isoformat(), "days": days}
    pages = pages_of("appointment_pages", (period, first.isoformat(), person, text))
    if business.may("edit_business"):
        _new(server, business, f"{base}/appointments", setting, max(first, today))
    # Whoever searches wants somebody in particular.
    is_told = pages.is_first and not text
    astray, listed = together(
        lambda: server.get(f"{base}/bookings/astray", {"most": _SOONEST}).body if is_told else {"count": 0},
        lambda: server.get(f"{base}/appointments", query | {"cursor": pages.cursor}).body,
    )
    astray_list.show(server, business, f"{base}/bookings", astray)
    _list(server, business, f"{base}/appointments", setting, listed, pages)


def _period(today: date) -> tuple[str, date, int]:
    """Draw the choice of days; return it, the first day and how many they are."""
    options = [_TODAY, _TOMORROW, _WEEK, _DAY, _PAST]
    period = whereabouts.part("When", options, "when")
    if period == _DAY:
        chosen = whereabouts.day("Which day", today, "appointments_day", width=220)
        return period, chosen, 1
    return {
        _TODAY: (_TODAY, today, 1),
        _TOMORROW: (_TOMORROW, today + timedelta(days=1), 1),
        _WEEK: (_WEEK, today, 7),
        _PAST: (_PAST, today - timedelta(days=7), 7),
    }[period]


def _narrowing(setting: Mapping[str, Any]) -> tuple[str, str]:
    names = appointment_forms.people_in(setting["resources"])
    # Beside each other where there is room, and below each other on a phone.
    left, right = st.columns([3, 1]) if names else (st.container(), None)
    text = whereabouts.search(
        "Search",
        at=left,
        placeholder="A name, a number or a reference, on any day",
        key="appointments_text",
        icon=":material/search:",
    )
    person = ""
    if right is not None:
        person = (
            whereabouts.choice(
                *("With", ["", *names], "appointments_person"),
                at=right,
                format_func=lambda id: names.get(id, _EVERYBODY),
            )
            or ""
        )
    return person, text


def _new(server: Server, business: Business, path: str, setting: Mapping[str, Any], day: date) -> None:
    if appointment_forms.is_making():
        with st.container(border=True, key="new-appointment"):
            st.subheader("New appointment", anchor=False)
            appointment_forms.make(server, business, path, setting, day)
    elif st.button("New appointment", type="primary", icon=":material/add:"):
        saving.edit(PLACE, NEW)
        st.rerun()


def _list(
    server: Server,
    business: Business,
    path: str,
    setting: Mapping[str, Any],
    listed: Mapping[str, Any],
    pages: Pages,
) -> None:
    rows: Sequence[Mapping[str, Any]] = listed["appointments"]
    if not rows and pages.is_first and not listed["nextCursor"]:
        st.info("There is no appointment here.", icon=":material/event:")
    elif not rows:
        st.info("None among those that were looked through.", icon=":material/search:")
    for day, of_day in groupby(rows, lambda row: _day(row, business)):
        st.subheader(plain(day), anchor=False)
        with st.container(gap="xsmall"):
            for booking in of_day:
                appointment_card.show(server, business, path, setting, booking)
    pages.show_buttons(listed["nextCursor"], "Earlier", "Later" if rows else "Go on searching")


def _day(row: Mapping[str, Any], business: Business) -> str:
    start = time_text.read(row["start"])
    if start is None:
        return ""
    local = start.astimezone(business.zone)
    return f"{local:%A}, {local.day} {local:%B %Y}"
