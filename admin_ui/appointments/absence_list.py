"""When somebody or something is not there: a list, and a form for a further absence."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date, datetime
from typing import Any

import streamlit as st

from admin_ui.shell.business import Business
from admin_ui.shell.server import Server, below
from admin_ui.widgets import base_revision, consequences, problems, saving, second_question
from admin_ui.widgets.card import card
from admin_ui.widgets.consequences import Asked
from admin_ui.widgets.plain_text import plain
from admin_ui.widgets.saving import Change

PLACE = "absences"
_DAY = len("2026-12-24")


def show(server: Server, business: Business, rows: Sequence[Mapping[str, Any]]) -> None:
    """Draw the absences of these people and rooms."""
    path = below("admin", "businesses", business.id, "absences")
    st.subheader("Away", anchor=False)
    if consequences.show(server, business, PLACE):
        return
    if saving.conflict(server, PLACE):
        return
    read, may = base_revision.read_once(PLACE, lambda: server.get(path)), business.may("edit_business")
    if may:
        _form(server, path, read.form, rows)
    today = datetime.now(business.zone).date().isoformat()
    coming = [one for one in read.body["absences"] if one["end"][:_DAY] >= today]
    if not coming:
        st.caption("Nobody is away in the time to come.")
    with st.container(gap="xsmall"):
        for one in coming:
            with card() as (text, button):
                text.markdown(f"**{plain(one['name'])}** · {plain(_when(one))}")
                if one["reason"]:
                    text.caption(plain(one["reason"]))
                if may:
                    with button:
                        _remove(server, path, one)


def leave() -> None:
    """Have them read anew when they are looked at again."""
    base_revision.forget(PLACE)
    consequences.forget(PLACE)


def _form(server: Server, path: str, form: str, rows: Sequence[Mapping[str, Any]]) -> None:
    wrong, names = problems.of(PLACE), {str(row["id"]): str(row["name"]) for row in rows}
    with st.form(f"absence/{form}"):
        who, first, last = st.columns([2, 1, 1])
        id = who.selectbox("Who is away", list(names), format_func=names.__getitem__, key=f"{form}/who")
        begins = first.date_input("First day", "today", key=f"{form}/first")
        with last:
            ends = st.date_input("Last day", "today", key=f"{form}/last")
            wrong.below("end")
        why, since, until = st.columns([2, 1, 1])
        reason = why.text_input("Why, for you and your colleagues", max_chars=200, key=f"{form}/reason")
        help = "Only for a part of a day, such as 14:00; empty for whole days."
        since_clock = since.text_input("From", placeholder="all day", help=help, key=f"{form}/from")
        until_clock = until.text_input("Until", placeholder="all day", help=help, key=f"{form}/until")
        is_submitted = st.form_submit_button("Enter the absence", type="primary", icon=":material/event_busy:")
        wrong.rest()
    if is_submitted and id is not None:
        body = {"resource": id, "start": _written(begins, since_clock), "end": _written(ends, until_clock)}
        body |= {"reason": reason.strip()} if reason.strip() else {}
        done = f"{names[id]} is away then."
        # A change of somebody's absences is one of theirs, too.
        base_revision.forget("team")
        consequences.send(server, PLACE, Asked("POST", path, body, "", done, {}))


def _remove(server: Server, path: str, one: Mapping[str, Any]) -> None:
    question = f"Is **{plain(one['name'])}** there again? ({plain(_when(one))})"
    if second_question.sure(f"absence/{one['id']}", "Remove", question, "Yes, remove it", ":material/delete:"):
        base_revision.forget("team")
        saving.send(server, Change(PLACE, "DELETE", path + below(one["id"]), None, one["revision"], "Removed."))


def _written(day: Any, clock: str) -> str:
    """Return a day, or a time of it, as the API takes it."""
    text = clock.strip().replace(".", ":")
    written = day.isoformat() if isinstance(day, date) else str(day)
    return f"{written}T{text.zfill(5)}" if text else written


def _when(one: Mapping[str, Any]) -> str:
    first, last = _told(one["start"]), _told(one["end"])
    return first if first == last else f"{first} to {last}"


def _told(text: str) -> str:
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return text
    day = f"{moment:%a} {moment.day} {moment:%b %Y}"
    return day if len(text) == _DAY else f"{day}, {moment:%H:%M}"
