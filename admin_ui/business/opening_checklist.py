"""What is left to do before callers can call a business, step by step."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import streamlit as st

from admin_ui.widgets.plain_text import plain


def show(steps: Sequence[Mapping[str, Any]]) -> None:
    """Draw the steps, each with how it is done where it is not."""
    for step in steps:
        icon = ":green[:material/check_circle:]" if step["isDone"] else ":material/radio_button_unchecked:"
        how = f"  \n{plain(step['how'])}" if step["how"] else ""
        st.markdown(f"{icon} {plain(step['what'])}{how}")
