"""A vendor's authorisation server, as one OAuth client of it: consent, and tokens for codes and refresh tokens.

Our own requests to the token endpoint rather than a vendor's library: those are synchronous, and answer a lost
permission and a failing server with the same exception class.
"""

import base64
import hashlib
import hmac
from collections.abc import Mapping
from dataclasses import field
from typing import Any
from urllib.parse import urlencode

import orjson

from switchboard.contract.error import ErrorType, ToolError
from switchboard.contract.python.dataclass import dataclass
from switchboard.integrations.calendar_failures import CalendarFailures
from switchboard.integrations.http_session import HttpAnswer, HttpSession
from switchboard.integrations.vendor_http import VendorHttp

REFRESH_TOKEN = "refreshToken"
"""The field of a toolkit's secrets in which an owner's lasting permission is kept."""
TOKEN_S = 2.0
REVOKE_S = 2.0
# Tokens live for an hour; an answer that does not say so is not believed for longer than this.
_UNSAID_S = 600.0
_FORM = {"Content-Type": "application/x-www-form-urlencoded"}


@dataclass(frozen=True, slots=True)
class OAuthClient:
    """What the operator registered with a vendor.

    Attributes:
        id: As the vendor gave it.
        secret: As the vendor gave it.
        callback_url: Where owners are sent back to; registered letter by letter.
    """

    id: str
    secret: str = field(repr=False)
    callback_url: str


@dataclass(frozen=True, slots=True)
class TokenGrant:
    """What the token endpoint gave.

    Attributes:
        access_token: What requests carry.
        expires_in_s: How long it is good for.
        scopes: What may be done with it; owners can leave some of what was asked for out.
        refresh_token: The lasting permission; None where none was given. Some vendors give another one with every
            access token.
    """

    access_token: str = field(repr=False)
    expires_in_s: float
    scopes: tuple[str, ...]
    refresh_token: str | None = field(default=None, repr=False)


@dataclass(frozen=True, slots=True)
class ServerAddresses:
    """Where a vendor's authorisation server is: absolute URLs; no `revocation` where it takes nothing back."""

    authorization: str
    token: str
    revocation: str = ""


class OAuthServer:
    """An authorisation server, as one OAuth client of it. Its failures are `ToolError`s by the vendor's table."""

    def __init__(
        self,
        http: HttpSession,
        addresses: ServerAddresses,
        client: OAuthClient,
        asked: Mapping[str, str],
        failures: CalendarFailures,
    ) -> None:
        """Ask there, as that client.

        `asked` is what the consent's address says besides: at least the `scope`.
        """
        self._http, self._addresses, self.client = VendorHttp(http, failures), addresses, client
        self._asked, self._failures = asked, failures

    def consent_url(self, state: str) -> str:
        """Return where an owner gives permission; the vendor sends them back with the state."""
        query = {
            "client_id": self.client.id,
            "redirect_uri": self.client.callback_url,
            "response_type": "code",
            **self._asked,
            "state": state,
            "code_challenge": _challenge(self._verifier(state)),
            "code_challenge_method": "S256",
        }
        return f"{self._addresses.authorization}?{urlencode(query)}"

    async def exchange(self, code: str, state: str) -> TokenGrant:
        """Return what an owner's consent gives.

        Raises:
            ToolError: AUTH, the code is used, expired or of another consent.
        """
        return await self._ask(
            {
                "grant_type": "authorization_code",
                "code": code,
                "redirect_uri": self.client.callback_url,
                "code_verifier": self._verifier(state),
            }
        )

    async def refresh(self, refresh_token: str) -> TokenGrant:
        """Return a fresh access token.

        Raises:
            ToolError: AUTH, the permission is gone.
        """
        return await self._ask({"grant_type": "refresh_token", "refresh_token": refresh_token})

    async def revoke(self, token: str) -> bool:
        """Give a grant back, with every token of it, and tell whether the vendor took it."""
        if not self._addresses.revocation:
            return False
        body = urlencode({"token": token}).encode()
        try:
            answer = await self._http.send(
                "POST", self._addresses.revocation, headers=_FORM, body=body, timeout_s=REVOKE_S
            )
        except ToolError:
            return False
        return answer.status == 200

    async def _ask(self, form: Mapping[str, str]) -> TokenGrant:
        body = urlencode({**form, "client_id": self.client.id, "client_secret": self.client.secret}).encode()
        # Asking again is harmless: at worst there is one more token.
        answer = await self._http.send(
            "POST", self._addresses.token, headers=_FORM, body=body, timeout_s=TOKEN_S, is_write=False
        )
        if answer.status != 200:
            raise self._failures.token_refused(answer)
        return self._read_grant(answer)

    def _verifier(self, state: str) -> str:
        # Derived, so that no secret of a consent under way has to be kept: without ours nobody else can derive it.
        digest = hmac.digest(self.client.secret.encode(), b"pkce|" + state.encode(), "sha256")
        return _base64url(digest)

    def _read_grant(self, answer: HttpAnswer) -> TokenGrant:
        try:
            grant: dict[str, Any] = orjson.loads(answer.body)
            token, seconds = grant["access_token"], float(grant.get("expires_in") or _UNSAID_S)
            refresh, scope = grant.get("refresh_token"), grant.get("scope") or ""
        except (ValueError, KeyError, TypeError, AttributeError):
            token, seconds, refresh, scope = "", 0.0, None, ""
        if not isinstance(token, str) or not token or not isinstance(scope, str):
            raise self._failures.failure(ErrorType.TRANSIENT, "token endpoint: an answer without a token")
        return TokenGrant(
            token, seconds, tuple(scope.split()), refresh if isinstance(refresh, str) and refresh else None
        )


def _challenge(verifier: str) -> str:
    return _base64url(hashlib.sha256(verifier.encode()).digest())


def _base64url(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()
