"""How a conversation that is tried begins: on which channel, with which agent, and who is imagined to call."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import streamlit as st

from admin_ui.shell import words
from admin_ui.shell.business import Business
from admin_ui.shell.server import Server, below
from admin_ui.widgets import base_revision, own_key, whereabouts

_USUAL = ""


def choose(server: Server, business: Business) -> dict[str, Any]:
    """Draw the choice, and return what is sent of it with every message."""
    agents = _agents(server, business)
    with st.container(border=True):
        left, right = st.columns([3, 2], gap="medium", vertical_alignment="bottom")
        channel = whereabouts.part(
            *("Channel", list(words.CHANNELS), "converse_channel", "phone", left),
            format_func=words.CHANNELS.__getitem__,
        )
        agent = whereabouts.choice(
            *("Agent", [_USUAL, *agents], "converse_agent", right),
            format_func=lambda id: agents.get(id, "Whoever answers on this channel"),
        )
        left, right = st.columns([3, 2], gap="medium", vertical_alignment="bottom")
        phone = left.text_input(
            "Caller's number (optional)", placeholder="+15185550161", key=own_key.of("converse_phone")
        )
        is_verified = whereabouts.toggle("Caller is verified", "converse_verified", at=right)
    start = {"channel": channel, "isVerified": is_verified, "callerPhone": phone.strip(), "agentId": agent}
    return {name: value for name, value in start.items() if value}


def told(start: Mapping[str, Any]) -> str:
    """Return how a conversation began, in words."""
    facts = [
        words.CHANNELS[start["channel"]],
        f"agent {start['agentId']}" if "agentId" in start else "",
        f"called from {start['callerPhone']}" if "callerPhone" in start else "no number known",
        "verified" if "isVerified" in start else "not verified",
    ]
    return f"{', '.join(filter(None, facts))}."


def _agents(server: Server, business: Business) -> dict[str, str]:
    path = below("admin", "businesses", business.id, "agents")
    read = base_revision.read_once("converse/agents", lambda: server.get(path))
    return {agent["id"]: str(agent["name"] or agent["id"]) for agent in read.body["agents"]}
