"""Which built-in tools a business uses at all: one taken away is offered to none of its callers."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import streamlit as st

from admin_ui.shell.business import Business
from admin_ui.shell.server import Refused, Server, below
from admin_ui.widgets import base_revision, saving
from admin_ui.widgets.base_revision import Opened
from admin_ui.widgets.plain_text import plain
from admin_ui.widgets.saving import Change

_PLACE = "tools in use"
_ALL = (
    "This business uses every built-in tool, and those that are added later. Once you switch one off, it uses the "
    "others that there are now; a tool that is added later is then offered when you switch it on here."
)
_SOME = "This business uses the tools that are switched on here. One that is added later is offered when you do so."


def show_all(server: Server, business: Business) -> bool:
    """Draw how many tools are in use, and the way back to all of them; tell whether a conflict has to be solved."""
    read = _read(server, business)
    if read is None:
        return False
    if saving.conflict(server, _PLACE):
        return True
    used = _used(read)
    if used is None:
        return False
    with st.container(border=True, horizontal=True, vertical_alignment="center"):
        count = "no built-in tool" if not used else f"{len(used)} built-in tool{'s' if len(used) > 1 else ''}"
        st.markdown(f"This business uses **{count}**; open a tool to switch it on or off.", width="stretch")
        if read.body["mayEdit"] and st.button("Use all tools again", icon=":material/select_all:"):
            _send(server, business, read, None, "All built-in tools are in use again.")
    return False


def show_one(server: Server, business: Business, name: str) -> None:
    """Draw whether a tool is in use, and the switch."""
    read = _read(server, business)
    if read is None or saving.conflict(server, _PLACE):
        return
    used = _used(read)
    is_used = used is None or name in used
    with st.container(border=True):
        is_offered = st.toggle(
            f"Offer it to callers of {plain(business.name)}",
            is_used,
            disabled=not read.body["mayEdit"],
            key=f"{read.form}/use/{name}",
        )
        st.caption(_ALL if used is None else _SOME)
    if is_offered is not is_used:
        names_used = _names(server) if used is None else used
        then = [*names_used, name] if is_offered else [one for one in names_used if one != name]
        consequence = "offered where its rules allow it" if is_offered else "offered to no caller of this business"
        _send(server, business, read, then, f"From now on {name} is {consequence}. Changes has the way back.")


def _read(server: Server, business: Business) -> Opened | None:
    try:
        return base_revision.read_once(_PLACE, lambda: server.get(_path(business)))
    except Refused as error:
        if error.status not in (401, 403):
            raise
        # A key that services have may list tools, and see nothing else.
        return None


def _used(read: Opened) -> list[str] | None:
    enabled = read.body["business"].get("enabledTools")
    return [name for name in enabled if isinstance(name, str)] if isinstance(enabled, list) else None


def _names(server: Server) -> list[str]:
    """Return the names of every built-in tool."""
    names_offered: list[str] = []
    cursor = ""
    while True:
        body = server.get("/admin/definitions", {"cursor": cursor}).body
        names_offered += [line["name"] for line in body["definitions"]]
        cursor = body["nextCursor"] or ""
        if not cursor:
            return names_offered


def _send(server: Server, business: Business, read: Opened, tools: Iterable[str] | None, done: str) -> None:
    body: dict[str, Any] = {"enabledTools": None if tools is None else list(tools)}
    saving.send(server, Change(_PLACE, "PATCH", _path(business), body, read.revision, done))


def _path(business: Business) -> str:
    return below("admin", "businesses", business.id)
