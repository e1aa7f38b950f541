"""Which business is looked at: a list, and where there are more than it holds, a field to find one by its name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import streamlit as st

from admin_ui.shell.business import Business
from admin_ui.shell.server import Refused, Server, below, together
from admin_ui.sign_in.page import Visitor
from admin_ui.widgets import whereabouts
from admin_ui.widgets.plain_text import plain

_A_PAGE = 100
# The server reads a bounded number for each; what is not found within these needs more of its name.
_PAGES_SEARCHED = 10
_KEPT, _ARE_MORE, _FOUND = "businesses", "businesses_are_more", "businesses_found"


def choose(visitor: Visitor) -> tuple[Server, Business] | None:
    """Draw the choice at the top of the menu, and return it; None where there is none to choose.

    Raises:
        Unreachable, Refused: It cannot be had.
    """
    known = _known(visitor)
    if not known:
        return None
    with st.sidebar:
        offered = _offered(visitor, known)
        business_wanted = st.query_params.get(whereabouts.BUSINESS) or st.session_state.get("last_business")
        ids = list(offered) if business_wanted in offered or not business_wanted else [*offered, business_wanted]
        if whereabouts.is_arriving() and "business" in st.session_state and business_wanted in ids:
            # The browser went back or forward to the address of another one.
            st.session_state["business"] = business_wanted
        business_id = st.selectbox(
            "Business",
            ids,
            # What was chosen elsewhere on a page counts; with it, a default would be one too many.
            index=ids.index(business_wanted) if business_wanted in ids and "business" not in st.session_state else 0,
            format_func=lambda id: known[id].name if id in known else id,
            key="business",
            icon=":material/storefront:",
            accept_new_options=bool(visitor.token),
            help=_help(offered),
        )
    business_id = str(business_id)
    st.session_state["last_business"] = business_id
    server = visitor.server_for(business_id)
    return server, known.get(business_id) or _read_one(server, business_id)


def names() -> dict[str, str]:
    """Return what the businesses are called between which somebody can choose; nothing where there is one only."""
    known: dict[str, Business] = st.session_state.get(_KEPT, ((), {}))[1]
    return {id: business.name for id, business in known.items()} if len(known) > 1 else {}


def read_anew() -> None:
    """Have the list read again: there is a business more."""
    st.session_state.pop(_KEPT, None)


def turn_to(business_id: str) -> None:
    """Have a business chosen from the next drawing on; only a button's callback may."""
    read_anew()
    st.session_state["business"] = st.session_state["last_business"] = business_id


def turn_away() -> None:
    """Have another business chosen than the one that is looked at, which is gone."""
    read_anew()
    st.session_state.pop("last_business", None)
    st.session_state.pop("business", None)
    st.query_params.pop("business", None)


def show_none(visitor: Visitor) -> None:
    """Say that somebody may look at no business, and what to do."""
    st.info("There is no business that you may look at yet.", icon=":material/storefront:")
    st.caption(f"Ask whoever looks after Switchboard to give {plain(visitor.name) or 'you'} a role in one.")
    if st.button("Look again", icon=":material/refresh:"):
        st.session_state.pop(_KEPT, None)
        st.rerun()


def _help(offered: Mapping[str, Business]) -> str | None:
    return "Type to search by name." if len(offered) > 5 else None


def _offered(visitor: Visitor, known: dict[str, Business]) -> dict[str, Business]:
    """Draw the field to find one by where the list does not hold them all, and return what is to be chosen from."""
    if not st.session_state.get(_ARE_MORE):
        return known
    text = st.text_input(
        "Find a business",
        placeholder="Words of its name, or its id",
        key="business_find",
        icon=":material/search:",
        help=f"The list holds the first {_A_PAGE}; here all are found.",
    ).strip()
    if not text:
        return known
    searched = st.session_state.get(_FOUND)
    if searched is None or searched[0] != text:
        searched = st.session_state[_FOUND] = (text, *_search(visitor, text))
    _, choices, are_more = searched
    # Whoever is chosen from these is known by name from then on.
    known |= choices
    if not choices:
        st.caption("No business of yours is called so.")
    elif are_more:
        st.caption(f"These are the first {len(choices)}; write more of the name.")
    return dict(choices)


def _search(visitor: Visitor, text: str) -> tuple[dict[str, Business], bool]:
    businesses: dict[str, Business] = {}
    cursor = ""
    for _ in range(_PAGES_SEARCHED):
        part, cursor = _read_page(Server(visitor.url, visitor.token), {"text": text, "cursor": cursor})
        businesses |= part
        if not cursor or len(businesses) >= _A_PAGE:
            break
    return businesses, bool(cursor)


def _known(visitor: Visitor) -> dict[str, Business]:
    whose = (visitor.url, visitor.name, *sorted(visitor.keys.values()))
    remembered = st.session_state.get(_KEPT)
    if remembered is not None and remembered[0] == whose:
        known: dict[str, Business] = remembered[1]
        return known
    if visitor.token:
        businesses, behind = _read_page(Server(visitor.url, visitor.token), {})
        st.session_state[_ARE_MORE] = bool(behind)
    else:
        asked = [lambda id=id: _of_key(visitor.server_for(id), id) for id in visitor.keys]
        businesses = {business.id: business for business in together(*asked)}
        runner = next((business.id for business in businesses.values() if business.may("open_business")), "")
        if runner:
            # Whoever runs all of them has a key for those that were there at first, and sees those made since.
            others = _read_page(visitor.server_for(runner), {})[0]
            businesses |= {id: business for id, business in others.items() if id not in businesses}
        st.session_state[_ARE_MORE] = False
    st.session_state[_KEPT] = (whose, businesses)
    st.session_state.pop(_FOUND, None)
    return businesses


def _read_page(server: Server, query: Mapping[str, Any]) -> tuple[dict[str, Business], str]:
    try:
        body = server.get("/admin/businesses", {"limit": _A_PAGE, **query}).body
    except Refused as error:
        if error.status != 403:
            raise
        # Whoever has no role anywhere may not even ask.
        return {}, ""
    return {line["id"]: _business(line) for line in body["businesses"]}, body.get("nextCursor") or ""


def _of_key(server: Server, business_id: str) -> Business:
    try:
        return _read_one(server, business_id)
    except Refused as error:
        if error.status not in (401, 403, 404):
            raise
        # It may still open the tools; the pages that need more say what the server says.
        return Business(business_id, business_id, "UTC", "viewer")


def _read_one(server: Server, business_id: str) -> Business:
    body = server.get(below("admin", "businesses", business_id)).body
    return _business({"id": business_id, "role": body["role"], **body["business"]})


def _business(line: Mapping[str, Any]) -> Business:
    return Business(line["id"], str(line.get("name") or line["id"]), str(line.get("timezone") or "UTC"), line["role"])
