"""Google's Identity Platform, as these pages need it: a provider's ID token for a Firebase one, and a fresh one later.

The server knows Firebase ID tokens only; what st.login brings is the provider's own.
https://cloud.google.com/identity-platform/docs/use-rest-api (`accounts:signInWithIdp`, `token`)
"""

from __future__ import annotations

import base64
import hashlib
import http.client
import json
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NoReturn

ACCOUNTS = "https://identitytoolkit.googleapis.com"
TOKENS = "https://securetoken.googleapis.com"
GOOGLE = "google.com"
_ANSWERS_WITHIN_S = 5
_LONGEST_ANSWER = 100_000
# A token goes where it was meant to go and nowhere else: no proxy from the environment comes between.
_opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
_ENDED = "This sign-in is not valid any more."
_AGAIN = {
    "TOKEN_EXPIRED": _ENDED,
    "INVALID_REFRESH_TOKEN": _ENDED,
    "USER_NOT_FOUND": "This account is not there any more.",
    "USER_DISABLED": "This account has been closed.",
}
_SET_UP = {
    "API key not valid": "its API key is not valid",
    "INVALID_API_KEY": "its API key is not valid",
    "API_KEY_HTTP_REFERRER_BLOCKED": "its API key is restricted to web sites, and these pages are none to Google",
    "CONFIGURATION_NOT_FOUND": "the Firebase project of its API key has no sign-in switched on",
    "OPERATION_NOT_ALLOWED": "the Firebase project of its API key does not let this provider in",
    "INVALID_PROVIDER_ID": "provider_id names nobody whom the Firebase project knows",
    "MISSING_OR_INVALID_NONCE": "raw_nonce is missing or does not belong to the nonce of authorize_params",
}


class Away(Exception):
    """Identity Platform does not answer, or not in a way that can be understood."""


class NotSetUp(Exception):
    """Nobody can sign in as these pages or the Firebase project are set up; the text says what is wrong."""


class NotSignedIn(Exception):
    """It gives no token, or no further one; the text is the reason, for the person who signs in."""


@dataclass(frozen=True)
class SignIn:
    """A sign-in at Firebase.

    Attributes:
        id_token: What the server takes.
        refresh_token: What a fresh one is asked for with.
        ends_at: When `id_token` ends, in seconds since 1970.
        email: Whose it is; empty where the provider does not tell.
    """

    id_token: str = field(repr=False)
    refresh_token: str = field(repr=False)
    ends_at: float
    email: str


@dataclass(frozen=True)
class IdentityPlatform:
    """The accounts of one Firebase project.

    Attributes:
        api_key: The project's web API key; it names the project and opens nothing.
        provider_id: Who signs people in, as the project knows them: `google.com`, or `oidc.` and a name.
        raw_nonce: Whose SHA-256 in hex the provider's ID tokens have as nonce; needed for `oidc.` providers, since the
            project compares them. Google's tokens are not compared.
        accounts_url: Where accounts are.
        tokens_url: Where fresh tokens are.
    """

    api_key: str = field(repr=False)
    provider_id: str = GOOGLE
    raw_nonce: str = field(default="", repr=False)
    accounts_url: str = ACCOUNTS
    tokens_url: str = TOKENS

    def sign_in(self, provider_token: str, page_url: str) -> SignIn:
        """Exchange the ID token that a provider has given to the page at `page_url`.

        Raises:
            Away, NotSetUp, NotSignedIn: There is none for it.
        """
        given = {"id_token": provider_token, "providerId": self.provider_id}
        if self._is_ours(provider_token):
            given["nonce"] = self.raw_nonce
        body = {
            "postBody": urllib.parse.urlencode(given),
            "requestUri": page_url,
            "returnSecureToken": True,
            "returnIdpCredential": False,
        }
        answer = self._ask(f"{self.accounts_url}/v1/accounts:signInWithIdp", json.dumps(body), "application/json")
        if answer.get("needConfirmation"):
            raise NotSignedIn("There is an account with this e-mail address that signs in in another way.")
        if answer.get("mfaPendingCredential"):
            raise NotSignedIn("This account has a second factor, which these pages cannot ask for.")
        return _sign_in(answer, "idToken", "refreshToken", "expiresIn", str(answer.get("email") or ""))

    def refreshed(self, sign_in: SignIn) -> SignIn:
        """Return the same sign-in with a token that ends later, and that has the roles of now.

        Raises:
            Away, NotSetUp, NotSignedIn: There is none.
        """
        form = {"grant_type": "refresh_token", "refresh_token": sign_in.refresh_token}
        body, kind = urllib.parse.urlencode(form), "application/x-www-form-urlencoded"
        answer = self._ask(f"{self.tokens_url}/v1/token", body, kind)
        return _sign_in(answer, "id_token", "refresh_token", "expires_in", sign_in.email)

    def _is_ours(self, provider_token: str) -> bool:
        # Sent along with another nonce, or with none, it would be refused.
        return bool(self.raw_nonce) and nonce_of(self.raw_nonce) == _claims(provider_token).get("nonce")

    def _ask(self, url: str, body: str, kind: str) -> Mapping[str, Any]:
        # In a header, because addresses are what gets written into logs.
        headers = {"Content-Type": kind, "X-Goog-Api-Key": self.api_key}
        request = urllib.request.Request(url, body.encode(), headers, method="POST")
        try:
            with _opener.open(request, timeout=_ANSWERS_WITHIN_S) as response:
                answer = json.loads(response.read(_LONGEST_ANSWER))
        except urllib.error.HTTPError as error:
            with error:
                _refuse(error)
        except (OSError, http.client.HTTPException, ValueError) as error:
            raise Away(type(error).__name__) from None
        if not isinstance(answer, dict):
            raise Away("an answer that cannot be read")
        return answer


def nonce_of(raw_nonce: str) -> str:
    """Return what a provider is to be sent as nonce, for Identity Platform to recognise `raw_nonce` by."""
    return hashlib.sha256(raw_nonce.encode()).hexdigest()


def _sign_in(answer: Mapping[str, Any], id_token: str, refresh_token: str, lasts: str, email: str) -> SignIn:
    try:
        ends_at = time.time() + float(answer[lasts])
        return SignIn(str(answer[id_token]), str(answer[refresh_token]), ends_at, email)
    except (KeyError, TypeError, ValueError):
        raise Away("an answer without tokens") from None


def _refuse(error: urllib.error.HTTPError) -> NoReturn:
    try:
        message = str(json.loads(error.read(_LONGEST_ANSWER))["error"]["message"])
    except (OSError, http.client.HTTPException, ValueError, KeyError, TypeError):
        raise Away(f"status {error.code}") from None
    # The rest of it may quote the token that was sent.
    word = message.partition(":")[0].strip()
    for known, what in _SET_UP.items():
        if word.startswith(known):
            raise NotSetUp(what) from None
    if word in _AGAIN:
        raise NotSignedIn(_AGAIN[word]) from None
    if error.code == 429 or error.code >= 500:
        raise Away(f"status {error.code}") from None
    raise NotSignedIn("Whoever signs you in was not believed.") from None


def _claims(token: str) -> Mapping[str, Any]:
    try:
        part = token.split(".")[1]
        claims = json.loads(base64.urlsafe_b64decode(part + "=" * (-len(part) % 4)))
    except (IndexError, ValueError):
        return {}
    return claims if isinstance(claims, dict) else {}
