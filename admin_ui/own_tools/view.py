"""One own tool: its settings, what a model sees of it, which agents have it, and a try."""

from __future__ import annotations

import json

import streamlit as st

from admin_ui.definitions import findings
from admin_ui.own_tools import agents, form, secrets, trial
from admin_ui.own_tools.kinds import KINDS
from admin_ui.shell.business import Business
from admin_ui.shell.server import Server, below
from admin_ui.widgets import base_revision, saving, whereabouts
from admin_ui.widgets.base_revision import Opened
from admin_ui.widgets.plain_text import plain, sentence

_SETTINGS, _SEEN, _AGENTS, _TRY = "Settings", "What models see", "Agents", "Try it"


def show(server: Server, business: Business, id: str) -> None:
    """Draw the tool of this id, or the form for a new one."""
    if not id:
        form.new(server, business)
        return
    place, path = f"own/{id}", below("api", business.id, "tools", id)
    read = base_revision.read_once(place, lambda: server.get(path))
    tool = read.body["tool"]
    kind = KINDS.get(tool["type"])
    off = "" if tool["enabled"] else " :red-badge[off]"
    st.markdown(
        f"#### {plain(tool['label'] or tool['name'])} :blue-badge[{plain(kind.title if kind else tool['type'])}]{off}"
    )
    if tool["problem"]:
        st.error(f"It cannot be used as it is. {sentence(tool['problem'])}", icon=":material/error:")
    if saving.conflict(server, place):
        return
    # What was read before a secret was entered would still miss it; what is typed below belongs to that reading.
    is_older = secrets.CHANGED in st.session_state
    findings.show((server.get(path) if is_older else read).body["findings"])
    parts = [_SETTINGS, _SEEN, _AGENTS, _TRY]
    part = whereabouts.part("Part", parts, "own_tool_part")
    if part == _SETTINGS:
        form.edit(server, business, read)
    elif part == _SEEN:
        _seen(read)
    elif part == _AGENTS:
        agents.show(server, business, read)
    else:
        trial.show(server, business, tool)


def _seen(read: Opened) -> None:
    tool = read.body["tool"]
    st.markdown("**This is all that a model sees of it**")
    st.code(json.dumps(tool["functionSchema"], indent=2, ensure_ascii=False), language="json", wrap_lines=True)
    st.markdown("**This stays hidden, and is filled in when it is called**")
    hidden = {**tool["staticConfig"], **{k: v for k, v in tool["configMetadata"].items() if k in ("request", "server")}}
    st.code(json.dumps(hidden, indent=2, ensure_ascii=False), language="json", wrap_lines=True)
    if tool["externalToolId"]:
        st.caption(f"At Vapi it is `{tool['externalToolId']}`.")
