"""Words that a draft changes: that they were not tried, and how recorded conversations go with them, where asked."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import streamlit as st

from admin_ui.shell import failure_view
from admin_ui.shell.business import Business
from admin_ui.shell.server import MODELS_ASKED_WITHIN_S, Refused, Server, below
from admin_ui.widgets import base_revision, own_key, time_text
from admin_ui.widgets.base_revision import Opened
from admin_ui.widgets.plain_text import plain, sentence

_MOST = 10


def show(server: Server, business: Business, read: Opened, words: Mapping[str, Any]) -> None:
    """Draw what is to be said of the words, and the way to ask again; nothing where no words change."""
    if not words["remark"]:
        return
    show_remark = st.info if words["asked"] else st.warning
    show_remark(sentence(words["remark"]), icon=":material/translate:")
    name = read.body["name"]
    path, place = below("admin", "businesses", business.id, "definitions", name, "words"), f"at/words/{read.revision}"
    with st.container(border=True):
        st.markdown("**Ask recorded conversations again**")
        st.caption(
            f"Of {plain(business.name)}: at the place where the tool was called, the model answers once with the words "
            "of now and once with the draft's. Nothing is carried out."
        )
        count = st.slider("Conversations at most", 1, _MOST, 5, key=own_key.of(f"count/{place}"))
        plan = base_revision.read_once(f"{place}/{count}", lambda: server.get(path, {"conversations": count})).body
        if plan["whyNot"]:
            st.caption(plain(plan["whyNot"]))
        elif not plan["conversations"]:
            st.caption("No conversation of the last week, in which the tool was called, can be asked again.")
        else:
            _offered(server, path, place, count, plan)
        for asked in st.session_state.get(place, ()):
            _asked(asked, business)


def _offered(server: Server, path: str, place: str, count: int, plan: Mapping[str, Any]) -> None:
    st.markdown(
        f"**{plan['requests']}** requests to {plain(plan['model'])}: about **{plan['aboutTokensRead']:,}** tokens "
        f"read, at most **{plan['mostTokensWritten']:,}** written, at the price of your account there."
    )
    if st.button(f"Ask {plan['conversations']} again", icon=":material/forum:", key=f"ask/{place}"):
        body = {"conversations": count, "requests": plan["requests"]}
        try:
            with st.spinner("The model is asked; that can take a minute."):
                answer = server.ask(path, body, within_s=MODELS_ASKED_WITHIN_S)
        except Refused as refused:
            failure_view.tell(refused)
            return
        st.session_state[place] = answer.body["asked"]
        # What the report says of the words has changed.
        base_revision.forget(f"replay/{place.rpartition('/')[2]}")
        st.rerun()


def _asked(asked: Mapping[str, Any], business: Business) -> None:
    with st.container(border=True):
        same = {True: ":green-badge[the same]", False: ":orange-badge[differs]"}
        badge = same.get(asked["isSame"], ":red-badge[no answer]")
        st.markdown(f"{badge} {plain(time_text.told(asked['at'], business.zone))}")
        st.markdown(f"Caller: {plain(asked['said'])}")
        left, right = st.columns(2)
        for cell, title, side in ((left, "Old words", "old"), (right, "New words", "new")):
            with cell.container(border=True):
                st.caption(title)
                st.markdown(_marked(asked, side) or "*nothing*")


def _marked(asked: Mapping[str, Any], side: str) -> str:
    if asked[side]["problem"]:
        return plain(asked[side]["problem"])
    color = {"old": "orange", "new": "green"}[side]
    pieces = (piece for piece in asked["words"] if piece["side"] in ("both", side))
    return " ".join(
        plain(piece["text"]) if piece["side"] == "both" else f":{color}-background[{plain(piece['text'])}]"
        for piece in pieces
    )
