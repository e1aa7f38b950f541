"""Who a service is: its business API key, recognised by hash.

The business comes from the key. A business named in the request that disagrees is refused, never obeyed; it only
chooses where an account that needs no key is entered for several.
"""

from collections.abc import Awaitable, Callable, Mapping
from typing import Any, TypeAlias

from switchboard.contract import policy
from switchboard.contract.cache import Cache
from switchboard.contract.credential import Credential, Scope, key_hash, read_credential
from switchboard.contract.ports import Clock, Paths, Store
from switchboard.contract.store import Filter, Query, StoreError

KEYS_KEPT = 10_000
Vouched: TypeAlias = Callable[[str], Awaitable[Credential | None]]
"""Returns whom a token names that is no key of ours; None where nobody trusted has made it. Raises `Rejected`."""
# How every signed token begins: `{"` in base64.
_TOKEN_START = "eyJ"


class Rejected(Exception):
    """The request is not let in; `status` is the HTTP status, `message` says what would be.

    `challenge` is what `WWW-Authenticate` says; where it is empty, what it always says.
    """

    def __init__(self, status: int, message: str, challenge: str = "") -> None:
        """Keep them."""
        super().__init__(message)
        self.status, self.message, self.challenge = status, message, challenge


class Credentials:
    """Recognises API keys, asking the store at most once per key in ten seconds, however many callers use it."""

    def __init__(self, store: Store, paths: Paths, clock: Clock, vouched: Vouched | None = None) -> None:
        """Start knowing no key; tokens are nobody's without `vouched`."""
        self._store, self._paths, self._clock, self._vouched = store, paths, clock, vouched
        # Also of keys that are none, so that guessing costs an attacker's time and not our reads.
        self._known: Cache[str, Credential | None] = Cache(clock, policy.CREDENTIAL_TTL_S, KEYS_KEPT, self._read)

    async def recognise(self, authorization: str | None) -> Credential:
        """Return whom an `Authorization` header speaks for.

        A key that was good is still good while the store does not answer, for as long as stale tools may write.

        Raises:
            Rejected: 401, the header is missing or its key is unknown, revoked or expired; 403, a good token's account
                is entered nowhere; 503, the store did not answer, so that nobody can tell.
        """
        scheme, _, key = (authorization or "").strip().partition(" ")
        key = key.strip()
        if scheme.lower() != "bearer" or not key:
            raise Rejected(401, "Send your business's API key as 'Authorization: Bearer <key>'.")
        if self._vouched is not None and key.startswith(_TOKEN_START):
            vouched = await self._vouched(key)
            if vouched is not None:
                return vouched
        hash = key_hash(key)
        try:
            kept = self._known.fresh(hash) or await self._known.get(hash)
        except StoreError:
            raise Rejected(503, "Keys cannot be checked right now; try again in a few seconds.") from None
        if kept.is_stale and self._known.age_s(kept) > policy.STALE_WRITE_TOOLS_S:
            raise Rejected(503, "Keys cannot be checked right now; try again in a few seconds.")
        credential = kept.value
        expired = credential is not None and credential.expires_at and credential.expires_at <= self._clock.now()
        if credential is None or expired:
            raise Rejected(401, "This API key is unknown, revoked or expired. Make one with scripts/api_key.")
        return credential

    def forget(self, key: Mapping[str, Any]) -> None:
        """Ask the store again when a key comes of which this is the document, as after it was revoked here."""
        self._known.drop(str(key.get("hash") or ""))

    async def _read(self, hash: str) -> Credential | None:
        found = await self._store.query(Query("apiKeys", filters=(Filter("hash", "==", hash),), limit=1, group=True))
        if not found:
            return None
        business_id = self._paths.business_of(found[0].path)
        return read_credential(business_id, found[0].id, found[0].data, self._clock.now())


def entitled(credential: Credential, scope: Scope, business_id: str) -> None:
    """Let a key or an account act for a business, or say why not.

    Raises:
        Rejected: 403, it belongs to another business, to several of which none is named, or lacks the scope.
    """
    if credential.several:
        if not business_id:
            raise Rejected(403, "This account is entered for several businesses; name the one that is meant.")
        credential = next((one for one in credential.several if one.business_id == business_id), credential)
    what = "account" if credential.holder else "API key"
    if credential.business_id != business_id:
        raise Rejected(403, f"This {what} does not belong to the business named in the request.")
    if scope.value not in credential.scopes:
        raise Rejected(403, f"This {what} lacks the scope {scope.value}.")
