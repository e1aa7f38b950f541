"""Who is flagged or blocked: which callers and conversations, turning a number away, and lifting it."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

import streamlit as st

from admin_ui.shell.business import Business
from admin_ui.shell.server import Refused, Server, below
from admin_ui.widgets import base_revision, problems, saving, second_question, time_text
from admin_ui.widgets.base_revision import Opened
from admin_ui.widgets.card import card
from admin_ui.widgets.plain_text import plain
from admin_ui.widgets.saving import Change

PLACE = "restrictions"
_FLAG = "Flag it: they get a sentence and no conversation"
_DAYS = {"Block it for a day": 1, "Block it for a week": 7, "Block it for 30 days": 30, "Block it for a year": 365}


def show(server: Server, business: Business) -> None:
    """Draw who is turned away, and the form for another number."""
    path = below("admin", "businesses", business.id, "restrictions")
    st.markdown("Callers whom your receptionist flagged or ignores, and those whom you turn away yourselves.")
    if saving.conflict(server, PLACE):
        return
    read, may = base_revision.read_once(PLACE, lambda: server.get(path)), business.may("edit_safeguards")
    if may:
        _form(server, path, read)
    if not read.body["restrictions"]:
        st.info("Nobody is flagged or blocked.", icon=":material/sentiment_satisfied:")
    elif not read.body["isWhole"]:
        st.caption("There are more than are shown here; these are some of them.")
    with st.container(gap="xsmall"):
        for row in read.body["restrictions"]:
            _line(server, business, path, row, may)


def _form(server: Server, path: str, read: Opened) -> None:
    wrong = problems.of(PLACE)
    with st.form(f"restriction/{read.form}"):
        left, right = st.columns([2, 3])
        phone = left.text_input("Number to turn away", max_chars=40, key=f"{read.form}/phone")
        with left:
            wrong.below("phone")
        reason = right.text_input("Why, for you and your colleagues", max_chars=500, key=f"{read.form}/reason")
        with right:
            wrong.below("reason")
        how = st.selectbox("What to do", [_FLAG, *_DAYS], key=f"{read.form}/how")
        is_submitted = st.form_submit_button("Turn it away", type="primary", icon=":material/block:")
    if is_submitted:
        body: dict[str, Any] = {"phone": phone.strip(), "reason": reason.strip(), "flag": how == _FLAG}
        if how in _DAYS:
            body["blockedUntil"] = (datetime.now().astimezone() + timedelta(days=_DAYS[how])).isoformat()
        try:
            server.send("POST", path, body)
        except Refused as error:
            problems.tell(PLACE, error)
            return
        problems.forget(PLACE)
        saving.finish(PLACE, "The number is turned away from now on.")
    wrong.rest()


def _line(server: Server, business: Business, path: str, row: Mapping[str, Any], may: bool) -> None:
    with card() as (text, button):
        who = " · ".join(filter(None, (row["name"], row["phone"]))) or f"One conversation, {row['id']}"
        text.markdown(f"**{plain(who)}** {_badges(row, business)}")
        facts = [row["flagReason"], row["blockReason"], time_text.told(row["at"], business.zone)]
        facts.append(f"by {row['changedBy']}" if row["changedBy"] else "")
        text.caption(plain(" · ".join(dict.fromkeys(filter(None, facts)))))
        if row["flaggedUntil"] and may:
            text.caption("Your receptionist flagged a customer. Flag the number yourselves, and it holds for good.")
        if not may:
            return
        key = f"{row['place']}/{row['id']}"
        with button:
            question = f"Let **{plain(who)}** have conversations again?"
            is_sure = second_question.sure(f"lift/{key}", "Lift", question, "Yes, lift it", ":material/lock_open:")
        if is_sure:
            where = path + below(row["place"], row["id"])
            saving.send(server, Change(PLACE, "DELETE", where, None, row["revision"], "It is lifted."))


def _badges(row: Mapping[str, Any], business: Business) -> str:
    badges = []
    if row["flagged"]:
        until = row["flaggedUntil"]
        words = f"flagged until {plain(time_text.told(until, business.zone))}" if until else "flagged"
        badges.append(f":red-badge[{words}]" if row["binds"] else ":gray-badge[flag of an unproven number]")
    if row["blockedUntil"]:
        badges.append(f":orange-badge[blocked until {plain(time_text.told(row['blockedUntil'], business.zone))}]")
    return " ".join(badges)
