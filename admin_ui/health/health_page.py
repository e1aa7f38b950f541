"""What is wrong and what to do about it, and what callers asked that nobody could answer."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import streamlit as st

from admin_ui.health import all_health
from admin_ui.health.all_health import SEVERITIES
from admin_ui.shell import words
from admin_ui.shell.business import Business
from admin_ui.shell.server import Server, below, together
from admin_ui.widgets import own_key, saving, time_text, whereabouts
from admin_ui.widgets.card import card
from admin_ui.widgets.plain_text import plain, sentence
from admin_ui.widgets.saving import Change

_PLACE = "questions"
_OPEN, _ANSWERED = "Open", "Answered"
_OF_ONE, _OF_ALL = "This business", "All businesses"


def show(server: Server, business: Business) -> None:
    """Draw the page; whoever looks after every business can look at all of them."""
    if business.role == "platform":
        of = whereabouts.part("Of", [_OF_ONE, _OF_ALL], "health_of")
        if of == _OF_ALL:
            all_health.show(server)
            return
    base = below("admin", "businesses", business.id)
    shown = whereabouts.coming("questions_shown", [_OPEN, _ANSWERED])
    cursor = whereabouts.opened(_PLACE)
    query = {"answered": "1" if shown == _ANSWERED else "0", "limit": 20, "cursor": cursor}
    health, questions = together(
        lambda: server.get(f"{base}/health").body, lambda: server.get(f"{base}/questions", query).body
    )
    _findings(health, business)
    _questions(server, business, base, questions, cursor)


def _findings(health: Mapping[str, Any], business: Business) -> None:
    if not health["findings"]:
        st.success("Everything works.", icon=":material/check_circle:")
    with st.container(gap="xsmall"):
        for finding in health["findings"]:
            text, color, icon = SEVERITIES[finding["severity"]]
            with st.container(border=True, gap="xsmall"):
                at = time_text.told(finding["at"], business.zone)
                st.markdown(f":{color}-badge[:material/{icon}: {text}] **{sentence(finding['means'])}**")
                st.markdown(f":material/arrow_forward: {sentence(finding['do'])}")
                if at:
                    st.caption(plain(at))
    checked = time_text.told(health["checkedAt"], business.zone, seconds=True)
    with st.container(horizontal=True, vertical_alignment="center"):
        st.caption(f"Looked at on {plain(checked)}.")
        st.button("Look again", icon=":material/refresh:", type="tertiary", key="health_again")


def _questions(server: Server, business: Business, base: str, page: Mapping[str, Any], cursor: str) -> None:
    st.subheader("What callers asked that nobody could answer", anchor=False)
    shown = whereabouts.part("Show", [_OPEN, _ANSWERED], "questions_shown")
    if saving.conflict(server, _PLACE):
        return
    if not page["questions"] and shown == _OPEN:
        st.info("There is none: every question found an answer.", icon=":material/task_alt:")
    elif not page["questions"]:
        st.caption("None was marked as answered yet.")
    may = business.may("edit_entries")
    for question in page["questions"]:
        with card() as (text, button):
            text.markdown(f"**{plain(question['question'])}**")
            times = "once" if question["count"] == 1 else f"{question['count']} times"
            where = ", ".join(words.CHANNELS.get(name, name) for name in question["channels"])
            last = time_text.told(question["lastAt"] or question["firstAt"], business.zone)
            text.caption(plain(" · ".join(filter(None, (f"asked {times}", where, last)))))
            label = "Answered" if shown == _OPEN else "Open again"
            if may and button.button(label, key=f"answered/{question['id']}", icon=":material/check:"):
                body = {"isAnswered": shown == _OPEN}
                path = f"{base}/questions" + below(question["id"])
                done = "Marked as answered." if shown == _OPEN else "It is open again."
                saving.send(server, Change(_PLACE, "PATCH", path, body, question["revision"], done))
            with text:
                _note(server, base, question, may)
    if page["questions"] and shown == _OPEN:
        st.caption("Write the answers under **Knowledge**, then mark the questions here.")
    with st.container(horizontal=True):
        if cursor and st.button("First", icon=":material/first_page:"):
            whereabouts.open(_PLACE, "")
            st.rerun()
        if page["nextCursor"] and st.button("More", icon=":material/chevron_right:"):
            whereabouts.open(_PLACE, page["nextCursor"])
            st.rerun()


def _note(server: Server, base: str, question: Mapping[str, Any], may: bool) -> None:
    """Draw what owners noted about a question, and the form to change it."""
    if question["note"]:
        st.caption(f":material/sticky_note_2: {plain(question['note'])}")
    if not may:
        return
    label = "Change the note" if question["note"] else "Note something about it"
    with st.popover(label, icon=":material/edit_note:", key=f"note/{question['id']}"):
        form = own_key.of("note", question["id"], question["revision"])
        with st.form(form, border=False):
            note = st.text_area("Note, for you and your colleagues", question["note"], 100, 500, key=f"{form}/text")
            wants_save = st.form_submit_button("Save the note", type="primary")
        if wants_save:
            path = f"{base}/questions" + below(question["id"])
            body = {"note": note.strip()}
            saving.send(server, Change(_PLACE, "PATCH", path, body, question["revision"], "Noted."))
