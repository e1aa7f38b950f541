"""What one turn of a conversation may cost: how many look-ups and calls, and how long a caller waits for them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import streamlit as st

from admin_ui.shell import words
from admin_ui.widgets import stored_values
from admin_ui.widgets.base_revision import Opened

_NAMES = {
    "lookUpsPerTurn": "Look-ups in one turn",
    "callsPerTurn": "Tool calls in one turn",
    "lookUpMs": "One look-up, milliseconds",
    "lookUpMsPerTurn": "All look-ups of a turn, milliseconds",
    "actionMs": "Waiting for an action, milliseconds",
}


def show(read: Opened, save: Callable[[dict[str, Any]], None]) -> None:
    """Draw the business's own, in a form."""
    st.markdown(
        "How much your receptionist may look up and do before it answers. More of it means longer waits: on the phone "
        "a caller hears only that it takes a moment."
    )
    before = stored_values.fields(read.body["business"].get("limits"))
    with st.form(f"limits/{read.form}"):
        channels = fields(before, read.body.get("limits") or {}, f"{read.form}/limits")
        wants_save = st.form_submit_button("Save", type="primary", disabled=not read.body["mayEdit"])
    if wants_save:
        # A part that is taken out goes back to what the house gives.
        gone = {channel: None for channel in before if channel not in channels}
        limits = {
            channel: numbers | {name: None for name in stored_values.fields(before.get(channel)) if name not in numbers}
            for channel, numbers in channels.items()
        }
        save({"limits": limits | gone})


def fields(before: Mapping[str, Any], known: Mapping[str, Any], key: str) -> dict[str, dict[str, Any]]:
    """Draw a field for each channel and limit, and return what is written; what is no number is told when saved.

    Args:
        before: What is set now.
        known: By channel and name, `{usual, least, greatest}`.
        key: Tells these fields from all others of the page.
    """
    channels: dict[str, dict[str, Any]] = {}
    for column, (channel, limits) in zip(st.columns(max(len(known), 1)), known.items(), strict=False):
        now = stored_values.fields(before.get(channel))
        column.markdown(f"**{words.CHANNELS.get(channel, channel)}**")
        for name, bounds in limits.items():
            # A field for numbers cannot be emptied again once it has one.
            typed = column.text_input(
                _NAMES.get(name, name),
                str(now.get(name) or ""),
                placeholder=f"{bounds['usual']}, at most {bounds['greatest']}",
                max_chars=12,
                key=f"{key}/{channel}/{name}",
            ).strip()
            if typed:
                channels.setdefault(channel, {})[name] = int(typed) if typed.isdecimal() else typed
    return channels
