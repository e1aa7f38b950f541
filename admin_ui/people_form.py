"""Whom callers are put through to, and who gets their messages: a list of rules, and a form for one of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import streamlit as st

from admin_ui import saving
from admin_ui.card import card
from admin_ui.opened import Opened
from admin_ui.plain_text import plain

_PLACE, _NEW = "business", "new"
_ACTIONS = {"transfer": "Put the call through", "message": "Pass on a message"}
_ICONS = {"transfer": "phone_forwarded", "message": "sms"}


def show(read: Opened, save: Callable[[dict[str, Any]], None]) -> None:
    """Draw the list, with a form in place of what is edited."""
    rules: list[dict[str, Any]] = (read.body["business"].get("escalation") or {}).get("rules") or []
    may, edited = read.body["mayEditSafeguards"], saving.edited(_PLACE)
    st.markdown("When a caller needs a person, your receptionist goes down this list and uses what fits.")
    if not may and read.body["mayEdit"]:
        st.info("Only an owner can change who is rung and written to.", icon=":material/visibility:")
    if not rules and edited != _NEW:
        st.info(
            "There is nobody yet: calls cannot be put through, and messages not passed on.", icon=":material/group:"
        )
    if may and edited != _NEW and st.button("Add a person", icon=":material/person_add:", type="primary"):
        saving.edit(_PLACE, _NEW)
        st.rerun()
    if edited == _NEW:
        _form(read, rules, len(rules), save)
    with st.container(gap="xsmall"):
        for at, rule in enumerate(rules):
            if edited == str(at):
                _form(read, rules, at, save)
            else:
                _line(rule, at, may)


def _line(rule: Mapping[str, Any], at: int, may: bool) -> None:
    action = str(rule.get("action"))
    with card() as (words, button):
        with words:
            with st.container(horizontal=True, vertical_alignment="center"):
                st.markdown(f"**{plain(rule.get('label') or _ACTIONS.get(action, action))}**", width="content")
                st.badge(_ACTIONS.get(action, action), icon=f":material/{_ICONS.get(action, 'help')}:", color="blue")
            reached = [rule.get("destination"), rule.get("email")]
            st.caption(plain(" · ".join(filter(None, [*reached, rule.get("when")]))))
        if may and button.button("Edit", key=f"edit/rule/{at}", icon=":material/edit:"):
            saving.edit(_PLACE, str(at))
            st.rerun()


def _form(read: Opened, rules: list[dict[str, Any]], at: int, save: Callable[[dict[str, Any]], None]) -> None:
    is_new = at == len(rules)
    before = {} if is_new else rules[at]
    actions = list(_ACTIONS)
    with st.form(f"rule/{read.form}/{at}"):
        left, right = st.columns(2)
        label = left.text_input("Who", before.get("label") or "", placeholder="Front desk")
        action = right.selectbox(
            *("What to do", actions, actions.index(before["action"]) if before.get("action") in actions else 0),
            format_func=_ACTIONS.__getitem__,
        )
        when = st.text_area(
            "When", before.get("when") or "", height=80, placeholder="The caller asks for a person, or is upset."
        )
        left, right = st.columns(2)
        number = left.text_input("Phone number", before.get("destination") or "", placeholder="+15185550143")
        email = right.text_input("E-mail for messages", before.get("email") or "")
        with st.container(horizontal=True):
            wants_save = st.form_submit_button("Save", type="primary")
            wants_stop = st.form_submit_button("Cancel")
            wants_gone = not is_new and st.form_submit_button("Remove", icon=":material/delete:")
    if wants_stop:
        saving.stop_editing(_PLACE)
        st.rerun()
    if wants_gone:
        save({"escalation": {"rules": [*rules[:at], *rules[at + 1 :]]}})
    elif wants_save:
        said = {"label": label, "action": action, "when": when, "destination": number, "email": email}
        kept = {key: value for key, value in before.items() if key not in said}
        row = kept | {key: text.strip() for key, text in said.items() if text.strip()}
        save({"escalation": {"rules": [*rules[:at], row, *rules[at + 1 :]]}})
