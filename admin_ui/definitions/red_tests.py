"""Kept tests that are red with a draft: what went wrong with each, and a box for each that it is published over."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import Any

import streamlit as st

from admin_ui.shell import failure_view
from admin_ui.shell.server import TESTS_PLAYED_WITHIN_S, Refused, Server
from admin_ui.widgets import own_key, saving
from admin_ui.widgets.plain_text import plain, sentence
from admin_ui.widgets.saving import Change

_BEFORE = {True: "It was red before as well.", None: "Nobody knows whether it was red before."}


def send(server: Server, change: Change, place: str) -> None:
    """Make a change before which kept tests are played; those that are red stand at `place` then."""

    def tell(refused: Refused) -> None:
        if not refused.tests:
            failure_view.tell(refused)
            return
        st.session_state[_key(place)] = refused.tests
        st.rerun()

    with st.spinner("The tests that businesses keep are played first; that can take a minute."):
        saving.send(server, replace(change, within_s=TESTS_PLAYED_WITHIN_S), tell)


def ticked(place: str, businesses: Collection[str] | None = None) -> list[str]:
    """Draw the tests that were red when something was to be done here, and return those that have their box ticked.

    Args:
        place: As `send` was given it.
        businesses: Whose tests matter; None for all.
    """
    tests = st.session_state.get(_key(place), ())
    shown = [test for test in tests if businesses is None or test["businessId"] in businesses]
    if shown:
        st.error(
            "**Nothing was published: calls that were made tests do not come to the same with this draft.** Change "
            "the draft or the tests. Or tick each of them, and it is published all the same: your name stands by it.",
            icon=":material/fact_check:",
        )
    return [test["name"] for test in shown if _drawn(test, place)]


def _drawn(test: Mapping[str, Any], place: str) -> bool:
    with st.container(border=True):
        is_ticked = st.checkbox(
            f"Publish although **{plain(test['test'])}** of **{plain(test['businessId'])}** is red",
            key=own_key.of(f"red/{place}/{test['name']}"),
        )
        st.markdown(sentence(test["what"]))
        if test["sentence"]:
            st.caption(f"It was said: {plain(test['sentence'])}")
        if test["call"]:
            st.caption(f"It was called: {plain(test['call'])}")
        if test["wasRed"] in _BEFORE:
            st.caption(_BEFORE[test["wasRed"]])
    return is_ticked


def _key(place: str) -> str:
    return f"at/red/{place}"
