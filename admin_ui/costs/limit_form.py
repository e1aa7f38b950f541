"""What a month of one business may have: told to everybody who sees the page, set by whoever runs all businesses."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import streamlit as st

from admin_ui.shell import failure_view
from admin_ui.shell.business import Business
from admin_ui.shell.server import Server, below
from admin_ui.widgets import base_revision, saving
from admin_ui.widgets.saving import Change

_UNITS = {
    "texts": "Segments of text messages",
    "phoneMinutes": "Minutes on the phone",
    "modelTokens": "Tokens that models read and wrote",
    "cost": "Cost of what is known and priced",
}
_STOPPED = {
    "texts": "Callers are sent no text messages; codes and messages to you are sent.",
    "phoneMinutes": "New phone calls are put through to a person, or told how else you are reached.",
    "modelTokens": "New conversations are told how else you are reached; who calls may be put through to a person.",
    "cost": "New conversations are told how else you are reached; who calls may be put through to a person.",
}
_STATES = {"nothing": "", "warning": "nearly used up", "limit": "used up"}


def tell(limits: Sequence[Mapping[str, Any]], currency: str) -> None:
    """Draw how far a month's limits are used up; nothing where there are none."""
    for limit in limits:
        if limit["reached"] == "limit":
            unit = limit["unit"]
            st.error(f"{_UNITS[unit]}: this month is used up. {_STOPPED[unit]}", icon=":material/block:")
        elif limit["reached"] == "warning":
            st.warning(f"{_UNITS[limit['unit']]}: this month is nearly used up.", icon=":material/warning:")
    if limits:
        st.dataframe(
            {
                "Limit": [_UNITS[limit["unit"]] for limit in limits],
                "Used": [_figure(limit, "used", currency) for limit in limits],
                "Warns at": [_figure(limit, "warnAt", currency) for limit in limits],
                "Stops at": [_figure(limit, "stopAt", currency) for limit in limits],
                "State": [_STATES[limit["reached"]] for limit in limits],
            },
            hide_index=True,
        )


def tell_in_a_line(place: Any, limits: Sequence[Mapping[str, Any]]) -> None:
    """Draw which limits are reached, or nearly; nothing where none is."""
    reached = [f"{_UNITS[limit['unit']]}: {_STATES[limit['reached']]}" for limit in limits if _STATES[limit["reached"]]]
    if reached:
        place.markdown(f":material/warning: {'; '.join(reached)}")


def _figure(limit: Mapping[str, Any], name: str, currency: str) -> str:
    value = limit[name]
    if value is None:
        return "no price entered" if name == "used" else ""
    return f"{value} {currency}".strip() if limit["unit"] == "cost" else f"{int(value):,}"


def show(server: Server, business: Business) -> None:
    """Draw the form."""
    path, place = f"{below('admin', 'businesses', business.id)}/monthly-limits", f"limits/{business.id}"
    if saving.conflict(server, place):
        return
    read = base_revision.read_once(place, lambda: server.get(path))
    limits = read.body["limits"]
    st.markdown(
        "How much a month of this business may have. At the first figure Health warns; at the second it stops until "
        "the month is over or the limit is raised. What is left empty has no limit."
    )
    entered: dict[str, dict[str, Any]] = {}
    with st.form(f"limits/{read.form}"):
        for unit, label in _UNITS.items():
            current = limits.get(unit) or {}
            warn, stop = st.columns(2)
            fields = {
                "warnAt": warn.text_input(
                    f"{label}: warn at", str(current.get("warnAt", "")), key=f"{read.form}/{unit}/warnAt"
                ),
                "stopAt": stop.text_input(
                    f"{label}: stop at", str(current.get("stopAt", "")), key=f"{read.form}/{unit}/stopAt"
                ),
            }
            entered[unit] = {name: _amount(unit, text.strip()) for name, text in fields.items() if text.strip()}
        st.caption(
            "Counted a while behind the calls: calls and minutes up to a quarter of an hour, texts up to an hour and a "
            "quarter. What is under way goes on."
        )
        wants_save = st.form_submit_button("Save", type="primary")
    if wants_save:
        body = {"limits": {unit: amounts for unit, amounts in entered.items() if amounts}}
        saving.send(server, Change(place, "PUT", path, body, read.revision, "Saved the limits."), failure_view.tell)


def _amount(unit: str, text: str) -> Any:
    """Return what is sent: a whole number where one was typed; what is none is left for the server to tell."""
    digits = text.replace(",", "")
    return int(digits) if unit != "cost" and digits.isascii() and digits.isdigit() else text
