"""Saving, and what is shown when somebody else was faster: both versions, and a choice between them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import streamlit as st

from admin_ui.shell import failure_view, words
from admin_ui.shell.server import Refused, Server
from admin_ui.widgets import base_revision, notice, whereabouts
from admin_ui.widgets.plain_text import plain

_ABSENT = "*is not there*"


@dataclass(frozen=True)
class Change:
    """A change that is to be sent.

    Attributes:
        place: What was read to make it, as `opened` knows it.
        method: Of the request; `path` and `body` are, too.
        revision: What it is based on; empty where the server does not ask.
        done: What is said once it is saved.
        is_forcible: Whether it may be made over somebody else's.
        decides_offers: Whether callers may lose tools by it, which is asked and told before it is made.
        within_s: How long it may take; None for as long as usual.
        goes_on: Whether its form goes on from the answer, which is what a reading gives, with what was typed in it
            while this was saved; otherwise everything is read anew.
    """

    place: str
    method: str
    path: str
    body: Mapping[str, Any] | None
    revision: str
    done: str
    is_forcible: bool = True
    decides_offers: bool = False
    within_s: float | None = None
    goes_on: bool = False


def send(
    server: Server,
    change: Change,
    tell: Callable[[Refused], None] = failure_view.tell,
    saved: Callable[[], None] | None = None,
) -> None:
    """Make a change and have the page drawn anew; or say why it was not made, in place or as `tell` does.

    One by which callers would lose tools is made once somebody has said so: until then `conflict` asks. `saved` is
    called where the form goes on from the answer, once there is one and before the page is drawn anew.
    """
    would_be_lost = losses(server, change) if change.decides_offers else []
    if would_be_lost:
        st.session_state[f"at/losses/{change.place}"] = (change, would_be_lost, tell, saved)
        st.rerun()
    _send(server, change, tell, saved)


def losses(server: Server, change: Change) -> list[str]:
    """Return what callers would lose by a change, a sentence each; nothing where it is refused, as it then says."""
    try:
        path = f"{change.path}?dryRun=true"
        told = server.ask(path, change.body, method=change.method, revision=change.revision).body
    except Refused:
        return []
    return [str(sentence) for sentence in told["words"]]


def _send(server: Server, change: Change, tell: Callable[[Refused], None], saved: Callable[[], None] | None) -> None:
    try:
        answer = server.send(change.method, change.path, change.body, change.revision, within_s=change.within_s)
    except Refused as error:
        if is_there(change.method, change.body, error):
            finish(change.place, change.done)
        if not error.conflict:
            tell(error)
            return
        st.session_state[f"at/conflict/{change.place}"] = (change, error)
        st.rerun()
    if change.goes_on:
        if saved is not None:
            saved()
        base_revision.go_on(change.place, answer)
        notice.say(change.done)
        st.rerun()
    finish(change.place, change.done)


def is_there(method: str, body: Mapping[str, Any] | None, error: Refused) -> bool:
    """Tell whether what was refused as out of date is just what is saved now, whoever saved it: it is no conflict."""
    current, yours = error.conflict.get("current"), error.conflict.get("yours")
    if method not in ("PUT", "PATCH") or not body or current is None:
        return False
    if yours is not None:
        return not error.conflict.get("differences")
    return all(name in current and current[name] == value for name, value in body.items())


def is_own(server: Server, error: Refused) -> bool:
    """Tell whether it was whoever looks who changed the same meanwhile, elsewhere."""
    return bool(server.who) and error.conflict.get("changedBy") == server.who


def finish(place: str, done: str) -> None:
    """Have what was changed read anew, every form closed, and the page say that it is done."""
    base_revision.forget(place)
    st.session_state.pop(f"at/conflict/{place}", None)
    st.session_state.pop(f"at/losses/{place}", None)
    stop_editing(place)
    notice.say(done)
    st.rerun()


def conflict(server: Server, place: str) -> bool:
    """Draw what is asked before something that was read is saved, if anything is; tell whether there is.

    That is which version to keep, where somebody else was faster, or whether callers are to lose tools.
    """
    if f"at/losses/{place}" in st.session_state:
        _ask_about_losses(server, place)
        return True
    stored = st.session_state.get(f"at/conflict/{place}")
    if stored is None:
        return False
    change, error = stored
    with st.container(border=True, key="conflict"):
        _show_versions(server, error)
        with st.container(horizontal=True):
            if st.button("Keep what is saved now", type="primary", icon=":material/check:"):
                finish(place, "Kept what was saved; your version was dropped.")
            if typed(place) and error.conflict.get("current") is not None:
                wants_on = st.button("Go on with what you typed", icon=":material/edit:")
                if wants_on:
                    # What was typed is drawn over what is saved now, and is based on that from here on.
                    base_revision.forget(place)
                    st.session_state.pop(f"at/conflict/{place}", None)
                    st.rerun()
            if _is_forcible(change, error) and st.button("Save mine instead", icon=":material/publish:"):
                newer = str(error.conflict["revision"])
                send(
                    server, Change(place, change.method, change.path, change.body, newer, "Saved your version instead.")
                )
    return True


def listed(losses: Sequence[str]) -> str:
    """Return what would be lost as a list in Markdown; empty where nothing is."""
    return "\n".join(f"- {plain(sentence)}" for sentence in losses)


def _ask_about_losses(server: Server, place: str) -> None:
    change, sentences, tell, saved = st.session_state[f"at/losses/{place}"]
    with st.container(border=True, key="losses"):
        st.warning("**This is not saved yet: callers would lose tools by it.**", icon=":material/warning:")
        st.markdown(listed(sentences))
        with st.container(horizontal=True):
            is_sure = st.button("Save it all the same", type="primary", icon=":material/check:")
            is_dropped = st.button("No, go back")
    if is_sure or is_dropped:
        st.session_state.pop(f"at/losses/{place}")
        if is_sure:
            _send(server, change, tell, saved)
        st.rerun()


def edited(place: str, among: Collection[str] | None = None) -> str:
    """Return what is being edited of something that was read: an id, `new`, or nothing.

    It stands in the address, which anybody may have written: what is none of `among` is nothing.
    """
    return whereabouts.opened(f"edit/{place}", among)


def edit(place: str, what: str) -> None:
    """Open the form of something; what was typed in another is dropped."""
    st.session_state.pop(f"at/typed/{place}", None)
    whereabouts.open(f"edit/{place}", what)


def stop_editing(place: str) -> None:
    """Close the form; what was typed in it is dropped."""
    whereabouts.open(f"edit/{place}", "")
    st.session_state.pop(f"at/typed/{place}", None)


def keep_typed(place: str, fields: Mapping[str, Any]) -> None:
    """Keep what somebody has changed in a form, by the names in which it is sent, until it is saved or closed.

    Streamlit forgets a field that is not drawn, as while something is asked before it can be saved.
    """
    st.session_state[f"at/typed/{place}"] = dict(fields)


def typed(place: str) -> dict[str, Any]:
    """Return what was kept of a form; nothing where nothing was."""
    return dict(st.session_state.get(f"at/typed/{place}") or {})


def _is_forcible(change: Change, error: Refused) -> bool:
    return change.is_forcible and bool(error.conflict.get("revision")) and error.conflict.get("current") is not None


def _show_versions(server: Server, error: Refused) -> None:
    who = error.conflict.get("changedBy")
    if is_own(server, error):
        said = "**You have changed this yourself since you opened it here, in another window or tab.** What you typed"
        said = f"{said} here is not saved yet."
    else:
        said = f"**{plain(who) if who else 'Somebody else'} has changed this since you opened it.** Nothing of yours"
        said = f"{said} was saved yet."
    st.error(f"{said} Look at both versions and choose.", icon=":material/call_split:")
    differences = error.conflict.get("differences") or []
    if not differences:
        gone = error.conflict.get("current") is None
        same = "Both are the same now." if error.conflict.get("yours") is not None else ""
        st.markdown("It is not there any more." if gone else same)
    for one in differences:
        st.markdown(f"**{plain(words.field(one['field']))}**")
        left, right = st.columns(2)
        for cell, title, side in ((left, "Saved now", "current"), (right, "Yours", "yours")):
            with cell.container(border=True):
                st.caption(title)
                st.markdown(words.value(one[side]) if side in one else _ABSENT)
