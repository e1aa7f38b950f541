"""The forms for an appointment: making one, moving it, and correcting whom it is for."""

from __future__ import annotations

import uuid
from collections.abc import Mapping, Sequence
from datetime import date, datetime, time, timedelta
from typing import Any

import streamlit as st

from admin_ui.shell.business import Business
from admin_ui.shell.server import Refused, Server
from admin_ui.widgets import notice, own_key, problems, saving, time_text
from admin_ui.widgets.plain_text import plain
from admin_ui.widgets.saving import Change

PLACE, NEW = "appointments", "new"
_ANYBODY = ""
_STEP = timedelta(minutes=5)
_FIELDS = ("service", "start", "customer", "phone", "email", "notes", "with", "minutes", "party")


def make(server: Server, business: Business, path: str, setting: Mapping[str, Any], day: date) -> None:
    """Draw the form for a new appointment."""
    form = own_key.of("appointment", _wish())
    wrong = problems.of(PLACE)
    services = [service["name"] for service in setting["services"]]
    people = {_ANYBODY: "Anybody who is free"}
    people |= {one["id"]: one["name"] for one in setting["resources"] if one["kind"] == "person"}
    with st.form(form, enter_to_submit=False):
        left, right = st.columns(2)
        with left:
            service = st.selectbox("Service", services, key=f"{form}/service", accept_new_options=not services)
            wrong.below("service")
            on, at = _moment(form, day, time(10))
            wrong.below("start")
            person = _ANYBODY
            if len(people) > 1:
                person = st.selectbox("With", list(people), format_func=people.__getitem__, key=f"{form}/with")
                wrong.below("with")
            party = _party(form, setting, 1, wrong)
        with right:
            customer, phone, email = _contact(form, {}, wrong)
        notes = st.text_area("Notes", key=f"{form}/notes", height=80, max_chars=1_000)
        wrong.below("notes")
        is_submitted, is_stopped = _buttons("Make the appointment")
    if is_stopped:
        _close()
    if is_submitted:
        body = {"service": service or "", "start": _local(on, at), "customer": customer, "with": person}
        body |= {"phone": phone, "email": email, "notes": notes.strip()}
        body |= {"party": party} if party > 1 else {}
        _send(server, business, path, body)
    wrong.rest()


def move(server: Server, business: Business, path: str, setting: Mapping[str, Any], booking: Mapping[str, Any]) -> None:
    """Draw the form for another time, and for how many where something is for several."""
    form, wrong = own_key.of("move", booking["id"]), problems.of(PLACE)
    start = time_text.read(booking["start"])
    local = start.astimezone(business.zone) if start is not None else datetime.now(business.zone)
    with st.form(form, enter_to_submit=False):
        on, at = _moment(form, local.date(), local.time())
        wrong.below("start")
        party = _party(form, setting, booking["party"], wrong)
        is_submitted, is_stopped = _buttons("Move it")
    if is_stopped:
        _close()
    if is_submitted:
        done = f"{booking['customer']} is moved to {on:%A} {on.day} {on:%B}, {at:%H:%M}."
        body: dict[str, Any] = {"start": _local(on, at)}
        if party != booking["party"]:
            done = f"{booking['customer']}: {on:%A} {on.day} {on:%B}, {at:%H:%M}, for {party}."
            body["party"] = party
        _change(server, Change(PLACE, "POST", f"{path}/move", body, booking["revision"], done, False))
    wrong.rest()


def correct(server: Server, path: str, booking: Mapping[str, Any]) -> None:
    """Draw the form for whom an appointment is for."""
    form, wrong = own_key.of("correct", booking["id"]), problems.of(PLACE)
    with st.form(form, enter_to_submit=False):
        customer, phone, email = _contact(form, booking, wrong)
        notes = st.text_area("Notes", booking["notes"] or "", key=f"{form}/notes", height=80, max_chars=1_000)
        wrong.below("notes")
        is_submitted, is_stopped = _buttons("Save")
    if is_stopped:
        _close()
    if is_submitted:
        typed = {"customer": customer, "phone": phone, "email": email, "notes": notes.strip()}
        # What was taken out of a field stays as it was: an appointment keeps how its customer is reached.
        changed = {
            name: text for name, text in typed.items() if text != (booking[name] or "") and (text or name == "notes")
        }
        if not changed:
            _close()
        _change(server, Change(PLACE, "PATCH", path, changed, booking["revision"], "It is corrected.", False))
    wrong.rest()


def is_making() -> bool:
    """Tell whether the form for a new appointment is open."""
    return saving.edited(PLACE) == NEW


def _contact(form: str, now: Mapping[str, Any], wrong: problems.Problems) -> tuple[str, str, str]:
    customer = st.text_input("Customer", now.get("customer") or "", key=f"{form}/customer", max_chars=120)
    wrong.below("customer")
    phone = st.text_input("Phone", now.get("phone") or "", key=f"{form}/phone", max_chars=60)
    wrong.below("phone")
    email = st.text_input("E-mail", now.get("email") or "", key=f"{form}/email", max_chars=254)
    wrong.below("email")
    return customer.strip(), phone.strip(), email.strip()


def _party(form: str, setting: Mapping[str, Any], now: int, wrong: problems.Problems) -> int:
    """Return how many come; asked where something is for several, and of an appointment that is."""
    if now == 1 and not any(one["kind"] == "seats" or one["resource"].get("seats") for one in setting["resources"]):
        return now
    party = st.number_input("How many come", 1, 500, now, key=f"{form}/party")
    wrong.below("party")
    return int(party)


def _moment(form: str, day: date, at: time) -> tuple[date, time]:
    left, right = st.columns(2)
    on = left.date_input("Day", day, key=f"{form}/day", format="YYYY-MM-DD")
    clock = right.time_input("Time", at.replace(second=0, microsecond=0), key=f"{form}/time", step=_STEP)
    return on, clock or at


def _local(on: date, at: time) -> str:
    # Without an offset it is meant where the business is, which knows its clocks.
    return datetime.combine(on, at).isoformat(timespec="seconds")


def _buttons(label: str) -> tuple[bool, bool]:
    with st.container(horizontal=True):
        return st.form_submit_button(label, type="primary"), st.form_submit_button("Close")


def _wish() -> str:
    """Return what names the wish of the form that is open: whoever presses twice has one appointment."""
    wish: str = st.session_state.setdefault("at/appointment_wish", uuid.uuid4().hex)
    return wish


def _send(server: Server, business: Business, path: str, body: Mapping[str, Any]) -> None:
    sent = {name: value for name, value in body.items() if value or name in ("service", "customer")}
    try:
        answer = server.send("POST", path, sent, once=_wish()).body
    except Refused as error:
        # What was refused may be sent again otherwise: it is another wish.
        fields = [one for one in error.problems if str(one.get("field")) in _FIELDS]
        _renew(keep_fields=True)
        problems.tell(PLACE, error) if not fields else problems.keep(PLACE, error.problems)
        return
    _renew()
    made = answer["appointment"]
    when = time_text.told(made["start"], business.zone)
    was_there = "was there already" if answer["repeated"] else "is booked"
    several = f", {made['party']} people" if made["party"] > 1 else ""
    notice.say(f"{plain(made['service'])} of {plain(made['customer'])} {was_there}: {when}{several}.")
    _close()


def _renew(*, keep_fields: bool = False) -> None:
    before = st.session_state.pop("at/appointment_wish", "")
    if keep_fields:
        form, after = own_key.of("appointment", before), own_key.of("appointment", _wish())
        for key in [str(key) for key in st.session_state if str(key).startswith(f"{form}/")]:
            st.session_state[after + key.removeprefix(form)] = st.session_state[key]


def _change(server: Server, change: Change) -> None:
    saving.send(server, change, lambda error: problems.tell(PLACE, error))


def _close() -> None:
    problems.forget(PLACE)
    saving.stop_editing(PLACE)
    st.rerun()


def people_in(resources: Sequence[Mapping[str, Any]]) -> dict[str, str]:
    """Return the names of those whom appointments can be with, by id; seats are nobody's."""
    return {one["id"]: one["name"] for one in resources if one["kind"] != "seats"}
