"""Somebody who signs tokens with keys of his own, and serves the public ones as Google and others do."""

import json
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import jwt
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from tests.admin.test_access_tokens import ANOTHER, OURS, RealClock

__all__ = ["ANOTHER", "CURVE", "OURS", "Issuer", "RealClock", "json_key", "pem", "signed"]

CURVE = ec.generate_private_key(ec.SECP256R1())


def json_key(key: rsa.RSAPrivateKey | ec.EllipticCurvePrivateKey, id: str, **more: Any) -> dict[str, Any]:
    """Return the public key as a row of a JSON Web Key Set."""
    kind = jwt.algorithms.RSAAlgorithm if isinstance(key, rsa.RSAPrivateKey) else jwt.algorithms.ECAlgorithm
    return {**json.loads(kind.to_jwk(key.public_key())), "kid": id, "use": "sig", **more}  # type: ignore[arg-type]


def pem(key: rsa.RSAPrivateKey) -> bytes:
    """Return the public key as text, which a careless verifier takes for a shared secret."""
    return key.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)


def signed(
    claims: Mapping[str, Any], key: Any = OURS, kid: str | None = "k1", alg: str = "RS256", **header: Any
) -> str:
    """Return a token; claims of None are left out, and `iat` and `exp` are an hour's unless they are said."""
    now = int(time.time())
    said = {"iat": now, "exp": now + 3_600} | dict(claims)
    headers = header | ({"kid": kid} if kid else {})
    content = json.dumps({name: value for name, value in said.items() if value is not None}).encode()
    # As bytes: the library's own way would not say what a good token may not.
    return jwt.api_jws.encode(content, key, alg, headers={"typ": "JWT"} | headers)


@dataclass
class Issuer:
    """The public side: `asked` lists the paths that were asked for, `status` makes the answers failures."""

    keys: list[dict[str, Any]] = field(default_factory=lambda: [json_key(OURS, "k1")])
    status: int = 200
    cache: str | None = "public, max-age=3600"
    asked: list[str] = field(default_factory=list)
    metadata: dict[str, dict[str, Any]] = field(default_factory=dict)

    def app(self, keys_path: str = "/oauth2/v3/certs") -> Starlette:
        """Return what serves the keys at a path, and metadata at those paths that have any."""
        return Starlette(routes=[Route(keys_path, self._keys), Route("/{rest:path}", self._said)])

    async def _keys(self, request: Request) -> Response:
        self.asked.append(request.url.path)
        return JSONResponse({"keys": self.keys}, self.status, {"Cache-Control": self.cache} if self.cache else {})

    async def _said(self, request: Request) -> Response:
        self.asked.append(request.url.path)
        found = self.metadata.get(request.url.path)
        return JSONResponse(found or {}, self.status if found else 404)
