"""What a service takes up: whom of the team, which rooms, how many of each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import streamlit as st

from admin_ui.widgets import stored_values
from admin_ui.widgets.row_list import Row

_MOST = 20
_TITLES = {"person": "People of the team", "seats": "Seats"}
_NOTHING = ""


def show(resources: Sequence[Row], service: Mapping[str, Any], form: str) -> Any:
    """Draw the fields; return the needs as they are to be saved, or nothing where what is usual holds.

    Where nobody and nothing was entered under Team and rooms there is nothing to draw, and what is stored stays.
    """
    stored = stored_values.rows(service.get("needs"))
    kinds = list(dict.fromkeys(stored_values.text(one.get("kind"), "person") for one in resources))
    if not kinds:
        return stored or _NOTHING
    usual = [{"kind": "person" if "person" in kinds else "chair" if "chair" in kinds else kinds[0]}]
    needs = stored or usual
    entered = [need for need in needs if need.get("kind", "person") not in kinds]
    with st.expander("What it takes up", expanded=bool(stored)):
        st.caption("Usually one of your team, whoever does it. A treatment may need a room as well, a class its seats.")
        for kind in kinds:
            # Beside the first of a kind there may be others, which only the API makes.
            first, *more = [need for need in needs if need.get("kind", "person") == kind] or [{}]
            entered += [*_need(kind, first, [one for one in resources if _is_of(one, kind)], form), *more]
    return entered if entered != usual or stored else _NOTHING


def _need(kind: str, before: Mapping[str, Any], among: Sequence[Row], form: str) -> list[dict[str, Any]]:
    names = {stored_values.text(one.get("id")): stored_values.text(one.get("name")) for one in among}
    left, right = st.columns([1, 3])
    usual = stored_values.number(before.get("count"), 1, 1, _MOST) if before else 0
    title = _TITLES.get(kind, f"Of the kind {kind}")
    count = left.number_input(title, 0, _MOST, usual, help="0 where it needs none.", key=f"{form}/needs/{kind}")
    chosen = right.multiselect(
        *("Only these", list(names), [id for id in stored_values.texts(before.get("any")) if id in names]),
        format_func=lambda id: names.get(id, id),
        placeholder="Whoever does it" if kind == "person" else "Any of them",
        key=f"{form}/only/{kind}",
    )
    if not count:
        return []
    rest = {name: value for name, value in before.items() if name not in ("any", "count")}
    return [{**rest, "kind": kind} | ({"any": chosen} if chosen else {}) | ({"count": count} if count > 1 else {})]


def _is_of(resource: Row, kind: str) -> bool:
    return stored_values.text(resource.get("kind"), "person") == kind
