"""What would be offered if an account, a rule or a feature were otherwise, or another agent answered."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import streamlit as st

from admin_ui.business import calendar_names
from admin_ui.definitions import offer_rows
from admin_ui.shell import words
from admin_ui.shell.business import Business
from admin_ui.shell.server import Server, below, together
from admin_ui.widgets import base_revision, whereabouts
from admin_ui.widgets.plain_text import plain

_AS_IS = "as it is"
_STATES = {"connected": "connected", "refused": "must be connected again", "off": "not connected"}
_ACCOUNTS = {
    **calendar_names.ALL,
    "twilio": "Phone account",
    "email": "E-mail account",
    "pipedream": "Pipedream",
    "vapi": "Vapi",
}
_RULES = {"transfer": "Callers may be put through", "message": "Messages may be taken"}
_SHOWN = ("What changes", "Everything")


def show(server: Server, business: Business) -> None:
    """Draw the page."""
    path = below("admin", "businesses", business.id, "what-if")
    now = base_revision.read_once("what_if", lambda: server.get(path)).body
    query = _situation(now)
    if not query:
        then = now
        st.info("Nothing is imagined yet: this is how things are.", icon=":material/lightbulb:")
    else:
        then = together(lambda: server.get(path, query).body)[0]
    _compared(now, then, is_imagined=bool(query))


def _situation(now: Mapping[str, Any]) -> dict[str, str]:
    query: dict[str, str] = {}
    with st.container(border=True):
        st.markdown("**What if …**")
        accounts = {}
        with st.grid(min_column_width=220):
            for one in now["integrations"]:
                name, state = one["name"], one["state"]
                chosen = _choice(_ACCOUNTS.get(name, words.field(name)), _STATES, state, f"if/{name}")
                if chosen:
                    accounts[name] = chosen
            rules = {
                r: _choice(text, {"yes": "yes", "no": "no"}, _yes(r in now["rules"]), f"if/{r}")
                for r, text in _RULES.items()
            }
            features = {
                f: _choice(f"Feature: {f}", {"yes": "on", "no": "off"}, _yes(f in now["features"]), f"if/f/{f}")
                for f in now["knownFeatures"]
            }
            if now["agents"]:
                named = {agent["id"]: agent["name"] or agent["id"] for agent in now["agents"]}
                agent = _choice("Who answers", named, "", "if/agent")
                query |= {"agentId": agent} if agent else {}
    query |= {"integrations": ",".join(f"{n}:{s}" for n, s in accounts.items())} if accounts else {}
    query |= _listed("rules", rules, now["rules"]) | _listed("features", features, now["features"])
    return query


def _choice(label: str, options: Mapping[str, str], now: str, key: str) -> str:
    """Draw a choice; return nothing where all stays as it is."""
    others = [name for name in options if name != now]
    is_now = f"{_AS_IS}: {options[now]}" if now in options else _AS_IS
    chosen = whereabouts.choice(label, ["", *others], key, format_func=lambda n: options[n] if n else is_now)
    return chosen or ""


def _yes(is_so: bool) -> str:
    return "yes" if is_so else "no"


def _listed(name: str, chosen: Mapping[str, str], now: list[str]) -> dict[str, str]:
    if not any(chosen.values()):
        return {}
    names = {one for one in now if chosen.get(one) != "no"} | {one for one, answer in chosen.items() if answer == "yes"}
    return {name: ",".join(sorted(names)) or "none"}


def _compared(now: Mapping[str, Any], then: Mapping[str, Any], is_imagined: bool) -> None:
    before = {tool["name"]: tool for tool in now["tools"]}
    changed = [tool for tool in then["tools"] if _states(tool) != _states(before.get(tool["name"]))]
    left, right = st.columns([3, 4], vertical_alignment="bottom")
    search_text = whereabouts.search("Find", "find_if", left, placeholder="Words of a tool")
    shown = _SHOWN[1]
    if is_imagined:
        shown = whereabouts.part("Show", _SHOWN, "show_if", at=right)
        st.markdown(_summary(changed, before))
    tools = changed if shown == _SHOWN[0] else then["tools"]
    with st.container(gap="xsmall"):
        for tool in offer_rows.paged(offer_rows.found_in(tools, search_text), "if_page", f"{shown}/{search_text}"):
            with st.container(border=True, gap="xsmall"):
                st.markdown(offer_rows.head(tool))
                earlier = before.get(tool["name"])
                if tool in changed and earlier:
                    st.markdown(f":gray[now] {offer_rows.places(earlier)}")
                    st.markdown(f":gray[then] {offer_rows.places(tool)}")
                else:
                    st.markdown(offer_rows.places(tool))
                for why in offer_rows.reasons(tool, with_rule=True):
                    st.caption(why)


def _summary(changed: list[dict[str, Any]], before: Mapping[str, Any]) -> str:
    if not changed:
        return "Nothing would change: the same tools would be offered to the same callers."
    gone = [tool["name"] for tool in changed if not offer_rows.is_offered(tool)]
    new = [tool["name"] for tool in changed if not offer_rows.is_offered(before.get(tool["name"], {"cells": []}))]
    parts = [f"**{len(changed)}** of the tools would be offered otherwise"]
    parts += [f"**{len(gone)}** would be gone everywhere"] if gone else []
    parts += [f"**{len(new)}** would be new"] if new else []
    return plain(", ".join(parts)).replace("\\*\\*", "**") + "."


def _states(tool: Mapping[str, Any] | None) -> list[tuple[Any, ...]]:
    return [(cell["channel"], cell["isVerified"], cell["condition"]) for cell in tool["cells"]] if tool else []
