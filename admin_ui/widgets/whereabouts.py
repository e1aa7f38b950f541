"""Where somebody is on a page: the part, the filters and what is opened, kept in the address of the browser.

A reload, a link and the browser's ways back and forward bring a page as its address says. Everything else is answered
by what is chosen on the page, and the address follows that once the page is drawn. What stands in an address goes into
logs and histories: a search for a number, an e-mail address or a key stays out of it.

The widgets here are Streamlit's own, with what was chosen in the address; `opened` is for whatever a button opens.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import date
from typing import Any, TypeVar

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

from admin_ui.widgets.place import Place, named

T = TypeVar("T")

BUSINESS = "business"
_KEPT, _BROUGHT = "place", "place/brought"
# What an address names: no more than the pages ever write.
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_.-]{0,79}")
_MOST, _LONGEST, _LONGEST_TEXT = 40, 1_500, 200
_BETWEEN, _NONE, _FORM = "~", "-", "edit-"
# Numbers of callers, and whatever is as long and as mixed as a key.
_NUMBER = re.compile(r"\d(?:[\s().\-/+]*\d){4,}")
_KEY = re.compile(r"(?=\S*\d)(?=\S*[A-Za-z])\S{16,}")
_OUT_OF_ADDRESS = "A search for a number, an e-mail address or a key stays out of the page's address: a reload ends it."


def is_arriving() -> bool:
    """Tell whether the browser's address decides now: a page that is loaded, or the browser's way back or forward."""
    context = get_script_run_ctx()
    return _KEPT not in st.session_state or bool(getattr(context, "is_history_navigation", False))


def enter(page: str, business_id: str) -> int:
    """Begin to draw a page of a business; return a number that is another one for each place that was arrived at."""
    is_loaded = is_arriving()
    here: Place = st.session_state.setdefault(_KEPT, Place())
    before, scope = here.scope, (page, business_id)
    if is_loaded or before[0] != page:
        _arrive(here, scope, _of_address())
    elif before != scope:
        _arrive(here, scope, {})
    else:
        # What was opened by a button stands in the address before it is drawn: Back may be pressed at once.
        _write(here)
    here.begin()
    return here.epoch


def arrived_at() -> tuple[str, str]:
    """Return the business that is looked at, and the number of the place that was arrived at."""
    here = _here()
    return here.scope[1], str(here.epoch)


def leave() -> bool:
    """Have the address say where somebody is now; tell whether it named something that there is none of."""
    here = _here()
    here.leave_out(_FORM)
    here.is_proved = True
    _write(here)
    was_unknown, here.is_unknown = here.is_unknown, False
    return was_unknown


def stay() -> None:
    """End a drawing that failed: nothing of where somebody is gets lost by it."""
    _write(_here())


def give_up() -> bool:
    """Go to the page's beginning where an address led to what cannot be had; tell whether it was the address."""
    here = _here()
    if here.is_proved or not here.values:
        return False
    _arrive(here, here.scope, {})
    _write(here)
    return True


def opened(name: str, among: Collection[str] | None = None) -> str:
    """Return what is opened under a name; nothing where nothing is, or where it is none of `among`."""
    here, name = _here(), named(name)
    value = here.values.get(name, "")
    if value and among is not None and value not in among:
        here.is_unknown = here.is_unknown or not here.is_proved
        value = ""
    here.keep(name, value)
    if value:
        here.open.add(name)
    return value


def open(name: str, value: str) -> None:
    """Have something opened from the next drawing on; with nothing as its value, closed."""
    here, name = _here(), named(name)
    if value:
        here.values[name] = value
    else:
        here.values.pop(name, None)


def widget_keys() -> list[str]:
    """Return the keys of what is drawn here to look around."""
    return list(_here().taken)


def harmless_keys() -> list[str]:
    """Return the keys of those choices by which nothing is lost that was typed."""
    return list(_here().harmless)


def has(name: str) -> bool:
    """Tell whether the address says anything under a name."""
    return named(name) in _here().values


def coming(key: str, options: Sequence[str]) -> str:
    """Return what a choice of parts will return that is drawn further below."""
    here = _here()
    value = st.session_state.get(key) if here.taken.get(key) == here.epoch else here.values.get(named(key))
    return str(value) if value in options else options[0]


def unfolded(name: str, one: str) -> bool:
    """Tell whether one row of many is unfolded."""
    here, name = _here(), named(name)
    ones = here.values.get(name, "")
    here.keep(name, ones)
    return one in ones.split(_BETWEEN)


def fold(name: str, one: str) -> None:
    """Unfold a row from now on, or fold it again."""
    here, name = _here(), named(name)
    ones = [other for other in here.values.get(name, "").split(_BETWEEN) if other]
    ones = [other for other in ones if other != one] if one in ones else [*ones, one]
    here.keep(name, _joined(ones))


def turn(name: str, value: str) -> None:
    """Have a choice made from the next drawing on, and nothing be opened there; only a callback may."""
    here = _here()
    _arrive(here, here.scope, {named(name): value})


def bring(name: str, text: str) -> None:
    """Have the page that is opened next search for something, also where that does not go into an address."""
    st.session_state[_BROUGHT] = {named(name): text}


def part(
    label: str,
    options: Sequence[str],
    key: str,
    usual: str = "",
    at: Any = st,
    *,
    keeps_typed: bool = False,
    **drawing: Any,
) -> str:
    """Draw a choice of what is looked at; return it, the first or the usual one to begin with.

    Where the page keeps what was typed in the other parts, nobody has to be asked about it.
    """
    if keeps_typed:
        _here().harmless.add(key)
    return _chosen_of(at.segmented_control, label, options, key, usual, drawing)


def pill(label: str, options: Sequence[str], key: str, usual: str = "", at: Any = st, **drawing: Any) -> str:
    """Draw a choice of what is looked at whose options have longer names; return it as `part` does."""
    return _chosen_of(at.pills, label, options, key, usual, drawing)


def radio(label: str, options: Sequence[str], key: str, at: Any = st, **drawing: Any) -> str:
    """Draw a choice of what is looked at with its options below each other; return it as `part` does."""
    _seed(key, options[0], lambda text: _one_of(text, options))
    chosen = at.radio(label, options, key=key, **drawing)
    _here().keep(named(key), "" if chosen == options[0] else chosen)
    return str(chosen)


def choice(label: str, options: Sequence[str], key: str, at: Any = st, **drawing: Any) -> str | None:
    """Draw a list to choose one of, the first one to begin with; with `index=None` none, and none can be chosen."""
    usual = None if "index" in drawing and drawing["index"] is None else options[0]
    _seed(key, usual, lambda text: _one_of(text, options))
    chosen: str | None = at.selectbox(label, options, key=key, **drawing)
    _here().keep(named(key), "" if chosen is None or chosen == usual else chosen)
    return chosen


def several(label: str, options: Sequence[str], key: str, usual: Sequence[str] = (), **drawing: Any) -> list[str]:
    """Draw a choice of any number of options, and return those that are chosen."""
    _seed(key, list(usual), lambda text: [_one_of(one, options) for one in text.split(_BETWEEN) if one != _NONE])
    chosen: list[str] = st.pills(label, options, selection_mode="multi", key=key, **drawing)
    _here().keep(named(key), "" if set(chosen) == set(usual) else _joined(chosen) or _NONE)
    return chosen


def toggle(label: str, key: str, usual: bool = False, at: Any = st, **drawing: Any) -> bool:
    """Draw a switch of what is looked at, and return whether it is on."""
    _seed(key, usual, lambda text: _one_of(text, ("yes", "no")) == "yes")
    is_on = bool(at.toggle(label, key=key, **drawing))
    _here().keep(named(key), "" if is_on is usual else "yes" if is_on else "no")
    return is_on


def day(label: str, usual: date, key: str, **drawing: Any) -> date:
    """Draw the choice of a day, and return it."""
    _seed(key, usual, date.fromisoformat)
    chosen: date = st.date_input(label, key=key, format="YYYY-MM-DD", **drawing) or usual
    _here().keep(named(key), "" if chosen == usual else chosen.isoformat())
    return chosen


def search(label: str, key: str, at: Any = st, **drawing: Any) -> str:
    """Draw a field to search by, and return what stands in it; some searches stay out of the address, which is told."""
    here, name = _here(), named(key)
    _seed(key, here.hidden.get(name, ""), lambda text: text[:_LONGEST_TEXT])
    text: str = at.text_input(label, key=key, **drawing).strip()
    is_hidden = is_private(text)
    here.keep(name, "" if is_hidden else text)
    here.hidden.pop(name, None)
    if is_hidden:
        here.hidden[name], here.is_hiding = text, True
        at.caption(_OUT_OF_ADDRESS)
    return text


def is_private(text: str) -> bool:
    """Tell whether a text may be a number, an e-mail address or a key, which are not put into addresses."""
    # What is longer than any search is not looked through, and kept out as well.
    return len(text) > _LONGEST_TEXT or bool("@" in text or _NUMBER.search(text) or _KEY.search(text))


def page_number(pages: int, key: str, asked: Any) -> int:
    """Draw the choice of one of several pages where there are several; return its number, from 1."""
    here, name = _here(), named(key)
    here.ask(name, asked)
    if pages <= 1:
        here.keep(name, "")
        return 1
    own_key = f"{key}/{here.epoch}/{asked}"
    if own_key not in st.session_state:
        text = here.values.get(name, "1")
        here.first_pages[own_key] = int(text) if text.isdecimal() and 1 <= int(text[:9]) <= pages else 1
        here.is_unknown = here.is_unknown or str(here.first_pages[own_key]) != text
    here.taken[own_key] = here.epoch
    number = int(st.pagination(pages, default=min(here.first_pages.get(own_key, 1), pages), key=own_key))
    here.keep(name, "" if number == 1 else str(number))
    return number


def cursors(key: str, asked: Any) -> tuple[str, ...]:
    """Return where each of the pages of a list begins that were shown so far, the present one last."""
    here, name = _here(), named(key)
    here.ask(name, asked)
    stored = here.hidden.get(name, "") or here.values.get(name, "")
    here.keep_cursors(name, stored)
    return ("", *stored.split(_BETWEEN)) if stored else ("",)


def turn_page(key: str, places: Sequence[str]) -> None:
    """Have a list show another page from now on; the first of the places is the empty one of the first page."""
    _here().keep_cursors(named(key), _joined(places[1:]))


def _seed(key: str, usual: T, read: Callable[[str], T]) -> None:
    """Give a widget its value: that of the address where it was arrived at, or what Streamlit forgot meanwhile."""
    here, name = _here(), named(key)
    if here.taken.get(key) == here.epoch and key in st.session_state:
        return
    value = usual
    if name in here.values:
        try:
            value = read(here.values[name])
        except ValueError:
            here.is_unknown = True
    here.taken[key] = here.epoch
    st.session_state[key] = value


def _chosen_of(
    draw: Callable[..., str | None], label: str, options: Sequence[str], key: str, usual: str, drawing: dict[str, Any]
) -> str:
    here, usual = _here(), usual or options[0]
    _seed(key, usual, lambda text: _one_of(text, options))
    chosen = draw(label, options, required=True, key=key, **drawing)
    if chosen is None:
        # Its options are others than before, and Streamlit has forgotten it.
        here.taken.pop(key, None)
        here.values.pop(named(key), None)
        st.rerun()
    here.keep(named(key), "" if chosen == usual else chosen)
    if here.is_proved:
        _write(here)
    return chosen


def _one_of(text: str, options: Collection[str]) -> str:
    if text not in options:
        raise ValueError
    return text


def _joined(ones: Sequence[str]) -> str:
    """Return as many of the last ones as an address has room for."""
    ones = list(ones)
    while len(_BETWEEN.join(ones)) > _LONGEST:
        del ones[0]
    return _BETWEEN.join(ones)


def _of_address() -> dict[str, str]:
    params = {name: value for name, value in st.query_params.items() if name != BUSINESS}
    usable = {name: value for name, value in params.items() if _NAME.fullmatch(name) and 0 < len(value) <= _LONGEST}
    return dict(list(usable.items())[:_MOST])


def _arrive(here: Place, scope: tuple[str, str], values: Mapping[str, str]) -> None:
    here.arrive(scope, values, st.session_state.pop(_BROUGHT, {}))


def _write(here: Place) -> None:
    address = {BUSINESS: here.scope[1], **here.values}
    if st.query_params.to_dict() != address:
        st.query_params.from_dict(address)


def _here() -> Place:
    here: Place = st.session_state.setdefault(_KEPT, Place())
    return here
