"""Who gets no texts: the numbers that have sent STOP, adding one that has said so otherwise, and texting one again."""

from __future__ import annotations

from functools import partial

import streamlit as st

from admin_ui.shell.business import Business
from admin_ui.shell.server import Server, below
from admin_ui.widgets import base_revision, problems, saving, second_question, time_text
from admin_ui.widgets.card import card
from admin_ui.widgets.plain_text import plain
from admin_ui.widgets.saving import Change

PLACE = "text stops"
_ASKED = "Only for whoever has told you that they want texts again."
_OWN_STOP = (
    "Whoever has it **sent STOP themselves**. If they did so to the phone network as well, it refuses your texts until "
    "they send START."
)


def show(server: Server, business: Business) -> None:
    """Draw the list, and the form for another number."""
    path = below("admin", "businesses", business.id, "text-stops")
    st.subheader("No texts")
    st.markdown("Numbers that get no texts from you: they sent STOP, or told you so.")
    if saving.conflict(server, PLACE):
        return
    read, may = base_revision.read_once(PLACE, lambda: server.get(path)), business.may("edit_safeguards")
    if may:
        _form(server, path, read.form)
    if not read.body["textStops"]:
        st.info("There is no such number.", icon=":material/sms:")
    elif not read.body["isWhole"]:
        st.caption("There are more than are shown here; these are the newest.")
    for row in read.body["textStops"]:
        with card() as (text, button):
            text.markdown(f"**{plain(row['number'])}**")
            text.caption(plain(" · ".join(filter(None, (row["source"], time_text.told(row["at"], business.zone))))))
            if not may:
                continue
            with button:
                is_own = row["isCallersOwn"]
                question = f"Text **{plain(row['number'])}** again? {_OWN_STOP if is_own else ''} {_ASKED}"
                yes = "Yes, they have told me" if is_own else "Yes"
                is_sure = second_question.sure(f"texts/{row['number']}", "Text again", question, yes, ":material/sms:")
            if is_sure:
                done = "It gets texts again."
                where = path + below(row["number"])
                body = {"confirm": True} if is_own else None
                saving.send(server, Change(PLACE, "DELETE", where, body, row["revision"], done))


def _form(server: Server, path: str, form: str) -> None:
    wrong = problems.of(form)
    with st.form(f"text-stop/{form}"):
        phone = st.text_input("Number that wants no texts", max_chars=40, key=f"{form}/stop-phone")
        wrong.below("phone")
        is_submitted = st.form_submit_button("Text it no more", icon=":material/sms_failed:")
    if is_submitted:
        change = Change(PLACE, "POST", path, {"phone": phone.strip()}, "", "It gets no texts any more.")
        saving.send(server, change, partial(problems.tell, form))
    wrong.rest()
