"""What callers can book: a list, and a form for one of it."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import streamlit as st

from admin_ui.business import needs_form
from admin_ui.widgets import row_list, stored_values, whole_number
from admin_ui.widgets.base_revision import Opened
from admin_ui.widgets.plain_text import plain
from admin_ui.widgets.problems import Problems
from admin_ui.widgets.row_list import Row

_DAY = 1440


def show(read: Opened, save: Callable[[dict[str, Any]], None], wrong: Problems) -> None:
    """Draw the list, with a form in place of what is edited and what was wrong with it."""
    services = stored_values.rows(read.body["business"].get("services"))
    if not services and not row_list.is_adding():
        st.info("There are no services yet, so that callers cannot book anything.", icon=":material/sell:")
    form = partial(_form, read, services, save, wrong)
    row_list.show(services, read.body["mayEdit"], ("Add a service", "add"), form, _line)


def _line(service: Row) -> None:
    facts = [f"{service.get('durationMinutes', 30)} minutes", stored_values.text(service.get("price"))]
    st.markdown(f"**{plain(stored_values.text(service.get('name')))}** · {plain(' · '.join(filter(None, facts)))}")
    if about := stored_values.text(service.get("description")):
        st.caption(plain(about))


def _form(read: Opened, services: list[Row], save: Callable[[dict[str, Any]], None], wrong: Problems, at: int) -> None:
    before, form = {} if at == len(services) else services[at], f"{read.form}/{at}"
    place = f"services[{at}]"
    with st.form(f"service/{read.form}/{at}"):
        left, middle, right = st.columns([3, 1, 1])
        with left:
            name = st.text_input("Name", stored_values.text(before.get("name")), key=f"{form}/name")
            wrong.below(f"{place}.name")
        now = _minutes(before, "durationMinutes", 30, 1)
        minutes = whole_number.draw(middle, "Minutes", (1, _DAY), now, f"{form}/minutes", unit="min")
        price = right.text_input(
            "Price", stored_values.text(before.get("price")), placeholder="from $45", key=f"{form}/price"
        )
        about = st.text_area(
            "What callers are told about it",
            stored_values.text(before.get("description")),
            height=80,
            key=f"{form}/description",
        )
        left, right = st.columns(2)
        span, before_it, after_it = (0, _DAY), "Minutes kept free before", "Minutes kept free after"
        now = _minutes(before, "bufferBeforeMinutes")
        lead = whole_number.draw(left, before_it, span, now, f"{form}/before", unit="min")
        now = _minutes(before, "bufferAfterMinutes")
        rest = whole_number.draw(right, after_it, span, now, f"{form}/after", unit="min")
        needs = needs_form.show(stored_values.rows(read.body["business"].get("resources")), before, f"{read.form}/{at}")
        typed = {
            "name": name.strip(),
            "durationMinutes": minutes.value,
            "price": price.strip(),
            "description": about.strip(),
        }
        typed |= {"bufferBeforeMinutes": lead.value, "bufferAfterMinutes": rest.value, "needs": needs}
        after = row_list.changed(services, at, typed, "Remove this service")
        wrong.below(place)
    is_removed = after is not None and len(after) < len(services)
    if after is not None and (is_removed or not any(one.problem for one in (minutes, lead, rest))):
        save({"services": after})


def _minutes(service: Row, name: str, usual: int = 0, least: int = 0) -> int:
    return stored_values.number(service.get(name), usual, least, _DAY)
