"""A business's API keys: which there are, making one whose text is shown once, and revoking one.

Programs that have an account elsewhere need no key: the account is entered here, and revoked as a key is.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, datetime, time, timedelta
from typing import Any

import streamlit as st

from admin_ui.business import rights_table
from admin_ui.shell.business import Business
from admin_ui.shell.server import Server, below
from admin_ui.widgets import base_revision, problems, saving, second_question, time_text
from admin_ui.widgets.base_revision import Opened
from admin_ui.widgets.card import card
from admin_ui.widgets.plain_text import plain
from admin_ui.widgets.saving import Change
from admin_ui.widgets.shown_once import ShownOnce

PLACE = "keys"
_MADE = ShownOnce(PLACE, "This is the key {name}.", "I have copied it", ":material/vpn_key:")
_SCOPES = {
    "tools:read": "see which tools there are",
    "tools:execute": "use tools",
    "owner": "do everything that an owner may do",
}
_KEY, _GOOGLE, _SUBJECT = "A key", "A Google service account", "An account elsewhere"
_FIELDS = {_GOOGLE: "serviceAccount", _SUBJECT: "subject"}


def show(server: Server, business: Business) -> None:
    """Draw the keys, and the form for another."""
    path = below("admin", "businesses", business.id, "keys")
    st.markdown(
        "A program of yours shows a key to be let in. Whoever has the key may do what it allows. A program with an "
        "account elsewhere needs none."
    )
    if saving.conflict(server, PLACE):
        return
    read = base_revision.read_once(PLACE, lambda: server.get(path))
    if not _MADE.show() and business.may("edit_keys"):
        _form(server, business, path, read)
    if not read.body["keys"]:
        st.info("There is no key yet.", icon=":material/vpn_key:")
    with st.container(gap="xsmall"):
        # The newest is what somebody has just made, or looks for.
        for key in reversed(read.body["keys"]):
            _line(server, business, path, key)
    rights_table.show(server, business)


def leave() -> None:
    """Forget the text of a key that was made, and read the keys anew when they are looked at again."""
    _MADE.forget()
    base_revision.forget(PLACE)


def _form(server: Server, business: Business, path: str, read: Opened) -> None:
    wrong, today, issuer = problems.of(PLACE), datetime.now(business.zone).date(), read.body["issuer"]
    by = st.radio(
        *("It is let in by", [_KEY, _GOOGLE, *([_SUBJECT] if issuer else [])]),
        horizontal=True,
        key=f"{read.form}/by",
    )
    with st.form(f"key/{read.form}"):
        st.markdown("**Make a key**" if by == _KEY else "**Enter an account**")
        account = _account(by, issuer, read)
        if by != _KEY:
            wrong.below(_FIELDS[by])
        left, right = st.columns([3, 2])
        with left:
            name = st.text_input(
                "What it is for", placeholder="Till in the shop", max_chars=100, key=f"{read.form}/name"
            )
            wrong.below("name")
        with right:
            until = st.date_input(
                "Works until the end of (optional)",
                None,
                min_value=today,
                max_value=today + timedelta(days=3650),
                key=f"{read.form}/until",
                help="Without a day it works until it is revoked.",
            )
            wrong.below("expiresAt")
        scopes = st.multiselect(
            *("It may", list(_SCOPES), ["tools:read", "tools:execute"]),
            format_func=_SCOPES.__getitem__,
            key=f"{read.form}/scopes",
        )
        wrong.below("scopes")
        label = "Make the key" if by == _KEY else "Let it in"
        is_submitted = st.form_submit_button(label, type="primary", icon=":material/add:")
    if is_submitted:
        body = {"name": name.strip(), "scopes": scopes, "expiresAt": _end_of(until, business)} | account
        _MADE.make(
            *(server, path, body, "text"),
            lambda text: "The key is made." if text else "The account is entered.",
        )
        return
    wrong.rest()


def _account(by: str, issuer: str | None, read: Opened) -> dict[str, str]:
    """Draw the field for the account that is let in, and return it under the name that the server has for it."""
    if by == _KEY:
        return {}
    label, shape, help_text = {
        _GOOGLE: (
            "Its e-mail address",
            "till@my-project.iam.gserviceaccount.com",
            "It shows an ID token that Google has signed, made for the address of this system.",
        ),
        _SUBJECT: ("Its name there", "client-7", f"What the tokens of {issuer} say in sub. It is let in to /mcp only."),
    }[by]
    given = st.text_input(label, placeholder=shape, max_chars=255, help=help_text, key=f"{read.form}/{_FIELDS[by]}")
    return {_FIELDS[by]: given.strip()}


def _end_of(day: Any, business: Business) -> str | None:
    """Return the end of a day in the business's zone, as ISO 8601 with its offset; None for no day."""
    if not isinstance(day, date):
        return None
    return datetime.combine(day + timedelta(days=1), time(), business.zone).isoformat()


def _line(server: Server, business: Business, path: str, key: Mapping[str, Any]) -> None:
    with card() as (text, button):
        state, color = _state(key)
        text.markdown(f"**{plain(key['name'] or key['id'])}** :{color}-badge[{state}]")
        may = ", ".join(_SCOPES.get(scope, "operate Switchboard") for scope in key["scopes"])
        facts = [
            key.get("serviceAccount") or key.get("subject", ""),
            f"may {may}" if may else "",
            _dated("made", key["createdAt"], business),
            _dated("revoked", key["revokedAt"], business) or _dated("works until", key["expiresAt"], business),
        ]
        text.caption(plain(" · ".join(filter(None, facts))))
        if key["revokedAt"] or not business.may("edit_keys"):
            return
        with button:
            name = plain(key["name"] or key["id"])
            question = f"Revoke **{name}**? Whatever uses it is let in no more, ten seconds later at the latest."
            is_sure = second_question.sure(
                f"revoke/{key['id']}", "Revoke", question, "Yes, revoke it", ":material/block:"
            )
        if is_sure:
            done = "The key is revoked."
            saving.send(server, Change(PLACE, "DELETE", path + below(key["id"]), None, key["revision"], done))


def _state(key: Mapping[str, Any]) -> tuple[str, str]:
    if key["works"]:
        return "works", "green"
    return ("revoked", "red") if key["revokedAt"] else ("expired", "orange")


def _dated(deed: str, at: Any, business: Business) -> str:
    when = time_text.told(at, business.zone)
    return f"{deed} {when}" if when else ""
