"""Who a service is: its business API key, recognised by hash, or an account that somebody trusted has signed for.

The business comes from the key. A business named in the request that disagrees is refused, never obeyed; it only
chooses where an account that needs no key is entered for several. What an account may do comes from the documents alone
that operators and owners have made (`contract/account.py`): a good token of one that is entered nowhere is 403.
"""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from typing import Any, Protocol, TypeAlias

from switchboard.contract import policy
from switchboard.contract.account import GOOGLE_ISSUERS, AccountKind, TrustedAccount, claimed_issuer
from switchboard.contract.cache import Cache
from switchboard.contract.credential import Credential, Scope, key_hash, read_credential
from switchboard.contract.error import ErrorType, ToolError
from switchboard.contract.ports import Clock, Paths, Store
from switchboard.contract.store import Filter, Query, StoreError

KEYS_KEPT = 10_000
Vouched: TypeAlias = Callable[[str], Awaitable[Credential | None]]
"""Returns whom a token names that is no key of ours; None where nobody trusted has made it. Raises `Rejected`."""
# How every signed token begins: `{"` in base64.
_TOKEN_START = "eyJ"

ACCOUNTS_KEPT = 10_000
MOST_BUSINESSES = 1_000
"""For how many businesses one account can be entered and be let in for each."""
_AWAY = "Accounts cannot be checked right now; try again in a few seconds."
_NAMED: Mapping[AccountKind, str] = {"serviceAccount": "The service account", "subject": "The account"}
_Key: TypeAlias = tuple[AccountKind, str, str]


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
            cached = self._known.fresh(hash) or await self._known.get(hash)
        except StoreError:
            raise Rejected(503, "Keys cannot be checked right now; try again in a few seconds.") from None
        if cached.is_stale and self._known.age_s(cached) > policy.STALE_WRITE_TOOLS_S:
            raise Rejected(503, "Keys cannot be checked right now; try again in a few seconds.")
        credential = cached.value
        expired = credential is not None and credential.expires_at and credential.expires_at <= self._clock.now()
        if credential is None or expired:
            raise Rejected(401, "This API key is unknown, revoked or expired. Make one with scripts/api_key.")
        return credential

    def forget(self, key: Mapping[str, Any]) -> None:
        """Ask the store again when a key comes of which this is the document, as after it was revoked here."""
        self._known.drop(str(key.get("hash") or ""))

    async def _read(self, hash: str) -> Credential | None:
        documents = await self._store.query(
            Query("apiKeys", filters=(Filter("hash", "==", hash),), limit=1, group=True)
        )
        if not documents:
            return None
        business_id = self._paths.business_of(documents[0].path)
        return read_credential(business_id, documents[0].id, documents[0].data, self._clock.now())


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


class IdTokens(Protocol):
    """Reads ID tokens of service accounts."""

    async def account(self, token: str) -> TrustedAccount:
        """Return the account that a token is for.

        Raises:
            ToolError: AUTH, it is not good; TRANSIENT, nobody can tell right now.
        """


class Accounts:
    """Knows what is entered for accounts, asking the store at most once for each in ten seconds."""

    def __init__(self, store: Store, paths: Paths, clock: Clock) -> None:
        """Start knowing none."""
        self._store, self._paths, self._clock = store, paths, clock
        # Also of accounts that are entered nowhere: anybody at all may have one at Google.
        self._known: Cache[_Key, tuple[Credential, ...]] = Cache(
            clock, policy.CREDENTIAL_TTL_S, ACCOUNTS_KEPT, self._read
        )

    async def recognise(self, account: TrustedAccount) -> Credential:
        """Return what an account may do, and for whom: for one business, or for each of several.

        What was entered is good while the store does not answer, as keys are.

        Raises:
            Rejected: 403, it is entered nowhere, or no longer; 503, nobody can tell.
        """
        try:
            cached = await self._known.get((account.kind, account.issuer, account.id))
        except StoreError:
            raise Rejected(503, _AWAY) from None
        if cached.is_stale and self._known.age_s(cached) > policy.STALE_WRITE_TOOLS_S:
            raise Rejected(503, _AWAY)
        now = self._clock.now()
        credentials = [one for one in cached.value if one.works_at(now)]
        if account.scopes is not None:
            credentials = [replace(one, scopes=one.scopes & account.scopes) for one in credentials]
        if not credentials:
            words = f"{_NAMED[account.kind]} {account.id} is entered for no business, or not any more."
            raise Rejected(403, f"{words} An owner enters it where API keys are made, or scripts/api_key does.")
        if len(credentials) == 1:
            return credentials[0]
        return Credential("", account.key_id, frozenset(), holder=account.id, several=tuple(credentials))

    def forget(self, entered: Mapping[str, Any]) -> None:
        """Ask the store again for the account that a document is entered for, as after that was revoked here."""
        issuer = str(entered.get("issuer") or "")
        for kind in _NAMED:
            self._known.drop((kind, issuer, str(entered.get(kind) or "")))

    async def _read(self, key: _Key) -> tuple[Credential, ...]:
        kind, issuer, id = key
        documents = await self._store.query(
            Query("apiKeys", filters=(Filter(kind, "==", id),), limit=MOST_BUSINESSES, group=True)
        )
        now = self._clock.now()
        credentials = (
            read_credential(self._paths.business_of(document.path), document.id, document.data, now)
            for document in documents
            # Two issuers may give the same name to two people.
            if (document.data.get("issuer") or "") == issuer
        )
        return tuple(one for one in credentials if one is not None)


class ServiceAccounts:
    """Recognises the ID tokens that Google signs for service accounts."""

    def __init__(self, accounts: Accounts, tokens: Callable[[], IdTokens | None]) -> None:
        """Verify by `tokens`, which are asked for when one comes, and let in by `accounts`; without any, nobody."""
        self._accounts, self._tokens = accounts, tokens

    async def recognise(self, token: str) -> Credential | None:
        """Return whom a token speaks for; None where it does not say that it is Google's.

        Raises:
            Rejected: 401, it is not good; 403, its account is entered nowhere; 503, nobody can tell.
        """
        tokens = self._tokens() if claimed_issuer(token) in GOOGLE_ISSUERS else None
        return await self._accounts.recognise(await read(tokens.account(token))) if tokens is not None else None


async def read(account: Awaitable[TrustedAccount]) -> TrustedAccount:
    """Return the account that is being read from a token.

    Raises:
        Rejected: 401, the token is not good; 503, nobody can tell.
    """
    try:
        return await account
    except ToolError as error:
        raise Rejected(401 if error.type is ErrorType.AUTH else 503, error.message) from None
