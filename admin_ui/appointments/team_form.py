"""The team, rooms, chairs and seats that appointments take up: a list, and a form for one of them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import streamlit as st

from admin_ui.appointments import absence_list
from admin_ui.business import hours_text
from admin_ui.business.hours_text import NotHours
from admin_ui.shell import words
from admin_ui.shell.business import Business
from admin_ui.shell.server import Server, below
from admin_ui.widgets import base_revision, consequences, problems, saving, stored_values
from admin_ui.widgets.base_revision import Opened
from admin_ui.widgets.card import card
from admin_ui.widgets.consequences import Asked
from admin_ui.widgets.plain_text import plain, sentence

PLACE, _NEW = "team", "new"
_OTHER = ""
_KINDS = {
    "person": "A person",
    "room": "A room",
    "chair": "A chair",
    "seats": "Seats of a class",
    _OTHER: "Something else",
}
_ICONS = {"person": "person", "room": "meeting_room", "chair": "chair", "seats": "groups"}
_OUTSIDE = {
    "googleCalendar": ("Google Calendar", "calendarId"),
    "microsoftCalendar": ("Microsoft 365", "calendarId"),
    "caldavCalendar": ("CalDAV", "calendarUrl"),
}
_MOST = 500


def show(server: Server, business: Business) -> None:
    """Draw the list, with a form in place of what is edited, and the absences below it."""
    path = below("admin", "businesses", business.id)
    read = base_revision.read_once(PLACE, lambda: server.get(f"{path}/resources"))
    whole = base_revision.read_once(f"{PLACE}/business", lambda: server.get(path))
    st.markdown(
        "Who and what an appointment takes up. Callers can ask for a person by name, and two people can have "
        "appointments at the same time. **As long as nobody is entered, there is one chair.**"
    )
    if consequences.show(server, business, PLACE):
        return
    for problem in read.body["problems"]:
        st.error(sentence(problem), icon=":material/error:")
    rows, may = read.body["resources"], business.may("edit_business")
    edited = saving.edited(PLACE, [_NEW, *(row["id"] for row in rows)] if may else ())
    if may and edited != _NEW and st.button("Add somebody or something", icon=":material/person_add:", type="primary"):
        saving.edit(PLACE, _NEW)
        st.rerun()
    if edited == _NEW:
        _form(server, f"{path}/resources", read, whole, {})
    if not rows and edited != _NEW:
        st.info(
            "There is nobody yet: your appointments take up one chair, one after the other.", icon=":material/chair:"
        )
    with st.container(gap="xsmall"):
        for row in rows:
            if edited == row["id"]:
                _form(server, f"{path}/resources", read, whole, row)
            else:
                _line(row, may)
    if rows:
        absence_list.show(server, business, rows)


def leave() -> None:
    """Have everything read anew when this part is opened again."""
    base_revision.forget(PLACE)
    base_revision.forget(f"{PLACE}/business")
    saving.stop_editing(PLACE)
    consequences.forget(PLACE)
    absence_list.leave()


def _line(row: Mapping[str, Any], may: bool) -> None:
    own, kind = row["resource"], str(row["kind"])
    with card() as (text, button):
        with text.container(horizontal=True, vertical_alignment="center"):
            st.markdown(f"**{plain(row['name'])}**", width="content")
            st.badge(_KINDS.get(kind, kind), icon=f":material/{_ICONS.get(kind, 'category')}:", color="blue")
        services = stored_values.texts(own.get("services"))
        facts = [
            f"{own['capacity']} at once" if own.get("capacity", 1) != 1 else "",
            f"parties of up to {own['seats']}" if own.get("seats") else "",
            _hours_in_words(own.get("hours")),
            ", ".join(services) if services else "all services",
        ]
        text.caption(plain(" · ".join(filter(None, facts))))
        if may and button.button("Edit", key=f"edit/team/{row['id']}", icon=":material/edit:"):
            saving.edit(PLACE, row["id"])
            st.rerun()


def _hours_in_words(hours: Any) -> str:
    if hours is None:
        return "whenever you are open"
    days = stored_values.fields(hours)
    open_days = [
        day[:3].capitalize() for day in words.WEEKDAYS if hours_text.written(days.get(day)) != hours_text.CLOSED
    ]
    return ", ".join(open_days) if open_days else "no hours"


def _form(server: Server, path: str, read: Opened, whole: Opened, row: Mapping[str, Any]) -> None:
    own, id, wrong = dict(row.get("resource") or {}), str(row.get("id") or ""), problems.of(PLACE)
    form = f"{read.form}/{id}"
    with st.form(form):
        typed = _basics(own, form, wrong)
        names = [
            stored_values.text(one.get("name")) for one in stored_values.rows(whole.body["business"].get("services"))
        ]
        done = stored_values.texts(own.get("services"))
        services = st.multiselect(
            *("Services", list(dict.fromkeys([*names, *done])), done),
            placeholder="All services",
            help="Leave it empty for all of them.",
            key=f"{form}/services",
        )
        wrong.below("services")
        has_hours, hours = _hours(own.get("hours"), form)
        wrong.below("hours")
        calendars = _calendars(own, whole, form)
        wrong.below("calendars")
        with st.container(horizontal=True):
            wants_save = st.form_submit_button("Save", type="primary")
            wants_stop = st.form_submit_button("Cancel")
            wants_gone = bool(id) and st.form_submit_button("Remove", icon=":material/delete:")
        wrong.rest()
    if wants_stop:
        problems.forget(PLACE)
        saving.stop_editing(PLACE)
        st.rerun()
    if wants_gone:
        done_words = f"{row['name']} is removed; appointments stand."
        consequences.send(server, PLACE, Asked("DELETE", path + below(id), {}, str(row["revision"]), done_words, {}))
    if not wants_save:
        return
    try:
        typed["hours"] = {day: hours_text.read(text) for day, text in hours.items()} if has_hours else None
    except NotHours as error:
        st.error(f"**This cannot be kept.** {sentence(str(error))}", icon=":material/error:")
        return
    if typed["hours"] is not None and (special := stored_values.fields(own.get("hours")).get("exceptions")):
        typed["hours"]["exceptions"] = special
    body = {**typed, "services": services or None, "calendars": calendars or None}
    target = ("PUT", path + below(id)) if id else ("POST", path)
    consequences.send(
        server, PLACE, Asked(*target, body, str(row.get("revision") or ""), "Saved. New calls use it at once.", {})
    )


def _basics(own: Mapping[str, Any], form: str, wrong: problems.Problems) -> dict[str, Any]:
    kind = stored_values.text(own.get("kind"), "person")
    left, right = st.columns([3, 2])
    with left:
        name = st.text_input("Name", stored_values.text(own.get("name")), placeholder="Rosa", key=f"{form}/name")
        wrong.below("name", "id")
    chosen = right.selectbox(
        *("What it is", list(_KINDS), list(_KINDS).index(kind if kind in _KINDS else _OTHER)),
        format_func=_KINDS.__getitem__,
        key=f"{form}/kind",
    )
    capacity, seats, word = _sizes(own, kind, form, wrong)
    return {"name": name.strip(), "kind": chosen or word.strip() or "thing", "capacity": capacity, "seats": seats}


def _sizes(own: Mapping[str, Any], kind: str, form: str, wrong: problems.Problems) -> tuple[int, int, str]:
    with st.expander("How many, for a class, a table and the like", expanded=kind != "person"):
        left, middle, right = st.columns(3)
        with left:
            capacity = st.number_input(
                *("How many at once", 1, _MOST, stored_values.number(own.get("capacity"), 1, 1, _MOST)),
                help="How many appointments at the same time; of a class, how many people. For a person this is 1.",
                key=f"{form}/capacity",
            )
            wrong.below("capacity")
        with middle:
            seats = st.number_input(
                *("Largest party", 0, _MOST, stored_values.number(own.get("seats"), 0, 0, _MOST)),
                help="How many may come together, such as four at a table for four; 0 where it does not matter.",
                key=f"{form}/seats",
            )
            wrong.below("seats")
        with right:
            word = st.text_input(
                *("If something else: what?", "" if kind in _KINDS else kind),
                placeholder="table",
                help="One word in small letters, such as table or boat.",
                key=f"{form}/word",
            )
            wrong.below("kind")
    return capacity, seats, word


def _hours(stored: Any, form: str) -> tuple[bool, dict[str, str]]:
    days = stored_values.fields(stored)
    has_hours = st.toggle(
        "Own hours",
        stored is not None,
        help="Without them: whenever you are open. With them: in these hours, as far as you are open.",
        key=f"{form}/has_hours",
    )
    with st.expander("Hours", expanded=stored is not None):
        left, right = st.columns(2)
        hours = {
            day: (left if at < 4 else right).text_input(
                day.capitalize(), hours_text.written(days.get(day)), key=f"{form}/hours/{day}"
            )
            for at, day in enumerate(words.WEEKDAYS)
        }
    return has_hours, hours


def _calendars(own: Mapping[str, Any], whole: Opened, form: str) -> list[dict[str, Any]]:
    """Draw a field for each outside calendar that is connected; return the calendars as they are to be saved."""
    stored = stored_values.rows(own.get("calendars"))
    connected = stored_values.fields(whole.body.get("integrations"))
    calendars = []
    for name, (title, setting) in _OUTSIDE.items():
        before = next((one for one in stored if one.get("integration") == name), {})
        if not stored_values.fields(connected.get(name)).get("isConnected") and not before:
            continue
        text = st.text_input(
            *(f"Own calendar in {title}", stored_values.text(before.get(setting))),
            help="Its id or address. What stands in it keeps only this one busy, and appointments are entered there.",
            key=f"{form}/calendar/{name}",
        ).strip()
        calendars += [{**before, "integration": name, setting: text}] if text else []
        calendars += [one for one in stored if one.get("integration") == name and one is not before]
    return calendars
