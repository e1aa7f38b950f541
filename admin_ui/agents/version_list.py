"""What an agent was each time it was saved, what differs since, and the way back."""

from __future__ import annotations

from typing import Any

import streamlit as st

from admin_ui.shell import words
from admin_ui.shell.business import Business
from admin_ui.shell.server import Server, below
from admin_ui.widgets import difference_view, saving, second_question, time_text, whereabouts
from admin_ui.widgets.card import card
from admin_ui.widgets.paging import pages_of
from admin_ui.widgets.plain_text import plain
from admin_ui.widgets.saving import Change

_A_PAGE = 10
_COMPARED = "agent_version"


def show(server: Server, business: Business, agent: dict[str, Any], place: str, may: bool) -> None:
    """Draw an agent's versions below its card, once that is asked for.

    Args:
        server: Whom to ask.
        business: Whose.
        agent: Which, as the API shows it.
        place: Where the page keeps what it has read of the agents.
        may: Whether whoever looks may change it.
    """
    key = f"versions/{agent['id']}"
    if not whereabouts.toggle("Versions", key):
        return
    path = below("admin", "businesses", business.id, "agents", agent["id"])
    pages = pages_of(f"{key}/pages")
    body = server.get(f"{path}/versions", {"limit": _A_PAGE, "cursor": pages.cursor}).body
    if not body["versions"]:
        st.caption("The next save is the first version that is kept.")
    for version in body["versions"]:
        _version(server, business, agent, path, version, place, may)
    pages.show_buttons(body["nextCursor"])


def _version(
    server: Server,
    business: Business,
    agent: dict[str, Any],
    path: str,
    version: dict[str, Any],
    place: str,
    may: bool,
) -> None:
    who = version["who"].get("name") or version["who"].get("id") or "somebody"
    with card() as (text, button):
        flag = " :green-badge[as it is now]" if version["isNow"] else ""
        text.markdown(f"**{plain(who)}** {words.DEEDS.get(version['deed'], version['deed'])}{flag}")
        text.caption(plain(time_text.told(version["at"], business.zone, seconds=True)))
        for line in version["changes"] if version["deed"] == "changed" else ():
            text.caption(plain(line))
        if not version["isNow"] and button.button("Compare", key=f"compare/{version['id']}"):
            whereabouts.fold(_COMPARED, version["id"])
        if whereabouts.unfolded(_COMPARED, version["id"]) and not version["isNow"]:
            _compared(server, agent, path, version["id"], place, may)


def _compared(server: Server, agent: dict[str, Any], path: str, version_id: str, place: str, may: bool) -> None:
    diff = server.get(f"{path}/diff", {"to": version_id}).body
    difference_view.show(diff["differences"], "Now", "Then", "It says what it says now.")
    if not may:
        return
    at = f"{path}/versions{below(version_id)}/rollback"
    done = "It is back as it was. New conversations use it at once."
    change = Change(place, "POST", at, {}, agent["revision"], done, is_forcible=False)

    def question() -> str:
        asked = (
            f"Have **{plain(agent['name'] or agent['id'])}** be again as it was then? What it is now stays a version."
        )
        return f"{asked}\n\n{saving.listed(saving.losses(server, change))}"

    if second_question.sure(f"back/{version_id}", "Bring this back", question, "Yes, bring it back", ":material/undo:"):
        saving.send(server, change)
