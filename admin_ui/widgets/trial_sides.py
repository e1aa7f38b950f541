"""What the two sides of a trial did, beside each other."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import streamlit as st

from admin_ui.widgets.plain_text import plain

_SHARES = {"refusals": "Refused", "failures": "Failed", "unknown": "Unknown outcome"}


def show(trial: Mapping[str, Any], new: str, old: str, counts: Mapping[str, str]) -> None:
    """Draw a trial's numbers, with what has to be said about them.

    Args:
        trial: As the API shows it.
        new: What the side that is tried is called.
        old: What the other one is called.
        counts: The titles of what is counted on each side, in order, by its name; refusals and failures come behind it.
    """
    sides = {new: trial["new"], old: trial["old"]}
    rows = [[title, *(str(side[name]) for side in sides.values())] for name, title in counts.items()]
    rows += [[title, *(_share(side, name) for side in sides.values())] for name, title in _SHARES.items()]
    table = [f"| {' | '.join(row)} |" for row in (["", *sides], ["---"] * 3, *rows)]
    st.markdown("\n".join(table))
    for name, side in sides.items():
        if side["remark"]:
            st.caption(f"{name}: {plain(side['remark'])}")
    if not trial["isWhole"]:
        st.caption("Some of it was not counted within a week, and cannot be counted any more.")


def _share(side: Mapping[str, Any], name: str) -> str:
    share = side["perHundred"][name]
    return str(side[name]) if share is None else f"{side[name]} ({share:g} of 100)"
