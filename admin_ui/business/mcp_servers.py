"""Other servers whose tools a business uses (MCP): connecting one, and taking over what it has changed since."""

from __future__ import annotations

from typing import Any

import streamlit as st

from admin_ui.shell import failure_view, words
from admin_ui.shell.business import Business
from admin_ui.shell.server import Refused, Server, below
from admin_ui.widgets import notice, own_key, preview, problems
from admin_ui.widgets.card import card
from admin_ui.widgets.plain_text import plain, sentence

_FOUND, _REVIEWED = "at/mcp/found", "at/mcp/reviewed"
_FORM = "mcp"
_STATES = {
    "unchanged": ("as you took it over", "green"),
    "changed": ("has changed", "orange"),
    "removed": ("is gone there", "red"),
}


def show(server: Server, business: Business) -> None:
    """Draw the connected servers, and the form for another."""
    tools = server.get(below("api", business.id, "tools"), {"type": "mcp_tool"}).body["tools"]
    by_url: dict[str, list[dict[str, Any]]] = {}
    for tool in tools:
        by_url.setdefault((tool["configMetadata"].get("server") or {}).get("url", ""), []).append(tool)
    if not by_url:
        st.info(
            "No server is connected. One that speaks MCP can lend its tools to your receptionist.",
            icon=":material/dns:",
        )
    for url, own in by_url.items():
        _connected(server, business, url, own)
    if business.may("connect"):
        _form(server, business)
    else:
        st.info("Only an owner can connect servers.", icon=":material/visibility:")


def _connected(server: Server, business: Business, url: str, tools: list[dict[str, Any]]) -> None:
    path = below("admin", "businesses", business.id, "mcp")
    with card() as (text, button):
        text.markdown(f"**{plain(url)}**")
        named = ", ".join(f"`{tool['name']}`" for tool in tools[:8])
        text.caption(f"{len(tools)} of its tools {'is' if len(tools) == 1 else 'are'} yours: {named}")
        may = business.may("connect")
        if may and button.button("Look for changes", key=f"review/{url}", icon=":material/sync:"):
            preview.take(server, f"{path}/review", {"url": url}, _REVIEWED)
    review = st.session_state.get(_REVIEWED)
    if not review or review["url"] != url:
        return
    changed = [row for row in review["tools"] if row["state"] != "unchanged"]
    for row in review["tools"]:
        state, color = _STATES[row["state"]]
        about = f" {plain(', '.join(words.field(str(one)) for one in row['what']))}" if row["what"] else ""
        st.markdown(f":{color}-badge[{state}] **`{row['name']}`**{about}")
        if row.get("now"):
            st.caption(plain(row["now"]["description"]))
    if review["added"]:
        st.caption(f"New there, and not yours: {plain(', '.join(review['added']))}")
    if changed and st.button("Take the changes over", type="primary", icon=":material/download:"):
        accepted = {row["id"]: row["digest"] for row in changed}
        _take_over(server, path, {"url": url, "accepted": accepted}, review["revision"])


def _form(server: Server, business: Business) -> None:
    path = below("admin", "businesses", business.id, "mcp")
    wrong = problems.of(_FORM)
    with st.form(_FORM):
        st.markdown("**Connect a server**")
        left, right = st.columns(2)
        with left:
            name = st.text_input(
                "What you call it (optional)", placeholder="Warehouse", key=own_key.of("mcp_name")
            ).strip()
            wrong.below("server.name")
            secret = st.text_input(
                "Secret for it (optional)",
                placeholder="warehouse_key",
                help="The name of one of your secrets.",
                key=own_key.of("mcp_secret"),
            ).strip()
            wrong.below("server.headers")
        with right:
            url = st.text_input("Address", placeholder="https://mcp.example.com/mcp", key=own_key.of("mcp_url")).strip()
            wrong.below("server.url")
        is_submitted = st.form_submit_button("See what it offers", icon=":material/search:")
    if is_submitted:
        asked: dict[str, Any] = {"url": url} | ({"name": name} if name else {})
        asked |= {"headers": {"Authorization": {"secret": secret, "prefix": "Bearer "}}} if secret else {}
        preview.take(server, f"{path}/discover", {"server": asked}, _FOUND, _FORM)
    wrong.rest()
    offered = st.session_state.get(_FOUND)
    if offered:
        _choice(server, path, offered)


def _choice(server: Server, path: str, offered: dict[str, Any]) -> None:
    st.markdown(f"**{plain(offered['server']['url'])}** offers")
    chosen = []
    for tool in offered["tools"]:
        with st.container(border=True):
            can = not tool["isConnected"] and not tool["problems"]
            key = own_key.of(f"mcp/{tool['tool']}", offered["server"]["url"])
            if st.checkbox(plain(tool["label"] or tool["tool"]), key=key, disabled=not can):
                chosen.append(tool["tool"])
            st.caption(plain(tool["description"]))
            if tool["isConnected"]:
                st.markdown(":green-badge[:material/check: yours already]")
            for problem in tool["problems"]:
                st.markdown(f":red-badge[cannot be used] {sentence(_about(problem))}")
            for line in tool["report"]:
                st.caption(f"Changed by us: {plain(line)}")
    if st.button(f"Take over {len(chosen)}", type="primary", disabled=not chosen, icon=":material/add:"):
        try:
            server.send("POST", f"{path}/connect", offered["asked"] | {"tools": chosen})
        except Refused as error:
            failure_view.tell(error)
            return
        st.session_state.pop(_FOUND)
        notice.say("Taken over. Give them to an agent, so that they can be called.")
        st.rerun()


def _about(problem: dict[str, Any]) -> str:
    return f"{words.field(problem['field'])} {problem['message']}"


def _take_over(server: Server, path: str, body: dict[str, Any], revision: str) -> None:
    try:
        with st.spinner("Asking the server …"):
            reviewed = server.send("POST", f"{path}/resync", body, revision).body
    except Refused as error:
        if not error.conflict:
            failure_view.tell(error)
            return
        reviewed = error.conflict["current"]
        notice.say("It has changed since you looked, and nothing was taken over. This is how it is now.")
    st.session_state[_REVIEWED] = reviewed
    st.rerun()
