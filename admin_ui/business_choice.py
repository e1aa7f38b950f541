"""Which business is looked at: a list that can be searched, and that grows page by page where there are many."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import streamlit as st

from admin_ui.business import Business
from admin_ui.plain_text import plain
from admin_ui.server import Refused, Server, below, together
from admin_ui.sign_in import Visitor

_A_PAGE, _PAGES_AT_FIRST = 100, 3
_KEPT, _MORE = "businesses", "businesses_behind"


def choose(visitor: Visitor) -> tuple[Server, Business] | None:
    """Draw the choice at the top of the menu, and return it; None where there is none to choose.

    Raises:
        Unreachable, Refused: It cannot be had.
    """
    known = _known(visitor)
    if not known:
        return None
    with st.sidebar:
        wanted = st.query_params.get("business") or st.session_state.get("last_business")
        ids = list(known) if wanted in known or not wanted else [*known, wanted]
        business_id = st.selectbox(
            "Business",
            ids,
            index=ids.index(wanted) if wanted in ids else 0,
            format_func=lambda id: known[id].name if id in known else id,
            key="business",
            icon=":material/storefront:",
            accept_new_options=bool(visitor.token),
            help=_help(known),
        )
        if st.session_state.get(_MORE) and st.button(
            f"Show more than these {len(known)}", icon=":material/expand_more:", type="tertiary"
        ):
            _read_page(visitor, known)
            st.rerun()
    business_id = str(business_id)
    st.session_state["last_business"] = business_id
    # In the address, so that a page can be kept, sent and opened again.
    st.query_params["business"] = business_id
    server = visitor.server_for(business_id)
    return server, known.get(business_id) or _read_one(server, business_id)


def show_none(visitor: Visitor) -> None:
    """Say that somebody may look at no business, and what to do."""
    st.info("There is no business that you may look at yet.", icon=":material/storefront:")
    st.caption(f"Ask whoever looks after Switchboard to give {plain(visitor.name) or 'you'} a role in one.")
    if st.button("Look again", icon=":material/refresh:"):
        st.session_state.pop(_KEPT, None)
        st.rerun()


def _help(known: Mapping[str, Business]) -> str | None:
    return "Type to search by name." if len(known) > 5 else None


def _known(visitor: Visitor) -> dict[str, Business]:
    whose = (visitor.url, visitor.name, *sorted(visitor.keys.values()))
    kept = st.session_state.get(_KEPT)
    if kept is not None and kept[0] == whose:
        return dict(kept[1])
    found: dict[str, Business] = {}
    if visitor.token:
        st.session_state[_MORE] = ""
        for _ in range(_PAGES_AT_FIRST):
            _read_page(visitor, found)
            if not st.session_state[_MORE]:
                break
    else:
        asked = [lambda id=id: _of_key(visitor.server_for(id), id) for id in visitor.keys]
        found = {business.id: business for business in together(*asked)}
    st.session_state[_KEPT] = (whose, found)
    return dict(found)


def _read_page(visitor: Visitor, found: dict[str, Business]) -> None:
    query = {"limit": _A_PAGE, "cursor": st.session_state.get(_MORE)}
    try:
        body = Server(visitor.url, visitor.token).get("/admin/businesses", query).body
    except Refused as error:
        if error.status != 403:
            raise
        # Whoever has no role anywhere may not even ask.
        body = {"businesses": []}
    found |= {line["id"]: _business(line) for line in body["businesses"]}
    st.session_state[_MORE] = body.get("nextCursor") or ""
    kept = st.session_state.get(_KEPT)
    if kept is not None:
        st.session_state[_KEPT] = (kept[0], dict(found))


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
