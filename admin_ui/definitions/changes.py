"""What was done with the built-in tools that all businesses share, and the way back for drafts of their words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from admin_ui.shell.business import Business
from admin_ui.shell.server import Server, below
from admin_ui.widgets import saving, status_badges, time_text, whereabouts
from admin_ui.widgets.card import card
from admin_ui.widgets.paging import pages_of
from admin_ui.widgets.plain_text import plain
from admin_ui.widgets.saving import Change

_A_PAGE = 20
_PAGES, _COMPARED = "definition_change_pages", "definition_change"
_NAMED = 5


def show(server: Server, business: Business) -> None:
    """Draw the changes, the newest first."""
    path = below("admin", "definition-changes")
    pages = pages_of(_PAGES)
    body = server.get(path, {"limit": _A_PAGE, "cursor": pages.cursor}).body
    if not body["changes"]:
        st.info("Nothing was changed yet.", icon=":material/history:")
    for change in body["changes"]:
        _change(server, business, path + below(change["id"]), change)
    pages.show_buttons(body["nextCursor"])


def _change(server: Server, business: Business, path: str, change: dict[str, Any]) -> None:
    who = change["who"].get("name") or change["who"].get("id") or "somebody"
    tools = change["tools"]
    named = ", ".join(f"`{plain(name)}`" for name in tools[:_NAMED])
    more = f" and {len(tools) - _NAMED} more" if len(tools) > _NAMED else ""
    with card() as (text, button):
        with text.container(horizontal=True, vertical_alignment="center"):
            st.markdown(f"**{plain(who)}**: {plain(change['deed'])}", width="content")
            status_badges.show(change)
        text.markdown(f"{named}{more}")
        text.caption(plain(time_text.told(change["at"], business.zone, seconds=True)))
        _tested(text, change["tested"])
        if change["words"]:
            text.caption(plain(change["words"]["remark"]))
        if button.button("Compare", key=f"compare/{change['id']}"):
            whereabouts.fold(_COMPARED, change["id"])
        may = change["isUndoable"] and not change["undoneBy"]
        if may and button.button("Undo", key=f"undo/{change['id']}", icon=":material/undo:"):
            revision = str(server.get(path).body["revision"] or "")
            undo = Change("audit", "POST", f"{path}/undo", {}, revision, "Undone.", is_forcible=False)
            saving.send(server, undo)
        if whereabouts.unfolded(_COMPARED, change["id"]):
            _differences(server.get(path).body["documents"])
        if not change["isUndoable"] and not change["undoneBy"]:
            st.caption(plain(change["whyNotUndoable"]))


def _tested(place: DeltaGenerator, tested: Mapping[str, Any] | None) -> None:
    if tested is None:
        return
    left = sum(tested["notRun"].values())
    others = f"; there was no time for {left}" if left else ""
    place.caption(f"Tests of businesses that were played first: {tested['run']}{others}")
    if tested["acknowledged"]:
        place.markdown(f":red[Red tests were accepted:] {plain(', '.join(tested['acknowledged']))}")


def _differences(documents: dict[str, Any]) -> None:
    for tool, difference in documents.items():
        lines = [f"- {plain(line)}" for line in difference["changes"]] or ["- Nothing differs."]
        st.markdown("\n".join([f"**{plain(tool)}**", "", *lines]))
