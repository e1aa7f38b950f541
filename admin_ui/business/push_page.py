"""The page on which a template, or a business as the pattern of others, is pushed to many after a look at each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import streamlit as st

from admin_ui.business import push_results
from admin_ui.shell import words
from admin_ui.shell.business import Business
from admin_ui.shell.server import Refused, Server, below
from admin_ui.widgets import own_key, problems, whereabouts
from admin_ui.widgets.plain_text import plain

_PLACE = "push"
_LOOKED = "at/push/looked"
_PARTS = (
    *("workingHours", "services", "escalation", "ai", "enabledTools", "features", "portal", "limits"),
    *("policies", "faqs", "knowledge"),
)
_ALL, _SOME = "All that were made of it or had it pushed", "Those that I choose"
_LANGUAGES = {"en": "English", "de": "German"}
_LISTED, _MOST = 100, 200
_LOOKED_AT_WITHIN_S = 60.0


def show(server: Server, business: Business) -> None:
    """Draw what is chosen, and below it what would change in each business, or has."""
    _choose(server, business)
    looked = st.session_state.get(_LOOKED)
    if looked:
        push_results.show(server, looked)


def _choose(server: Server, business: Business) -> None:
    templates = {row["id"]: row for row in server.get("/admin/templates").body["templates"]}
    own = below("admin", "businesses", business.id, "push")
    sources = {own: f"This business: {business.name}"}
    sources |= {below("admin", "templates", id, "push"): _called(row) for id, row in templates.items()}
    wrong = problems.of(_PLACE)
    with st.container(border=True):
        named = whereabouts.choice(
            *("What is pushed", list(sources), "push/source"),
            format_func=lambda source: sources[source],
            help="A template that comes with Switchboard, or the business above as the pattern of the others.",
        )
        path = named or own
        parts = whereabouts.several(
            *("Parts", _PARTS, "push/parts", _PARTS),
            format_func=words.field,
            help="Phone numbers, people, accounts and who is reached are each business's own, and never pushed.",
        )
        whom = whereabouts.radio("To which businesses", [_ALL, _SOME], "push/whom")
        chosen = _chosen(server, business.id if path == own else "") if whom == _SOME else None
        wrong.rest()
        if st.button("Look at what would change", type="primary", icon=":material/difference:"):
            _look(server, path, parts, chosen)


def _chosen(server: Server, pattern: str) -> list[str]:
    """Draw the businesses there are, and return the ids of those that are chosen."""
    names = {id: name for id, name in _names(server).items() if id != pattern}
    listed = whereabouts.several(
        *("Businesses", list(names), "push/businesses"),
        format_func=lambda id: names.get(id, id),
        help=f"At most {_MOST} at once.",
    )
    typed = st.text_input(
        "Others, by their ids", placeholder="elm-street-hair, fir-lane-hair", key=own_key.of("push/others")
    )
    ids = [*listed, *(id for id in typed.replace(",", " ").split())]
    return list(dict.fromkeys(ids))


def _look(server: Server, path: str, parts: Sequence[str], chosen: Sequence[str] | None) -> None:
    whom = {"all": True} if chosen is None else {"businesses": [{"businessId": id} for id in chosen]}
    if not parts:
        problems.tell(_PLACE, Refused(400, "Choose one part at least."))
        st.rerun()
    body = {"parts": list(parts), "dryRun": True, **whom}
    try:
        answer = server.ask(path, body, within_s=_LOOKED_AT_WITHIN_S).body
    except Refused as error:
        st.session_state.pop(_LOOKED, None)
        problems.tell(_PLACE, error)
        st.rerun()
    problems.forget(_PLACE)
    st.session_state[_LOOKED] = push_results.begun(path, answer)
    st.rerun()


def _names(server: Server) -> dict[str, str]:
    """Return what the first businesses are called, by id."""
    names: dict[str, str] = {}
    cursor = ""
    while len(names) < _MOST:
        page = server.get("/admin/businesses", {"limit": _LISTED, "cursor": cursor}).body
        names |= {row["id"]: row["name"] or row["id"] for row in page["businesses"]}
        cursor = page["nextCursor"] or ""
        if not cursor:
            break
    return names


def _called(template: Mapping[str, Any]) -> str:
    language = _LANGUAGES.get(template["language"], template["language"])
    return f"{plain(template['trade'].capitalize())} ({language})"
