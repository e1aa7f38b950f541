"""Who wraps the data keys: a key from the environment, or Cloud KMS over its REST interface.

KMS is asked through the shared session, not through google-cloud-kms: that library costs 1.2 s of a cold start
 for two requests of one field each.
"""

import asyncio
import base64
import binascii
import hashlib
import os
import time
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from typing import Any, Protocol, TypeAlias

from switchboard.contract.deadline import bounded
from switchboard.contract.error import ErrorType, ToolError
from switchboard.contract.json import JsonObject
from switchboard.contract.python.dataclass import dataclass
from switchboard.integrations.http_session import HttpSession
from switchboard.integrations.vendor_http import VendorFailures, VendorHttp

KMS_URL = "https://cloudkms.googleapis.com"
KMS_S = 2.0
CREDENTIALS_S = 2.0
_SCOPE = "https://www.googleapis.com/auth/cloud-platform"
_KEY_BYTES = 32
_NONCE_BYTES = 12
_ID_BYTES = 4
_FORM = b"\x01"

KMS = VendorFailures(
    vendor="KMS",
    words={
        ErrorType.PERMANENT: "This service cannot be used: what its access is kept with is not in order.",
        ErrorType.TRANSIENT: "This service cannot be reached right now. Try once more.",
    },
    table={429: ErrorType.TRANSIENT},
)
"""What refusals by whoever keeps the keys mean. Every 5xx is TRANSIENT, everything else is PERMANENT."""

AccessToken: TypeAlias = Callable[[], Awaitable[str]]
"""Gives the bearer token that this deployment itself acts with."""


@dataclass(frozen=True, slots=True)
class WrappedKey:
    """A data key encrypted.

    Attributes:
        value: What `unwrap` takes.
        wrapped_by: The name of the key that has wrapped it; it says nothing of the key itself.
    """

    value: bytes
    wrapped_by: str


class KeyKeeper(Protocol):
    """Wraps and unwraps the data keys that secrets are encrypted with (Cloud KMS, or a local key)."""

    async def wrap(self, key: bytes) -> WrappedKey:
        """Return the data key encrypted, with the newest key as far as whoever is asked knows that."""

    async def unwrap(self, wrapped: bytes) -> bytes:
        """Return the data key."""

    async def newest(self) -> str:
        """Return the name of the key that wraps now; it says nothing of the key itself."""

    def wrapped_by(self, wrapped: bytes) -> str:
        """Return the name of the key that has wrapped a data key; empty where that cannot be seen."""


class LocalKeyKeeper:
    """Wraps with a key of our own, AES-256-GCM."""

    def __init__(self, key: bytes, *older: bytes) -> None:
        """Wrap with `key`; open what `older` keys have wrapped, too.

        Raises:
            ValueError: A key is not 32 bytes long.
        """
        if any(len(each) != _KEY_BYTES for each in (key, *older)):
            raise ValueError("a key that keeps secrets is 32 bytes long")
        self._newest = _id_of(key)
        self._keys = {_id_of(each): each for each in (*older, key)}

    @classmethod
    def from_text(cls, text: str) -> "LocalKeyKeeper":
        """Return the keeper of keys written in base64, the newest first, with commas between them.

        Raises:
            ValueError: What is written is something else.
        """
        try:
            keys: Sequence[bytes] = [base64.b64decode(part.strip(), validate=True) for part in text.split(",")]
        except binascii.Error:
            raise ValueError("a key that keeps secrets is written in base64") from None
        return cls(*keys)

    async def wrap(self, key: bytes) -> WrappedKey:
        """Return the data key encrypted."""
        from cryptography.hazmat.primitives.ciphers.aead import AESGCM

        nonce, head = os.urandom(_NONCE_BYTES), _FORM + self._newest
        sealed = AESGCM(self._keys[self._newest]).encrypt(nonce, key, head)
        return WrappedKey(head + nonce + sealed, self._newest.hex())

    async def unwrap(self, wrapped: bytes) -> bytes:
        """Return the data key.

        Raises:
            ToolError: PERMANENT, none of our keys has wrapped it.
        """
        from cryptography.exceptions import InvalidTag
        from cryptography.hazmat.primitives.ciphers.aead import AESGCM

        head, rest = wrapped[: 1 + _ID_BYTES], wrapped[1 + _ID_BYTES :]
        key = self._keys.get(head[1:])
        if key is None or head[:1] != _FORM:
            raise _unusable("a data key was wrapped with a key that SWITCHBOARD_SECRETS_KEY does not hold")
        try:
            return AESGCM(key).decrypt(rest[:_NONCE_BYTES], rest[_NONCE_BYTES:], head)
        except (InvalidTag, ValueError):
            raise _unusable("a wrapped data key is damaged") from None

    async def newest(self) -> str:
        """Return the name of the key that wraps now."""
        return self._newest.hex()

    def wrapped_by(self, wrapped: bytes) -> str:
        """Return the name of the key that has wrapped a data key."""
        return wrapped[1 : 1 + _ID_BYTES].hex() if wrapped[:1] == _FORM else ""


class CloudKeyKeeper:
    """Wraps with a key of Cloud KMS that never leaves it."""

    def __init__(
        self, name: str, http: HttpSession, access_token: "AccessToken | None" = None, url: str = KMS_URL
    ) -> None:
        """Ask for a key by its full name, `projects/…/locations/…/keyRings/…/cryptoKeys/…`.

        Args:
            name: The key's; KMS picks the version.
            http: Sends the requests.
            access_token: None for the deployment's own credentials.
            url: Where KMS is.
        """
        self._http = VendorHttp(http, KMS, base_url=f"{url.rstrip('/')}/v1/{name}")
        self._access_token = access_token or DeploymentToken().current

    async def wrap(self, key: bytes) -> WrappedKey:
        """Return the data key encrypted.

        For some hours after another version has become the primary one, KMS may still wrap with the one before it; its
        answer says which it was. https://cloud.google.com/kms/docs/consistency

        Raises:
            ToolError: TRANSIENT, there is no answer right now; PERMANENT, KMS refuses.
        """
        answer = await self._answer("encrypt", "plaintext", key)
        return WrappedKey(_bytes_in(answer, "ciphertext"), str(answer.get("name") or ""))

    async def unwrap(self, wrapped: bytes) -> bytes:
        """Return the data key.

        Raises:
            ToolError: TRANSIENT, there is no answer right now; PERMANENT, KMS refuses.
        """
        return _bytes_in(await self._answer("decrypt", "ciphertext", wrapped), "plaintext")

    async def newest(self) -> str:
        """Return the name of the version that wraps now, as KMS tells it.

        Raises:
            ToolError: TRANSIENT, there is no answer right now; PERMANENT, KMS refuses.
        """
        return (await self.wrap(b"which version")).wrapped_by

    def wrapped_by(self, wrapped: bytes) -> str:
        """Return nothing: KMS alone knows."""
        return ""

    async def _answer(self, verb: str, given: str, value: bytes) -> JsonObject:
        token = await self._access_token()
        headers = {"Authorization": f"Bearer {token}"}
        body = {given: base64.b64encode(value).decode()}
        # KMS keeps nothing of what it wraps.
        return await self._http.document(
            "POST", f":{verb}", timeout_s=KMS_S, headers=headers, body=body, is_write=False
        )


class DeploymentToken:
    """The access token of the account that this deployment runs as, from google-auth's default credentials."""

    def __init__(self) -> None:
        """Look for credentials at the first use."""
        self._credentials: Any = None

    async def current(self) -> str:
        """Return a token that is good for some minutes.

        Raises:
            ToolError: TRANSIENT, it cannot be had right now; PERMANENT, there are no credentials.
        """
        from google.auth.exceptions import DefaultCredentialsError, GoogleAuthError

        limit = bounded(CREDENTIALS_S)
        try:
            # google-auth is synchronous here, and may read files and ask the metadata server.
            token = await asyncio.wait_for(asyncio.to_thread(self._fetch, time.monotonic() + limit), limit)
        except DefaultCredentialsError:
            raise _unusable("this deployment has no Google credentials") from None
        except (GoogleAuthError, TimeoutError) as error:
            raise _unreachable(f"credentials: {type(error).__name__}") from None
        return str(token)

    def _fetch(self, ends_at: float) -> Any:
        import google.auth
        from google.auth.transport.requests import Request

        if self._credentials is None:
            self._credentials, _ = google.auth.default(scopes=[_SCOPE])
        if not self._credentials.valid:
            # Else its transport waits two minutes.
            self._credentials.refresh(partial(Request(), timeout=max(0.01, ends_at - time.monotonic())))
        return self._credentials.token


def _id_of(key: bytes) -> bytes:
    return hashlib.sha256(b"switchboard key id|" + key).digest()[:_ID_BYTES]


def _bytes_in(answer: JsonObject, field: str) -> bytes:
    try:
        return base64.b64decode(answer[field], validate=True)
    except (ValueError, KeyError, TypeError):
        raise KMS.failure(ErrorType.TRANSIENT, f"an answer without {field}") from None


def _unusable(detail: str) -> ToolError:
    # Not KMS's own no: it was never asked.
    return ToolError(ErrorType.PERMANENT, KMS.words[ErrorType.PERMANENT], detail=detail)


def _unreachable(detail: str) -> ToolError:
    return KMS.failure(ErrorType.TRANSIENT, detail)
