"""Microsoft's identity platform, reduced to one account: the consent page, and tokens that each use replaces."""

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

from stand_ins.microsoft_graph_refusal import UNAUTHORISED

LIFETIME_S = 3599
GRAPH = "https://graph.microsoft.com/"
OFFLINE = "offline_access"
_SCOPES = frozenset({"Calendars.ReadWrite", "Calendars.Read", "User.Read", OFFLINE, "openid", "profile", "email"})
_CODE_LASTS_S = 600
_PAGE = """<!doctype html><meta charset="utf-8"><title>Stand-in for Microsoft</title>
<h1>This is not Microsoft</h1><p>A local stand-in asks on behalf of client <code>{client}</code> for {scopes}.</p>
<form method="post">
<p><button name="decision" value="allow">Accept</button> <button name="decision" value="deny">Cancel</button></p></form>
"""
_WORDS = {
    65001: ("invalid_grant", "The user or administrator has not consented to use the application."),
    70000: ("invalid_grant", "The provided value for the 'code' parameter is not valid."),
    70008: ("invalid_grant", "The refresh token has expired due to inactivity."),
    501481: ("invalid_grant", "The Code_Verifier does not match the code_challenge supplied."),
    7000112: ("unauthorized_client", "Application is disabled."),
    7000215: ("invalid_client", "Invalid client secret provided."),
    700016: ("unauthorized_client", "Application was not found in the directory."),
    70003: ("unsupported_grant_type", "The app requested an unsupported grant type."),
    50011: ("invalid_request", "The redirect URI does not match."),
}
_STATUS = {"invalid_client": 401}


@dataclass
class Grant:
    """A consent: to which client, and for what."""

    client: str
    scopes: frozenset[str]
    is_revoked: bool = False


@dataclass
class _Code:
    grant: Grant
    redirect_uri: str
    challenge: str | None
    expires_at: float


@dataclass
class Accounts:
    """The grants of the stand-in's one account; `clients` are secrets by client id.

    Attributes:
        is_disabled: Whether the account's organisation has switched the application off.
        given: Every refresh token that was given, the newest last.
    """

    clients: Mapping[str, str]
    lifetime_s: int = LIFETIME_S
    is_disabled: bool = False
    given: list[str] = field(default_factory=list)
    _codes: dict[str, _Code] = field(default_factory=dict)
    _refresh: dict[str, Grant] = field(default_factory=dict)
    _access: dict[str, tuple[Grant, float]] = field(default_factory=dict)

    def scopes_of(self, authorization: str | None) -> frozenset[str]:
        """Return what a bearer token is good for.

        Raises:
            Refusal: 401, for nothing.
        """
        scheme, _, token = (authorization or "").partition(" ")
        grant = self._access.get(token) if scheme == "Bearer" else None
        if grant is None or self.is_disabled or grant[0].is_revoked or grant[1] <= time.monotonic():
            raise UNAUTHORISED
        return grant[0].scopes

    def grant(self, scopes: frozenset[str], client: str) -> str:
        """Return a refresh token as if the account had consented."""
        return self._lasting(Grant(client, frozenset(scope.removeprefix(GRAPH) for scope in scopes)))

    def revoke_all(self) -> None:
        """Take every consent back, as an account's owner can on Microsoft's pages."""
        for grant in [*self._refresh.values(), *(grant for grant, _ in self._access.values())]:
            grant.is_revoked = True

    def forget(self, refresh_token: str) -> None:
        """Let one refresh token run out; those that came after it stay good."""
        self._refresh.pop(refresh_token, None)

    async def authorize(self, request: Request) -> Response:
        """Show the consent page, and send the browser back with a code when it is answered."""
        query = request.query_params
        scopes = frozenset(scope.removeprefix(GRAPH) for scope in query.get("scope", "").split())
        problem = self._problem(query, scopes)
        if problem:
            return HTMLResponse(f"<h1>400</h1><p>{escape(problem)}</p>", 400)
        if request.method == "GET":
            words = escape(", ".join(sorted(scopes)))
            return HTMLResponse(_PAGE.format(client=escape(query["client_id"]), scopes=words))
        if (await request.form()).get("decision") != "allow":
            return _back(query["redirect_uri"], {"error": "access_denied", "state": query.get("state")})
        code = f"0.{secrets.token_urlsafe(24)}"
        grant = Grant(query["client_id"], scopes)
        challenge = query.get("code_challenge")
        self._codes[code] = _Code(grant, query["redirect_uri"], challenge, time.monotonic() + _CODE_LASTS_S)
        return _back(query["redirect_uri"], {"code": code, "state": query.get("state")})

    async def token(self, request: Request) -> Response:
        """Give tokens for a code or a refresh token; each use of one brings the next."""
        form = {name: str(value) for name, value in (await request.form()).items()}
        secret = self.clients.get(form.get("client_id", ""))
        if secret is None:
            return refused(700016)
        if not hmac.compare_digest(secret, form.get("client_secret", "")):
            return refused(7000215)
        if self.is_disabled:
            return refused(7000112)
        if form.get("grant_type") == "authorization_code":
            return self._by_code(form)
        if form.get("grant_type") != "refresh_token":
            return refused(70003)
        grant = self._refresh.get(form.get("refresh_token", ""))
        if grant is None:
            return refused(70008)
        return refused(65001) if grant.is_revoked or grant.client != form["client_id"] else self._tokens(grant)

    def _by_code(self, form: Mapping[str, str]) -> Response:
        code = self._codes.pop(form.get("code", ""), None)
        if code is None or code.expires_at <= time.monotonic() or code.grant.client != form["client_id"]:
            return refused(70000)
        if form.get("redirect_uri") != code.redirect_uri:
            return refused(50011)
        if code.challenge is not None and _challenge(form.get("code_verifier", "")) != code.challenge:
            return refused(501481)
        return self._tokens(code.grant)

    def _lasting(self, grant: Grant) -> str:
        token = f"0.AX{secrets.token_urlsafe(48)}"
        self._refresh[token] = grant
        self.given.append(token)
        return token

    def _tokens(self, grant: Grant) -> Response:
        access = f"ey{secrets.token_urlsafe(48)}"
        self._access[access] = (grant, time.monotonic() + self.lifetime_s)
        body = {
            "token_type": "Bearer",
            "scope": " ".join(f"{GRAPH}{scope}" for scope in sorted(grant.scopes - {OFFLINE})),
            "expires_in": self.lifetime_s,
            "ext_expires_in": self.lifetime_s,
            "access_token": access,
        }
        # The earlier one stays good, as Microsoft's does, until it runs out.
        return JSONResponse(body | ({"refresh_token": self._lasting(grant)} if OFFLINE in grant.scopes else {}))

    def _problem(self, query: Mapping[str, str], scopes: frozenset[str]) -> str:
        target = urlsplit(query.get("redirect_uri", ""))
        checks = {
            "AADSTS700016: unauthorized_client": query.get("client_id") not in self.clients,
            "AADSTS50011: invalid_request": target.scheme not in ("http", "https") or bool(target.fragment),
            "AADSTS90023: unsupported_response_type": query.get("response_type") != "code",
            "AADSTS70011: invalid_scope": not scopes or not scopes <= _SCOPES,
            "AADSTS501491: invalid_request": "code_challenge" in query and query.get("code_challenge_method") != "S256",
            "AADSTS90023: invalid_request": query.get("response_mode", "query") != "query",
        }
        return next((problem for problem, is_so in checks.items() if is_so), "")


def refused(number: int) -> Response:
    """Return what the token endpoint says no with."""
    error, words = _WORDS[number]
    body = {"error": error, "error_description": f"AADSTS{number}: {words}", "error_codes": [number]}
    return JSONResponse(body, _STATUS.get(error, 400))


def _back(redirect_uri: str, query: Mapping[str, str | None]) -> Response:
    given = {name: value for name, value in query.items() if value is not None}
    return RedirectResponse(f"{redirect_uri}{'&' if '?' in redirect_uri else '?'}{urlencode(given)}", 302)


def _challenge(verifier: str) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(verifier.encode()).digest()).rstrip(b"=").decode()
