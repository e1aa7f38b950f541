"""Exactly what the model saw when it was last asked: the prompt, the messages, and the tools that it was told of."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import streamlit as st

from admin_ui.widgets.plain_text import lines, plain

_FROM = {
    "caller": ("The caller", "person"),
    "model": ("The model", "support_agent"),
    "tool": ("A tool's answer", "build"),
    "house": ("Switchboard, to the model", "info"),
}
_HEIGHT = 420


def show(saw: Mapping[str, Any] | None) -> None:
    """Draw it, folded away."""
    with st.expander("Exactly what the model saw", icon=":material/visibility:"):
        if saw is None:
            st.caption("The model was not asked in the last turn.")
            return
        requests = "once" if saw["requests"] == 1 else f"{saw['requests']} times"
        st.caption(
            f"The model {plain(saw['model'])} was asked {requests} in the last turn; this is what it was sent last. "
            "Secrets are hidden."
        )
        if any(saw["leftOut"].values()):
            left = ", ".join(f"{count} {what}" for what, count in saw["leftOut"].items() if count)
            st.warning(f"Too long to show it all; left out: {left}.", icon=":material/content_cut:")
        prompt, messages, tools = st.tabs(
            ["System prompt", f"Messages ({len(saw['messages'])})", f"Tools ({len(saw['tools'])})"]
        )
        prompt.code(saw["system"], language=None, wrap_lines=True, height=_HEIGHT)
        with messages:
            for message in saw["messages"]:
                _message(message)
        with tools:
            st.caption(f"Declared in the dialect `{saw['dialect']}`.")
            st.code(_json(saw["tools"]), language="json", wrap_lines=True, height=_HEIGHT)


def _message(message: Mapping[str, Any]) -> None:
    who, icon = _FROM.get(message["from"], (message["from"], "help"))
    with st.container(border=True, gap="xsmall"):
        st.caption(f":material/{icon}: {plain(who)}")
        if message.get("text"):
            st.markdown(lines(message["text"]))
        for call in message.get("calls", ()):
            st.code(f"{call['name']} {_json(call['args'])}", language=None, wrap_lines=True)
        if "sent" in message:
            st.code(_json(message["sent"]), language="json", wrap_lines=True)


def _json(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, indent=2, ensure_ascii=False)
