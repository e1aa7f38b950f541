"""What callers can book: a list, and a form for one of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import streamlit as st

from admin_ui import saving
from admin_ui.card import card
from admin_ui.opened import Opened
from admin_ui.plain_text import plain

_PLACE, _NEW = "business", "new"


def show(read: Opened, save: Callable[[dict[str, Any]], None]) -> None:
    """Draw the list, with a form in place of what is edited."""
    services: list[dict[str, Any]] = read.body["business"].get("services") or []
    may, edited = read.body["mayEdit"], saving.edited(_PLACE)
    if not services and edited != _NEW:
        st.info("There are no services yet, so that callers cannot book anything.", icon=":material/sell:")
    if may and edited != _NEW and st.button("Add a service", icon=":material/add:", type="primary"):
        saving.edit(_PLACE, _NEW)
        st.rerun()
    if edited == _NEW:
        _form(read, services, len(services), save)
    with st.container(gap="xsmall"):
        for at, service in enumerate(services):
            if edited == str(at):
                _form(read, services, at, save)
            else:
                _line(service, at, may)


def _line(service: Mapping[str, Any], at: int, may: bool) -> None:
    with card() as (words, button):
        facts = [f"{service.get('durationMinutes', 30)} minutes", service.get("price") or ""]
        words.markdown(f"**{plain(service.get('name', ''))}** · {plain(' · '.join(filter(None, facts)))}")
        if service.get("description"):
            words.caption(plain(service["description"]))
        if may and button.button("Edit", key=f"edit/service/{at}", icon=":material/edit:"):
            saving.edit(_PLACE, str(at))
            st.rerun()


def _form(read: Opened, services: list[dict[str, Any]], at: int, save: Callable[[dict[str, Any]], None]) -> None:
    is_new = at == len(services)
    before = {} if is_new else services[at]
    with st.form(f"service/{read.form}/{at}"):
        left, middle, right = st.columns([3, 1, 1])
        name = left.text_input("Name", before.get("name") or "")
        minutes = middle.number_input("Minutes", 1, 1440, int(before.get("durationMinutes") or 30), 5)
        price = right.text_input("Price", before.get("price") or "", placeholder="from $45")
        about = st.text_area("What callers are told about it", before.get("description") or "", height=80)
        left, right = st.columns(2)
        lead = left.number_input("Minutes kept free before", 0, 1440, int(before.get("bufferBeforeMinutes") or 0), 5)
        rest = right.number_input("Minutes kept free after", 0, 1440, int(before.get("bufferAfterMinutes") or 0), 5)
        with st.container(horizontal=True):
            wants_save = st.form_submit_button("Save", type="primary")
            wants_stop = st.form_submit_button("Cancel")
            wants_gone = not is_new and st.form_submit_button("Remove this service", icon=":material/delete:")
    if wants_stop:
        saving.stop_editing(_PLACE)
        st.rerun()
    if wants_gone:
        save({"services": [*services[:at], *services[at + 1 :]]})
    elif wants_save:
        said = {"name": name.strip(), "durationMinutes": minutes, "price": price.strip(), "description": about.strip()}
        said |= {"bufferBeforeMinutes": lead, "bufferAfterMinutes": rest}
        kept = {key: value for key, value in before.items() if key not in said}
        row = kept | {key: value for key, value in said.items() if value not in ("", 0) or key == "name"}
        save({"services": [*services[:at], row, *services[at + 1 :]]})
