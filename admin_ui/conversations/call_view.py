"""Everything about one call or chat: what was said, which tools were called and why they ended so, what was done."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

import streamlit as st

from admin_ui.conversations import call_values, chat_desk, kept_tests, takeover_form, waterfall_view
from admin_ui.definitions import offer_rows
from admin_ui.shell import words
from admin_ui.shell.business import Business
from admin_ui.shell.server import Server, below, together
from admin_ui.widgets import time_text, whereabouts
from admin_ui.widgets.card import card
from admin_ui.widgets.plain_text import lines, plain, sentence

_PARTS = ("What was said", "Tools", "Time", "What was done", "Missing tools")
# Below this it is worth knowing that what stands there may not be what was said.
_UNSURE = 0.7
_WHY = "why"


def show(server: Server, business: Business, interaction_id: str) -> None:
    """Draw a call."""
    base = below("admin", "businesses", business.id, "interactions", interaction_id)
    whole, calls = together(partial(server.get, base), partial(server.get, f"{base}/calls", {"limit": 100}))
    record = whole.body
    _head(record, business)
    takeover_form.show(server, business, record)
    if kept_tests.offer(server, business, record):
        return
    # A link to one call of a tool means the part where it is explained.
    part = whereabouts.part("Part", _PARTS, "call_part", _PARTS[1] if whereabouts.has(_WHY) else _PARTS[0])
    if part == _PARTS[0] and (chat_desk.is_running(record) or chat_desk.is_mine(record)):
        chat_desk.show(server, business, record, _transcript)
    elif part == _PARTS[0]:
        _transcript(record, business)
    elif part == _PARTS[1]:
        session_id = str(record["sessionId"] or record["id"])
        timeline(server, business, session_id, calls.body["calls"], bool(calls.body["nextCursor"]))
    elif part == _PARTS[2]:
        waterfall_view.show(record, business)
    elif part == _PARTS[3]:
        _receipts(server.get(f"{base}/receipts").body["receipts"], business)
    else:
        _missing(server, business, record)


def _head(record: Mapping[str, Any], business: Business) -> None:
    channel, (outcome, color) = str(record["channel"]), words.outcome(record)
    with st.container(horizontal=True, vertical_alignment="center"):
        icon = words.CHANNEL_ICONS.get(channel, "help")
        when = time_text.told(record["startedAt"], business.zone)
        st.subheader(f":material/{icon}: {plain(when)}", width="content", anchor=False)
        st.badge(outcome, color=color)
        if record["isTrial"]:
            st.badge("your own trial", color="violet", icon=":material/science:")
        for version in record["agentVersions"]:
            which = "the version on trial" if version["side"] == "new" else "beside a trial, as it was"
            st.badge(plain(f"{version['agentId']}: {which}"), color="violet", icon=":material/science:")
    facts = [words.CHANNELS.get(channel, channel), record["callerPhone"], time_text.lasted(record["durationSeconds"])]
    st.caption(plain(" · ".join(fact for fact in facts if fact)))


def _transcript(record: Mapping[str, Any], business: Business) -> None:
    if not record["transcript"]:
        st.info("Nothing was said, or nothing was kept of it.", icon=":material/chat_bubble:")
    by_turn: dict[Any, list[Mapping[str, Any]]] = {}
    for call in record["toolCalls"]:
        by_turn.setdefault(call.get("turn"), []).append(call)
    for entry in record["transcript"]:
        if entry.get("role") == "notice":
            st.caption(f":material/person_edit: {plain(entry.get('text') or '…')}")
            continue
        is_caller, is_person = entry.get("role") == "caller", entry.get("role") == "person"
        avatar = ":material/person_edit:" if is_person else _avatar(is_caller)
        with st.chat_message("user" if is_caller else "person" if is_person else "assistant", avatar=avatar):
            if is_person:
                st.caption(f"{plain(entry.get('name') or 'A person of the business')}, and not the assistant:")
            heard = entry.get("heard")
            st.markdown(lines((entry.get("text") if heard is None else heard) or "…"))
            if entry.get("reported"):
                st.caption("By word of the visitor's browser, where a live voice speaks. Nobody can check it.")
            if entry.get("unheard"):
                st.caption(f"The caller spoke before the end of this, and did not hear: {plain(entry['unheard'])}")
            elif entry.get("interrupted"):
                st.caption("The caller spoke before the end of this.")
            if isinstance(sure := entry.get("confidence"), int | float) and sure < _UNSURE:
                st.caption(f"The recogniser was {sure:.0%} sure of these words.")
        if is_caller:
            for call in by_turn.pop(entry.get("turn"), ()):
                _called(call)


def _avatar(is_caller: bool) -> str:
    return ":material/person:" if is_caller else ":material/support_agent:"


def _called(call: Mapping[str, Any]) -> None:
    text = f"{call.get('name')} · {time_text.took(call.get('elapsedMs'))}"
    if call.get("ok") is False:
        error = str(call.get("error"))
        text += f" · {error if call['isFailure'] else words.ANSWERS.get(error, error)}"
    with st.container(horizontal=True, horizontal_alignment="center"):
        st.badge(plain(text), color="red" if call["isFailure"] else "gray", icon=":material/build:")


def timeline(server: Server, business: Business, session_id: str, calls: list[dict[str, Any]], is_cut: bool) -> None:
    """Draw the tool calls of a session, in order, each with why it ended so."""
    if not calls:
        st.info("No tool was called.", icon=":material/build:")
        return
    st.markdown("Each time your receptionist used a tool, in order. **Why?** tells how it came to its end.")
    for call in calls:
        with card() as (text, button):
            with text.container(horizontal=True, vertical_alignment="center"):
                st.markdown(f"**`{call['tool']}`**", width="content")
                st.badge(_ended(call), color=_color(call))
                if call["hasReceipt"]:
                    st.badge("Receipt", color="blue", icon=":material/receipt_long:")
            facts = [
                time_text.told(call["startedAt"], business.zone, seconds=True),
                time_text.took(call["elapsedMs"]),
                f"turn {call['turn']}" if call["turn"] else "",
            ]
            text.caption(plain(" · ".join(filter(None, facts))))
            if call["message"]:
                text.markdown(sentence(call["message"]))
            if button.button("Why?", key=f"why/{call['id']}", icon=":material/help:"):
                whereabouts.fold(_WHY, call["id"])
            if whereabouts.unfolded(_WHY, call["id"]):
                _explain(server, business, session_id, call["id"])
    if is_cut:
        st.caption("There were more; the first 100 are shown.")


def _ended(call: Mapping[str, Any]) -> str:
    if call["ok"]:
        return "Worked"
    if call["ok"] is None:
        return "Not finished"
    if call["state"] == "unknown":
        return "Not certain"
    return "Failed" if call["isFailure"] else words.ANSWERS.get(str(call["error"]), "Answered with a no")


def _color(call: Mapping[str, Any]) -> Any:
    if call["ok"]:
        return "green"
    return "red" if call["isFailure"] else "gray" if call["ok"] is None else "blue"


def _explain(server: Server, business: Business, session_id: str, call_id: str) -> None:
    query = {"businessId": business.id, "session": session_id, "call": call_id}
    story = server.get("/admin/explain", query).body
    st.markdown("\n".join(f"- {plain(one)}" for one in story["sentences"]))
    call_values.show(call_id, story)


def _receipts(receipts: list[dict[str, Any]], business: Business) -> None:
    if not receipts:
        st.info("Nothing was booked, sent or changed.", icon=":material/receipt_long:")
    for receipt in receipts:
        with st.container(border=True):
            st.markdown(f"**`{receipt.get('tool')}`** · {plain(time_text.told(receipt.get('at'), business.zone))}")
            receipt_fields = receipt.get("receipt")
            facts = (
                receipt_fields
                if isinstance(receipt_fields, Mapping)
                else {k: v for k, v in receipt.items() if k not in ("tool", "at")}
            )
            st.markdown(words.value({name: value for name, value in facts.items() if value not in (None, "")}))


def _missing(server: Server, business: Business, record: Mapping[str, Any]) -> None:
    st.markdown("Which tools this conversation could not use, and why. It is worked out from how things are **now**.")
    table = server.get(below("admin", "businesses", business.id, "what-if")).body
    rows = [_on(tool, str(record["channel"] or "phone")) for tool in table["tools"]]
    missing = [(tool, offer_rows.reasons(tool)) for tool in rows]
    if not any(why for _, why in missing):
        st.success("None was missing: every tool there is, is offered here.", icon=":material/check_circle:")
    for tool, why in missing:
        if why:
            with st.container(border=True):
                st.markdown(f"**`{tool['name']}`**")
                st.markdown("  \n".join(why))


def _on(tool: Mapping[str, Any], channel: str) -> dict[str, Any]:
    return {**tool, "cells": [cell for cell in tool["cells"] if cell["channel"] == channel]}
