"""What one agent sets for a connected account of its own: settings and secrets that go before the business's."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import streamlit as st

from admin_ui.shell.business import Business
from admin_ui.shell.server import Server, below
from admin_ui.widgets import base_revision, config_form, saving, whereabouts
from admin_ui.widgets.base_revision import Opened
from admin_ui.widgets.plain_text import plain
from admin_ui.widgets.saving import Change


def show(server: Server, business: Business, agent: Mapping[str, Any], place: str) -> None:
    """Draw the choice of an account, and the form for it; `place` is where the agents were read."""
    if not business.may("connect"):
        return
    key = f"own accounts/{agent['id']}"
    with st.expander("Accounts of its own", icon=":material/tune:", key=key):
        toolkits = _toolkits(server, business)
        chosen = whereabouts.choice(
            *("Account", list(toolkits), f"{key}/account"),
            index=None,
            format_func=lambda name: toolkits[name]["displayName"],
            placeholder="Choose one to see what this agent sets for it",
        )
        if chosen is None:
            st.caption(
                "What an agent sets goes before the business's settings; what it leaves empty is taken from there."
            )
            return
        path = below("admin", "businesses", business.id, "agents", agent["id"], "toolkits", chosen)
        own = f"{key}/{chosen}"
        read = base_revision.read_once(own, lambda: server.get(path))
        if not saving.conflict(server, own):
            _form(server, business, toolkits[chosen], read, own, path, place)


def _form(
    server: Server, business: Business, toolkit: Mapping[str, Any], read: Opened, own: str, path: str, place: str
) -> None:
    connection, name = read.body, toolkit["displayName"]
    sets_something = (
        not connection["enabled"]
        or connection["config"]
        or any(s["isSet"] for s in connection["sensitiveConfig"].values())
    )
    with st.form(f"form/{read.form}", border=False):
        may_use = st.toggle("It may use this account", connection["enabled"], key=f"{read.form}/enabled")
        config = config_form.draw(_optional(toolkit["configSchema"]), connection["config"], read.form, disabled=False)
        # The consent elsewhere is what gives this one; nobody types it.
        is_consent = toolkit["auth"].get("type") == "oauth2"
        schema = {"properties": {}} if is_consent else _optional(toolkit["sensitiveSchema"])
        secrets = config_form.draw_secrets(schema, connection["sensitiveConfig"], read.form, business)
        with st.container(horizontal=True):
            wants_save = st.form_submit_button("Save", type="primary")
            wants_back = sets_something and st.form_submit_button("Use the business's settings", icon=":material/undo:")
    if wants_save:
        body: dict[str, Any] = {"enabled": may_use, "config": config} | (
            {"sensitiveConfig": secrets} if secrets else {}
        )
        # The list of agents tells of it, too.
        base_revision.forget(place)
        done = f"{name}: saved for this agent."
        saving.send(server, Change(own, "PUT", path, body, read.revision, done, decides_offers=True))
    elif wants_back:
        base_revision.forget(place)
        done = f"{plain(name)}: this agent uses the business's settings again."
        saving.send(server, Change(own, "DELETE", path, None, read.revision, done, decides_offers=True))


def _toolkits(server: Server, business: Business) -> dict[str, dict[str, Any]]:
    """Return the toolkits that have something to set, by name."""
    path = below("admin", "businesses", business.id, "toolkits")
    read = base_revision.read_once("agents' toolkits", lambda: server.get(path))
    return {
        toolkit["name"]: toolkit
        for toolkit in read.body["toolkits"]
        if toolkit["configSchema"].get("properties") or toolkit["sensitiveSchema"].get("properties")
    }


def _optional(schema: Mapping[str, Any]) -> dict[str, Any]:
    """Return a schema of which nothing needs to be set: what is left out, or is no agent's, comes from the business."""
    settings = schema.get("properties", {})
    rows = {name: _unset(rules) for name, rules in settings.items() if not rules.get("x-of-business")}
    return {"properties": rows}


def _unset(rules: Mapping[str, Any]) -> dict[str, Any]:
    others = {name: value for name, value in rules.items() if name != "default"}
    # A switch is on or off; here it may also say nothing.
    return others | {"enum": [True, False]} if rules.get("type") == "boolean" else others
