"""A list among a business's settings: each row a line, and in place of the one that is edited a form."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import streamlit as st

from admin_ui.widgets import problems, saving
from admin_ui.widgets.card import card

PLACE, _NEW = "business", "new"
Row = dict[str, Any]


def show(
    rows: list[Row], may: bool, add: tuple[str, str], form: Callable[[int], None], line: Callable[[Row], None]
) -> None:
    """Draw a list.

    Args:
        rows: What is in it.
        may: Whether it can be changed.
        add: What is written on the button for another row, and its icon.
        form: Draws the form for the row at a position; behind the last one for a new one.
        line: Draws the words of a row that is not edited.
    """
    edited = saving.edited(PLACE, [_NEW, *map(str, range(len(rows)))] if may else ())
    label, icon = add
    if may and edited != _NEW and st.button(label, icon=f":material/{icon}:", type="primary"):
        _open(_NEW)
    if edited == _NEW:
        form(len(rows))
    with st.container(gap="xsmall"):
        for at, row in enumerate(rows):
            if edited == str(at):
                form(at)
            else:
                _line(row, at, may, line)


def is_adding() -> bool:
    """Tell whether the form for a new row is open."""
    return saving.edited(PLACE) == _NEW


def changed(rows: list[Row], at: int, typed: Mapping[str, Any], remove: str) -> list[Row] | None:
    """Draw the buttons that end a row's form; return the list as it is to be saved, or None as long as it is not.

    Args:
        rows: What is in the list.
        at: The position of the row; behind the last one it is a new one.
        typed: What the form says of it. What says nothing is left out, and what the form does not know stays.
        remove: What is written on the button that takes it out.
    """
    is_new = at == len(rows)
    with st.container(horizontal=True):
        wants_save = st.form_submit_button("Save", type="primary")
        wants_stop = st.form_submit_button("Cancel")
        wants_gone = not is_new and st.form_submit_button(remove, icon=":material/delete:")
    if wants_stop:
        problems.forget(PLACE)
        saving.stop_editing(PLACE)
        st.rerun()
    if wants_gone:
        return [*rows[:at], *rows[at + 1 :]]
    if not wants_save:
        return None
    untouched = {} if is_new else {name: value for name, value in rows[at].items() if name not in typed}
    return [
        *rows[:at],
        untouched | {name: value for name, value in typed.items() if value not in ("", 0)},
        *rows[at + 1 :],
    ]


def _line(row: Row, at: int, may: bool, line: Callable[[Row], None]) -> None:
    with card() as (words, button):
        with words:
            line(row)
        if may and button.button("Edit", key=f"edit/row/{at}", icon=":material/edit:"):
            _open(str(at))


def _open(what: str) -> None:
    # What was wrong with another row says nothing of this one.
    problems.forget(PLACE)
    saving.edit(PLACE, what)
    st.rerun()
