"""A version of an agent on trial: what is otherwise in it, how both sides do, and what is decided of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import streamlit as st

from admin_ui.shell.business import Business
from admin_ui.shell.server import Server, below
from admin_ui.widgets import own_key, saving, time_text, trial_sides, whereabouts
from admin_ui.widgets.paging import pages_of
from admin_ui.widgets.plain_text import plain
from admin_ui.widgets.saving import Change

_A_PAGE = 5
_COUNTS = {"conversations": "Conversations", "turns": "Turns", "calls": "Tool calls"}


def show(server: Server, business: Business, agent: dict[str, Any], place: str, may: bool) -> None:
    """Draw what is on trial, with what can be decided of it, and all trials once that is asked for.

    Args:
        server: Whom to ask.
        business: Whose.
        agent: Which, as the API shows it.
        place: Where the page keeps what it has read of the agents.
        may: Whether whoever looks may change it.
    """
    path = below("admin", "businesses", business.id, "agents", agent["id"])
    if agent["trial"]:
        with st.container(border=True, key=f"trial/{agent['id']}"):
            _running(server, business, agent, path, place, may)
    key = f"trials/{agent['id']}"
    if not whereabouts.toggle("Trials", key):
        return
    pages = pages_of(f"{key}/pages")
    body = server.get(f"{path}/trials", {"limit": _A_PAGE, "cursor": pages.cursor}).body
    if not body["trials"]:
        st.caption("No version of it was tried yet. Edit it, and press Try it first.")
    for trial in body["trials"]:
        _trial(trial, business)
    pages.show_buttons(body["nextCursor"])


def _running(server: Server, business: Business, agent: dict[str, Any], path: str, place: str, may: bool) -> None:
    trial = agent["trial"]
    since = time_text.told(trial["since"], business.zone)
    st.markdown(f"**{trial['share']} of 100 conversations** that begin now are answered by another version.")
    st.caption(plain(f"Since {since}, begun by {trial['by']}."))
    for line in trial["changes"]:
        st.caption(plain(line))
    if not may:
        return
    _share(server, agent, path, place)
    with st.container(horizontal=True):
        if st.button("Adopt it for all", type="primary", icon=":material/check:", key=f"adopt/{agent['id']}"):
            done = "Adopted. Conversations that have begun end as they began."
            at = f"{path}/trial/adopt"
            change = Change(place, "POST", at, {}, agent["trialRevision"], done, is_forcible=False, decides_offers=True)
            saving.send(server, change)
        if st.button("Stop the trial", icon=":material/stop_circle:", key=f"stop/{agent['id']}"):
            done = "Stopped. Conversations that have begun end as they began."
            at = f"{path}/trial"
            saving.send(server, Change(place, "DELETE", at, {}, agent["trialRevision"], done, is_forcible=False))


def _share(server: Server, agent: dict[str, Any], path: str, place: str) -> None:
    trial, key = agent["trial"], own_key.of("share", agent["id"])
    with st.form(key, border=False), st.container(horizontal=True, vertical_alignment="bottom"):
        label = "Of a hundred conversations, how many are answered so"
        share = st.number_input(label, 1, 99, int(trial["share"]), key=f"{key}/{trial['share']}", width=320)
        if st.form_submit_button("Change the share", icon=":material/tune:"):
            if share == trial["share"]:
                st.info("It is so many already.", icon=":material/check:")
                return
            body = {"share": share, "changes": trial["fields"]}
            done = "Changed, for conversations that begin now."
            saving.send(
                server, Change(place, "PUT", f"{path}/trial", body, agent["trialRevision"], done, is_forcible=False)
            )


def _trial(trial: Mapping[str, Any], business: Business) -> None:
    badge = ":gray-badge[ended]" if trial["endedAt"] else ":violet-badge[going on]"
    st.markdown(f"{badge} {plain(_when(trial, business))}")
    for line in trial["changes"]:
        st.caption(plain(line))
    trial_sides.show(trial, "New version", "Beside it", _COUNTS)


def _when(trial: Mapping[str, Any], business: Business) -> str:
    began = time_text.told(trial["since"], business.zone)
    if not trial["endedAt"]:
        return f"since {began}, {trial['share']} of 100, begun by {trial['by']}"
    return f"{began} to {time_text.told(trial['endedAt'], business.zone)}: {trial['ended']}"
