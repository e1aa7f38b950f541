"""Accounts elsewhere that the receptionist works with: connect, set up, try, connect again, disconnect."""

from __future__ import annotations

from html import escape
from typing import Any

import streamlit as st
import streamlit.components.v1 as components

from admin_ui.shell import failure_view, words
from admin_ui.shell.business import Business
from admin_ui.shell.overview_page import show_state, state_of
from admin_ui.shell.server import Refused, Server, below
from admin_ui.widgets import base_revision, config_form, saving
from admin_ui.widgets.base_revision import Opened
from admin_ui.widgets.plain_text import plain, sentence
from admin_ui.widgets.saving import Change

PLACE = "toolkits"
_ELSEWHERE = {
    "pipedream": "There is nothing to fill in here. Apps of yours, such as a sheet, are connected at Pipedream, in "
    "this Switchboard's project there and under this business's id: ask whoever looks after it. Then make a tool under "
    "**Your tools** that runs an action of an app; the accounts that are connected can be chosen there."
}
"""What to do about an account that is connected elsewhere."""
_FORM = """<form method="post" target="_blank" action="{0}" rel="noopener">
<input type="hidden" name="state" value="{1}">
<button style="font:1rem system-ui,sans-serif;padding:.5rem .9rem;border:0;border-radius:.5rem;background:#0f766e;
color:#fff;cursor:pointer">{2}</button></form>"""


def show(server: Server, business: Business) -> None:
    """Draw every account with its state, and what can be done about it."""
    path = below("admin", "businesses", business.id, "toolkits")
    read = base_revision.read_once(PLACE, lambda: server.get(path))
    if st.button("Look again", icon=":material/refresh:", type="tertiary"):
        base_revision.forget(PLACE)
        st.rerun()
    if not business.may("connect"):
        st.info("You may look at this, but only an owner can connect accounts.", icon=":material/visibility:")
    if saving.conflict(server, PLACE):
        return
    for toolkit in read.body["toolkits"]:
        with st.container(border=True, key=f"toolkit-{toolkit['name']}"):
            _toolkit(server, business, toolkit, read)


def _toolkit(server: Server, business: Business, toolkit: dict[str, Any], read: Opened) -> None:
    state = state_of(toolkit)
    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown(f"**{plain(toolkit['displayName'])}**", width="content")
        show_state(state)
    st.caption(plain(toolkit["description"]))
    if toolkit["missing"] and state == "incomplete":
        st.markdown(f"Still missing: {plain(', '.join(_missing(toolkit)))}")
    if state != "connected" and toolkit["name"] in _ELSEWHERE:
        st.markdown(f":material/arrow_forward: {_ELSEWHERE[toolkit['name']]}")
    if toolkit["needsReauth"]:
        st.markdown("It refuses what is kept here, so that its tools are not offered to callers. Connect it again.")
    if not business.may("connect"):
        return
    path = below("admin", "businesses", business.id, "toolkits", toolkit["name"])
    with st.container(horizontal=True):
        if toolkit["auth"].get("type") == "oauth2":
            _consent(server, business, toolkit, state)
        if toolkit["isConnected"] and st.button(
            "Try it", key=f"try/{toolkit['name']}", icon=":material/network_check:"
        ):
            _try(server, f"{path}/test", toolkit)
        if state != "off" and st.button("Disconnect", key=f"off/{toolkit['name']}", icon=":material/link_off:"):
            saving.edit(f"{PLACE}/off", toolkit["name"])
            st.rerun()
    if saving.edited(f"{PLACE}/off") == toolkit["name"]:
        _disconnect(server, path, toolkit)
    if toolkit["configSchema"].get("properties") or toolkit["sensitiveSchema"].get("properties"):
        with st.expander("Settings", icon=":material/tune:", key=f"settings/{toolkit['name']}"):
            _settings(server, business, toolkit, path, read.form)


def _missing(toolkit: dict[str, Any]) -> list[str]:
    known = {**toolkit["configSchema"].get("properties", {}), **toolkit["sensitiveSchema"].get("properties", {})}
    return [str(known.get(name, {}).get("title") or words.field(name)) for name in toolkit["missing"]]


def _consent(server: Server, business: Business, toolkit: dict[str, Any], state: str) -> None:
    label = {"connected": "Connect another account", "refused": "Connect again"}.get(state, "Connect")
    key = f"at/consent/{toolkit['name']}"
    if st.button(label, key=f"connect/{toolkit['name']}", icon=":material/link:", type="primary"):
        try:
            path = below("admin", "integrations", toolkit["auth"]["provider"], "connect")
            begun = server.get(path, {"businessId": business.id}).body
        except Refused as error:
            failure_view.tell(error)
            return
        st.session_state[key] = begun
    begun = st.session_state.get(key)
    if begun and state != "connected":
        _go_on(f"Go on to {toolkit['displayName']}", begun)
        st.caption("It opens in a new window. When you are done there, come back and look again.")


def _go_on(label: str, begun: dict[str, Any]) -> None:
    """Draw a button that sends a form: a link could be sent to anybody, and would prove nothing of who follows it."""
    page, _, _ = str(begun["page"]).partition("?")
    fields = escape(page, quote=True), escape(str(begun["state"]), quote=True), escape(label)
    components.html(_FORM.format(*fields), height=60)


def _try(server: Server, path: str, toolkit: dict[str, Any]) -> None:
    try:
        trial = server.ask(path).body
    except Refused as error:
        failure_view.tell(error)
        return
    if trial["ok"]:
        st.success(plain(trial["message"]), icon=":material/check_circle:")
    else:
        st.error(sentence(trial["message"]), icon=":material/error:")


def _disconnect(server: Server, path: str, toolkit: dict[str, Any]) -> None:
    name = plain(toolkit["displayName"])
    done = f"{toolkit['displayName']} is disconnected."
    change = Change(PLACE, "DELETE", path, None, toolkit["revision"], done)
    tools = ", ".join(tool["name"] for tool in toolkit["tools"])
    ending = f" It is what these work with: {plain(tools)}." if tools else ""
    question = f"**Disconnect {name}?** Its settings and secrets are forgotten.{ending}"
    losses = saving.listed(saving.losses(server, change))
    st.warning(f"{question}\n\n{losses}" if losses else question, icon=":material/link_off:")
    with st.container(horizontal=True):
        if st.button("Yes, disconnect", key=f"off-yes/{toolkit['name']}", type="primary"):
            saving.stop_editing(f"{PLACE}/off")
            saving.send(server, change)
        if st.button("No, keep it", key=f"off-no/{toolkit['name']}"):
            saving.stop_editing(f"{PLACE}/off")
            st.rerun()


def _settings(server: Server, business: Business, toolkit: dict[str, Any], path: str, form: str) -> None:
    place = f"{form}/{toolkit['name']}"
    choices = _calendars(server, path, toolkit, place)
    with st.form(f"config/{place}", border=False):
        config = config_form.draw(toolkit["configSchema"], toolkit["config"], place, disabled=False, choices=choices)
        stored_secrets = toolkit["sensitiveConfig"]
        # The consent elsewhere is what gives this one; nobody types it.
        schema = {"properties": {}} if toolkit["auth"].get("type") == "oauth2" else toolkit["sensitiveSchema"]
        secrets = config_form.draw_secrets(schema, stored_secrets, place, business)
        wants_save = st.form_submit_button("Save", type="primary")
    if wants_save:
        body: dict[str, Any] = {"config": config} | ({"sensitiveConfig": secrets} if secrets else {})
        done = f"{toolkit['displayName']}: settings saved."
        saving.send(server, Change(PLACE, "PUT", path, body, toolkit["revision"], done, decides_offers=True))


def _calendars(server: Server, path: str, toolkit: dict[str, Any], place: str) -> dict[str, dict[str, str]]:
    """Offer to list the account's calendars, and return what each is called, by the setting that one of them is for."""
    schema = toolkit["configSchema"].get("properties", {})
    settings = [name for name, rules in schema.items() if rules.get("x-choices") == "calendars"]
    if not settings:
        return {}
    if {*toolkit["missing"]} - {*settings}:
        first = "Connect it" if toolkit["auth"].get("type") == "oauth2" else "Save what is asked for below"
        st.caption(f"{first} first. Then the account's calendars can be listed here, to choose one.")
        return {}
    key = f"at/calendars/{place}"
    if st.button("List its calendars", key=f"list/{place}", icon=":material/calendar_month:"):
        try:
            st.session_state[key] = server.get(f"{path}/calendars").body["calendars"]
        except Refused as error:
            failure_view.tell(error)
    calendars = st.session_state.get(key)
    if calendars is None:
        return {}
    if not calendars:
        st.info("This account has no calendar for events. Make one there, and list them again.")
        return {}
    labels = {row["id"]: row["name"] + (" (only for reading)" if row["isReadOnly"] else "") for row in calendars}
    return dict.fromkeys(settings, labels)
