"""The sign-in of whoever looks: kept in the memory of their session with these pages, and nowhere else.

A page that is opened anew exchanges what Streamlit's cookie holds, the provider's ID token, for as long as that is
good. From then on Firebase's refresh token carries the session on, and with it the roles of the day.
"""

from __future__ import annotations

import os
import time
from collections.abc import Mapping
from typing import Any

import streamlit as st
from streamlit.errors import StreamlitSecretNotFoundError

from admin_ui.sign_in.identity_platform import (
    ACCOUNTS,
    GOOGLE,
    TOKENS,
    Away,
    IdentityPlatform,
    NotSetUp,
    NotSignedIn,
    SignIn,
)

SECRETS = "identity_platform"
_EMULATOR = "FIREBASE_AUTH_EMULATOR_HOST"
# Early enough that a minute of trouble at Google is not noticed.
_EARLY_S = 300
# A token that ends while a page is being drawn would fail half-way.
_SPARE_S = 10
_KEPT, _ENDED, _OLD_ROLES = "firebase_sign_in", "firebase_sign_in_ended", "firebase_old_roles"


def is_configured() -> bool:
    """Tell whether people sign in here."""
    return bool(_secrets("auth"))


def login_section() -> str | None:
    """Return below which name of [auth] the provider stands, as st.login wants it; None for [auth] itself."""
    auth = _secrets("auth")
    if "client_id" in auth:
        return None
    return next((name for name, part in auth.items() if isinstance(part, Mapping) and "client_id" in part), None)


def current() -> SignIn | None:
    """Return the sign-in, its token good for a while; None where nobody has signed in with the provider.

    Raises:
        Away, NotSetUp, NotSignedIn: They did, and are let in no further.
    """
    if not st.user.get("is_logged_in"):
        forget()
        return None
    given = _provider_token()
    session = st.session_state.get(_KEPT)
    # Somebody else may have signed in in another window of this browser.
    if session is None or session[0] != given:
        return _keep(given, _signed_in(given))
    if session[1] is None:
        raise NotSignedIn(st.session_state[_ENDED])
    return _keep(given, _carried_on(given, session[1]))


def end(reason: str) -> None:
    """Let the sign-in go: until they sign in again, the reason is what they are told."""
    if _KEPT in st.session_state:
        _stopped(st.session_state[_KEPT][0], reason)


def forget() -> None:
    """Leave nothing of it behind."""
    for key in (_KEPT, _ENDED, _OLD_ROLES):
        st.session_state.pop(key, None)


def expect_new_roles() -> None:
    """Have the next look ask for a token anew: roles that were given since stand in no older one."""
    st.session_state[_OLD_ROLES] = True


def _signed_in(given: str) -> SignIn:
    ends = st.user.get("exp")
    if isinstance(ends, int | float) and ends < time.time() + _SPARE_S:
        raise _stopped(given, "Your sign-in has ended.")
    try:
        return _platform().sign_in(given, _page_url())
    except NotSignedIn as error:
        raise _stopped(given, str(error)) from None


def _carried_on(given: str, sign_in: SignIn) -> SignIn:
    left_s = sign_in.ends_at - time.time()
    has_old_roles = st.session_state.pop(_OLD_ROLES, False)
    if left_s > _EARLY_S and not has_old_roles:
        return sign_in
    try:
        return _platform().refreshed(sign_in)
    except NotSignedIn as error:
        raise _stopped(given, str(error)) from None
    except Away:
        if left_s < _SPARE_S:
            raise
        return sign_in


def _keep(given: str, sign_in: SignIn) -> SignIn:
    st.session_state[_KEPT] = (given, sign_in)
    return sign_in


def _stopped(given: str, reason: str) -> NotSignedIn:
    # Kept, because asking Google again with every click would not change it.
    st.session_state[_KEPT], st.session_state[_ENDED] = (given, None), reason
    return NotSignedIn(reason)


def _provider_token() -> str:
    given = str(st.user.tokens.get("id") or "")
    if not given:
        raise NotSetUp('expose_tokens = ["id"] is missing below [auth]')
    return given


def _page_url() -> str:
    return str(_secrets("auth").get("redirect_uri") or "http://localhost")


def _platform() -> IdentityPlatform:
    own, emulator = _secrets(SECRETS), os.environ.get(_EMULATOR)
    api_key = str(own.get("api_key") or ("emulator" if emulator else ""))
    if not api_key:
        raise NotSetUp(f"api_key is missing below [{SECRETS}]")
    provider_id = str(own.get("provider_id") or GOOGLE)
    if provider_id != GOOGLE and not provider_id.startswith("oidc."):
        raise NotSetUp(f"provider_id below [{SECRETS}] is neither {GOOGLE} nor oidc.<name>")
    accounts, tokens = (
        f"http://{emulator}/{url.removeprefix('https://')}" if emulator else url for url in (ACCOUNTS, TOKENS)
    )
    return IdentityPlatform(
        api_key,
        provider_id,
        str(own.get("raw_nonce") or ""),
        str(own.get("accounts_url") or accounts).rstrip("/"),
        str(own.get("tokens_url") or tokens).rstrip("/"),
    )


def _secrets(section: str) -> Mapping[str, Any]:
    try:
        values = st.secrets.get(section)
    except StreamlitSecretNotFoundError:
        return {}
    return values if isinstance(values, Mapping) else {}
