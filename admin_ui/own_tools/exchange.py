"""Making tools of an API's description, and taking tools from one business to another."""

from __future__ import annotations

import json
from functools import partial
from typing import Any

import streamlit as st

from admin_ui.shell import failure_view
from admin_ui.shell.business import Business
from admin_ui.shell.server import Refused, Server, below
from admin_ui.widgets import notice, own_key, preview, problems
from admin_ui.widgets.plain_text import plain
from admin_ui.widgets.problems import Problems

_API, _BUNDLE = "at/import/api", "at/import/bundle"
_OUT = {"bundle": "For another business here", "openapi": "As OpenAPI", "mcp": "As MCP tools"}
_STATES = {
    "create": ("will be made", "green"),
    "same": ("is there already", "gray"),
    "there": ("is there already", "gray"),
    "collision": ("its name is taken", "red"),
}
_NEEDS = {
    "secrets": "secrets",
    "accounts": "connected accounts",
    "numbers": "phone numbers",
    "rules": "people to put through to",
    "collections": "records",
}


def show(server: Server, business: Business) -> None:
    """Draw the ways in, and the ways out."""
    path = below("admin", "businesses", business.id, "tools")
    if business.may("edit_tools"):
        with st.expander("Make tools of an API's description (OpenAPI)", expanded=_is_begun(_API)):
            _import(server, path)
        with st.expander("Take in tools of another business", expanded=_is_begun(_BUNDLE)):
            _bundle(server, path)
    st.markdown("**Take your tools out**")
    st.caption("Secrets are in none of these.")
    with st.container(horizontal=True):
        for form, label in _OUT.items():
            st.download_button(
                label,
                partial(_exported, server, path, form),
                file_name=f"{business.id}-{form}.json",
                mime="application/json",
                icon=":material/download:",
                on_click="ignore",
            )


def _is_begun(text_key: str) -> bool:
    return text_key in st.session_state or bool(problems.of(text_key).found)


def _exported(server: Server, path: str, form: str) -> str:
    return json.dumps(server.get(f"{path}/export", {"as": form}).body, indent=2, ensure_ascii=False)


def _import(server: Server, path: str) -> None:
    wrong = problems.of(_API)
    document = _document("api", "The description, as JSON or YAML", wrong, "document")
    where = st.text_input(
        "Where the API is (optional)",
        placeholder="https://api.example.com/v1",
        help="If the description does not say.",
        key=own_key.of("api_server"),
    ).strip()
    wrong.below("server")
    asked = {"document": document} | ({"server": where} if where else {})
    if st.button("See what is in it", icon=":material/search:", disabled=not document):
        preview.take(server, f"{path}/import", asked, _API, _API)
    wrong.rest()
    previewed = preview.taken(_API, asked)
    if not previewed:
        return
    st.markdown(f"**{plain(previewed['title'])}** {plain(previewed['version'])}")
    for line in previewed["report"]:
        st.caption(plain(line))
    chosen = [operation["id"] for operation in previewed["operations"] if _operation(operation)]
    many = f"{len(chosen)} tool{'' if len(chosen) == 1 else 's'}"
    if st.button(f"Make {many}", type="primary", icon=":material/add:", disabled=not chosen):
        try:
            made = server.send("POST", f"{path}/import", previewed["asked"] | {"chosen": chosen}).body
        except Refused as error:
            failure_view.tell(error)
            return
        st.session_state.pop(_API)
        secrets = ", ".join(made["secrets"])
        notice.say(f"Made {many}." + (f" Enter these secrets: {secrets}." if secrets else ""))
        st.rerun()


def _operation(operation: dict[str, Any]) -> bool:
    there = operation["tool"]
    with st.container(border=True):
        label = f"{operation['method']} {operation['path']}"
        is_chosen = st.checkbox(
            plain(label), key=own_key.of(f"operation/{operation['id']}"), disabled=bool(there or operation["problems"])
        )
        if operation["summary"]:
            st.caption(plain(operation["summary"]))
        if there:
            st.markdown(
                f":gray-badge[is there already] **`{there['name']}`**{'' if there['isSame'] else ', changed since'}"
            )
        for problem in operation["problems"]:
            st.markdown(f":red-badge[cannot be made] {plain(problem)}")
        for line in operation["report"]:
            st.caption(plain(line))
    return is_chosen and not there


def _bundle(server: Server, path: str) -> None:
    wrong = problems.of(_BUNDLE)
    document = _document("bundle", "What was taken out there, as JSON", wrong, "bundle")
    asked = {"bundle": document}
    if st.button("See what would happen", icon=":material/search:", disabled=not document):
        preview.take(server, f"{path}/bundle", asked, _BUNDLE, _BUNDLE)
    wrong.rest()
    plan = preview.taken(_BUNDLE, asked)
    if not plan:
        return
    for kind, title in (("tools", "Tools"), ("agents", "Agents")):
        for row in plan[kind]:
            state_words, color = _STATES.get(row["state"], (row["state"], "gray"))
            st.markdown(f":{color}-badge[{state_words}] {title[:-1]} **`{row.get('name') or row.get('id')}`**")
    for kind, names in plan["needs"].items():
        if names:
            st.caption(f"It needs these {_NEEDS.get(kind, kind)}: {plain(', '.join(names))}")
    clashing = [row["name"] for row in plan["tools"] if row["state"] == "collision"]
    if not any(row["state"] == "create" or row.get("attach") for row in (*plan["tools"], *plan["agents"])):
        state_words = "Nothing of it can be taken in" if clashing else "All of it is here already"
        st.info(f"{state_words}.", icon=":material/info:")
        return
    label = f"Take in all but {', '.join(clashing)}" if clashing else "Take it in"
    if st.button(label, type="primary", icon=":material/download:"):
        body = plan["asked"] | {"dryRun": False} | ({"leaveOut": clashing} if clashing else {})
        try:
            server.send("POST", f"{path}/bundle", body)
        except Refused as error:
            failure_view.tell(error)
            return
        st.session_state.pop(_BUNDLE)
        notice.say("Taken in.")
        st.rerun()


def _document(name: str, label: str, wrong: Problems, place: str) -> str:
    file = st.file_uploader("A file", type=["json", "yaml", "yml"], key=own_key.of(f"{name}_file"))
    text = st.text_area(f"Or paste it: {label}", height=120, key=own_key.of(f"{name}_text"))
    wrong.below(place)
    return file.getvalue().decode("utf-8", "replace") if file is not None else text.strip()
