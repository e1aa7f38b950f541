"""One customer: what is on file, what there was, and joining, flagging, exporting and forgetting them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import streamlit as st

from admin_ui.customers import customer_form
from admin_ui.customers.customer_form import PLACE
from admin_ui.shell import elsewhere, failure_view, words
from admin_ui.shell.business import Business
from admin_ui.shell.server import Refused, Server, below
from admin_ui.widgets import base_revision, notice, own_key, saving, second_question, time_text, whereabouts
from admin_ui.widgets.base_revision import Opened
from admin_ui.widgets.plain_text import lines, plain
from admin_ui.widgets.saving import Change

OPEN = "customer"
_PATIENT_S = 300.0
_MASKED = "•••"


def show(server: Server, business: Business, customer_id: str) -> None:
    """Draw a customer."""
    base = below("admin", "businesses", business.id)
    path = f"{base}/customers{below(customer_id)}"
    if saving.conflict(server, PLACE):
        return
    read = base_revision.read_once(PLACE, lambda: server.get(path))
    customer, may = read.body, business.may("edit_safeguards")
    with st.container(horizontal=True, vertical_alignment="center"):
        st.subheader(plain(customer["name"] or customer["phone"] or customer["id"]), anchor=False, width="content")
        if customer["flagged"]:
            st.badge("flagged", color="red", icon=":material/flag:")
        if customer["blockedUntil"]:
            until = time_text.told(customer["blockedUntil"], business.zone)
            st.badge(plain(f"blocked until {until}"), color="orange", icon=":material/block:")
    if may and saving.edited(PLACE) == customer_id:
        customer_form.correct(server, path, read)
    else:
        _facts(customer)
        if may:
            _actions(server, business, base, read)
    _history(server, business, path)


def _facts(customer: Mapping[str, Any]) -> None:
    reached = [customer["phone"], *customer["otherPhones"], customer["email"]]
    st.markdown(plain(" · ".join(filter(None, reached))) or "Nobody knows how to reach them.")
    if customer["dateOfBirth"]:
        st.caption(f"Born {plain(customer['dateOfBirth'])}")
    if customer["notes"]:
        st.markdown(f"> {lines(customer['notes'])}")
    reasons = " ".join(filter(None, (customer["flagReason"], customer["blockReason"])))
    if reasons:
        st.caption(plain(f"Why: {reasons}"))


def _actions(server: Server, business: Business, base: str, read: Opened) -> None:
    customer = read.body
    path = f"{base}/customers{below(customer['id'])}"
    with st.container(horizontal=True):
        if st.button("Correct", key="correct", icon=":material/edit:"):
            saving.edit(PLACE, customer["id"])
            st.rerun()
        _restriction(server, base, customer)
        with st.popover("Make one of two", icon=":material/merge:", key="merge"):
            _merge(server, path, read, base)
        _export(server, path, customer)
    question = (
        "Delete what is kept of them: the record, conversations, messages and texts? Appointments stay in your books, "
        "without the person. This cannot be taken back."
    )
    if second_question.sure("forget", "Forget them", question, "Yes, forget them", ":material/person_remove:"):
        _forget(server, path, read)


def _restriction(server: Server, base: str, customer: Mapping[str, Any]) -> None:
    if customer["restrictionRevision"]:
        if st.button("Lift what stands against them", key="lift", icon=":material/lock_open:"):
            where = f"{base}/restrictions/callers{below(customer['id'])}"
            saving.send(server, Change(PLACE, "DELETE", where, None, customer["restrictionRevision"], "It is lifted."))
        return
    if not customer["phone"]:
        return
    with st.popover("Flag", icon=":material/flag:", key="flag"):
        st.markdown("Whoever is flagged gets a sentence and no conversation.")
        key = own_key.of("flag/reason", customer["id"])
        reason = st.text_input("Why, for you and your colleagues", key=key, max_chars=500)
        if st.button("Flag them", key="flag/yes", type="primary", disabled=not reason.strip()):
            body = {"phone": customer["phone"], "reason": reason.strip(), "flag": True}
            saving.send(server, Change(PLACE, "POST", f"{base}/restrictions", body, "", "They are flagged."))


def _merge(server: Server, path: str, read: Opened, base: str) -> None:
    st.markdown("Give this customer what stands in another record, which is gone then.")
    text = st.text_input("The other's name or number", key=own_key.of("merge/text", read.body["id"])).strip()
    if not text:
        return
    found = [one for one in _found(server, base, text) if one["id"] != read.body["id"]]
    if not found:
        st.caption("No other customer is called so.")
    for other in found:
        who = " · ".join(filter(None, (other["name"], other["phone"], other["email"])))
        if st.button(plain(f"Join with {who}"), key=f"merge/{other['id']}", width="stretch"):
            body, done = {"other": other["id"]}, "Both are one customer now."
            saving.send(server, Change(PLACE, "POST", f"{path}/merge", body, read.revision, done, False))


def _found(server: Server, base: str, text: str) -> list[Mapping[str, Any]]:
    try:
        rows: list[Mapping[str, Any]] = server.get(f"{base}/customers", {"text": text, "limit": 5}).body["customers"]
    except Refused:
        return []
    return rows


def _export(server: Server, path: str, customer: Mapping[str, Any]) -> None:
    key = f"at/export/{customer['id']}"
    exported = st.session_state.get(key)
    if exported is None:
        if st.button("Export", key="export", icon=":material/download:", help="All that is kept of them, as JSON."):
            try:
                with st.spinner("Looking through everything…"):
                    st.session_state[key] = _patient(server).get(f"{path}/export").body
            except Refused as error:
                # Two on file may share a number, and what goes by it would be somebody else's.
                failure_view.tell(error)
                return
            st.rerun()
        return
    text = json.dumps(exported, indent=2, ensure_ascii=False)
    name = f"customer-{customer['id']}.json"
    st.download_button("Save the export", text, name, "application/json", icon=":material/download:")


def _forget(server: Server, path: str, read: Opened) -> None:
    try:
        with st.spinner("Looking through everything…"):
            done = _patient(server).send("POST", f"{path}/forget", {}, read.revision).body
    except Refused as error:
        failure_view.tell(error)
        return
    sentences = ["They are forgotten."]
    if done["upcoming"]:
        sentences.append(f"{len(done['upcoming'])} appointments to come stand without a name.")
    if done["outside"]:
        sentences.append(f"{len(done['outside'])} entries stay in your calendar elsewhere.")
    if done["rows"]:
        rows = ", ".join(f"{name} ({count})" for name, count in sorted(done["rows"].items()))
        sentences.append(plain(f"Rows of your own collections still name them: {rows}. Take them out under Knowledge."))
    if done["running"]:
        sentences.append(
            "A conversation of theirs was still running: what it leaves is kept until you do it once more."
        )
    if done["left"]:
        sentences.append("Some of it was changing; do it once more.")
    whereabouts.open(OPEN, "")
    base_revision.forget(PLACE)
    notice.say(" ".join(sentences))
    st.rerun()


def _patient(server: Server) -> Server:
    # Everything that a business has is looked through.
    return replace(server, answers_within_s=_PATIENT_S)


def _history(server: Server, business: Business, path: str) -> None:
    history = server.get(f"{path}/history").body
    if not any(history[name] for name in ("appointments", "conversations", "messages")):
        st.info("There was nothing yet: no appointment, call or message.", icon=":material/history:")
        return
    if not history["isWhole"]:
        st.caption("There is more than is shown here; these are the latest.")
    if history["appointments"]:
        st.markdown("**Appointments**")
        rows = [_appointment(row, business) for row in history["appointments"]]
        st.markdown("\n".join(f"- {row}" for row in rows))
    if history["conversations"]:
        st.markdown("**Calls and chats**")
        for row in history["conversations"]:
            channel = words.CHANNELS.get(str(row["channel"]), str(row["channel"]))
            st.caption(plain(f"{time_text.told(row['at'], business.zone)} · {channel} · {row['phone'] or ''}"))
        phone = history["conversations"][0]["phone"]
        # Nothing is found by a number that is not shown.
        is_shown = phone and phone != _MASKED
        if is_shown and st.button("Look at them under Calls", key="calls", type="tertiary"):
            whereabouts.bring("call_text", phone)
            elsewhere.go("calls")
    if history["messages"]:
        st.markdown("**Messages**")
        for row in history["messages"]:
            st.markdown(f"> {lines(row['text'])}")
            state = "done" if row["done"] else "to do"
            st.caption(plain(f"{time_text.told(row['at'], business.zone)} · {state}"))


def _appointment(row: Mapping[str, Any], business: Business) -> str:
    whom = ", ".join(one["name"] for one in row["with"])
    state = "" if row["status"] == "confirmed" else row["status"].replace("_", " ")
    facts = [time_text.told(row["start"], business.zone), row["service"], whom, state]
    return plain(" · ".join(filter(None, facts)))
