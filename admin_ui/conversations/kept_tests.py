"""Calls that were made a test: what is proposed, edited as text and kept, and the list of those that are kept."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from admin_ui.shell import failure_view
from admin_ui.shell.business import Business
from admin_ui.shell.server import TESTS_PLAYED_WITHIN_S, Refused, Server, below
from admin_ui.widgets import base_revision, notice, saving, time_text, whereabouts
from admin_ui.widgets.base_revision import Opened
from admin_ui.widgets.card import card
from admin_ui.widgets.plain_text import plain, sentence
from admin_ui.widgets.saving import Change

PLACE = "evals"
_NEW = "new/"
_NAME = re.compile(r"^name:\s*['\"]?([a-z0-9][a-z0-9-]*)['\"]?\s*$", re.MULTILINE)
_HEIGHT = 480
# What is based on this is refused where there is one.
_NONE_YET = "none"
_OPEN = "kept_tests"


def offer(server: Server, business: Business, record: Mapping[str, Any]) -> bool:
    """Draw what makes a call a test, or what is proposed for it; tell whether that stands in place of the call."""
    place = f"{_NEW}{record['id']}"
    if saving.edited(PLACE, (place,) if business.may("edit_tools") else ()) != place:
        if business.may("edit_tools") and st.button(
            *("Make this call a test", "make_a_test"),
            help="The same call is held again, with made-up people, and must come to the same.",
            icon=":material/fact_check:",
        ):
            base_revision.forget(place)
            saving.edit(PLACE, place)
            st.rerun()
        return False
    path = below("admin", "businesses", business.id, "interactions", record["id"], "eval")
    try:
        proposed = base_revision.read_once(place, lambda: server.ask(path, {}))
    except Refused as error:
        if error.status != 400:
            raise
        saving.stop_editing(PLACE)
        for problem in error.problems:
            st.info(plain(problem["message"]), icon=":material/info:")
        return False
    st.info(
        "Everybody in it is made up; what callers told in their own words may still tell who they are. What must come "
        "of it stands below **expect**, as it came this time. Read it, change what you like, and keep it.",
        icon=":material/fact_check:",
    )
    if proposed.body["isKept"]:
        st.warning(f"A test called {plain(proposed.body['name'])} is kept already. Write another name.")
    _form(server, business, proposed, is_new=True)
    return True


def show(server: Server, business: Business) -> bool:
    """Draw the list of kept tests, or one of them; tell whether it stands in place of the calls."""
    if not whereabouts.opened(_OPEN):
        if st.button("Tests made of calls", "kept_tests", icon=":material/fact_check:", type="tertiary"):
            whereabouts.open(_OPEN, "yes")
            st.rerun()
        return False
    edited = saving.edited(PLACE)
    if st.button("All tests" if edited else "All calls", icon=":material/arrow_back:", type="tertiary"):
        base_revision.forget(PLACE)
        if not edited:
            whereabouts.open(_OPEN, "")
        saving.stop_editing(PLACE)
        st.rerun()
    if edited:
        read = base_revision.read_once(PLACE, lambda: server.get(_path(business, edited)))
        if not saving.conflict(server, PLACE):
            _form(server, business, read, is_new=False)
        return True
    _list(server, business, server.get(_path(business)).body["evals"])
    return True


def _list(server: Server, business: Business, tests: Sequence[Mapping[str, Any]]) -> None:
    may = business.may("edit_tools")
    if not tests:
        st.info("No call was made a test yet. Open a call, and make it one there.", icon=":material/fact_check:")
    elif may and st.button("Run all now", "run_tests", icon=":material/play_arrow:"):
        _run(server, business, [])
    for test in tests:
        with card() as (text, button):
            badge = _badge(test["outcome"])
            text.markdown(f"**{plain(test['name'])}** {badge}")
            changed = f"{time_text.told(test['updatedAt'], business.zone)}, {test['updatedBy']}"
            text.caption(plain(" · ".join(filter(None, (test["about"], changed)))))
            _outcome(text, business, test["outcome"])
            if may and button.button("Run now", key=f"run/{test['name']}"):
                _run(server, business, [test["name"]])
            if button.button("Open", key=f"test/{test['name']}"):
                saving.edit(PLACE, test["name"])
                st.rerun()


def _badge(outcome: Mapping[str, Any] | None) -> str:
    if outcome is None:
        return ":gray-badge[not run yet]"
    return ":red-badge[:material/close: red]" if outcome["isRed"] else ":green-badge[:material/check: green]"


def _outcome(place: DeltaGenerator, business: Business, outcome: Mapping[str, Any] | None) -> None:
    if outcome is None:
        return
    place.caption(plain(f"Last run {time_text.told(outcome['at'], business.zone)}"))
    if outcome["isRed"]:
        place.markdown(sentence(outcome["what"]))
        if outcome["sentence"]:
            place.caption(f"It was said: {plain(outcome['sentence'])}")
        if outcome["call"]:
            place.caption(f"It was called: {plain(outcome['call'])}")


def _run(server: Server, business: Business, names: Sequence[str]) -> None:
    path = below("admin", "businesses", business.id, "eval-runs")
    try:
        with st.spinner("The tests are played; that can take a minute."):
            body = server.ask(path, {"names": names}, within_s=TESTS_PLAYED_WITHIN_S).body
    except Refused as error:
        failure_view.tell(error)
        return
    left = body["notRun"]
    notice.say(f"Played; for {left} there was no time. Run them again." if left else "Played.")
    st.rerun()


def _form(server: Server, business: Business, read: Opened, *, is_new: bool) -> None:
    may = business.may("edit_tools")
    with st.form(f"test/{read.form}"):
        text = st.text_area("The test", read.body["text"], height=_HEIGHT, key=f"{read.form}/text", disabled=not may)
        with st.container(horizontal=True):
            wants_save = st.form_submit_button("Keep this test" if is_new else "Save", type="primary", disabled=not may)
            wants_gone = st.form_submit_button("Cancel" if is_new else "Remove this test", disabled=not may)
    if wants_gone and is_new:
        saving.stop_editing(PLACE)
        st.rerun()
    elif wants_gone:
        gone = Change(PLACE, "DELETE", _path(business, read.body["name"]), None, read.revision, "The test is removed.")
        saving.send(server, gone)
    elif wants_save:
        match = _NAME.search(text)
        if match is None:
            st.error("Its name is missing: write a line such as `name: moves-to-wednesday`, in small letters.")
            return
        # Under another name it is another test.
        path, is_same = _path(business, match[1]), not is_new and match[1] == read.body["name"]
        done = "The test is kept." if is_new else "Saved."
        saving.send(server, Change(PLACE, "PUT", path, {"text": text}, read.revision if is_same else _NONE_YET, done))


def _path(business: Business, *parts: str) -> str:
    return below("admin", "businesses", business.id, "evals", *parts)
