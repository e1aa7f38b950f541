"""Who answers: each agent with its channels, what it may use, and a form to change it."""

from __future__ import annotations

from typing import Any

import streamlit as st

from admin_ui.agents import agent_form, attached_tools, collections_form, toolkits_form, trial_view, version_list
from admin_ui.shell import words
from admin_ui.shell.business import Business
from admin_ui.shell.server import Server, below
from admin_ui.widgets import base_revision, saving
from admin_ui.widgets.card import card
from admin_ui.widgets.plain_text import plain

PLACE, _NEW = "agents", agent_form.NEW


def show(server: Server, business: Business) -> None:
    """Draw the page."""
    path = below("admin", "businesses", business.id, "agents")
    read = base_revision.read_once(PLACE, lambda: server.get(path))
    agents, may = read.body["agents"], business.may("edit_agents")
    edited = saving.edited(PLACE, [_NEW, *(agent["id"] for agent in agents)] if may else ())
    if not may:
        st.info("You may look at this, but only an owner or editor can change it.", icon=":material/visibility:")
    if not agents and edited != _NEW:
        st.info("There is no agent yet: one with every tool answers everywhere.", icon=":material/support_agent:")
    if may and not edited and st.button("Add an agent", type="primary", icon=":material/add:"):
        agent_form.begin(PLACE, _NEW)
        st.rerun()
    if saving.conflict(server, PLACE):
        return
    if edited == _NEW:
        agent_form.show(server, business, {}, read, PLACE)
    for agent in agents:
        if edited == agent["id"]:
            agent_form.show(server, business, agent, read, PLACE)
        else:
            _card(server, business, agent, may, read.body["answers"])


def _card(server: Server, business: Business, agent: dict[str, Any], may: bool, answers: dict[str, str]) -> None:
    with card() as (text, button):
        with text, st.container(horizontal=True, vertical_alignment="center"):
            st.markdown(f"**{plain(agent['name'] or agent['id'])}**", width="content")
            if agent["isDefault"]:
                st.badge("Answers when no other does", color="green")
            for channel in agent["channels"] or ():
                icon = f":material/{words.CHANNEL_ICONS.get(channel, 'help')}:"
                name, here = words.CHANNELS.get(channel, channel), answers.get(channel) == agent["id"]
                st.badge(name if here else f"{name}: after a handover", color="gray", icon=icon, help=_when(here))
            if agent["trial"]:
                st.badge(f"On trial: {agent['trial']['share']} of 100 conversations", color="violet")
            if agent["language"]:
                st.badge(agent["language"], color="gray", icon=":material/language:")
        if agent["description"]:
            text.caption(plain(agent["description"]))
        text.caption(_uses(agent))
        if may and button.button("Edit", key=f"edit/agent/{agent['id']}", icon=":material/edit:"):
            agent_form.begin(PLACE, agent["id"])
            st.rerun()
        if may:
            with text:
                collections_form.show(server, business, agent, PLACE)
                toolkits_form.show(server, business, agent, PLACE)
        attached_tools.show(server, business, agent, PLACE, may)
        trial_view.show(server, business, agent, PLACE, may)
        version_list.show(server, business, agent, PLACE, may)


def _when(answers_here: bool) -> str:
    if answers_here:
        return "It answers here."
    return "Another agent answers here; this one does where a conversation is handed over to it, or it is named."


def _uses(agent: dict[str, Any]) -> str:
    off = [name for name, row in (agent["tools"] or {}).items() if row.get("enabled") is False]
    away = [words.field(name) for name, row in (agent["toolkits"] or {}).items() if row.get("enabled") is False]
    built_in = (
        f"Does not use: {', '.join(plain(name) for name in [*off, *away])}." if off or away else "May use every tool."
    )
    own = len(agent["attachedTools"])
    return f"{built_in} Your own tools attached: {own}." if own else built_in
