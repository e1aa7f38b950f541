"""Tokens that somebody else has signed (RFC 7519), held against that somebody's public keys. PyJWT checks them.

The algorithm is the key's and never the token's choice: a token that names another one, or none, is refused unread.
"""

import asyncio
import re
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from typing import Any, Literal, NoReturn, TypeAlias

import orjson

from switchboard.contract.account import LONGEST_TOKEN
from switchboard.contract.error import ErrorType, ToolError
from switchboard.contract.ports import Clock
from switchboard.contract.python.dataclass import dataclass
from switchboard.integrations.http_session import HttpAnswer, HttpSession, NoAnswer

KEYS_S = 2.0
# Clocks differ; Google's own library allows the same.
LEEWAY_S = 5
_WITHIN_S = 4.0
_MAX_AGE = re.compile(r"max-age=(\d{1,9})")
_KEPT_UNSAID_S, _KEPT_AT_MOST_S = 300.0, 86_400.0
# An unknown key id makes us ask again, but not for every token that somebody makes up.
_ASK_AGAIN_S = 30.0
# While they cannot be had, whoever comes next is not made to wait for the same answer again.
_TRY_AGAIN_S = 2.0
# A key that was good an hour ago is better than nobody let in; one that was good last week is not.
_OUTLIVE_S = 86_400.0
_AWAY = "Tokens cannot be checked right now; try again in a few seconds."
_ALGORITHMS = {("RSA", ""): "RS256", ("EC", "P-256"): "ES256"}
# Neither a sender-constrained token, nor an ID token of RFC 9068's kind for others, is one of these.
_TYPES = ("", "jwt", "at+jwt", "application/at+jwt")

Fault: TypeAlias = Literal["expired", "audience", "other"]


class NotGood(Exception):
    """A token does not count. Whoever answers says no more than `fault`, and that of a good signature alone."""

    def __init__(self, fault: Fault = "other") -> None:
        """Keep what is wrong with it."""
        super().__init__(fault)
        self.fault = fault


@dataclass(frozen=True, slots=True)
class PublicKey:
    """A key, and the one algorithm that it signs with."""

    algorithm: str
    key: Any

    @property
    def pem(self) -> str:
        """The key as libraries exchange it."""
        from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

        return str(self.key.public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo), "ascii")


@dataclass(frozen=True, slots=True)
class Expected:
    """What a good token says."""

    audiences: Sequence[str]
    issuers: Sequence[str]
    required: Sequence[str] = ("exp", "iat", "aud", "iss", "sub")


class PublicKeys:
    """The public keys of one issuer, fetched when they are needed and kept for as long as the issuer says."""

    def __init__(
        self,
        http: HttpSession,
        place: str | Callable[[], Awaitable[str]],
        clock: Clock,
        algorithms: Collection[str] = ("RS256",),
    ) -> None:
        """Fetch from an address, or from wherever `place` finds it: certificates by key id, or a JSON Web Key Set.

        Keys of other algorithms are left out.
        """
        self._http, self._place, self._clock, self._algorithms = http, place, clock, algorithms
        self._keys: Mapping[str, PublicKey] = {}
        self._fresh_until = self._good_until = self._ask_from = float("-inf")
        self._is_away = False
        self._lock: asyncio.Lock | None = None

    async def key(self, id: str) -> PublicKey | None:
        """Return the key of that id, or None if the issuer has none.

        Raises:
            ToolError: TRANSIENT, the issuer does not answer and the key is not known.
        """
        key = self._fresh(id)
        if key is not None:
            return key
        self._lock = self._lock or asyncio.Lock()
        async with self._lock:
            # Somebody else may have asked meanwhile.
            key = self._fresh(id)
            if key is not None:
                return key
            now = self._clock.monotonic()
            if now >= self._ask_from:
                await self._fetch(now)
            if id in self._keys and now < self._good_until:
                return self._keys[id]
            if self._is_away:
                raise ToolError(ErrorType.TRANSIENT, _AWAY, detail="public keys cannot be had")
            return None

    def _fresh(self, id: str) -> PublicKey | None:
        return self._keys.get(id) if self._clock.monotonic() < self._fresh_until else None

    async def _fetch(self, now: float) -> None:
        try:
            async with asyncio.timeout(_WITHIN_S):
                place = self._place if isinstance(self._place, str) else await self._place()
                answer = await self._http.request("GET", place, timeout_s=KEYS_S)
            keys = _read_keys(answer, self._algorithms)
        except (NoAnswer, TimeoutError, ValueError, KeyError, TypeError, AttributeError):
            self._is_away = True
            self._ask_from = now + (_ASK_AGAIN_S if now < self._good_until else _TRY_AGAIN_S)
            return
        self._is_away, self._keys, self._ask_from = False, keys, now + _ASK_AGAIN_S
        self._fresh_until = now + _kept_s(answer)
        self._good_until = self._fresh_until + _OUTLIVE_S


def header_of(token: str) -> Mapping[str, Any]:
    """Return what a token says of itself, unverified.

    Raises:
        NotGood: It is none.
    """
    import jwt

    if not token or len(token) > LONGEST_TOKEN:
        raise NotGood
    try:
        return jwt.get_unverified_header(token)
    except (jwt.PyJWTError, ValueError):
        _refuse()


async def key_of(header: Mapping[str, Any], keys: PublicKeys) -> PublicKey:
    """Return the key that a token says it was signed with.

    Raises:
        NotGood: There is none such.
        ToolError: TRANSIENT, as `PublicKeys.key`.
    """
    id = header.get("kid")
    if not isinstance(id, str) or not id or header.get("alg") not in _ALGORITHMS.values():
        raise NotGood
    key = await keys.key(id)
    if key is None:
        raise NotGood
    return key


def claims_of(token: str, key: PublicKey | None, expected: Expected) -> Mapping[str, Any]:
    """Return the claims of a token that this key has signed; without a key, of one that nobody need have signed.

    Raises:
        NotGood: It was not, or says something else than is expected.
    """
    import jwt

    options: Any = {"require": list(expected.required)}
    # Said one by one: without a signature to check, PyJWT would check nothing else either.
    options |= dict.fromkeys(("verify_exp", "verify_iat", "verify_nbf", "verify_aud", "verify_iss"), True)
    options["verify_signature"] = key is not None
    try:
        return jwt.decode(
            token,
            key.key if key is not None else "",
            algorithms=[key.algorithm] if key is not None else [],
            options=options,
            audience=list(expected.audiences),
            issuer=list(expected.issuers),
            leeway=LEEWAY_S,
        )
    except jwt.ExpiredSignatureError:
        _refuse("expired")
    except jwt.InvalidAudienceError:
        _refuse("audience")
    except (jwt.PyJWTError, ValueError, TypeError, OverflowError):
        _refuse()


async def verified(token: str, keys: PublicKeys, expected: Expected) -> Mapping[str, Any]:
    """Return the claims of a token that one of these keys has signed and that says what is expected.

    Raises:
        NotGood: It is no such token.
        ToolError: TRANSIENT, as `PublicKeys.key`.
    """
    header = header_of(token)
    if str(header.get("typ") or "").lower() not in _TYPES:
        raise NotGood
    return claims_of(token, await key_of(header, keys), expected)


def _refuse(fault: Fault = "other") -> NoReturn:
    # Without its cause: what the library says may quote the token.
    raise NotGood(fault) from None


def _read_keys(answer: HttpAnswer, algorithms: Collection[str]) -> Mapping[str, PublicKey]:
    if answer.status != 200:
        raise ValueError(f"status {answer.status}")
    document = orjson.loads(answer.body)
    if isinstance(document.get("keys"), list):
        rows = [row for row in document["keys"] if row.get("kid") and row.get("use") in (None, "sig")]
        named = {row["kid"]: key for row in rows if (key := _read_key(row, algorithms)) is not None}
    else:
        from cryptography.x509 import load_pem_x509_certificate

        certificates = {id: load_pem_x509_certificate(pem.encode()) for id, pem in document.items()}
        named = {id: PublicKey("RS256", certificate.public_key()) for id, certificate in certificates.items()}
    if not named:
        raise ValueError("no keys")
    return named


def _read_key(row: Mapping[str, Any], algorithms: Collection[str]) -> PublicKey | None:
    from jwt import PyJWK, PyJWTError

    algorithm = _ALGORITHMS.get((row.get("kty", ""), row.get("crv", "")), "")
    if algorithm not in algorithms or row.get("alg") not in (None, algorithm):
        return None
    try:
        return PublicKey(algorithm, PyJWK(dict(row), algorithm).key)
    except (PyJWTError, ValueError, TypeError):
        # One that cannot be read takes nothing from the others.
        return None


def _kept_s(answer: HttpAnswer) -> float:
    max_age = _MAX_AGE.search(answer.headers.get("Cache-Control") or "")
    return min(max(float(max_age[1]), _ASK_AGAIN_S), _KEPT_AT_MOST_S) if max_age else _KEPT_UNSAID_S
