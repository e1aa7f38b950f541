"""Who looks: somebody who signed in through OpenID Connect, or whoever sits at this machine in local mode.

With a section [auth] in .streamlit/secrets.toml people sign in, and their ID token goes to the server; it must be
exposed there (`expose_tokens = ["id"]`). Without one the pages use the API keys that scripts/run hands over, or one
that is typed in.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, field

import streamlit as st
from streamlit.errors import StreamlitSecretNotFoundError

from admin_ui import server
from admin_ui.plain_text import plain
from admin_ui.server import Server

# A token that ends while a page is being drawn would fail half-way.
_SPARE_S = 10


@dataclass(frozen=True)
class Visitor:
    """Who looks.

    Attributes:
        url: Where the server is.
        token: What opens it, where one opens every business that is theirs; empty in local mode.
        keys: In local mode an API key for each business.
        name: Whom they signed in as; empty in local mode.
    """

    url: str
    token: str = field(default="", repr=False)
    keys: Mapping[str, str] = field(default_factory=dict, repr=False)
    name: str = ""

    def server_for(self, business_id: str) -> Server:
        """Return the server with what opens it for a business."""
        return Server(self.url, self.token or self.keys[business_id])


def is_configured() -> bool:
    """Tell whether people sign in here."""
    try:
        return "auth" in st.secrets
    except StreamlitSecretNotFoundError:
        return False


def visitor() -> Visitor | None:
    """Return who looks, or None while that is not known."""
    if is_configured():
        token = _token()
        return Visitor(server.address(), token=token, name=_name()) if token else None
    known = server.known_keys()
    if known:
        return Visitor(server.address(), keys=known)
    typed = st.session_state.get("typed_key")
    return Visitor(server.address(), keys={typed[0]: typed[1]}) if typed else None


def show_door() -> None:
    """Draw what somebody sees who is not known yet."""
    with st.container(width=560, horizontal_alignment="left"):
        st.title("Switchboard")
        if is_configured():
            _ask_to_sign_in()
        else:
            _ask_for_key()


def show_banner(visitor: Visitor) -> None:
    """Warn loudly where nobody has signed in."""
    if not visitor.token:
        st.warning("**Local mode**: everyone who can reach this page may use it.", icon=":material/lock_open:")


def show_leave(visitor: Visitor) -> None:
    """Draw, at the end of the menu, the way out."""
    with st.sidebar:
        if visitor.token:
            st.caption(f"Signed in as {plain(visitor.name)}")
            if st.button("Sign out", icon=":material/logout:", type="tertiary"):
                st.logout()
        elif not server.known_keys() and st.button("Use another key", icon=":material/key:", type="tertiary"):
            st.session_state.pop("typed_key", None)
            st.rerun()


def _ask_to_sign_in() -> None:
    if st.user.get("is_logged_in") and not st.user.tokens.get("id"):
        st.error("You are signed in, but these pages are not given your ID token.", icon=":material/error:")
        st.caption('Whoever set them up must add `expose_tokens = ["id"]` to [auth] in .streamlit/secrets.toml.')
        st.button("Sign out", on_click=st.logout)
        return
    if st.user.get("is_logged_in"):
        st.info("Your sign-in has ended. Sign in again to go on.", icon=":material/schedule:")
    else:
        st.markdown("Sign in to look after your receptionist.")
    st.button("Sign in", type="primary", icon=":material/login:", on_click=st.login)


def _ask_for_key() -> None:
    st.warning("**Local mode**: everyone who can reach this page may use it.", icon=":material/lock_open:")
    st.info("Name a business and one of its API keys to look after it.", icon=":material/key:")
    with st.form("key"):
        business_id = st.text_input("Business", placeholder="demo-salon", key="business_id")
        key = st.text_input("API key", type="password", key="api_key", help="Make one with scripts/api_key.")
        if st.form_submit_button("Open", type="primary"):
            if business_id.strip() and key.strip():
                st.session_state["typed_key"] = (business_id.strip(), key.strip())
                st.rerun()
            st.error("Both are needed.", icon=":material/error:")


def _token() -> str:
    if not st.user.get("is_logged_in"):
        return ""
    ends = st.user.get("exp")
    if isinstance(ends, int | float) and ends < time.time() + _SPARE_S:
        return ""
    return str(st.user.tokens.get("id") or "")


def _name() -> str:
    return str(st.user.get("email") or st.user.get("name") or "")
