"""Whom callers are put through to, and who gets their messages: a list of rules, and a form for one of them."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import streamlit as st

from admin_ui.widgets import row_list, stored_values
from admin_ui.widgets.base_revision import Opened
from admin_ui.widgets.plain_text import plain
from admin_ui.widgets.row_list import Row

_ACTIONS = {"transfer": "Put the call through", "message": "Pass on a message"}
_ICONS = {"transfer": "phone_forwarded", "message": "sms"}


def show(read: Opened, save: Callable[[dict[str, Any]], None]) -> None:
    """Draw the list, with a form in place of what is edited."""
    rules = rules_of(read.body["business"])
    may = read.body["mayEditSafeguards"]
    st.markdown("When a caller needs a person, your receptionist goes down this list and uses what fits.")
    if not may and read.body["mayEdit"]:
        st.info("Only an owner can change who is rung and written to.", icon=":material/visibility:")
    if not rules and not row_list.is_adding():
        st.info(
            "There is nobody yet: calls cannot be put through, and messages not passed on.", icon=":material/group:"
        )
    row_list.show(rules, may, ("Add a person", "person_add"), partial(_form, read, rules, save), _line)


def _line(rule: Row) -> None:
    action = str(rule.get("action"))
    with st.container(horizontal=True, vertical_alignment="center"):
        who = stored_values.text(rule.get("label")) or _ACTIONS.get(action, action)
        st.markdown(f"**{plain(who)}**", width="content")
        st.badge(_ACTIONS.get(action, action), icon=f":material/{_ICONS.get(action, 'help')}:", color="blue")
    parts = (stored_values.text(rule.get(name)) for name in ("destination", "email", "when"))
    st.caption(plain(" · ".join(filter(None, parts))))


def _form(read: Opened, rules: list[Row], save: Callable[[dict[str, Any]], None], at: int) -> None:
    before = {} if at == len(rules) else rules[at]
    actions, form = list(_ACTIONS), f"{read.form}/{at}"
    with st.form(f"rule/{form}"):
        left, right = st.columns(2)
        label = left.text_input(
            "Who", stored_values.text(before.get("label")), placeholder="Front desk", key=f"{form}/label"
        )
        action = right.selectbox(
            *("What to do", actions, actions.index(before["action"]) if before.get("action") in actions else 0),
            format_func=_ACTIONS.__getitem__,
            key=f"{form}/action",
        )
        when = st.text_area(
            "When",
            stored_values.text(before.get("when")),
            height=80,
            placeholder="The caller asks for a person, or is upset.",
            key=f"{form}/when",
        )
        left, right = st.columns(2)
        number = left.text_input(
            "Phone number",
            stored_values.text(before.get("destination")),
            placeholder="+15185550143",
            key=f"{form}/destination",
        )
        email = right.text_input("E-mail for messages", stored_values.text(before.get("email")), key=f"{form}/email")
        entered = {"label": label, "action": action, "when": when, "destination": number, "email": email}
        typed = {name: text.strip() for name, text in entered.items()}
        after = row_list.changed(with_ids(rules), at, typed, "Remove")
    if after is not None:
        save({"escalation": {"rules": [_identified(rule) for rule in after]}})


def rules_of(business: Mapping[str, Any]) -> list[Row]:
    """Return whom callers can be put through to, or whose messages are passed on, as a business's document has it."""
    return stored_values.rows(stored_values.fields(business.get("escalation")).get("rules"))


def with_ids(rules: list[Row]) -> list[Row]:
    """Return rules with the ids by which calls are put through to them: the server counts those that say none.

    Once one is written down it stays: a tool that leads to somebody must not lead to somebody else when another one
    is removed from the list.
    """
    counted, rules_with_ids = 0, []
    for rule in rules:
        if rule.get("action") == "transfer":
            counted += 1
            rule = rule | {"id": str(rule.get("id") or "").strip() or f"transfer-{counted}"}
        rules_with_ids.append(rule)
    return rules_with_ids


def _identified(rule: Row) -> Row:
    is_new = rule.get("action") == "transfer" and not rule.get("id")
    # Never one that was counted: somebody who is gone may have had it.
    return rule | {"id": f"transfer-{secrets.token_hex(3)}"} if is_new else rule
