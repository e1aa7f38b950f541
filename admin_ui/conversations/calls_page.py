"""Calls and chats: a list that is filtered and searched, and everything about one of them."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from typing import Any
from urllib.parse import quote

import streamlit as st

from admin_ui.conversations import call_view, calls_table, kept_tests, live_view
from admin_ui.shell import words
from admin_ui.shell.business import Business
from admin_ui.shell.server import Refused, Server, below
from admin_ui.widgets import time_text, whereabouts
from admin_ui.widgets.card import card
from admin_ui.widgets.paging import pages_of
from admin_ui.widgets.plain_text import plain

_PERIODS = {"1 day": 1, "7 days": 7, "30 days": 30, "All": 0}
_A_PAGE = 20
_NUMBER = re.compile(r"[+(]?\d[\d\s().\-/]{5,}")
_OPEN, _PAGES = "call", "call_pages"


def show(server: Server, business: Business) -> None:
    """Draw the list, or the call that was opened from it."""
    chosen = whereabouts.opened(_OPEN)
    if chosen:
        if st.button("All calls", icon=":material/arrow_back:", type="tertiary"):
            whereabouts.open(_OPEN, "")
            st.rerun()
        call_view.show(server, business, chosen)
        return
    if kept_tests.show(server, business):
        return
    live_view.show(server, business)
    query = _filters()
    calls_table.show(server, business, query)
    _list(server, business, query)


def _filters() -> dict[str, Any]:
    with st.container(horizontal=True):
        period = whereabouts.part("Period", list(_PERIODS), "call_period", "30 days")
        channel = whereabouts.choice(
            *("Channel", list(words.CHANNELS)),
            index=None,
            format_func=words.CHANNELS.__getitem__,
            placeholder="Every channel",
            key="call_channel",
            width=180,
        )
        outcome = whereabouts.choice(
            *("How it ended", list(words.OUTCOMES)),
            index=None,
            format_func=words.OUTCOMES.__getitem__,
            placeholder="Any way",
            key="call_outcome",
            width=180,
        )
        is_trial = whereabouts.toggle(
            "Your own trials", key="call_trials", help="Those from the Playground; they count nowhere."
        )
    text = whereabouts.search(
        "Search", placeholder="Words, a number, or a tool", key="call_text", icon=":material/search:"
    )
    days = _PERIODS[period]
    today = datetime.now(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
    since = (today - timedelta(days=days)).isoformat() if days else ""
    return {"from": since, "channel": channel, "outcome": outcome, "text": text} | ({"trials": "1"} if is_trial else {})


def _list(server: Server, business: Business, query: dict[str, Any]) -> None:
    pages = pages_of(_PAGES, query)
    path = below("admin", "businesses", business.id, "interactions")
    body = server.get(path, {**query, "limit": _A_PAGE, "cursor": pages.cursor}).body
    interactions, behind = body["interactions"], body["nextCursor"]
    with st.container(gap="xsmall"):
        has_sessions = pages.is_first and _sessions(server, business, query["text"], interactions)
    if not interactions and not behind and pages.is_first:
        if not has_sessions:
            _say_nothing_found(query)
        return
    if not interactions:
        st.info(f"Nothing in these {body['scanned']} conversations.", icon=":material/search:")
    with st.container(gap="xsmall"):
        for line in interactions:
            _line(line, business)
    pages.show_buttons(behind, on="Older" if interactions or not query["text"] else "Go on searching")


def _sessions(server: Server, business: Business, text: str, shown: list[dict[str, Any]]) -> bool:
    """Draw the conversations that services carry for a caller's number; tell whether there are any.

    Of these there is no record of what was said, only of the tools that were called: refused ones, too.
    """
    if not _NUMBER.fullmatch(text):
        return False
    path = below("admin", "businesses", business.id, "sessions")
    try:
        found = server.get(path, {"caller": text, "limit": _A_PAGE}).body["sessions"]
    except Refused:
        # A part of a number is none.
        return False
    recorded = {line["sessionId"] or line["id"] for line in shown}
    found = [line for line in found if line["id"] not in recorded]
    for line in found:
        channel = str(line["channel"])
        when = time_text.told(line["startedAt"] or line["changedAt"], business.zone)
        facts = [words.CHANNELS.get(channel, channel), line["callerPhone"], f"session {line['id']}"]
        with card() as (about, button):
            about.markdown(f":material/build: **{plain(when)}**")
            about.caption(plain(" · ".join(filter(None, facts))))
            if button.button("Tools", key=f"session/{line['id']}", help="The tools that were called in it, and why."):
                whereabouts.fold("session", line["id"])
        if whereabouts.unfolded("session", line["id"]):
            body = server.get(f"{path}/{quote(line['id'], safe='')}/calls", {"limit": 100}).body
            call_view.timeline(server, business, line["id"], body["calls"], bool(body["nextCursor"]))
    return bool(found)


def _say_nothing_found(query: dict[str, Any]) -> None:
    if any(value for name, value in query.items() if name != "from"):
        st.info("No call or chat fits this search.", icon=":material/search_off:")
        st.caption("Take a filter away, or look at a longer time.")
    else:
        st.info("Nobody has called or written in this time.", icon=":material/call:")
        st.caption("As soon as somebody does, you can read it here.")


def _line(line: dict[str, Any], business: Business) -> None:
    channel, (outcome, color) = str(line["channel"]), words.outcome(line)
    with card() as (text, button):
        with text.container(horizontal=True, vertical_alignment="center"):
            icon = words.CHANNEL_ICONS.get(channel, "help")
            when = time_text.told(line["startedAt"], business.zone)
            st.markdown(f":material/{icon}: **{plain(when)}**", width="content")
            st.badge(outcome, color=color)
            if line["isTrial"]:
                st.badge("your own trial", color="violet", icon=":material/science:")
            if line["failedTools"]:
                st.badge(f"{len(line['failedTools'])} failed", color="red", icon=":material/error:")
            if line["receipts"]:
                st.badge(f"{line['receipts']} done", color="green", icon=":material/task_alt:")
        facts = [
            words.CHANNELS.get(channel, channel),
            line["callerPhone"] or "",
            time_text.lasted(line["durationSeconds"]),
            ", ".join(dict.fromkeys(line["tools"])),
        ]
        text.caption(plain(" · ".join(filter(None, facts))))
        if line.get("excerpt"):
            text.markdown(f"> {plain(line['excerpt'])}")
        if button.button("Open", key=f"open/{line['id']}"):
            whereabouts.open(_OPEN, line["id"])
            st.rerun()
