"""What callers can book: a list, and a form for one of it."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import streamlit as st

from admin_ui.business import needs_form
from admin_ui.widgets import row_list, stored_values
from admin_ui.widgets.base_revision import Opened
from admin_ui.widgets.plain_text import plain
from admin_ui.widgets.row_list import Row

_DAY = 1440


def show(read: Opened, save: Callable[[dict[str, Any]], None]) -> None:
    """Draw the list, with a form in place of what is edited."""
    services = stored_values.rows(read.body["business"].get("services"))
    if not services and not row_list.is_adding():
        st.info("There are no services yet, so that callers cannot book anything.", icon=":material/sell:")
    form = partial(_form, read, services, save)
    row_list.show(services, read.body["mayEdit"], ("Add a service", "add"), form, _line)


def _line(service: Row) -> None:
    facts = [f"{service.get('durationMinutes', 30)} minutes", stored_values.text(service.get("price"))]
    st.markdown(f"**{plain(stored_values.text(service.get('name')))}** · {plain(' · '.join(filter(None, facts)))}")
    if about := stored_values.text(service.get("description")):
        st.caption(plain(about))


def _form(read: Opened, services: list[Row], save: Callable[[dict[str, Any]], None], at: int) -> None:
    before = {} if at == len(services) else services[at]
    with st.form(f"service/{read.form}/{at}"):
        left, middle, right = st.columns([3, 1, 1])
        name = left.text_input("Name", stored_values.text(before.get("name")))
        minutes = middle.number_input("Minutes", 1, _DAY, _minutes(before, "durationMinutes", 30, 1), 5)
        price = right.text_input("Price", stored_values.text(before.get("price")), placeholder="from $45")
        about = st.text_area("What callers are told about it", stored_values.text(before.get("description")), height=80)
        left, right = st.columns(2)
        lead = left.number_input("Minutes kept free before", 0, _DAY, _minutes(before, "bufferBeforeMinutes"), 5)
        rest = right.number_input("Minutes kept free after", 0, _DAY, _minutes(before, "bufferAfterMinutes"), 5)
        needs = needs_form.show(stored_values.rows(read.body["business"].get("resources")), before, f"{read.form}/{at}")
        typed = {"name": name.strip(), "durationMinutes": minutes, "price": price.strip(), "description": about.strip()}
        typed |= {"bufferBeforeMinutes": lead, "bufferAfterMinutes": rest, "needs": needs}
        after = row_list.changed(services, at, typed, "Remove this service")
    if after is not None:
        save({"services": after})


def _minutes(service: Row, name: str, usual: int = 0, least: int = 0) -> int:
    return stored_values.number(service.get(name), usual, least, _DAY)
