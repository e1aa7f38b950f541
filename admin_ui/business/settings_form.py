"""The form for how callers reach a business, its portal, its calendar, and the features that its tools depend on."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import streamlit as st

from admin_ui.business import calendar_names
from admin_ui.shell.business import Business
from admin_ui.shell.server import Server, below
from admin_ui.widgets import base_revision, stored_values
from admin_ui.widgets.base_revision import Opened

_CALENDARS = {
    "": f"Not chosen: the one that is connected; of several, the first of {', '.join(calendar_names.ALL.values())}"
}
_CALENDARS |= calendar_names.ALL
_CALENDAR_HELP = (
    "No other calendar stands in for it: while it cannot be used, callers are offered no appointments, and may leave a "
    "message. Only an owner can choose."
)


def show(server: Server, business: Business, read: Opened, save: Callable[[dict[str, Any]], None]) -> None:
    """Draw the form; `save` takes the fields that change."""
    now, may = read.body["business"], read.body["mayEdit"]
    known = _known_features(server, business)
    with st.form(f"settings/{read.form}"):
        may_assign = may and business.may("assign_number")
        number = st.text_input(
            "Number that callers dial",
            stored_values.text(now.get("twilioNumber")),
            placeholder="+15185550100",
            help="The phone number that this business is reached by. Only a platform admin can assign one.",
            disabled=not may_assign,
            key=f"{read.form}/twilioNumber",
        ).strip()
        calendar = _calendar(business, read, may)
        st.markdown("**Portal chat**")
        portal = stored_values.fields(now.get("portal"))
        visitors = st.toggle(
            "Open to visitors without an invitation",
            portal.get("visitors") is True,
            help="Without this, only callers who were sent a link can write.",
            disabled=not may,
            key=f"{read.form}/visitors",
        )
        greeting = st.text_input(
            "Greeting in the portal",
            stored_values.text(portal.get("greeting")),
            help="What is read first; empty for the usual words. The receptionist's greeting is worded for the ear.",
            max_chars=1_000,
            disabled=not may,
            key=f"{read.form}/greeting",
        ).strip()
        st.markdown("**Features**")
        st.caption("Some tools are offered only where their feature is switched on; the page What if says which.")
        were = _switches(now.get("features"))
        features = {
            name: st.toggle(name, were.get(name, False), disabled=not may, key=f"{read.form}/feature/{name}")
            for name in sorted({*known, *were})
        }
        if not features:
            st.caption("No tool depends on a feature.")
        wants_save = st.form_submit_button("Save", type="primary", disabled=not may)
    if not wants_save:
        return
    changed: dict[str, Any] = {}
    if may_assign and number != stored_values.text(now.get("twilioNumber")):
        changed["twilioNumber"] = number or None
    if calendar != _chosen(read):
        changed["integrations"] = {"calendar": calendar or None}
    chat = {"visitors": visitors} if visitors is not (portal.get("visitors") is True) else {}
    chat |= {"greeting": greeting or None} if greeting != stored_values.text(portal.get("greeting")) else {}
    changed |= {"portal": chat} if chat else {}
    if any(is_on is not were.get(name, False) for name, is_on in features.items()):
        changed["features"] = features
    if changed:
        save(changed)
    else:
        st.info("There is nothing to save: it is as it was.", icon=":material/check:")


def _calendar(business: Business, read: Opened, may: bool) -> str:
    return st.selectbox(
        *("Calendar that keeps the appointments", list(_CALENDARS), list(_CALENDARS).index(_chosen(read))),
        format_func=_CALENDARS.__getitem__,
        help=_CALENDAR_HELP,
        disabled=not (may and business.may("connect")),
        key=f"{read.form}/calendar",
    )


def _chosen(read: Opened) -> str:
    chosen = stored_values.text(stored_values.fields(read.body["business"].get("integrations")).get("calendar"))
    return chosen if chosen in _CALENDARS else ""


def _switches(switches: Any) -> dict[str, bool]:
    """Return features as switches; older documents hold a list of those that are on."""
    if isinstance(switches, list):
        return {name: True for name in switches if isinstance(name, str)}
    return {str(name): on is True for name, on in switches.items()} if isinstance(switches, Mapping) else {}


def _known_features(server: Server, business: Business) -> list[str]:
    path = below("admin", "businesses", business.id, "what-if")
    return list(base_revision.read_once("known features", lambda: server.get(path)).body["knownFeatures"])
