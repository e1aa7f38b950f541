"""What each model's dialect, and the prompt, show of a tool."""

from __future__ import annotations

import json
from typing import Any

import streamlit as st

from admin_ui.shell import words
from admin_ui.shell.business import Business
from admin_ui.shell.server import Server, below
from admin_ui.widgets import whereabouts
from admin_ui.widgets.base_revision import Opened
from admin_ui.widgets.plain_text import plain

DIALECTS = {
    "canonical": "Plain",
    "openai": "OpenAI",
    "openai_strict": "OpenAI, strict",
    "openai_responses": "OpenAI Responses",
    "openai_responses_strict": "OpenAI Responses, strict",
    "openai_realtime": "OpenAI Realtime",
    "gemini": "Gemini",
    "gemini_json": "Gemini with JSON Schema",
    "gemini_live": "Gemini Live",
    "anthropic": "Anthropic",
    "vapi": "Vapi",
    "livekit": "LiveKit",
    "mcp": "MCP",
    "tool_call": "Plain text protocol",
}
_STATES = {"published": "Published", "draft": "Draft", "builtIn": "Built in", "canary": "Being tried"}


def show(server: Server, business: Business, read: Opened) -> None:
    """Draw it for a state of the tool."""
    tool = read.body
    states = [
        state
        for state, is_there in (
            ("draft", tool["draft"]),
            ("published", tool["published"]),
            ("builtIn", True),
            ("canary", tool["canary"]),
        )
        if is_there
    ]
    state = whereabouts.part("Of which", states, "preview_of", format_func=_STATES.__getitem__)
    query = {"of": state, "businessId": business.id}
    shown = server.get(below("admin", "definitions", tool["name"], "preview"), query).body
    st.markdown(f"**Told for {plain(business.name)}**")
    st.markdown(plain(shown["description"]))
    _dialects(shown["dialects"])
    st.markdown("**In the prompt of a chat**")
    st.code(shown["prompt"]["written"], language="markdown", wrap_lines=True)
    channels = ", ".join(words.CHANNELS.get(name, name) for name in shown["channels"])
    conditions = ", ".join(f"`{name}`" for name in shown["conditions"]) or "none"
    st.caption(f"Channels: {plain(channels) or 'none'}. Conditions: {conditions}.")


def _dialects(dialects: list[dict[str, Any]]) -> None:
    by_name = {one["dialect"]: one for one in dialects}
    name = whereabouts.choice(
        *("As this model's API gets it", list(by_name), "preview_dialect"), format_func=lambda n: DIALECTS.get(n, n)
    )
    one = by_name[name or next(iter(by_name))]
    for loss in one["losses"]:
        st.markdown(f":orange-badge[:material/warning: lost in this dialect] {plain(loss)}")
    st.code(json.dumps(one["tools"], indent=2, ensure_ascii=False), language="json", wrap_lines=True, height=320)
    st.caption(f"About {one['tokens']} tokens.")
