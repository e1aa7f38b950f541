"""Firebase ID tokens and App Check tokens, verified as Google's documentation says.

Our own requests over the shared session rather than firebase-admin: that one is synchronous, keeps its own time-outs
and brings Cloud Storage along, for one signature check and one look-up. PyJWT checks the signatures.
https://firebase.google.com/docs/auth/admin/verify-id-tokens and
https://firebase.google.com/docs/app-check/custom-resource-backend
"""

import asyncio
import re
from collections.abc import Mapping
from typing import Any, NoReturn

import orjson

from switchboard.contract.error import ErrorType, ToolError
from switchboard.contract.ports import Clock
from switchboard.integrations.http_session import Answer, HttpSession, NoAnswer
from switchboard.integrations.key_keepers import AccessToken, DeploymentToken

ID_TOKEN_KEYS = "https://www.googleapis.com/robot/v1/metadata/x509/securetoken@system.gserviceaccount.com"
APP_CHECK_KEYS = "https://firebaseappcheck.googleapis.com/v1/jwks"
ACCOUNTS = "https://identitytoolkit.googleapis.com"
KEYS_S = 2.0
LOOKUP_S = 2.0
# Clocks differ; Google's own library allows the same.
_LEEWAY_S = 5
_LONGEST_TOKEN = 8_192
_LONGEST_UID = 128
_MAX_AGE = re.compile(r"max-age=(\d+)")
_KEPT_UNSAID_S, _KEPT_AT_MOST_S = 300.0, 86_400.0
# An unknown key id makes us ask again, but not for every token that somebody makes up.
_ASK_AGAIN_S = 30.0
_REFUSED = "This sign-in is not valid any more. Sign in again."
_APP_REFUSED = "This request does not come from one of our apps."
_AWAY = "Sign-ins cannot be checked right now; try again in a few seconds."


class PublicKeys:
    """Google's public keys of one kind, fetched when they are needed and kept for as long as Google says."""

    def __init__(self, http: HttpSession, url: str, clock: Clock) -> None:
        """Fetch from `url`: certificates by key id, or a JSON Web Key Set."""
        self._http, self._url, self._clock = http, url, clock
        self._keys: Mapping[str, Any] = {}
        self._fresh_until = self._asked_at = float("-inf")
        self._lock: asyncio.Lock | None = None

    async def key(self, id: str) -> Any | None:
        """Return the key of that id, or None if Google has none.

        Raises:
            ToolError: TRANSIENT, Google does not answer and the key is not known.
        """
        self._lock = self._lock or asyncio.Lock()
        async with self._lock:
            now = self._clock.monotonic()
            is_worth_asking = now >= self._fresh_until or (
                id not in self._keys and now >= self._asked_at + _ASK_AGAIN_S
            )
            if is_worth_asking:
                await self._fetch(id, now)
            return self._keys.get(id)

    async def _fetch(self, wanted: str, now: float) -> None:
        try:
            answer = await self._http.request("GET", self._url, timeout_s=KEYS_S)
            keys = _read_keys(answer)
        except (NoAnswer, ValueError, KeyError, TypeError, AttributeError):
            # A key that was good an hour ago is better than nobody signed in.
            if wanted in self._keys:
                self._fresh_until = now + _ASK_AGAIN_S
                return
            raise ToolError(ErrorType.TRANSIENT, _AWAY, detail="Google's public keys cannot be had") from None
        self._keys, self._asked_at = keys, now
        self._fresh_until = now + _kept_s(answer)


class FirebaseTokens:
    """Verifies the ID tokens of one Firebase project."""

    def __init__(
        self,
        project: str,
        http: HttpSession,
        clock: Clock,
        *,
        emulator_host: str | None = None,
        access_token: AccessToken | None = None,
        keys_url: str = ID_TOKEN_KEYS,
        accounts_url: str = ACCOUNTS,
    ) -> None:
        """Accept that project's tokens.

        Args:
            project: The Firebase project's id.
            http: Asks Google.
            clock: Ages Google's keys.
            emulator_host: `host:port` of the Auth emulator, whose unsigned tokens are then accepted, and no others;
                for local running only.
            access_token: What this deployment itself acts with; None for its own credentials.
            keys_url: Where Google's certificates are.
            accounts_url: Where accounts are looked up.
        """
        self._project, self._http, self._emulator_host = project, http, emulator_host
        self._keys = PublicKeys(http, keys_url, clock)
        self._clock = clock
        self._access_token = access_token or DeploymentToken().current
        self._accounts = f"http://{emulator_host}/identitytoolkit.googleapis.com" if emulator_host else accounts_url

    async def verify(self, token: str, *, check_revoked: bool) -> Mapping[str, Any]:
        """Return the claims of a token that is good; `sub` is the user's id.

        Raises:
            ToolError: AUTH, it is not, or with `check_revoked`: its user is disabled, gone, or has been signed out
                everywhere since; TRANSIENT, Google does not answer.
        """
        claims = await self._decoded(token)
        uid, signed_in = claims.get("sub"), claims.get("auth_time")
        if not isinstance(uid, str) or not 0 < len(uid) <= _LONGEST_UID:
            _refuse()
        if not isinstance(signed_in, int) or signed_in > self._clock.now().timestamp() + _LEEWAY_S:
            _refuse()
        if check_revoked:
            await self._require_valid_since(uid, signed_in)
        return claims

    async def _decoded(self, token: str) -> Mapping[str, Any]:
        import jwt

        header = _header(token)
        options: Any = {"require": ["exp", "iat", "aud", "iss", "sub", "auth_time"]}
        # Said one by one: without a signature to check, PyJWT would check nothing else either.
        options |= dict.fromkeys(("verify_exp", "verify_iat", "verify_aud", "verify_iss"), True)
        key: Any = ""
        if self._emulator_host is None:
            key = await _key_of(header, self._keys)
        elif header.get("alg") == "none" and token.endswith("."):
            options["verify_signature"] = False
        else:
            # A signed one is somebody's real one that went astray: the emulator makes none.
            _refuse()
        try:
            return dict(
                jwt.decode(
                    token,
                    key,
                    algorithms=["RS256"],
                    options=options,
                    audience=self._project,
                    issuer=f"https://securetoken.google.com/{self._project}",
                    leeway=_LEEWAY_S,
                )
            )
        except (jwt.PyJWTError, ValueError):
            _refuse()

    async def _require_valid_since(self, uid: str, signed_in: int) -> None:
        bearer = "owner" if self._emulator_host else await self._access_token()
        url = f"{self._accounts}/v1/projects/{self._project}/accounts:lookup"
        headers = {"Authorization": f"Bearer {bearer}", "Content-Type": "application/json"}
        try:
            answer = await self._http.request(
                "POST", url, headers=headers, body=orjson.dumps({"localId": [uid]}), timeout_s=LOOKUP_S
            )
            if answer.status != 200:
                raise _away(f"accounts:lookup: {answer.status}")
            users = orjson.loads(answer.body).get("users") or []
            user = users[0] if users else None
            valid_since = int(user.get("validSince") or 0) if user is not None else 0
        except NoAnswer as error:
            raise _away(f"accounts:lookup: {error}") from None
        except (ValueError, TypeError, AttributeError, KeyError, IndexError):
            raise _away("accounts:lookup: an answer that cannot be read") from None
        if user is None or user.get("disabled") is True or signed_in < valid_since:
            _refuse()


class AppCheckTokens:
    """Verifies the App Check tokens of one Firebase project."""

    def __init__(self, project_number: str, http: HttpSession, clock: Clock, keys_url: str = APP_CHECK_KEYS) -> None:
        """Accept the tokens of the apps of the project of that number."""
        self._number = project_number
        self._keys = PublicKeys(http, keys_url, clock)

    async def verify(self, token: str) -> None:
        """Return if a token was given to one of the project's apps.

        Raises:
            ToolError: AUTH, it was not; TRANSIENT, Google does not answer.
        """
        import jwt

        header = _header(token, _APP_REFUSED)
        if header.get("typ") != "JWT":
            _refuse(_APP_REFUSED)
        key = await _key_of(header, self._keys, _APP_REFUSED)
        try:
            jwt.decode(
                token,
                key,
                algorithms=["RS256"],
                options={"require": ["exp", "aud", "iss", "sub"]},
                audience=f"projects/{self._number}",
                issuer=f"https://firebaseappcheck.googleapis.com/{self._number}",
                leeway=_LEEWAY_S,
            )
        except (jwt.PyJWTError, ValueError):
            _refuse(_APP_REFUSED)


def _header(token: str, message: str = _REFUSED) -> Mapping[str, Any]:
    import jwt

    if not token or len(token) > _LONGEST_TOKEN:
        _refuse(message)
    try:
        return jwt.get_unverified_header(token)
    except (jwt.PyJWTError, ValueError):
        _refuse(message)


async def _key_of(header: Mapping[str, Any], keys: PublicKeys, message: str = _REFUSED) -> Any:
    id = header.get("kid")
    if header.get("alg") != "RS256" or not isinstance(id, str) or not id:
        _refuse(message)
    key = await keys.key(id)
    if key is None:
        _refuse(message)
    return key


def _read_keys(answer: Answer) -> Mapping[str, Any]:
    if answer.status != 200:
        raise ValueError(f"status {answer.status}")
    found = orjson.loads(answer.body)
    if isinstance(found.get("keys"), list):
        from jwt import PyJWK

        usable = [row for row in found["keys"] if row.get("kty") == "RSA" and row.get("kid")]
        return {row["kid"]: PyJWK(row, "RS256").key for row in usable}
    from cryptography.x509 import load_pem_x509_certificate

    return {id: load_pem_x509_certificate(pem.encode()).public_key() for id, pem in found.items()}


def _kept_s(answer: Answer) -> float:
    said = _MAX_AGE.search(answer.headers.get("Cache-Control") or "")
    return min(float(said[1]), _KEPT_AT_MOST_S) if said else _KEPT_UNSAID_S


def _refuse(message: str = _REFUSED) -> NoReturn:
    # In the same words whatever is wrong: whoever tries keys out learns nothing.
    raise ToolError(ErrorType.AUTH, message)


def _away(detail: str) -> ToolError:
    return ToolError(ErrorType.TRANSIENT, _AWAY, detail=detail)
