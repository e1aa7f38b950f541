"""What is said when the server does not answer, or says no: its own words first, then what can be done."""

from __future__ import annotations

import streamlit as st

from admin_ui.shell import problem_words
from admin_ui.shell.server import Refused, Unreachable
from admin_ui.widgets.plain_text import plain, sentence

_TITLES = {
    400: "This cannot be kept.",
    401: "The server does not know this API key or sign-in.",
    403: "You may not do that.",
    404: "Not found.",
    409: "This cannot be done right now.",
    412: "Somebody else was faster.",
    422: "That cannot be done.",
    429: "That was a little fast.",
    501: "Not set up here.",
    503: "The server has trouble right now.",
}
_ADVICE = {
    401: "Was the server started anew? Then start these pages with it; or sign in again.",
    403: "Ask an owner of this business to give you a role, or use a key made with the scope `owner`.",
    503: "Wait a moment, then look again.",
}


def show(error: Unreachable | Refused, url: str) -> None:
    """Draw a failure in place of what could not be drawn, with a way to try again."""
    if isinstance(error, Unreachable):
        st.error(f"No server answers at {plain(url)}.", icon=":material/cloud_off:")
        st.caption(f"Start it with `scripts/run`, then look again. What happened: {sentence(str(error))}")
    else:
        tell(error)
        if error.status in _ADVICE:
            st.caption(_ADVICE[error.status])
    st.button("Look again", icon=":material/refresh:")


def tell(error: Refused) -> None:
    """Draw why something was not done, with everything that is wrong with what was entered."""
    title = _TITLES.get(error.status, f"The server answered {error.status}.")
    lines = [sentence(problem_words.told(one)) for one in error.problems] or [sentence(str(error))]
    listed = "\n".join(f"- {line}" for line in lines) if len(lines) > 1 else lines[0]
    st.error(f"**{title}** Nothing was changed.\n\n{listed}" if error.problems else f"**{title}** {listed}")
