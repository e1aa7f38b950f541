"""An authorization server on this machine, as MCP wants one: metadata, registration, the code flow with PKCE, and the
client credentials grant; its access tokens are JWTs, made for the resource that was asked for (RFC 8707).

Whatever a client leaves out or changes on the way is refused. Whoever comes to its sign-in page is Ana, and agrees.
"""

import base64
import hashlib
import secrets
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlencode

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.routing import Route

from tests.integrations.token_issuer import OURS, json_key, signed

CLIENT, SECRET, PERSON = "assistant-7", "stand-in-secret", "ana"


@dataclass
class AuthorizationServer:
    """The server; `gives` is what its tokens allow at most, `asked` the resources that tokens were made for."""

    url: str = ""
    gives: tuple[str, ...] = ("tools:read", "tools:execute")
    asked: list[str] = field(default_factory=list)
    _codes: dict[str, dict[str, str]] = field(default_factory=dict)

    def app(self) -> Starlette:
        """Return what serves it."""
        return Starlette(
            routes=[
                Route("/.well-known/oauth-authorization-server", self._metadata),
                Route("/keys", self._keys),
                Route("/register", self._register, methods=["POST"]),
                Route("/authorize", self._authorize),
                Route("/token", self._token, methods=["POST"]),
            ]
        )

    def token(self, subject: str, resource: str, scope: str) -> str:
        """Return an access token."""
        return signed({"iss": self.url, "aud": resource, "sub": subject, "scope": scope}, typ="at+jwt")

    async def _metadata(self, request: Request) -> Response:
        return JSONResponse(
            {
                "issuer": self.url,
                "token_endpoint": f"{self.url}/token",
                "authorization_endpoint": f"{self.url}/authorize",
                "registration_endpoint": f"{self.url}/register",
                "jwks_uri": f"{self.url}/keys",
                "response_types_supported": ["code"],
                "grant_types_supported": ["authorization_code", "client_credentials"],
                "code_challenge_methods_supported": ["S256"],
                "token_endpoint_auth_methods_supported": ["none", "client_secret_basic"],
            }
        )

    async def _keys(self, request: Request) -> Response:
        return JSONResponse({"keys": [json_key(OURS, "k1")]})

    async def _register(self, request: Request) -> Response:
        return JSONResponse(await request.json() | {"client_id": secrets.token_urlsafe(8)}, 201)

    async def _authorize(self, request: Request) -> Response:
        query = dict(request.query_params)
        if query.get("code_challenge_method") != "S256" or not query.get("resource"):
            return JSONResponse({"error": "invalid_request"}, 400)
        code = secrets.token_urlsafe(16)
        self._codes[code] = query
        return RedirectResponse(f"{query['redirect_uri']}?{urlencode({'code': code, 'state': query['state']})}", 302)

    async def _token(self, request: Request) -> Response:
        form = {name: str(value) for name, value in (await request.form()).items()}
        if form.get("grant_type") == "client_credentials":
            pair = base64.b64encode(f"{CLIENT}:{SECRET}".encode()).decode()
            if request.headers.get("authorization") != f"Basic {pair}":
                return JSONResponse({"error": "invalid_client"}, 401)
            return self._given(CLIENT, form)
        asked = self._codes.pop(form.get("code", ""), {})
        verifier = hashlib.sha256(form.get("code_verifier", "").encode()).digest()
        is_same = base64.urlsafe_b64encode(verifier).rstrip(b"=").decode() == asked.get("code_challenge")
        if not is_same or form.get("resource") != asked["resource"]:
            return JSONResponse({"error": "invalid_grant"}, 400)
        return self._given(PERSON, asked)

    def _given(self, subject: str, asked: dict[str, Any]) -> Response:
        self.asked.append(asked["resource"])
        wanted = asked.get("scope", "").split() or self.gives
        scope = " ".join(one for one in wanted if one in self.gives)
        body = {"access_token": self.token(subject, asked["resource"], scope), "token_type": "Bearer", "scope": scope}
        return JSONResponse(body | {"expires_in": 3600})
