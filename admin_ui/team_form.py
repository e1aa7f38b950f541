"""The team, rooms, chairs and seats that appointments take up: a list, and a form for one of them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import streamlit as st

from admin_ui import absence_list, as_stored, confirmation, hours_text, opened, problems, saving, words
from admin_ui.business import Business
from admin_ui.card import card
from admin_ui.confirmation import Asked
from admin_ui.hours_text import NotHours
from admin_ui.opened import Opened
from admin_ui.plain_text import plain, sentence
from admin_ui.server import Server, below

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
    read = opened.read_once(PLACE, lambda: server.get(f"{path}/resources"))
    whole = opened.read_once(f"{PLACE}/business", lambda: server.get(path))
    st.markdown(
        "Who and what an appointment takes up. Callers can ask for a person by name, and two people can have "
        "appointments at the same time. **As long as nobody is entered, there is one chair.**"
    )
    if confirmation.show(server, business, PLACE):
        return
    for problem in read.body["problems"]:
        st.error(sentence(problem), icon=":material/error:")
    may, edited = business.may("edit_business"), saving.edited(PLACE)
    if may and edited != _NEW and st.button("Add somebody or something", icon=":material/person_add:", type="primary"):
        saving.edit(PLACE, _NEW)
        st.rerun()
    if edited == _NEW:
        _form(server, f"{path}/resources", read, whole, {})
    rows = read.body["resources"]
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
    opened.forget(PLACE)
    opened.forget(f"{PLACE}/business")
    saving.stop_editing(PLACE)
    confirmation.forget(PLACE)
    absence_list.leave()


def _line(row: Mapping[str, Any], may: bool) -> None:
    own, kind = row["resource"], str(row["kind"])
    with card() as (text, button):
        with text.container(horizontal=True, vertical_alignment="center"):
            st.markdown(f"**{plain(row['name'])}**", width="content")
            st.badge(_KINDS.get(kind, kind), icon=f":material/{_ICONS.get(kind, 'category')}:", color="blue")
        services = as_stored.texts(own.get("services"))
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
    days = as_stored.fields(hours)
    open_days = [
        day[:3].capitalize() for day in words.WEEKDAYS if hours_text.written(days.get(day)) != hours_text.CLOSED
    ]
    return ", ".join(open_days) if open_days else "no hours"


def _form(server: Server, path: str, read: Opened, whole: Opened, row: Mapping[str, Any]) -> None:
    own, id, wrong = dict(row.get("resource") or {}), str(row.get("id") or ""), problems.of(PLACE)
    form = f"{read.form}/{id}"
    with st.form(form):
        typed = _basics(own, form, wrong)
        names = [as_stored.text(one.get("name")) for one in as_stored.rows(whole.body["business"].get("services"))]
        done = as_stored.texts(own.get("services"))
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
        confirmation.send(server, PLACE, Asked("DELETE", path + below(id), {}, str(row["revision"]), done_words, {}))
    if not wants_save:
        return
    try:
        typed["hours"] = {day: hours_text.read(text) for day, text in hours.items()} if has_hours else None
    except NotHours as error:
        st.error(f"**This cannot be kept.** {sentence(str(error))}", icon=":material/error:")
        return
    if typed["hours"] is not None and (special := as_stored.fields(own.get("hours")).get("exceptions")):
        typed["hours"]["exceptions"] = special
    body = {**typed, "services": services or None, "calendars": calendars or None}
    target = ("PUT", path + below(id)) if id else ("POST", path)
    confirmation.send(
        server, PLACE, Asked(*target, body, str(row.get("revision") or ""), "Saved. New calls use it at once.", {})
    )


def _basics(own: Mapping[str, Any], form: str, wrong: problems.Problems) -> dict[str, Any]:
    kind = as_stored.text(own.get("kind"), "person")
    left, right = st.columns([3, 2])
    with left:
        name = st.text_input("Name", as_stored.text(own.get("name")), placeholder="Rosa", key=f"{form}/name")
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
                *("How many at once", 1, _MOST, as_stored.number(own.get("capacity"), 1, 1, _MOST)),
                help="How many appointments at the same time; of a class, how many people. For a person this is 1.",
                key=f"{form}/capacity",
            )
            wrong.below("capacity")
        with middle:
            seats = st.number_input(
                *("Largest party", 0, _MOST, as_stored.number(own.get("seats"), 0, 0, _MOST)),
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
    days = as_stored.fields(stored)
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
    stored = as_stored.rows(own.get("calendars"))
    connected = as_stored.fields(whole.body.get("integrations"))
    found = []
    for name, (title, setting) in _OUTSIDE.items():
        before = next((one for one in stored if one.get("integration") == name), {})
        if not as_stored.fields(connected.get(name)).get("isConnected") and not before:
            continue
        text = st.text_input(
            *(f"Own calendar in {title}", as_stored.text(before.get(setting))),
            help="Its id or address. What stands in it keeps only this one busy, and appointments are entered there.",
            key=f"{form}/calendar/{name}",
        ).strip()
        found += [{**before, "integration": name, setting: text}] if text else []
        found += [one for one in stored if one.get("integration") == name and one is not before]
    return found
