"""Google's OAuth server, reduced to one account: the consent page, tokens, and their revocation."""

from __future__ import annotations

import base64
import hashlib
import hmac
import secrets
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from html import escape
from urllib.parse import urlencode, urlsplit

from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response

from stand_ins.google_calendar_refusal import UNAUTHORISED
from stand_ins.google_calendar_rules import discovery

LIFETIME_S = 3599
_CODE_LASTS_S = 600
_PAGE = """<!doctype html><meta charset="utf-8"><title>Stand-in for Google</title>
<h1>This is not Google</h1><p>A local stand-in asks on behalf of client <code>{client}</code>:</p>
<form method="post">{boxes}
<p><button name="decision" value="allow">Allow</button> <button name="decision" value="deny">Deny</button></p></form>
"""


@dataclass
class Grant:
    """A consent: to which client, for what, and the refresh tokens it gave."""

    client: str
    scopes: frozenset[str]
    is_revoked: bool = False


@dataclass
class _Code:
    grant: Grant
    redirect_uri: str
    challenge: str | None
    is_offline: bool
    expires_at: float


@dataclass
class Consents:
    """The grants of the stand-in's one account; `clients` are secrets by client id."""

    clients: Mapping[str, str]
    lifetime_s: int = LIFETIME_S
    _codes: dict[str, _Code] = field(default_factory=dict)
    _refresh: dict[str, Grant] = field(default_factory=dict)
    _access: dict[str, tuple[Grant, float]] = field(default_factory=dict)
    _consented: set[str] = field(default_factory=set)

    def scopes_of(self, authorization: str | None) -> frozenset[str]:
        """Return what a bearer token is good for.

        Raises:
            Refusal: 401, for nothing.
        """
        scheme, _, token = (authorization or "").partition(" ")
        grant = self._access.get(token) if scheme == "Bearer" else None
        if grant is None or grant[0].is_revoked or grant[1] <= time.monotonic():
            raise UNAUTHORISED
        return grant[0].scopes

    def grant(self, scopes: frozenset[str], client: str) -> str:
        """Return a refresh token as if the account had consented."""
        token = f"1//{secrets.token_urlsafe(32)}"
        self._refresh[token] = Grant(client, scopes)
        return token

    def revoke_all(self) -> None:
        """Take every consent back, as an account's owner can on Google's pages."""
        for grant in [*self._refresh.values(), *(grant for grant, _ in self._access.values())]:
            grant.is_revoked = True

    async def authorize(self, request: Request) -> Response:
        """Show the consent page, and send the browser back with a code when it is answered."""
        query = request.query_params
        redirect_uri, scopes = query.get("redirect_uri", ""), query.get("scope", "").split()
        problem = self._problem(query)
        if problem:
            return HTMLResponse(f"<h1>400</h1><p>{escape(problem)}</p>", 400)
        if request.method == "GET":
            boxes = "".join(
                f'<p><label><input type="checkbox" name="scope" value="{escape(s)}" checked> {escape(s)}</label></p>'
                for s in scopes
            )
            return HTMLResponse(_PAGE.format(client=escape(query["client_id"]), boxes=boxes))
        form = await request.form()
        if form.get("decision") != "allow":
            return _back(redirect_uri, {"error": "access_denied", "state": query.get("state")})
        allowed = [scope for scope in scopes if scope in form.getlist("scope")]
        client = query["client_id"]
        asks_anew = query.get("prompt") == "consent" or client not in self._consented
        self._consented.add(client)
        code = f"4/{secrets.token_urlsafe(24)}"
        self._codes[code] = _Code(
            Grant(client, frozenset(allowed)),
            redirect_uri,
            query.get("code_challenge"),
            query.get("access_type") == "offline" and asks_anew,
            time.monotonic() + _CODE_LASTS_S,
        )
        return _back(redirect_uri, {"code": code, "state": query.get("state"), "scope": " ".join(allowed)})

    async def token(self, request: Request) -> Response:
        """Give tokens for a code or a refresh token."""
        form = {name: str(value) for name, value in (await request.form()).items()}
        secret = self.clients.get(form.get("client_id", ""))
        if secret is None or not hmac.compare_digest(secret, form.get("client_secret", "")):
            return _no(401, "invalid_client", "The OAuth client was not found.")
        if form.get("grant_type") == "authorization_code":
            return self._by_code(form)
        if form.get("grant_type") == "refresh_token":
            grant = self._refresh.get(form.get("refresh_token", ""))
            if grant is None or grant.is_revoked or grant.client != form["client_id"]:
                return _no(400, "invalid_grant", "Token has been expired or revoked.")
            return self._tokens(grant)
        return _no(400, "unsupported_grant_type", "Invalid grant_type")

    async def revoke(self, request: Request) -> Response:
        """End the grant that a token belongs to."""
        token = str((await request.form()).get("token") or request.query_params.get("token") or "")
        grant = self._refresh.get(token) or (self._access[token][0] if token in self._access else None)
        if grant is None or grant.is_revoked:
            return _no(400, "invalid_token", "Token expired or revoked")
        grant.is_revoked = True
        return JSONResponse({})

    def _by_code(self, form: Mapping[str, str]) -> Response:
        code = self._codes.pop(form.get("code", ""), None)
        if code is None or code.expires_at <= time.monotonic() or code.grant.client != form["client_id"]:
            return _no(400, "invalid_grant", "Malformed auth code.")
        if form.get("redirect_uri") != code.redirect_uri:
            return _no(400, "redirect_uri_mismatch", "Bad Request")
        if code.challenge is not None and _challenge(form.get("code_verifier", "")) != code.challenge:
            return _no(400, "invalid_grant", "Invalid code verifier.")
        refresh = None
        if code.is_offline:
            refresh = f"1//{secrets.token_urlsafe(32)}"
            self._refresh[refresh] = code.grant
        return self._tokens(code.grant, refresh)

    def _tokens(self, grant: Grant, refresh: str | None = None) -> Response:
        access = f"ya29.{secrets.token_urlsafe(32)}"
        self._access[access] = (grant, time.monotonic() + self.lifetime_s)
        body = {
            "access_token": access,
            "expires_in": self.lifetime_s,
            "scope": " ".join(sorted(grant.scopes)),
            "token_type": "Bearer",
        }
        return JSONResponse(body | ({"refresh_token": refresh} if refresh else {}))

    def _problem(self, query: Mapping[str, str]) -> str:
        target = urlsplit(query.get("redirect_uri", ""))
        unknown = set(query.get("scope", "").split()) - discovery()["auth"]["oauth2"]["scopes"].keys()
        checks = {
            "Error 401: invalid_client": query.get("client_id") not in self.clients,
            "Error 400: redirect_uri_mismatch": target.scheme not in ("http", "https") or bool(target.fragment),
            "Error 400: unsupported_response_type": query.get("response_type") != "code",
            "Error 400: invalid_scope": bool(unknown) or not query.get("scope"),
            "Error 400: invalid_request": "code_challenge" in query and query.get("code_challenge_method") != "S256",
        }
        return next((problem for problem, is_so in checks.items() if is_so), "")


def _back(redirect_uri: str, query: Mapping[str, str | None]) -> Response:
    given = {name: value for name, value in query.items() if value is not None}
    return RedirectResponse(f"{redirect_uri}{'&' if '?' in redirect_uri else '?'}{urlencode(given)}", 302)


def _challenge(verifier: str) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(verifier.encode()).digest()).rstrip(b"=").decode()


def _no(status: int, error: str, description: str) -> Response:
    return JSONResponse({"error": error, "error_description": description}, status)
