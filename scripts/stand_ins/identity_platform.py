"""Identity Platform as the Auth emulator serves it: the same addresses below one host, and tokens that nobody signs.

Unlike the emulator it believes a provider's ID token only where it is signed, meant for the project's client, not over,
and, as the real one wants it of `oidc.` providers, where its nonce is the hash of the one that comes along.
"""

from __future__ import annotations

import base64
import hashlib
import json
import secrets
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qsl

import jwt
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

API_KEY = "stand-in-api-key"
_TOOLKIT, _TOKENS = "/identitytoolkit.googleapis.com/v1", "/securetoken.googleapis.com/v1"


@dataclass(frozen=True)
class TrustedProvider:
    """A provider that the project lets people in from: whose tokens, for which client, signed with which key."""

    issuer: str
    client_id: str
    public_key: Any


class _No(Exception):
    def __init__(self, message: str, status: int = 400) -> None:
        super().__init__(message)
        self.status = status


@dataclass
class IdentityPlatformStandIn:
    """One project's accounts and the app that serves them.

    Attributes:
        project: Its id.
        providers: By provider id.
        lifetime_s: How long the ID tokens are good for that are given from now on.
        accounts: By `localId`.
        asked: The verbs that were asked for, in order.
        is_away: Whether every answer is 503.
    """

    project: str
    providers: dict[str, TrustedProvider] = field(default_factory=dict)
    lifetime_s: int = 3600
    accounts: dict[str, dict[str, Any]] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)
    is_away: bool = False
    _refresh: dict[str, tuple[str, int]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        own = f"{_TOOLKIT}/projects/{self.project}/accounts"
        routes = [
            Route(f"{_TOOLKIT}/accounts:signInWithIdp", self._sign_in, methods=["POST"]),
            Route(f"{_TOKENS}/token", self._token, methods=["POST"]),
            Route(f"{own}:lookup", self._lookup, methods=["POST"]),
            Route(f"{own}:update", self._update, methods=["POST"]),
            Route(f"{own}:batchGet", self._list),
        ]
        self.app = Starlette(routes=routes, exception_handlers={_No: _refused})

    @property
    def refresh_tokens(self) -> list[str]:
        """All that were given."""
        return list(self._refresh)

    def account_of(self, email: str) -> dict[str, Any]:
        """Return the account with this e-mail address.

        Raises:
            StopIteration: Nobody has signed in with it.
        """
        return next(account for account in self.accounts.values() if account.get("email") == email)

    def sign_out_everywhere(self, email: str) -> None:
        """Take every sign-in of an account back."""
        account = self.account_of(email)
        account["validSince"] = str(int(time.time()) + 1)

    async def _sign_in(self, request: Request) -> Response:
        self._enter(request, "signInWithIdp")
        body = json.loads(await request.body())
        if not str(body.get("requestUri", "")).startswith("http") or body.get("returnSecureToken") is not True:
            raise _No("INVALID_REQUEST_URI")
        given = dict(parse_qsl(body.get("postBody", "")))
        claims = self._believed(given)
        provider_id = given["providerId"]
        chosen = [a for a in self.accounts.values() if a["provider"] == (provider_id, claims["sub"])]
        account = chosen[0] if chosen else self._created(provider_id, claims)
        if account.get("disabled"):
            raise _No("USER_DISABLED")
        tokens = self._tokens(account, int(time.time()))
        names = {"idToken": "id_token", "refreshToken": "refresh_token", "expiresIn": "expires_in"}
        return JSONResponse(
            {"localId": account["localId"], "email": account.get("email"), "isNewUser": not chosen}
            | {name: tokens[wire] for name, wire in names.items()}
        )

    def _believed(self, given: Mapping[str, str]) -> Mapping[str, Any]:
        provider_id = given.get("providerId", "")
        provider = self.providers.get(provider_id)
        if provider is None:
            raise _No("OPERATION_NOT_ALLOWED : The identity provider configuration is not found.")
        try:
            claims: dict[str, Any] = jwt.decode(
                given.get("id_token", ""),
                provider.public_key,
                algorithms=["RS256"],
                audience=provider.client_id,
                issuer=provider.issuer,
            )
        except jwt.PyJWTError as error:
            raise _No(f"INVALID_IDP_RESPONSE : {error}") from None
        if provider_id.startswith("oidc.") and "nonce" in claims:
            raw = given.get("nonce")
            if raw is None:
                raise _No("MISSING_OR_INVALID_NONCE : Nonce is missing in the request.")
            if hashlib.sha256(raw.encode()).hexdigest() != claims["nonce"]:
                raise _No("MISSING_OR_INVALID_NONCE : The nonce in ID Token does not match the SHA256 hash.")
        return claims

    def _created(self, provider_id: str, claims: Mapping[str, Any]) -> dict[str, Any]:
        account = {"localId": secrets.token_urlsafe(21), "provider": (provider_id, claims["sub"]), "validSince": "0"}
        account |= {"email": claims.get("email"), "emailVerified": bool(claims.get("email_verified"))}
        self.accounts[account["localId"]] = account
        return account

    async def _token(self, request: Request) -> Response:
        self._enter(request, "token")
        form = await request.form()
        if form.get("grant_type") != "refresh_token":
            raise _No("INVALID_GRANT_TYPE")
        refresh = self._refresh.get(str(form.get("refresh_token", "")))
        if refresh is None:
            raise _No("INVALID_REFRESH_TOKEN")
        account = self.accounts.get(refresh[0])
        if account is None:
            raise _No("USER_NOT_FOUND")
        if account.get("disabled"):
            raise _No("USER_DISABLED")
        if refresh[1] < int(account["validSince"]):
            raise _No("TOKEN_EXPIRED")
        return JSONResponse(self._tokens(account, refresh[1]))

    def _tokens(self, account: Mapping[str, Any], signed_in: int) -> dict[str, str]:
        now, id = int(time.time()), account["localId"]
        claims = {
            "iss": f"https://securetoken.google.com/{self.project}",
            "aud": self.project,
            "sub": id,
            "user_id": id,
            "auth_time": signed_in,
            "iat": now,
            "exp": now + self.lifetime_s,
            "email": account.get("email"),
            "email_verified": account.get("emailVerified"),
            **json.loads(account.get("customAttributes") or "{}"),
        }
        refresh = secrets.token_urlsafe(32)
        self._refresh[refresh] = (id, signed_in)
        token = f"{_part({'alg': 'none', 'typ': 'JWT'})}.{_part(claims)}."
        return {"id_token": token, "refresh_token": refresh, "expires_in": str(self.lifetime_s)}

    async def _lookup(self, request: Request) -> Response:
        self._enter(request, "lookup", is_admin=True)
        body = json.loads(await request.body())
        accounts = [
            account
            for account in self.accounts.values()
            if account["localId"] in body.get("localId", ()) or account.get("email") in body.get("email", ())
        ]
        return JSONResponse({"users": accounts} if accounts else {})

    async def _update(self, request: Request) -> Response:
        self._enter(request, "update", is_admin=True)
        body = json.loads(await request.body())
        account = self.accounts.get(body.get("localId", ""))
        if account is None:
            raise _No("USER_NOT_FOUND")
        if len(body.get("customAttributes", "")) > 1000:
            raise _No("CLAIMS_TOO_LARGE")
        account |= {name: body[name] for name in ("customAttributes", "validSince") if name in body}
        return JSONResponse({"localId": account["localId"]})

    async def _list(self, request: Request) -> Response:
        self._enter(request, "batchGet", is_admin=True)
        ids = sorted(self.accounts)
        begin = int(request.query_params.get("nextPageToken") or 0)
        end = begin + int(request.query_params["maxResults"])
        more = {"nextPageToken": str(end)} if end < len(ids) else {}
        return JSONResponse({"users": [self.accounts[id] for id in ids[begin:end]]} | more)

    def _enter(self, request: Request, verb: str, *, is_admin: bool = False) -> None:
        self.asked.append(verb)
        if self.is_away:
            raise _No("BACKEND_ERROR", 503)
        if is_admin and request.headers.get("authorization") != "Bearer owner":
            raise _No("INSUFFICIENT_PERMISSION", 403)
        if not is_admin and request.headers.get("x-goog-api-key") != API_KEY:
            raise _No("API key not valid. Please pass a valid API key.")


async def _refused(request: Request, error: Exception) -> Response:
    assert isinstance(error, _No)
    return JSONResponse({"error": {"code": error.status, "message": str(error), "errors": []}}, error.status)


def _part(content: Mapping[str, Any]) -> str:
    return base64.urlsafe_b64encode(json.dumps(content).encode()).rstrip(b"=").decode()
