"""Who answers: each agent with its channels, what it may use, and a form to change it."""

from __future__ import annotations

from typing import Any

import streamlit as st

from admin_ui.agents import collections_form, toolkits_form, version_list
from admin_ui.business import limits_form
from admin_ui.shell import words
from admin_ui.shell.business import Business
from admin_ui.shell.server import Server, below
from admin_ui.widgets import base_revision, saving
from admin_ui.widgets.base_revision import Opened
from admin_ui.widgets.card import card
from admin_ui.widgets.plain_text import plain
from admin_ui.widgets.saving import Change

PLACE, _NEW = "agents", "new"


def show(server: Server, business: Business) -> None:
    """Draw the page."""
    path = below("admin", "businesses", business.id, "agents")
    read = base_revision.read_once(PLACE, lambda: server.get(path))
    agents, may, edited = read.body["agents"], business.may("edit_agents"), saving.edited(PLACE)
    if not may:
        st.info("You may look at this, but only an owner or editor can change it.", icon=":material/visibility:")
    if not agents and edited != _NEW:
        st.info("There is no agent yet: one with every tool answers everywhere.", icon=":material/support_agent:")
    if may and not edited and st.button("Add an agent", type="primary", icon=":material/add:"):
        saving.edit(PLACE, _NEW)
        st.rerun()
    if saving.conflict(server, PLACE):
        return
    if edited == _NEW:
        _form(server, business, {}, read)
    for agent in agents:
        if edited == agent["id"]:
            _form(server, business, agent, read)
        else:
            _card(server, business, agent, may)


def _card(server: Server, business: Business, agent: dict[str, Any], may: bool) -> None:
    with card() as (text, button):
        with text, st.container(horizontal=True, vertical_alignment="center"):
            st.markdown(f"**{plain(agent['name'] or agent['id'])}**", width="content")
            if agent["isDefault"]:
                st.badge("Answers when no other does", color="green")
            for channel in agent["channels"] or ():
                icon = f":material/{words.CHANNEL_ICONS.get(channel, 'help')}:"
                st.badge(words.CHANNELS.get(channel, channel), color="gray", icon=icon)
            if agent["language"]:
                st.badge(agent["language"], color="gray", icon=":material/language:")
        if agent["description"]:
            text.caption(plain(agent["description"]))
        text.caption(_uses(agent))
        if may and button.button("Edit", key=f"edit/agent/{agent['id']}", icon=":material/edit:"):
            saving.edit(PLACE, agent["id"])
            st.rerun()
        if may:
            with text:
                collections_form.show(server, business, agent, PLACE)
                toolkits_form.show(server, business, agent, PLACE)
        version_list.show(server, business, agent, PLACE, may)


def _uses(agent: dict[str, Any]) -> str:
    off = [name for name, row in (agent["tools"] or {}).items() if row.get("enabled") is False]
    away = [words.field(name) for name, row in (agent["toolkits"] or {}).items() if row.get("enabled") is False]
    built_in = (
        f"Does not use: {', '.join(plain(name) for name in [*off, *away])}." if off or away else "May use every tool."
    )
    own = len(agent["attachedTools"])
    return f"{built_in} Your own tools attached: {own}." if own else built_in


def _form(server: Server, business: Business, agent: dict[str, Any], read: Opened) -> None:
    is_new, place = not agent, f"{read.form}/{agent.get('id', _NEW)}"
    tools, toolkits = _choices(server, business)
    with st.form(f"agent/{place}"):
        left, right = st.columns([3, 1])
        name = left.text_input("Name", agent.get("name") or "", key=f"{place}/name")
        language = right.text_input("Language", agent.get("language") or "", placeholder="en", key=f"{place}/language")
        channels = st.multiselect(
            *("Answers on", list(words.CHANNELS), agent.get("channels") or list(words.CHANNELS)),
            format_func=words.CHANNELS.__getitem__,
            key=f"{place}/channels",
        )
        about = st.text_area("What it is for", agent.get("description") or "", height=80, key=f"{place}/about")
        vapi_id = _vapi_field(agent, f"{place}/vapi")
        is_default = bool(agent.get("isDefault"))
        answers = st.toggle("Answers when no other does", is_default, disabled=is_default, key=f"{place}/default")
        own_tools, own_toolkits = agent.get("tools") or {}, agent.get("toolkits") or {}
        off = _off(own_tools)
        off_tools = st.multiselect(
            "Tools it must not use", sorted({*tools, *off}), off, placeholder="It may use all", key=f"{place}/tools"
        )
        away = _off(own_toolkits)
        off_toolkits = st.multiselect(
            *("Accounts it must not use", sorted({*toolkits, *away}), away),
            format_func=lambda name: toolkits.get(name, name),
            placeholder="It may use all",
            key=f"{place}/toolkits",
        )
        with st.expander("Limits of one turn (empty: as the business sets them)"):
            limits = limits_form.fields(agent.get("limits") or {}, read.body.get("limits") or {}, f"{place}/limits")
        with st.container(horizontal=True):
            wants_save = st.form_submit_button("Save", type="primary")
            wants_stop = st.form_submit_button("Cancel")
            is_removable = not is_new and not is_default
            wants_gone = is_removable and st.form_submit_button("Remove this agent", icon=":material/delete:")
    path = below("admin", "businesses", business.id, "agents")
    if wants_stop:
        saving.stop_editing(PLACE)
        st.rerun()
    if wants_gone:
        place = path + below(agent["id"])
        gone = Change(PLACE, "DELETE", place, None, agent["revision"], "The agent is removed.", decides_offers=True)
        saving.send(server, gone)
    elif wants_save:
        body: dict[str, Any] = {
            "name": name,
            "language": language.strip(),
            "channels": channels,
            "description": about,
            "isDefault": answers,
            "vapiAssistantId": vapi_id or None,
            "tools": _switched(own_tools, off_tools),
            "toolkits": _switched(own_toolkits, off_toolkits),
            "limits": limits,
        }
        method, at = ("POST", path) if is_new else ("PATCH", path + below(agent["id"]))
        done = "Saved. New conversations use it at once."
        saving.send(server, Change(PLACE, method, at, body, agent.get("revision") or "", done, decides_offers=True))


def _vapi_field(agent: dict[str, Any], key: str) -> str:
    return st.text_input(
        "Vapi assistant (optional)",
        agent.get("vapiAssistantId") or "",
        help="The id of the assistant at Vapi that speaks for this agent. Your own tools attached here are then "
        "attached there, too.",
        max_chars=64,
        key=key,
    ).strip()


def _choices(server: Server, business: Business) -> tuple[list[str], dict[str, str]]:
    toolkits = server.get(below("admin", "businesses", business.id, "toolkits")).body["toolkits"]
    return sorted({tool for t in toolkits for tool in t["actions"]}), {
        t["integration"]: t["displayName"] for t in toolkits
    }


def _off(rows: dict[str, Any]) -> list[str]:
    return sorted(name for name, row in rows.items() if row.get("enabled") is False)


def _switched(rows: dict[str, Any], off: list[str]) -> dict[str, Any]:
    names = [*rows, *(name for name in off if name not in rows)]
    switched = {name: {**rows.get(name, {"config": {}}), "enabled": name not in off} for name in names}
    # One that says nothing of its own need not be kept.
    return {name: row for name, row in switched.items() if row["enabled"] is False or row.get("config")}
