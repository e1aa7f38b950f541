"""Access tokens of one OAuth authorization server: JWTs as RFC 9068 has them, made for a resource of ours.

The server's keys are found through its metadata (RFC 8414, or OpenID Connect discovery), which must name the very
issuer that was configured. Tokens that are bound to their sender's key (`cnf`) are none for whoever merely bears them.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any
from urllib.parse import urlsplit

import orjson

from switchboard.contract.account import TrustedAccount, subject
from switchboard.contract.error import ErrorType, ToolError
from switchboard.contract.ports import Clock
from switchboard.integrations.http_session import HttpSession, NoAnswer
from switchboard.integrations.identity.signed_tokens import KEYS_S, Expected, NotGood, PublicKeys, verified

ALGORITHMS = ("RS256", "ES256")
_REQUIRED = ("exp", "aud", "iss", "sub")
_LOOPBACK = ("127.0.0.1", "localhost", "::1")
_WORDS = {
    "expired": "This access token has expired; get a new one.",
    "audience": "This access token was made for another resource.",
    "other": "This access token is not valid.",
}


class AccessTokens:
    """Verifies the access tokens of one issuer."""

    def __init__(self, issuer: str, http: HttpSession, clock: Clock, *, is_local: bool = False) -> None:
        """Trust an issuer.

        Args:
            issuer: As its tokens and its metadata write it, letter for letter.
            http: Asks it for its keys.
            clock: Ages them.
            is_local: Whether its keys may lie on this machine, unencrypted.
        """
        self.issuer = issuer
        self._http, self._is_local = http, is_local
        self._keys = PublicKeys(http, self._place_of_keys, clock, ALGORITHMS)

    async def account(self, token: str, audiences: Sequence[str]) -> TrustedAccount:
        """Return the account that a token is for, with the scopes that it was given.

        Args:
            token: What was shown.
            audiences: The resources of ours that it may be for; one is enough.

        Raises:
            ToolError: AUTH, it is not good; TRANSIENT, nobody can tell.
        """
        try:
            claims = await verified(token, self._keys, Expected(audiences, (self.issuer,), _REQUIRED))
        except NotGood as error:
            raise ToolError(ErrorType.AUTH, _WORDS[error.fault]) from None
        account = subject(self.issuer, claims["sub"])
        if account is None or "cnf" in claims:
            raise ToolError(ErrorType.AUTH, _WORDS["other"])
        return TrustedAccount(account.kind, account.id, account.issuer, _scopes(claims))

    async def _place_of_keys(self) -> str:
        for url in _metadata_urls(self.issuer):
            try:
                answer = await self._http.request("GET", url, timeout_s=KEYS_S)
                document = orjson.loads(answer.body) if answer.status == 200 else {}
            except (NoAnswer, ValueError):
                continue
            place = (
                document.get("jwks_uri")
                if isinstance(document, dict) and document.get("issuer") == self.issuer
                else None
            )
            if isinstance(place, str) and self._is_safe(place):
                return place
        raise ValueError("no metadata of this issuer")

    def _is_safe(self, url: str) -> bool:
        parts = urlsplit(url)
        return parts.scheme == "https" or (self._is_local and parts.hostname in _LOOPBACK)


def _metadata_urls(issuer: str) -> Iterator[str]:
    parts = urlsplit(issuer)
    base, path = f"{parts.scheme}://{parts.netloc}", parts.path.rstrip("/")
    yield f"{base}/.well-known/oauth-authorization-server{path}"
    if path:
        yield f"{base}/.well-known/openid-configuration{path}"
    yield f"{base}{path}/.well-known/openid-configuration"


def _scopes(claims: Mapping[str, Any]) -> frozenset[str]:
    """Return what a token allows: `scope` between blanks, or `scp`, likewise or as a list."""
    scope = claims.get("scope", claims.get("scp", ""))
    words = scope.split() if isinstance(scope, str) else scope if isinstance(scope, list) else []
    return frozenset(word for word in words if isinstance(word, str))
