"""What a push would change in each business, what is decided about it, and what became of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import streamlit as st

from admin_ui.shell import problem_words, words
from admin_ui.shell.server import Refused, Server, Unreachable
from admin_ui.widgets import difference_view, own_key
from admin_ui.widgets.plain_text import plain

_AT_ONCE, _SHOWN_AT_ONCE = 5, 20
_PUSHED_WITHIN_S = 60.0
_STATES = {
    "ready": (":material/edit:", "would change"),
    "unchanged": (":material/check:", "nothing to change"),
    "invalid": (":material/block:", "cannot be kept"),
    "unconfirmed": (":material/event_busy:", "something would break"),
    "refused": (":material/lock:", "not possible"),
    "pushed": (":material/check_circle:", "changed"),
    "outOfDate": (":material/sync_problem:", "has changed meanwhile"),
    "failed": (":material/error:", "failed"),
}
_WHY = {
    "contested": "Its own, and the template says something new",
    "unknown": "Perhaps its own: nobody knows what the template said before",
    "near": "It has a text on this already",
}
_SIDES = ("This business says", "The template says")
Row = Mapping[str, Any]


def begun(path: str, answer: Mapping[str, Any]) -> dict[str, Any]:
    """Return what is known of a push that was looked at and not carried out: kept in the session as it is."""
    rows = {row["businessId"]: row for row in answer["businesses"]}
    return {
        "path": path,
        "parts": answer["parts"],
        "areAll": answer["areAll"],
        "rows": rows,
        "ticked": {id for id, row in rows.items() if row["state"] == "ready"},
        "take": {id: set() for id in rows},
        "leave": {id: [] for id in rows},
        "confirmed": set(),
        "done": {},
        "shown": _SHOWN_AT_ONCE,
    }


def show(server: Server, looked: dict[str, Any]) -> None:
    """Draw every business with what would change, and the button that carries out what is ticked."""
    rows, done = looked["rows"], looked["done"]
    if not rows:
        st.info("No business was made of it, nor had it pushed. Choose some.", icon=":material/storefront:")
        return
    if not looked["areAll"]:
        st.warning("There are more than can be pushed to at once: choose the others by name.")
    _summary(server, looked)
    for id in list(rows)[: looked["shown"]]:
        _business(looked, id, done.get(id))
    if len(rows) > looked["shown"] and st.button(f"Show more ({len(rows) - looked['shown']})"):
        looked["shown"] += _SHOWN_AT_ONCE
        st.rerun()


def _summary(server: Server, looked: dict[str, Any]) -> None:
    rows, done = looked["rows"], looked["done"]
    counts = [
        f"{sum(row['state'] == state for row in rows.values())} {label}"
        for state, (_, label) in _STATES.items()
        if any(row["state"] == state for row in rows.values())
    ]
    st.markdown(f"**{len(rows)} businesses:** {', '.join(counts)}.")
    left = [id for id in rows if id in looked["ticked"] and done.get(id, {"state": "failed"})["state"] == "failed"]
    label = f"Push to {len(left)} business{'' if len(left) == 1 else 'es'}"
    if done:
        pushed = sum(row["state"] == "pushed" for row in done.values())
        st.success(f"{pushed} of {len(done)} were changed; what became of each stands below.")
    if looked.get("halted"):
        # Without an answer nobody knows what became of those that were sent last.
        st.error(
            f"{plain(looked['halted'])} Some that are not named as changed may be all the same. Push once more: "
            "what is done already is not done twice."
        )
    place = st.empty()
    if done and not left:
        return
    if place.button(label, type="primary", icon=":material/publish:", disabled=not left, key="push/go"):
        _carry_out(server, looked, left, place)


def _carry_out(server: Server, looked: dict[str, Any], ids: Sequence[str], place: Any) -> None:
    """Push to some at once, so that it is seen how far it is; what was answered is kept whatever comes then."""
    looked["halted"] = ""
    for begin in range(0, len(ids), _AT_ONCE):
        place.progress(begin / len(ids), f"{begin} of {len(ids)}")
        body = {
            "parts": looked["parts"],
            "businesses": [_decided(looked, id) for id in ids[begin : begin + _AT_ONCE]],
        }
        try:
            answer = server.send("POST", looked["path"], body, within_s=_PUSHED_WITHIN_S).body
        except (Refused, Unreachable) as error:
            looked["halted"] = str(error) if isinstance(error, Refused) else "The server does not answer."
            break
        looked["done"] |= {row["businessId"]: row for row in answer["businesses"]}
    st.rerun()


def _decided(looked: Mapping[str, Any], id: str) -> dict[str, Any]:
    return {
        "businessId": id,
        "token": looked["rows"][id]["token"],
        "take": sorted(looked["take"][id]),
        "leave": looked["leave"][id],
        "confirm": id in looked["confirmed"],
    }


def _business(looked: dict[str, Any], id: str, outcome: Row | None) -> None:
    row = outcome or looked["rows"][id]
    icon, label = _STATES[row["state"]]
    changes = [one for one in row["deviations"] if one["standing"] == "outdated"]
    asked = [one for one in row["deviations"] if one["standing"] in _WHY]
    count = f", {len(asked)} to decide" if asked and outcome is None else ""
    with st.expander(f"{plain(row['name'] or id)}: {label}{count}", icon=icon):
        st.caption(plain(id))
        if row["message"]:
            (st.warning if row["state"] in ("unconfirmed", "outOfDate") else st.error)(plain(row["message"]))
        for problem in row["problems"]:
            st.markdown(f"- {plain(problem_words.told(problem))}")
        if outcome is None and row["token"]:
            _decisions(looked, id, row, changes, asked)
        if changes:
            st.markdown("**What changed**" if outcome else "**What would change**")
            _differences(changes)
        elif row["state"] == "unchanged":
            st.caption("It says what is pushed already.")
        own = [one for one in row["deviations"] if one["standing"] == "own"]
        if own and st.toggle(f"Show what is its own ({len(own)})", key=own_key.of(f"push/own/{id}")):
            _differences(own)


def _decisions(looked: dict[str, Any], id: str, row: Row, changes: Sequence[Row], asked: Sequence[Row]) -> None:
    """Draw what is to be decided about a business: whoever takes or leaves something wants the rest pushed to it."""
    ticked, take = looked["ticked"], looked["take"][id]
    if row["state"] == "unconfirmed":
        _tick("Push although this breaks", looked["confirmed"], id, own_key.of(f"push/although/{id}"), (ticked, id))
    else:
        is_something = row["state"] == "ready" or take or looked["leave"][id]
        _tick("Push to this business", ticked, id, own_key.of(f"push/to/{id}"), disabled=not is_something)
    if changes:
        named = {one["field"]: words.field(_named(one)["field"]) for one in changes}
        looked["leave"][id] = st.pills(
            *("Leave as it is", list(named)),
            selection_mode="multi",
            default=looked["leave"][id],
            format_func=lambda field: named[field],
            key=own_key.of(f"push/leave/{id}"),
        )
    for one in asked:
        with st.container(border=True):
            beside = f": {plain(one['beside'])}" if one["beside"] else ""
            st.caption(f"{_WHY[one['standing']]}{beside}")
            difference_view.show([_named(one)], *_SIDES, "")
            label = "Have both" if one["standing"] == "near" else "Take the template's"
            _tick(label, take, one["field"], own_key.of(f"push/take/{id}/{one['field']}"), (ticked, id))


def _tick(
    label: str,
    chosen: set[str],
    one: str,
    key: str,
    along: tuple[set[str], str] | None = None,
    *,
    disabled: bool = False,
) -> None:
    """Draw a box that is ticked while something is among what is chosen, also where it was not drawn for a while.

    Whoever ticks it chooses what is `along` with it, too.
    """
    st.session_state[key] = one in chosen

    def clicked() -> None:
        (chosen.add if st.session_state[key] else chosen.discard)(one)
        if along is not None and st.session_state[key]:
            along[0].add(along[1])

    st.checkbox(label, key=key, on_change=clicked, disabled=disabled)


def _differences(rows: Sequence[Row]) -> None:
    difference_view.show([_named(one) for one in rows], *_SIDES, "")


def _named(one: Row) -> dict[str, Any]:
    """Return a difference under a path in which a text or a service is called what people call it."""
    place, bracket, behind = str(one["field"]).partition("[")
    _, _, rest = behind.partition("]")
    if not bracket or not one["name"]:
        return dict(one)
    name = str(one["name"])
    for letter in ".[]":
        name = name.replace(letter, " ")
    return {**one, "field": f"{place}[{name}]{rest}"}
