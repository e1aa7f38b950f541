"""Who looks: somebody who signed in through OpenID Connect, or whoever sits at this machine in local mode.

With a section [auth] in Streamlit's secrets people sign in with their provider, and what the server gets is the
Firebase ID token that the provider's is exchanged for. Without one the pages use the API keys that scripts/run hands
over, or one that is typed in.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import streamlit as st
from streamlit.errors import StreamlitAPIException

from admin_ui.shell import server
from admin_ui.shell.server import Refused, Server, Unreachable
from admin_ui.sign_in import firebase_session
from admin_ui.sign_in.identity_platform import Away, NotSetUp, NotSignedIn
from admin_ui.widgets.plain_text import plain, sentence

_LOGIN_FAILED = "login_failed"


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
        """Return the server with what opens it for a business; of one without a key of its own, what opens another."""
        key = self.token or self.keys.get(business_id) or next(iter(self.keys.values()))
        return Server(self.url, key, who=self.name)


@dataclass(frozen=True)
class Stranger:
    """Somebody of whom it is not known who they are, and what keeps them out where they did sign in."""

    trouble: Away | NotSetUp | NotSignedIn | None = None


def visitor() -> Visitor | Stranger:
    """Return who looks, as far as that is known."""
    if firebase_session.is_configured():
        return _signed_in()
    known = server.known_keys()
    if known:
        return Visitor(server.address(), keys=known)
    typed = st.session_state.get("typed_key")
    return Visitor(server.address(), keys={typed[0]: typed[1]}) if typed else Stranger()


def turned_away(visitor: Visitor, error: Unreachable | Refused) -> Stranger | None:
    """Return who is left where the server takes a sign-in no more; None where that is not what is wrong."""
    if not visitor.token or not isinstance(error, Refused) or error.status != 401:
        return None
    firebase_session.end(str(error))
    return Stranger(NotSignedIn(str(error)))


def show_door(stranger: Stranger) -> None:
    """Draw what somebody sees who is not known yet."""
    with st.container(width=560, horizontal_alignment="left"):
        st.title("Switchboard", anchor=False)
        if firebase_session.is_configured():
            _ask_to_sign_in(stranger)
        else:
            _ask_for_key()


def show_banner(visitor: Visitor) -> None:
    """Warn loudly where nobody has signed in."""
    if not visitor.token:
        st.warning("**Local mode**: everyone who can reach this page may use it.", icon=":material/lock_open:")


def show_leave(visitor: Visitor, *, in_menu: bool = True) -> None:
    """Draw the way out: at the end of the menu, or here where there is no menu."""
    with st.sidebar if in_menu else st.container():
        if visitor.token:
            st.caption(f"Signed in as {plain(visitor.name)}")
            st.button("Sign out", icon=":material/logout:", type="tertiary", on_click=_sign_out)
        elif not server.known_keys() and st.button("Use another key", icon=":material/key:", type="tertiary"):
            st.session_state.pop("typed_key", None)
            st.rerun()


def _signed_in() -> Visitor | Stranger:
    try:
        session = firebase_session.current()
    except (Away, NotSetUp, NotSignedIn) as error:
        return Stranger(error)
    return Visitor(server.address(), token=session.id_token, name=session.email or _name()) if session else Stranger()


def _ask_to_sign_in(stranger: Stranger) -> None:
    trouble = stranger.trouble
    failed = st.session_state.pop(_LOGIN_FAILED, None)
    if isinstance(trouble, Away):
        st.error("Google's Identity Platform cannot be reached right now.", icon=":material/cloud_off:")
        st.caption("Your sign-in is still good. Wait a moment, then look again.")
        st.button("Look again", type="primary", icon=":material/refresh:")
    elif isinstance(trouble, NotSetUp) or failed:
        st.error("Nobody can sign in here yet.", icon=":material/error:")
        st.caption(f"Tell whoever set these pages up: {plain(failed or trouble)}")
        st.button("Sign in", icon=":material/login:", on_click=_sign_in)
    elif trouble:
        advice = "" if "Sign in again" in str(trouble) else " Sign in again to go on."
        st.info(f"{sentence(str(trouble))}{advice}", icon=":material/schedule:")
        st.button("Sign in", type="primary", icon=":material/login:", on_click=_sign_in)
    else:
        st.markdown("Sign in to look after your receptionist.")
        st.button("Sign in", type="primary", icon=":material/login:", on_click=_sign_in)
    if trouble:
        st.caption(f"You came as {plain(_name()) or 'somebody without an e-mail address'}.")
        st.button("Sign out", icon=":material/logout:", type="tertiary", on_click=_sign_out)


def _sign_in() -> None:
    try:
        st.login(firebase_session.login_section())
    except StreamlitAPIException as error:
        st.session_state[_LOGIN_FAILED] = " ".join(str(error).split())


def _sign_out() -> None:
    firebase_session.forget()
    st.logout()


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


def _name() -> str:
    return str(st.user.get("email") or st.user.get("name") or "")
