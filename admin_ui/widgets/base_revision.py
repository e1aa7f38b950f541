"""What was read when a page was opened, kept while somebody edits it: a save says which version it is based on.

Streamlit runs a page anew with every click. Reading anew each time would base a change on a version that its author
has never seen.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import streamlit as st

from admin_ui.shell.server import Answer

_KEPT = "opened"
_numbers = itertools.count(1)


@dataclass(frozen=True)
class Opened:
    """Something as it was read, or as a save has left it.

    `form` is a new name with each reading, so that fields show what was read; behind a save it stays, as they do.
    """

    body: dict[str, Any]
    revision: str
    form: str


def read_once(place: str, read: Callable[[], Answer]) -> Opened:
    """Return what was read under this name on this page, reading it if it was not."""
    revisions: dict[str, Opened] = st.session_state.setdefault(_KEPT, {})
    if place not in revisions:
        answer = read()
        revisions[place] = Opened(answer.body, answer.revision, f"{place}/{next(_numbers)}")
    return revisions[place]


def go_on(place: str, answer: Answer) -> None:
    """Go on from what a save has left behind, in the same fields: somebody may be typing in them by now."""
    revisions: dict[str, Opened] = st.session_state.get(_KEPT, {})
    if place in revisions:
        revisions[place] = Opened(answer.body, answer.revision, revisions[place].form)


def forget(place: str | None = None) -> None:
    """Have one thing, or everything, read anew."""
    revisions = st.session_state.get(_KEPT, {})
    for name in [place] if place is not None else list(revisions):
        revisions.pop(name, None)


def leave_if_elsewhere(place: str) -> None:
    """Forget everything once another page or business is looked at."""
    if st.session_state.get("opened_at") != place:
        forget()
        for key in [key for key in st.session_state if str(key).startswith("at/")]:
            del st.session_state[key]
    st.session_state["opened_at"] = place
