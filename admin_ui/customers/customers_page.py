"""Customers: found by any spelling of a name or a number, and everything about one of them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import streamlit as st

from admin_ui.customers import customer_form, customer_view
from admin_ui.customers.customer_form import NEW, PLACE
from admin_ui.customers.customer_view import OPEN
from admin_ui.shell.business import Business
from admin_ui.shell.server import Server, below
from admin_ui.widgets import base_revision, problems, saving, time_text, whereabouts
from admin_ui.widgets.card import card
from admin_ui.widgets.paging import pages_of
from admin_ui.widgets.plain_text import plain

_A_PAGE = 20
_KNOWN = "at/customer_known"


def show(server: Server, business: Business) -> None:
    """Draw the list, or the customer who was opened from it."""
    chosen = whereabouts.opened(OPEN)
    if chosen:
        if st.button("All customers", icon=":material/arrow_back:", type="tertiary"):
            _leave()
        customer_view.show(server, business, chosen)
        return
    path = below("admin", "businesses", business.id, "customers")
    text = whereabouts.search(
        "Search",
        placeholder="A name, a number or an e-mail address, as you write it",
        key="customers_text",
        icon=":material/search:",
    )
    only_flagged = whereabouts.toggle("Only those who are flagged", "customers_flagged")
    if business.may("edit_safeguards"):
        _new(server, path)
    pages = pages_of("customer_pages", (text, only_flagged))
    query = {"text": text, "flagged": "1" if only_flagged else "", "limit": _A_PAGE, "cursor": pages.cursor}
    body = server.get(path, query).body
    _list(business, body, bool(text))
    pages.show_buttons(body["nextCursor"], "Back", "More" if body["customers"] else "Go on searching")


def _new(server: Server, path: str) -> None:
    if saving.edited(PLACE) == NEW:
        with st.container(border=True, key="new-customer"):
            st.subheader("New customer", anchor=False)
            customer_form.enter(server, path, st.session_state.get(_KNOWN) or {})
    elif st.button("New customer", type="primary", icon=":material/person_add:"):
        _begin({})


def _list(business: Business, body: Mapping[str, Any], is_search: bool) -> None:
    if not body["customers"] and not body["withoutRecord"]:
        nobody = "Nobody is called so." if is_search else "Nobody is on file yet."
        st.info(nobody, icon=":material/group:")
    with st.container(gap="xsmall"):
        for customer in body["customers"]:
            _line(customer)
    if body["withoutRecord"]:
        st.markdown("**Known by appointments alone**")
        with st.container(gap="xsmall"):
            for at, other in enumerate(body["withoutRecord"]):
                _other(business, other, at)


def _line(customer: Mapping[str, Any]) -> None:
    who = customer["name"] or customer["phone"] or customer["id"]
    with card() as (text, button):
        with text.container(horizontal=True, vertical_alignment="center"):
            st.markdown(f"**{plain(who)}**", width="content")
            if customer["flagged"]:
                st.badge("flagged", color="red", icon=":material/flag:")
        reached = [customer["phone"], customer["email"]]
        text.caption(plain(" · ".join(filter(None, reached))) or "—")
        if button.button("Open", key=f"open/{customer['id']}", help=f"Open {who}"):
            whereabouts.open(OPEN, customer["id"])
            base_revision.forget(PLACE)
            st.rerun()


def _other(business: Business, other: Mapping[str, Any], at: int) -> None:
    many = "1 appointment" if other["appointments"] == 1 else f"{other['appointments']} appointments"
    latest = f"the latest {time_text.told(other['latest'], business.zone)}"
    with card() as (text, button):
        text.markdown(f"**{plain(other['name'])}**")
        facts = [other["phone"], other["email"], many, latest]
        text.caption(plain(" · ".join(filter(None, facts))))
        if business.may("edit_safeguards") and button.button(
            "Put on file", key=f"file/{at}", help=f"Enter {other['name']} as a customer"
        ):
            _begin({name: other[name] for name in ("name", "phone", "email")})


def _begin(known: Mapping[str, Any]) -> None:
    st.session_state[_KNOWN] = dict(known)
    problems.forget(PLACE)
    saving.edit(PLACE, NEW)
    st.rerun()


def _leave() -> None:
    whereabouts.open(OPEN, "")
    base_revision.forget(PLACE)
    saving.stop_editing(PLACE)
    problems.forget(PLACE)
    st.rerun()
