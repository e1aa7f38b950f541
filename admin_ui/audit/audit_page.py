"""Who changed what, from what into what, and the way back."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import streamlit as st

from admin_ui.audit import change_names, shared_change
from admin_ui.definitions import changes
from admin_ui.shell import words
from admin_ui.shell.business import Business
from admin_ui.shell.server import Server, below
from admin_ui.widgets import saving, status_badges, time_text, whereabouts
from admin_ui.widgets.card import card
from admin_ui.widgets.paging import pages_of
from admin_ui.widgets.plain_text import plain
from admin_ui.widgets.saving import Change

_A_PAGE = 20
_PAGES = "audit_pages"
_SHARED = "definitions"
_NOTHING = "*is not there*"
_NAMES = ("topic", "title", "label", "name")
# Their ids are names that owners gave.
_SPEAKING_IDS = ("agent", "agentTrial", "secret", "toolkit")


def show(server: Server, business: Business) -> None:
    """Draw the page."""
    # What all businesses share is no single one's to see.
    shared = {_SHARED: "Built-in tools, for all businesses"} if business.may("publish_definitions") else {}
    kinds = words.KINDS | shared
    kind = whereabouts.choice(
        *("Show", list(kinds)),
        index=None,
        format_func=kinds.__getitem__,
        placeholder="Changes of every kind",
        key="audit_kind",
        width=320,
    )
    if saving.conflict(server, "audit"):
        return
    if kind == _SHARED:
        changes.show(server, business)
        return
    pages = pages_of(_PAGES, kind)
    path = below("admin", "businesses", business.id, "audit")
    rows, cursor = _page(server, business, kind, pages.cursor)
    if not rows and not pages.cursor and not cursor:
        st.info("Nothing was changed yet.", icon=":material/history:")
        st.caption("Whatever anybody changes that reaches your callers is listed here, built-in tools included.")
    names = change_names.of(server, business, [row["own"] for row in rows if row["own"]])
    for row in rows:
        if row["own"]:
            _entry(server, business, path, row["own"], names)
        else:
            shared = row["shared"]
            at = below("admin", "businesses", business.id, "changes", shared["id"])
            shared_change.show(server, business, at, shared)
    pages.show_buttons(cursor)


def _page(server: Server, business: Business, kind: str | None, cursor: str) -> tuple[list[dict[str, Any]], str | None]:
    """Return a page of changes, and where the next begins; of one kind there are only the business's own."""
    at, wanted = below("admin", "businesses", business.id), {"limit": _A_PAGE, "cursor": cursor}
    if kind is None:
        body = server.get(f"{at}/changes", wanted).body
        return body["changes"], body["nextCursor"]
    body = server.get(f"{at}/audit", {"kind": kind, **wanted}).body
    return [{"own": entry, "shared": None} for entry in body["entries"]], body["nextCursor"]


def _entry(server: Server, business: Business, path: str, entry: dict[str, Any], names: Mapping[str, str]) -> None:
    who = entry["who"].get("name") or entry["who"].get("id") or "somebody"
    what = words.KINDS.get(entry["kind"], words.field(entry["kind"]))
    with card() as (text, button):
        with text.container(horizontal=True, vertical_alignment="center"):
            st.markdown(f"**{plain(who)}** {words.DEEDS.get(entry['deed'], entry['deed'])}", width="content")
            st.badge(what, color="gray")
            status_badges.show(entry)
        text.caption(plain(time_text.told(entry["at"], business.zone, seconds=True)))
        with st.expander(_shortly(entry, names), key=f"entry/{entry['id']}"):
            _sides(entry, names)
        may = business.may("undo") and entry["isUndoable"] and not entry["undoneBy"]
        if may and button.button("Undo", key=f"undo/{entry['id']}", icon=":material/undo:"):
            _undo(server, path + below(entry["id"]))
        if not entry["isUndoable"] and not entry["undoneBy"]:
            st.caption(plain(entry["whyNotUndoable"]))


def _shortly(entry: dict[str, Any], names: Mapping[str, str]) -> str:
    if words_of_change := change_names.attached(entry, names):
        return plain(words_of_change)
    fields = dict.fromkeys([*entry["before"], *entry["after"]])
    sides = [entry["after"], entry["before"]]
    # What is said of a tool stands one level deeper.
    sides += [side["configMetadata"] for side in sides if isinstance(side.get("configMetadata"), dict)]
    named = next((str(side[name]) for name in _NAMES for side in sides if side.get(name)), "")
    if not named and entry["kind"] in _SPEAKING_IDS:
        named = names.get(entry["document"], entry["document"])
    words_of_change = ", ".join(words.field(name) for name in fields)
    return plain(f"{named}: {words_of_change}" if named else words_of_change or "No field")


def _sides(entry: dict[str, Any], names: Mapping[str, str]) -> None:
    for name in dict.fromkeys([*entry["before"], *entry["after"]]):
        st.markdown(f"**{plain(words.field(name))}**")
        left, right = st.columns(2)
        for cell, title, side in ((left, "Before", entry["before"]), (right, "After", entry["after"])):
            with cell.container(border=True):
                st.caption(title)
                shown = words.value(change_names.named(name, side[name], names)) if name in side else _NOTHING
                st.markdown(shown)


def _undo(server: Server, path: str) -> None:
    # What it is based on is read now: the entry itself tells whether the same was changed since.
    revision = server.get(path).body["revision"]
    change = Change("audit", "POST", f"{path}/undo", {}, str(revision or ""), "Undone.", is_forcible=False)
    saving.send(server, change)
