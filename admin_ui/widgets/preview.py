"""What the server says would be done, kept so that people see it before they have it done."""

from __future__ import annotations

from typing import Any

import streamlit as st

from admin_ui.shell import failure_view
from admin_ui.shell.server import Refused, Server
from admin_ui.widgets import problems


def take(server: Server, path: str, asked: dict[str, Any], state_key: str, form: str | None = None) -> None:
    """Ask the server, and have the page drawn anew with its answer, which has what was `asked` beside it.

    Args:
        server: Who is asked.
        path: Where.
        asked: What is sent.
        state_key: The name under which the session keeps the answer; what was kept there is gone if the server refuses.
        form: Where it is told what is wrong with what was asked; None tells it at this place of the page.
    """
    try:
        with st.spinner("Asking the server …"):
            previewed = server.ask(path, asked).body
    except Refused as error:
        st.session_state.pop(state_key, None)
        if form is None:
            failure_view.tell(error)
        else:
            problems.tell(form, error)
        return
    if form is not None:
        problems.forget(form)
    st.session_state[state_key] = previewed | {"asked": asked}
    st.rerun()


def taken(state_key: str, asked: dict[str, Any]) -> dict[str, Any] | None:
    """Return what the server said to this; nothing where it was asked something else."""
    previewed: dict[str, Any] | None = st.session_state.get(state_key)
    return previewed if previewed and previewed["asked"] == asked else None
