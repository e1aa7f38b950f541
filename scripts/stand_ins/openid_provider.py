"""An OpenID provider with one client, whose sign-in page lets anybody be any of its people.

OpenID Connect Core 1.0, the code flow with PKCE (RFC 7636): whatever a client leaves out or changes on the way is
refused as a real provider would.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import secrets
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from html import escape
from typing import Any
from urllib.parse import unquote, urlencode

import jwt
from cryptography.hazmat.primitives.asymmetric import rsa
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response
from starlette.routing import Route

CLIENT_ID, CLIENT_SECRET = "stand-in-client", "stand-in-secret"
_CODE_LASTS_S = 600
_KEY_ID = "stand-in"
_PAGE = """<!doctype html><meta charset="utf-8"><title>Stand-in for an OpenID provider</title>
<h1>Who are you?</h1><form method="post">{people}<p><button name="person" value="">Nobody you know</button></p></form>
"""


@dataclass(frozen=True)
class _Code:
    email: str
    redirect_uri: str
    nonce: str | None
    challenge: str
    expires_at: float


@dataclass
class OpenIdProvider:
    """The provider and the app that serves it.

    Attributes:
        redirect_uri: Where alone it sends people back to.
        people: Claims by e-mail address; `sub` at least.
        lifetime_s: How long its ID tokens are good for.
        refused: What it has refused, in its own words.
    """

    redirect_uri: str
    people: Mapping[str, Mapping[str, Any]]
    lifetime_s: int = 3600
    refused: list[str] = field(default_factory=list)
    _codes: dict[str, _Code] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
        self.public_key = self._key.public_key()
        routes = [
            Route("/.well-known/openid-configuration", self._discovery),
            Route("/authorize", self._authorize, methods=["GET", "POST"]),
            Route("/token", self._token, methods=["POST"]),
            Route("/jwks", self._keys),
        ]
        self.app = Starlette(routes=routes)

    def id_token(self, issuer: str, email: str, **changes: Any) -> str:
        """Return the ID token of one of the people; a change of None leaves a claim out."""
        now = int(time.time())
        claims = {"iss": issuer, "aud": CLIENT_ID, "iat": now, "exp": now + self.lifetime_s, "email": email}
        claims |= {"email_verified": True, **self.people[email], **changes}
        given = {name: value for name, value in claims.items() if value is not None}
        return jwt.encode(given, self._key, "RS256", headers={"kid": _KEY_ID})

    async def _discovery(self, request: Request) -> Response:
        own = _issuer(request)
        return JSONResponse(
            {
                "issuer": own,
                "authorization_endpoint": f"{own}/authorize",
                "token_endpoint": f"{own}/token",
                "jwks_uri": f"{own}/jwks",
                "response_types_supported": ["code"],
                "subject_types_supported": ["public"],
                "id_token_signing_alg_values_supported": ["RS256"],
                "code_challenge_methods_supported": ["S256"],
                "token_endpoint_auth_methods_supported": ["client_secret_basic", "client_secret_post"],
            }
        )

    async def _authorize(self, request: Request) -> Response:
        query = request.query_params
        problem = self._problem(query)
        if problem:
            self.refused.append(problem)
            return HTMLResponse(f"<h1>400</h1><p>{escape(problem)}</p>", 400)
        if request.method == "GET":
            buttons = (f'<p><button name="person" value="{escape(e)}">{escape(e)}</button></p>' for e in self.people)
            return HTMLResponse(_PAGE.format(people="".join(buttons)))
        email = str((await request.form()).get("person", ""))
        if email not in self.people:
            return self._back({"error": "access_denied", "state": query["state"]})
        code = secrets.token_urlsafe(24)
        ends_at = time.monotonic() + _CODE_LASTS_S
        self._codes[code] = _Code(email, self.redirect_uri, query.get("nonce"), query["code_challenge"], ends_at)
        return self._back({"code": code, "state": query["state"]})

    def _problem(self, query: Mapping[str, str]) -> str:
        checks = {
            "unauthorized_client": query.get("client_id") != CLIENT_ID,
            "redirect_uri_mismatch": query.get("redirect_uri") != self.redirect_uri,
            "unsupported_response_type": query.get("response_type") != "code",
            "invalid_scope": "openid" not in query.get("scope", "").split(),
            "state is missing": not query.get("state"),
            "PKCE is missing": not query.get("code_challenge") or query.get("code_challenge_method") != "S256",
        }
        return next((problem for problem, is_so in checks.items() if is_so), "")

    async def _token(self, request: Request) -> Response:
        form = {name: str(value) for name, value in (await request.form()).items()}
        if not _is_client(request, form):
            return self._no("invalid_client", 401)
        if form.get("grant_type") != "authorization_code":
            return self._no("unsupported_grant_type")
        code = self._codes.pop(form.get("code", ""), None)
        if code is None or code.expires_at < time.monotonic() or form.get("redirect_uri") != code.redirect_uri:
            return self._no("invalid_grant")
        if _challenge(form.get("code_verifier", "")) != code.challenge:
            return self._no("invalid_grant: code_verifier")
        body = {"token_type": "Bearer", "expires_in": self.lifetime_s, "access_token": secrets.token_urlsafe(32)}
        return JSONResponse(body | {"id_token": self.id_token(_issuer(request), code.email, nonce=code.nonce)})

    async def _keys(self, request: Request) -> Response:
        key = json.loads(jwt.algorithms.RSAAlgorithm.to_jwk(self.public_key))
        return JSONResponse({"keys": [key | {"kid": _KEY_ID, "use": "sig", "alg": "RS256"}]})

    def _back(self, query: Mapping[str, str]) -> Response:
        return RedirectResponse(f"{self.redirect_uri}?{urlencode(query)}", 302)

    def _no(self, error: str, status: int = 400) -> Response:
        self.refused.append(error)
        return JSONResponse({"error": error.partition(":")[0]}, status)


def _issuer(request: Request) -> str:
    return str(request.base_url).rstrip("/")


def _is_client(request: Request, form: Mapping[str, str]) -> bool:
    id, secret = form.get("client_id", ""), form.get("client_secret", "")
    kind, _, given = request.headers.get("authorization", "").partition(" ")
    if kind == "Basic":
        id, _, secret = base64.b64decode(given).decode().partition(":")
    return unquote(id) == CLIENT_ID and hmac.compare_digest(unquote(secret).encode(), CLIENT_SECRET.encode())


def _challenge(verifier: str) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(verifier.encode()).digest()).rstrip(b"=").decode()
