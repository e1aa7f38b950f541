"""What would break by a change, shown before it is saved, and the question whether it is wanted all the same."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import streamlit as st

from admin_ui.shell import failure_view
from admin_ui.shell.business import Business
from admin_ui.shell.server import Answer, Refused, Server
from admin_ui.widgets import base_revision, problems, saving, time_text
from admin_ui.widgets.plain_text import plain, sentence


@dataclass(frozen=True)
class Asked:
    """A change that waits for an answer.

    Attributes:
        method: Of the request; `path`, `body` and `revision` are, too.
        done: What is said once it is saved.
        would_break: What would break by it.
    """

    method: str
    path: str
    body: Mapping[str, Any]
    revision: str
    done: str
    would_break: Mapping[str, Any]


def send(server: Server, place: str, asked: Asked) -> None:
    """Make a change, or ask first if something would break by it; what is wrong is told at the form of this place."""
    try:
        answer = server.send(asked.method, asked.path, asked.body, asked.revision)
    except Refused as error:
        if error.consequences:
            waiting = Asked(asked.method, asked.path, asked.body, asked.revision, asked.done, error.consequences)
            st.session_state[_at(place)] = waiting
            problems.forget(place)
            st.rerun()
        if error.conflict:
            problems.forget(place)
            if saving.is_there(asked.method, asked.body, error):
                forget(place)
                saving.finish(place, asked.done)
            who = "You have changed this yourself" if saving.is_own(server, error) else "Somebody else has changed this"
            saving.finish(place, f"{who} meanwhile. Look at it, then change it again.")
        problems.tell(place, error)
        return
    problems.forget(place)
    forget(place)
    # What is shown elsewhere of it follows.
    base_revision.forget()
    saving.finish(place, " ".join([asked.done, *_notes(answer)]))


def ask(place: str, change: saving.Change, error: Refused) -> None:
    """Ask about a change that was refused as something would break by it; any other refusal is told in place."""
    if not error.consequences:
        failure_view.tell(error)
        return
    body, consequences_now = change.body or {}, error.consequences
    st.session_state[_at(place)] = Asked(
        change.method, change.path, body, change.revision, change.done, consequences_now
    )
    st.rerun()


def show(server: Server, business: Business, place: str) -> bool:
    """Draw the question if one is waiting; tell whether there is one."""
    asked: Asked | None = st.session_state.get(_at(place))
    if asked is None:
        return False
    with st.container(border=True, key=f"{place}-confirmation"):
        st.warning("**This is not saved yet: something would break by it.**", icon=":material/warning:")
        _draw(asked.would_break, business)
        with st.container(horizontal=True):
            is_sure = st.button("Save it all the same", type="primary", icon=":material/check:", key=f"{place}/sure")
            if st.button("No, go back", key=f"{place}/back"):
                forget(place)
                st.rerun()
    if is_sure:
        body = {**asked.body, "confirm": True}
        send(server, place, Asked(asked.method, asked.path, body, asked.revision, asked.done, {}))
    return True


def forget(place: str) -> None:
    """Ask no longer."""
    st.session_state.pop(_at(place), None)


def line(booking: Mapping[str, Any], business: Business) -> str:
    """Return an appointment in a line of Markdown."""
    when = time_text.told(booking["start"], business.zone)
    whom = f" ({booking['party']} people)" if booking["party"] > 1 else ""
    return f"**{plain(when)}** · {plain(booking['service'])} · {plain(booking['customer'])}{whom}"


def instead(booking: Mapping[str, Any]) -> str:
    """Return who could take an appointment, in words."""
    if booking["instead"] is None:
        return "A calendar does not answer, so that nobody can tell who is free."
    names = ", ".join(one["name"] for one in booking["instead"])
    return f"Free then: {names}." if names else "Nobody else is free then."


def _draw(consequences: Mapping[str, Any], business: Business) -> None:
    explanation = ""
    if consequences["bookingCount"] or consequences["strandedCount"]:
        explanation = "Nothing is cancelled: they stand, under Appointments, where they can be given to somebody else."
    st.markdown(f"**{plain(' '.join(consequences['words']))}** {explanation}")
    for booking in consequences["bookings"]:
        reasons = " ".join(lost["means"] for lost in booking["lost"])
        st.markdown(f"- {line(booking, business)}  \n  {sentence(reasons)} {plain(instead(booking))}")
    for booking in consequences["stranded"]:
        st.markdown(f"- {line(booking, business)}  \n  {sentence(booking['means'])}")
    count = len(consequences["bookings"]) + len(consequences["stranded"])
    if (more := consequences["bookingCount"] + consequences["strandedCount"] - count) > 0:
        st.caption(f"And {more} more.")
    if not consequences["areAll"]:
        st.caption("There are very many appointments; the soonest were looked at.")


def _notes(answer: Answer) -> list[str]:
    notes = list(answer.body.get("notes") or ())
    assigned = answer.body.get("assigned") or {}
    if assigned.get("assigned"):
        notes.append(f"{len(assigned['assigned'])} appointments have somebody now.")
    if assigned.get("left"):
        notes.append(f"For {len(assigned['left'])} nobody is free: see Appointments.")
    return notes


def _at(place: str) -> str:
    return f"at/confirmation/{place}"
