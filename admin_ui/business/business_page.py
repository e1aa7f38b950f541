"""What a business is: details, hours, services, people, checks, settings, connected accounts, and API keys."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import streamlit as st

from admin_ui.appointments import calendar_feeds, team_form
from admin_ui.business import (
    connections,
    details_form,
    hours_form,
    key_list,
    limits_form,
    people_form,
    removal_form,
    restriction_list,
    services_form,
    settings_form,
    text_stops,
)
from admin_ui.shell.business import Business
from admin_ui.shell.server import Refused, Server, below
from admin_ui.widgets import base_revision, consequences, problems, saving, whereabouts
from admin_ui.widgets.base_revision import Opened
from admin_ui.widgets.plain_text import plain
from admin_ui.widgets.saving import Change

PLACE = "business"
Save = Callable[[dict[str, Any]], None]
"""Saves fields of the business's document; what is None is taken away."""

_SECTIONS: dict[str, Callable[[Opened, Save], None]] = {
    "Details": details_form.show,
    "Hours": hours_form.show,
    "People": people_form.show,
    "Caller checks": details_form.show_checks,
    "Limits": limits_form.show,
}
_SERVICES, _TEAM, _SETTINGS = "Services", "Team and rooms", "Settings"
_BEFORE_TEAM = 2


def _connections(server: Server, business: Business) -> None:
    connections.show(server, business)
    if business.may("edit_keys"):
        calendar_feeds.show(server, business)


def _turned_away(server: Server, business: Business) -> None:
    restriction_list.show(server, business)
    text_stops.show(server, business)


_BESIDE: dict[str, tuple[Callable[[Server, Business], None], str]] = {
    "Connections": (_connections, ""),
    "Turned away": (_turned_away, ""),
    "API keys": (key_list.show, "see_keys"),
    "Take away": (removal_form.show, "open_business"),
}
"""Parts that stand in other documents, each with what a role must allow for it to be there."""


def show(server: Server, business: Business) -> None:
    """Draw the page."""
    sections = list(_SECTIONS)
    sections[_BEFORE_TEAM:_BEFORE_TEAM] = [_SERVICES, _TEAM]
    beside = {name: draw for name, (draw, operation) in _BESIDE.items() if not operation or business.may(operation)}
    names = [*sections, _SETTINGS, *beside]
    section = whereabouts.part("Part", names, "section")
    if st.session_state.setdefault("at/section", section) != section:
        # A part is read when it is opened: its form is then based on what was just seen.
        base_revision.forget(PLACE)
        base_revision.forget(restriction_list.PLACE)
        base_revision.forget(text_stops.PLACE)
        team_form.leave()
        key_list.leave()
        calendar_feeds.leave()
        saving.stop_editing(PLACE)
        consequences.forget(PLACE)
        problems.forget(PLACE)
        st.session_state["at/section"] = section
    if section in beside:
        beside[section](server, business)
        return
    if section == _TEAM:
        team_form.show(server, business)
        return
    path = below("admin", "businesses", business.id)
    read = base_revision.read_once(PLACE, lambda: server.get(path))
    if saving.conflict(server, PLACE) or consequences.show(server, business, PLACE):
        return
    if not read.body["mayEdit"]:
        st.info("You may look at this, but only an owner or editor can change it.", icon=":material/visibility:")
    save, wrong = partial(_save, server, path, read), problems.of(PLACE)
    if section == _SETTINGS:
        settings_form.show(server, business, read, save)
    elif section == _SERVICES:
        services_form.show(read, save, wrong)
    else:
        _SECTIONS[section](read, save)
    wrong.rest()
    if read.body.get("updatedBy"):
        st.caption(f"Last changed by {plain(read.body['updatedBy'])}.")


def _save(server: Server, path: str, read: Opened, fields: dict[str, Any]) -> None:
    done = "Saved. New calls use it at once."
    change = Change(PLACE, "PATCH", path, fields, read.revision, done, decides_offers=True)
    problems.forget(PLACE)
    saving.send(server, change, partial(_told, change))


def _told(change: Change, error: Refused) -> None:
    """Say why something was not saved: where it is wrong, or as a question where something would break by it."""
    if error.problems and not error.consequences:
        problems.keep(PLACE, error.problems)
    consequences.ask(PLACE, change, error)
