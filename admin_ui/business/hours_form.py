"""The form for opening hours: one line for each day of the week, and one for each special day."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import streamlit as st

from admin_ui.business import hours_text
from admin_ui.business.hours_text import NotHours
from admin_ui.shell import words
from admin_ui.widgets import stored_values
from admin_ui.widgets.base_revision import Opened
from admin_ui.widgets.plain_text import sentence


def show(read: Opened, save: Callable[[dict[str, Any]], None]) -> None:
    """Draw the form."""
    hours, may = stored_values.fields(read.body["business"].get("workingHours")), read.body["mayEdit"]
    st.markdown("Appointments are only offered inside these hours. Write `09:00-12:30, 13:30-18:00` for a break.")
    with st.form(f"hours/{read.form}"):
        left, right = st.columns(2, gap="medium")
        typed = {
            day: (left if at < 4 else right).text_input(
                *(day.capitalize(), hours_text.written(hours.get(day))), disabled=not may, key=f"{read.form}/{day}"
            )
            for at, day in enumerate(words.WEEKDAYS)
        }
        special = st.text_area(
            *("Special days", hours_text.written_days(hours.get("exceptions"))),
            disabled=not may,
            key=f"{read.form}/special",
            height=140,
            help="One in a line, such as 2027-12-24: 09:00-13:00, or 12-25: closed for every year. They come before "
            "the days of the week.",
        )
        if st.form_submit_button("Save", type="primary", disabled=not may):
            try:
                hours_entered: dict[str, Any] = {day: hours_text.read(text) for day, text in typed.items()}
                days = hours_text.read_days(special)
            except NotHours as error:
                st.error(f"**This cannot be kept.** {sentence(str(error))}", icon=":material/error:")
                return
            # A day that is left out would stay: null takes it away.
            gone = dict.fromkeys(set(stored_values.fields(hours.get("exceptions"))) - set(days))
            save({"workingHours": hours_entered | {"exceptions": days | gone}})
