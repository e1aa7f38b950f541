"""The data keys of businesses, wrapped: `businesses/{id}/secrets/~keys` as `{newest, wrapped: {version: bytes}}`.

Opened keys are remembered for some minutes: the key keeper may be a network away, and a phone call cannot wait for it
at every secret.
"""

import asyncio
import hashlib
import logging
import os
import threading
import time
from collections.abc import Mapping
from dataclasses import field
from typing import TYPE_CHECKING

from cachetools import TTLCache

from switchboard.contract.error import ErrorType, ToolError
from switchboard.contract.ports import Paths, Store
from switchboard.contract.python.dataclass import dataclass
from switchboard.contract.store import SERVER_TIME, AlreadyExists, Create, Document, Missing, Stale, Update
from switchboard.integrations.secrets.kms import KeyKeeper

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM

log = logging.getLogger(__name__)

KEY_BYTES = 32
NONCE_BYTES = 12
KEYS_DOCUMENT = "~keys"
"""The id of a business's document of keys among its secrets; no toolkit's name can begin like this."""
_REMEMBERED = 1_000
_REMEMBERED_S = 600.0
_SOUND_S = 60.0


@dataclass(frozen=True, slots=True)
class OpenedKey:
    """A data key that can be used; the key itself shows nowhere."""

    version: int
    cipher: "AESGCM" = field(repr=False)


class DataKeys:
    """Makes, opens and rotates the data keys of businesses."""

    def __init__(self, store: Store, paths: Paths, keeper: KeyKeeper) -> None:
        """Keep wrapped keys in `store`."""
        self._store, self._paths, self._keeper = store, paths, keeper
        # By what opens to it, so that a key that was wrapped anew, or replaced, is never taken from here.
        self._opened: TTLCache[bytes, bytes] = TTLCache(_REMEMBERED, _REMEMBERED_S)
        self._lock = threading.Lock()
        self._sound_until = 0.0

    def path(self, business_id: str) -> str:
        """Return the path of a business's wrapped keys."""
        return self._paths.within(business_id).document("secrets", KEYS_DOCUMENT)

    async def of_version(self, business_id: str, version: object, keys: Document | None) -> OpenedKey | None:
        """Return the key of a version as it stands in the document of keys; None where it does not.

        Raises:
            ToolError: The key keeper cannot open it.
        """
        wrapped = wrapped_keys(keys).get(str(version))
        if wrapped is None or not isinstance(version, int):
            return None
        return await self._usable(business_id, version, wrapped)

    async def newest(self, business_id: str) -> OpenedKey:
        """Return the key to encrypt with, making the first one where there is none.

        Raises:
            ToolError: The key keeper cannot open or wrap it.
        """
        path = self.path(business_id)
        keys = await self._store.get(path)
        if keys is None:
            wrapped = (await self._keeper.wrap(_bind(business_id, os.urandom(KEY_BYTES)))).value
            first = {"newest": 1, "wrapped": {"1": wrapped}, "updatedAt": SERVER_TIME}
            try:
                await self._store.commit([Create(path, first)])
            except AlreadyExists:
                # Somebody else made the first key in the same moment: there must be only one.
                keys = await self._store.get(path)
            else:
                return await self._usable(business_id, 1, wrapped)
        version = keys.data.get("newest") if keys else None
        try:
            key = await self.of_version(business_id, version, keys)
        except ToolError as error:
            if error.type is not ErrorType.PERMANENT or keys is None:
                raise
            # What hangs on it is lost for now, and maybe for good; what is entered from now on need not be.
            log.warning("a data key does not open, another one is begun", extra={"pii.detail": error.detail})
            return await self._begun_beside(business_id, keys)
        if key is None:
            raise _not_in_order(f"the document of keys has no key of its newest version {version!r}")
        return key

    async def _begun_beside(self, business_id: str, keys: Document) -> OpenedKey:
        """Add a version beside those that do not open, which stay: their key may be found again."""
        earlier = wrapped_keys(keys)
        version = max(map(int, earlier), default=0) + 1
        wrapped = (await self._keeper.wrap(_bind(business_id, os.urandom(KEY_BYTES)))).value
        fields = {"newest": version, f"wrapped.{version}": wrapped, "updatedAt": SERVER_TIME}
        try:
            await self._store.commit([Update(keys.path, fields, if_update_time=keys.update_time)])
        except (Stale, Missing):
            raise ToolError(ErrorType.CONFLICT, "Somebody else has just entered a secret; save again.") from None
        return await self._usable(business_id, version, wrapped)

    async def rotate(self, business_id: str) -> int:
        """Add a version, wrap the earlier ones anew, and return the new version's number.

        Raises:
            ToolError: The key keeper cannot; CONFLICT where somebody rotates at the same moment.
        """
        await self.newest(business_id)
        path = self.path(business_id)
        keys = await self._store.get(path)
        earlier = wrapped_keys(keys)
        version = max(map(int, earlier), default=0) + 1
        clear = await asyncio.gather(*(self._keeper.unwrap(wrapped) for wrapped in earlier.values()))
        wrapped = await asyncio.gather(
            *(self._keeper.wrap(key) for key in [*clear, _bind(business_id, os.urandom(KEY_BYTES))])
        )
        anew = zip([*earlier, str(version)], wrapped, strict=True)
        changes = {"newest": version, "wrapped": {each: key.value for each, key in anew}}
        try:
            at = keys.update_time if keys else None
            await self._store.commit([Update(path, {**changes, "updatedAt": SERVER_TIME}, if_update_time=at)])
        except (Stale, Missing):
            raise ToolError(ErrorType.CONFLICT, "these keys were just changed; look again, then decide") from None
        return version

    async def lack(self) -> str:
        """Return why keys cannot be wrapped and opened now, in a sentence for whoever runs this; empty where they can.

        That they can is remembered for a minute: the keeper is asked by what looks every few seconds.
        """
        now = time.monotonic()
        if now < self._sound_until:
            return ""
        key = os.urandom(KEY_BYTES)
        try:
            is_sound = await self._keeper.unwrap((await self._keeper.wrap(key)).value) == key
        except ToolError as error:
            log.error("keys cannot be kept", extra={"pii.detail": error.detail})
            is_sound = False
        if is_sound:
            self._sound_until = now + _SOUND_S
            return ""
        return (
            "What businesses keep secret cannot be opened: look whether SWITCHBOARD_KMS_KEY names a key that is "
            "enabled, and whether the service account may use it (roles/cloudkms.cryptoKeyEncrypterDecrypter); the log "
            "says more."
        )

    async def _usable(self, business_id: str, version: int, wrapped: bytes) -> OpenedKey:
        from cryptography.hazmat.primitives.ciphers.aead import AESGCM

        with self._lock:
            known = self._opened.get(wrapped)
        if known is None:
            known = await self._keeper.unwrap(wrapped)
            with self._lock:
                self._opened[wrapped] = known
        owner, key = known[:-KEY_BYTES], known[-KEY_BYTES:]
        if owner != _owner(business_id):
            raise _not_in_order("a data key of another business")
        return OpenedKey(version, AESGCM(key))


def _owner(business_id: str) -> bytes:
    return hashlib.sha256(business_id.encode("utf-8", "surrogatepass")).digest()


def _bind(business_id: str, key: bytes) -> bytes:
    # The keeper's wrapping knows no tenant: the key's owner is wrapped with it.
    return _owner(business_id) + key


def wrapped_keys(keys: Document | None) -> Mapping[str, bytes]:
    """Return the data keys of a document of keys, wrapped, by their versions; none where there is no document."""
    wrapped = keys.data.get("wrapped") if keys else None
    return {str(v): bytes(w) for v, w in wrapped.items()} if isinstance(wrapped, Mapping) else {}


def _not_in_order(detail: str) -> ToolError:
    return ToolError(
        ErrorType.PERMANENT,
        "This service cannot be used: what its access is kept with is not in order.",
        detail=detail,
    )
