"""The page on which whoever runs all businesses makes another one, of its trade's template."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from zoneinfo import available_timezones

import streamlit as st

from admin_ui.business import opening_checklist
from admin_ui.shell import business_choice, elsewhere
from admin_ui.shell.business import Business
from admin_ui.shell.server import Refused, Server
from admin_ui.widgets import own_key, problems, unsaved
from admin_ui.widgets.plain_text import plain

_PLACE = "new_business"
_MADE = "at/new_business/made"
# Not forgotten with what was open here, since another business is looked at by then.
_GO = "new_business/go"
_LANGUAGES = {"en": "English", "de": "German"}
_ITS_OWN = "As in the template"
_CONTACT = {
    "phone": ("Phone that callers are told", "(518) 555-0100"),
    "twilioNumber": ("Number that callers dial", "+15185550110"),
    "address": ("Address", "12 Linden Street, Hartwell"),
    "email": ("E-mail that callers are told", "hello@example.com"),
}
_PEOPLE = {
    "transferTo": ("Number that rings when a caller wants a person", "+15185550120"),
    "ownerName": ("Whom callers leave messages for", "Maria"),
    "ownerPhone": ("Their number, for a text about each message", "+15185550130"),
    "ownerEmail": ("Their address, for an e-mail about each message", "maria@example.com"),
}


def show(server: Server, business: Business) -> None:
    """Draw the form, or the business that was made by it."""
    to_go = st.session_state.pop(_GO, "")
    if to_go:
        st.session_state.pop(_MADE, None)
        elsewhere.go(to_go, business=business.id)
    made = st.session_state.get(_MADE)
    if made:
        _show_made(made)
    else:
        _form(server)


def _form(server: Server) -> None:
    templates = {row["id"]: row for row in server.get("/admin/templates").body["templates"]}
    if not templates:
        st.info("There are no templates here: scripts/build_tools makes them.", icon=":material/storefront:")
        return
    wrong = problems.of(_PLACE)
    with st.form("new_business"):
        left, right = st.columns(2, gap="medium")
        chosen = left.selectbox(
            *("Trade", list(templates)),
            format_func=lambda id: _called(templates[id]),
            key=own_key.of("new_business/template"),
            help="It begins with such a business's hours, services, prices, rules and answers; all can be changed.",
        )
        with left:
            wrong.below("template")
        name = right.text_input(
            "Name", placeholder="Linden Street Hair", max_chars=200, key=own_key.of("new_business/name")
        )
        with right:
            wrong.below("name", "businessId")
        zone = left.selectbox(
            *("Time zone", [_ITS_OWN, *sorted(available_timezones())]),
            key=own_key.of("new_business/timezone"),
            help="Hours and appointments are meant in it.",
        )
        with left:
            wrong.below("timezone")
        typed = _texts(_CONTACT, wrong)
        st.markdown("**Who is reached**")
        typed |= _texts(_PEOPLE, wrong)
        wrong.below("escalation")
        if st.form_submit_button("Make the business", type="primary"):
            given = {field: text.strip() for field, text in typed.items() if text.strip()}
            zoned = {"timezone": zone} if zone != _ITS_OWN else {}
            _make(server, {"template": chosen, "name": name.strip(), **zoned, **given})
    wrong.rest()


def _texts(rows: Mapping[str, tuple[str, str]], wrong: problems.Problems) -> dict[str, str]:
    columns, typed = st.columns(2, gap="medium"), {}
    for at, (field, (label, example)) in enumerate(rows.items()):
        with columns[at % 2]:
            typed[field] = st.text_input(
                label, placeholder=example, max_chars=500, key=own_key.of(f"new_business/{field}")
            )
            wrong.below(field)
    return typed


def _make(server: Server, body: Mapping[str, Any]) -> None:
    try:
        made = server.send("POST", "/admin/businesses", body).body
    except Refused as error:
        problems.tell(_PLACE, error)
        return
    problems.forget(_PLACE)
    st.session_state[_MADE] = made
    business_choice.read_anew()
    st.rerun()


def _show_made(made: Mapping[str, Any]) -> None:
    st.success(f"**{plain(made['business']['name'])}** is made. Its id is {plain(made['businessId'])}.")
    if made["key"]:
        _show_key(made)
    st.subheader("Before callers can call")
    opening_checklist.show(made["checklist"]["steps"])
    left, middle, right = st.columns(3)
    left.button(
        *("Try a conversation", "open/made/playground"),
        type="primary",
        on_click=_turn_to,
        args=(made["businessId"], "playground"),
    )
    middle.button("Look through it", "open/made/business", on_click=_turn_to, args=(made["businessId"], "business"))
    right.button("Make another", "open/made/another", on_click=lambda: st.session_state.pop(_MADE, None))


def _show_key(made: Mapping[str, Any]) -> None:
    unsaved.hold_shown()
    with st.container(border=True):
        st.warning(
            "**This is its first API key.** It is shown this once and kept nowhere: copy it to whatever of its own "
            "calls Switchboard. Without such a thing it needs none.",
            icon=":material/vpn_key:",
        )
        st.code(made["key"], language=None)
        if st.button("I have copied it, or need none", icon=":material/check:"):
            st.session_state[_MADE] = {**made, "key": ""}
            st.rerun()


def _turn_to(business_id: str, page: str) -> None:
    business_choice.turn_to(business_id)
    st.session_state[_GO] = page


def _called(template: Mapping[str, Any]) -> str:
    language = _LANGUAGES.get(template["language"], template["language"])
    return f"{template['trade'].capitalize()} ({language})"
