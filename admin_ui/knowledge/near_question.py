"""The question before a second policy or answer on what there is one of: which of them callers shall be told."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import streamlit as st

from admin_ui.shell import failure_view
from admin_ui.shell.server import Refused, Server, below
from admin_ui.widgets import saving
from admin_ui.widgets.plain_text import lines, plain
from admin_ui.widgets.saving import Change

_KINDS = {"policies": "policy", "faqs": "faq"}
_NOUNS = {"policy": "Policy", "faq": "Question"}


def ask(change: Change, error: Refused) -> None:
    """Have the page drawn anew with the question; or say why else something was not saved."""
    if not error.near:
        failure_view.tell(error)
        return
    st.session_state[_asked(change.place)] = (change, error.near)
    st.rerun()


def show(server: Server, place: str, base: str) -> bool:
    """Draw the question, if one is open; tell whether it is."""
    asked: tuple[Change, Sequence[Mapping[str, Any]]] | None = st.session_state.get(_asked(place))
    if asked is None:
        return False
    change, near = asked
    with st.container(border=True, key="near"):
        st.warning(
            "**Callers are told something on this already.** Nothing of yours was saved yet.", icon=":material/help:"
        )
        for one in near:
            _both(one, change)
        own = [one for one in near if one["kind"] == _KINDS[place] and one["revision"]]
        with st.container(horizontal=True):
            wants_place = (
                change.method == "POST"
                and len(own) == 1
                and st.button("Put mine in its place", type="primary", icon=":material/swap_horiz:")
            )
            wants_both = st.button("Keep both", icon=":material/library_add:")
            wants_back = st.button("Back to the form", icon=":material/arrow_back:")
    if wants_back:
        st.session_state.pop(_asked(place), None)
        st.session_state[_drafted(place)] = dict(change.body or {})
        st.rerun()
    body = {**(change.body or {}), "alongside": [one["id"] for one in near]}
    if wants_place:
        path, done = base + below(own[0]["id"]), "Saved in its place. Callers are told so at once."
        _send(server, Change(place, "PUT", path, body, own[0]["revision"], done))
    elif wants_both:
        _send(server, Change(place, change.method, change.path, body, change.revision, "Saved beside the other."))
    return True


def draft(place: str) -> Mapping[str, Any]:
    """Return what was typed before the question, for the form to begin with."""
    typed: Mapping[str, Any] = st.session_state.get(_drafted(place)) or {}
    return typed


def forget(place: str) -> None:
    """Drop the question, and what was typed before it."""
    st.session_state.pop(_asked(place), None)
    st.session_state.pop(_drafted(place), None)


def _send(server: Server, change: Change) -> None:
    st.session_state.pop(_asked(change.place), None)
    saving.send(server, change, lambda error: ask(change, error))


def _both(one: Mapping[str, Any], change: Change) -> None:
    body = change.body or {}
    for figures in one["figures"]:
        there, yours = ", ".join(figures["there"]), ", ".join(figures["yours"])
        st.error(
            f"Contradicting {figures['kind']}: {plain(there)} there, {plain(yours)} in yours.", icon=":material/error:"
        )
    left, right = st.columns(2)
    with left.container(border=True):
        st.caption(f"There is: {_NOUNS[one['kind']]} · {plain(one['topic'])}")
        st.markdown(f"**{plain(one['title'])}**")
        st.markdown(lines(one["text"]))
    with right.container(border=True):
        st.caption(f"Yours: {plain(str(body.get('topic', '')))}")
        st.markdown(f"**{plain(str(body.get('question') or body.get('topic') or ''))}**")
        st.markdown(lines(str(body.get("answer") or body.get("content") or "")))


def _asked(place: str) -> str:
    return f"at/near/{place}"


def _drafted(place: str) -> str:
    return f"at/near_draft/{place}"
