"""A chat that goes on: what is written in it as it is written, and writing to its visitor oneself."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

import streamlit as st

from admin_ui.shell.business import Business
from admin_ui.shell.server import Refused, Server, Unreachable, below
from admin_ui.widgets import notice, own_key, time_text
from admin_ui.widgets.plain_text import plain

_PORTAL = "portal"
_EVERY_S = 3
_MINUTES = 3
_DRAFT_ID, _WRONG = "at/chat_draft_id", "at/chat_wrong"
_MINE = "at/chat_mine"
# Where the server's clock is a little behind this one's.
_GRACE = timedelta(seconds=2)


def is_running(record: Mapping[str, Any]) -> bool:
    """Tell whether somebody writes in the portal just now, rather than speaks."""
    callers = [row for row in record["transcript"] if row.get("role") == "caller"]
    said_on = (callers[-1].get("channel") if callers else None) or record["channel"]
    return bool(said_on == _PORTAL and not record["endedAt"] and not record["isTrial"])


def is_mine(record: Mapping[str, Any]) -> bool:
    """Tell whether it was taken over here: what was typed is kept then, also when somebody else answers by now."""
    return bool(st.session_state.get(_MINE) == record["id"])


def show(
    server: Server,
    business: Business,
    record: Mapping[str, Any],
    transcript: Callable[[Mapping[str, Any], Business], None],
) -> None:
    """Draw who answers in a running chat, what was said, as it goes on, and what is needed to write in it."""
    base = below("admin", "businesses", business.id, "interactions", record["id"])
    person, may_write = _answering(record), business.may("take_over")
    # Each in its place, whatever else is drawn: what is being typed must stay where it is.
    head, talk, writing = st.container(), st.container(), st.container()
    with head:
        if person:
            st.info(_who_answers(person, business), icon=":material/person_edit:")
        if may_write and person:
            _hand_back(server, base)
        elif may_write and is_running(record):
            _take_over(server, base, business, record)
    with talk:
        _live(server, base, business, transcript, record)
    with writing:
        if may_write and (person or is_mine(record)):
            _writing(server, base, own_key.of("chat_draft", record["id"]), is_answering=bool(person))


def _answering(record: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """Return who answers now; None also where the visitor has waited for them for too long."""
    person: Mapping[str, Any] | None = record["answeringPerson"]
    gives_way_at = person and _moment(person["givesWayAt"])
    return None if gives_way_at and datetime.now(UTC) >= gives_way_at + _GRACE else person


def _moment(text: object) -> datetime | None:
    return datetime.fromisoformat(text) if isinstance(text, str) else None


def _who_answers(person: Mapping[str, Any], business: Business) -> str:
    shown = f"as **{plain(person['name'])}**" if person["name"] else "as a person of the business"
    since = time_text.told(person["at"], business.zone, seconds=True)
    return f"{plain(person['by'])} answers in this chat, {shown}, since {plain(since)}. The assistant says nothing."


def _take_over(server: Server, base: str, business: Business, record: Mapping[str, Any]) -> None:
    with st.popover("Take over", icon=":material/person_edit:"):
        st.markdown(
            "You write to the visitor yourself, and the assistant says nothing more. It goes on when you hand the chat "
            f"back, or when the visitor has waited for you for {_MINUTES} minutes. The visitor is told both."
        )
        name = st.text_input(
            "Your name, as the visitor reads it",
            key=own_key.of("chat_name", record["id"]),
            placeholder=f"A person of {business.name}",
        )
        if st.button("Answer myself", key="chat_take", type="primary", icon=":material/person_edit:"):
            asked = {"name": name} if name.strip() else {}
            _change(server, f"{base}/takeover", asked, "You answer in this chat now.", mine=record["id"])


def _hand_back(server: Server, base: str) -> None:
    if st.button("Hand back to the assistant", key="chat_back", icon=":material/smart_toy:"):
        _change(server, f"{base}/takeover/hand-back", {}, "The assistant goes on in this chat.")


def _change(server: Server, path: str, body: Mapping[str, Any], done: str, mine: str = "") -> None:
    try:
        server.send("POST", path, body)
    except (Refused, Unreachable) as error:
        st.error(plain(str(error)), icon=":material/error:")
        return
    st.session_state[_MINE] = mine
    notice.say(done, ":material/person_edit:")
    st.rerun()


def _live(
    server: Server,
    base: str,
    business: Business,
    transcript: Callable[[Mapping[str, Any], Business], None],
    shown: Mapping[str, Any],
) -> None:
    as_drawn = bool(_answering(shown)), is_running(shown)

    @st.fragment(run_every=_EVERY_S)
    def draw() -> None:
        try:
            record = server.get(base).body
        except (Refused, Unreachable):
            st.caption("What is written cannot be seen right now; it is tried again.")
            return
        person = _answering(record)
        if (bool(person), is_running(record)) != as_drawn:
            # Who answers has changed, or the chat is over: then all of the page is another one.
            st.rerun()
        transcript(record, business)
        gives_way_at = person and person["givesWayAt"]
        if gives_way_at:
            until = time_text.told(gives_way_at, business.zone, seconds=True)
            st.warning(
                f"The visitor waits for an answer. Unless you write by {plain(until)}, the assistant goes on.",
                icon=":material/hourglass_top:",
            )

    draw()


def _writing(server: Server, base: str, draft: str, *, is_answering: bool) -> None:
    if wrong := st.session_state.pop(f"{_WRONG}/{draft}", None):
        st.error(plain(wrong), icon=":material/error:")
    if not is_answering:
        st.caption(
            "You do not answer in this chat any more. What you have typed is kept here until you leave the page."
        )
    with st.form("chat_form", border=False):
        st.text_area("Your message to the visitor", key=draft, height=100)
        st.form_submit_button(
            "Send", type="primary", icon=":material/send:", on_click=_send, args=(server, base, draft), key="chat_send"
        )


def _send(server: Server, base: str, draft: str) -> None:
    """Send what is written; it stays in the field unless it was written down, and pressed twice it is sent once."""
    state = st.session_state
    draft_id, wrong = f"{_DRAFT_ID}/{draft}", f"{_WRONG}/{draft}"
    id = state.setdefault(draft_id, secrets.token_urlsafe(16))
    try:
        server.send("POST", f"{base}/takeover/messages", {"id": id, "text": state[draft]})
    except Refused as error:
        # Refused words are not written: what is changed in them is another message.
        del state[draft_id]
        state[wrong] = str(error)
    except Unreachable:
        state[wrong] = "Nobody knows whether this was sent. Press Send again: it is sent once."
    else:
        del state[draft_id]
        state[draft] = ""
