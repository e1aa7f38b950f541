"""What callers can book: a list, and a form for one of it."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import streamlit as st

from admin_ui import row_list
from admin_ui.opened import Opened
from admin_ui.plain_text import plain
from admin_ui.row_list import Row


def show(read: Opened, save: Callable[[dict[str, Any]], None]) -> None:
    """Draw the list, with a form in place of what is edited."""
    services: list[Row] = read.body["business"].get("services") or []
    if not services and not row_list.is_adding():
        st.info("There are no services yet, so that callers cannot book anything.", icon=":material/sell:")
    form = partial(_form, read, services, save)
    row_list.show(services, read.body["mayEdit"], ("Add a service", "add"), form, _line)


def _line(service: Row) -> None:
    facts = [f"{service.get('durationMinutes', 30)} minutes", service.get("price") or ""]
    st.markdown(f"**{plain(service.get('name', ''))}** · {plain(' · '.join(filter(None, facts)))}")
    if service.get("description"):
        st.caption(plain(service["description"]))


def _form(read: Opened, services: list[Row], save: Callable[[dict[str, Any]], None], at: int) -> None:
    before = {} if at == len(services) else services[at]
    with st.form(f"service/{read.form}/{at}"):
        left, middle, right = st.columns([3, 1, 1])
        name = left.text_input("Name", before.get("name") or "")
        minutes = middle.number_input("Minutes", 1, 1440, int(before.get("durationMinutes") or 30), 5)
        price = right.text_input("Price", before.get("price") or "", placeholder="from $45")
        about = st.text_area("What callers are told about it", before.get("description") or "", height=80)
        left, right = st.columns(2)
        lead = left.number_input("Minutes kept free before", 0, 1440, int(before.get("bufferBeforeMinutes") or 0), 5)
        rest = right.number_input("Minutes kept free after", 0, 1440, int(before.get("bufferAfterMinutes") or 0), 5)
        typed = {"name": name.strip(), "durationMinutes": minutes, "price": price.strip(), "description": about.strip()}
        typed |= {"bufferBeforeMinutes": lead, "bufferAfterMinutes": rest}
        after = row_list.changed(services, at, typed, "Remove this service")
    if after is not None:
        save({"services": after})
