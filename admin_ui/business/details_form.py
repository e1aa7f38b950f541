"""The forms for a business's name and addresses, for its receptionist's manner, and for how callers are checked."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any
from zoneinfo import available_timezones

import streamlit as st

from admin_ui.widgets import stored_values
from admin_ui.widgets.base_revision import Opened

_TEXTS = {
    "name": ("Name", "What callers know the business as."),
    "industry": ("Trade", "In a word or two, such as hair salon."),
    "phone": ("Phone", "The number that callers are told."),
    "email": (
        "E-mail",
        "The address that callers are told, and to which their answers to its e-mails go. Only an owner can change it.",
    ),
    "address": ("Address", ""),
    "website": ("Website", ""),
    "portalUrl": ("Portal address", "Where the link leads that callers are sent. Only an owner can change it."),
}
_OWNERS = ("portalUrl", "email")
_AI_TEXTS = {
    "greeting": ("Greeting", "The first sentence that callers hear."),
    "tone": ("Manner", "How the receptionist speaks, such as warm and to the point."),
    "language": ("Language", "Such as en, de or pt-BR."),
}
_LEVELS = {
    "none": "No check: whoever calls is believed",
    "match": "Name and number must match what you have on record",
    "code": "A code is sent to the number or address on record, and must be read back",
}


def show(read: Opened, save: Callable[[dict[str, Any]], None]) -> None:
    """Draw the form for details."""
    business, may = read.body["business"], read.body["mayEdit"]
    with st.form(f"details/{read.form}"):
        left, right = st.columns(2, gap="medium")
        typed = {
            name: (left if at % 2 == 0 else right).text_input(
                label,
                stored_values.text(business.get(name)),
                help=about or None,
                disabled=not (read.body["mayEditSafeguards"] if name in _OWNERS else may),
                key=f"{read.form}/{name}",
            )
            for at, (name, (label, about)) in enumerate(_TEXTS.items())
        }
        zone = stored_values.text(business.get("timezone"), "UTC")
        zones = sorted(available_timezones() | {zone})
        typed["timezone"] = right.selectbox(
            *("Time zone", zones, zones.index(zone)),
            disabled=not may,
            key=f"{read.form}/timezone",
            help="Hours and appointments are meant in it.",
        )
        st.markdown("**Your receptionist**")
        ai = stored_values.fields(business.get("ai"))
        typed_ai = {
            name: st.text_input(
                label, stored_values.text(ai.get(name)), help=about, disabled=not may, key=f"{read.form}/ai.{name}"
            )
            for name, (label, about) in _AI_TEXTS.items()
        }
        written = st.text_area(
            *("Words while something takes a moment", "\n".join(stored_values.texts(ai.get("fillers")))),
            disabled=not may,
            key=f"{read.form}/ai.fillers",
            help="One a line, such as: One moment, please. They are said in turn; empty for the usual ones.",
        )
        if st.form_submit_button("Save", type="primary", disabled=not may):
            changed_ai = _changed(ai, typed_ai) | _changed_fillers(ai, written)
            changed = _changed(business, typed) | ({"ai": changed_ai} if changed_ai else {})
            _save_if_any(changed, save)


def show_checks(read: Opened, save: Callable[[dict[str, Any]], None]) -> None:
    """Draw the form for how callers are checked."""
    may = read.body["mayEditSafeguards"]
    ai = stored_values.fields(read.body["business"].get("ai"))
    st.markdown("Before a caller may hear about, move or cancel an appointment, your receptionist checks who it is.")
    if not may and read.body["mayEdit"]:
        st.info("Only an owner can change how callers are checked.", icon=":material/visibility:")
    with st.form(f"checks/{read.form}"):
        levels = list(_LEVELS)
        now = ai.get("callerVerification")
        level = st.radio(
            *("How callers are checked", levels, levels.index(now) if now in levels else None),
            format_func=_LEVELS.__getitem__,
            disabled=not may,
            key=f"{read.form}/level",
        )
        trusts = st.toggle(
            "Trust the number that a call comes from",
            bool(ai.get("trustCallerId")),
            disabled=not may,
            key=f"{read.form}/trust",
            help="Numbers can be forged. With this on, a known number counts as half of the check.",
        )
        if st.form_submit_button("Save", type="primary", disabled=not may):
            checks = {"callerVerification": level, "trustCallerId": trusts}
            changed = {name: value for name, value in checks.items() if value != ai.get(name) and value is not None}
            _save_if_any({"ai": changed} if changed else {}, save)


def _changed(before: Mapping[str, Any], typed: Mapping[str, Any]) -> dict[str, Any]:
    entered = {name: value.strip() or None for name, value in typed.items()}
    return {name: value for name, value in entered.items() if value != (before.get(name) or None)}


def _changed_fillers(ai: Mapping[str, Any], written: str) -> dict[str, Any]:
    fillers = [line.strip() for line in written.splitlines() if line.strip()]
    return {} if fillers == stored_values.texts(ai.get("fillers")) else {"fillers": fillers or None}


def _save_if_any(changed: dict[str, Any], save: Callable[[dict[str, Any]], None]) -> None:
    if changed:
        save(changed)
    else:
        st.info("There is nothing to save: it is as it was.", icon=":material/check:")
