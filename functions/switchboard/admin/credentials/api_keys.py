"""A business's API keys, as its owners handle them: make one, see which there are, revoke one.

What is stored and how a key is recognised stands in `contract/credential.py`. A key's text leaves this module once,
when it is made. Accounts that are let in without a key (`admin/credentials/api_keys.py`) are listed and revoked
like one.
"""

import re
import secrets
from collections.abc import Callable, Iterable, Sequence
from dataclasses import field
from datetime import datetime

from switchboard.contract.account import TrustedAccount
from switchboard.contract.credential import SERVICE_SCOPES, Scope, key_hash
from switchboard.contract.error import ErrorType, ToolError
from switchboard.contract.json import JsonObject
from switchboard.contract.ports import BusinessPaths, Paths, Store
from switchboard.contract.python.dataclass import dataclass
from switchboard.contract.store import (
    SERVER_TIME,
    AlreadyExists,
    Create,
    Document,
    Filter,
    Missing,
    Query,
    Stale,
    Update,
    Write,
)

PREFIX = "sb_"
_RANDOM_BYTES = 32  # 43 characters of base64url
_NAMED = 20
_HEADER_SAFE = re.compile(r"^[\x21-\x7e]{1,200}$")


@dataclass(frozen=True, slots=True)
class ApiKey:
    """What may be known of a key after it was made.

    Attributes:
        id: Names the key to its owners; nothing can be done with it.
        name: What the owners call it.
        scopes: What it allows, in the order of `Scope`.
        created_at: When it was made.
        expires_at: From when on it no longer works by itself, if ever.
        revoked_at: Since when it no longer works because an owner said so.
        service_account: Whose ID tokens stand for it instead of a text, by its e-mail address; empty for none.
        subject: Whose access tokens do, as the issuer beside it names them; empty for none.
    """

    id: str
    name: str
    scopes: tuple[str, ...]
    created_at: datetime | None = None
    expires_at: datetime | None = None
    revoked_at: datetime | None = None
    service_account: str = ""
    subject: str = ""
    issuer: str = ""

    def works_at(self, now: datetime) -> bool:
        """Tell whether the key is accepted at a time."""
        return self.revoked_at is None and (self.expires_at is None or self.expires_at > now)


@dataclass(frozen=True, slots=True)
class NewKey:
    """A key that was just made: its id, and the text that is not kept anywhere and cannot be shown again."""

    id: str
    text: str = field(repr=False)


async def create_key(
    store: Store,
    paths: Paths,
    business_id: str,
    name: str,
    *,
    scopes: Iterable[str] = SERVICE_SCOPES,
    expires_at: datetime | None = None,
    text: str | None = None,
    beside: Callable[[str], Sequence[Write]] = lambda key_id: (),
) -> NewKey:
    """Make a key for a business and return it with its text.

    Args:
        store: Where keys are kept.
        paths: Where things are in it.
        business_id: The one business the key will speak for.
        name: What the owners call it, such as the service that will hold it.
        scopes: What it allows.
        expires_at: From when on it no longer works.
        text: Use this text rather than a random one, as for the demo business. The same text again is the same key.
        beside: Returns what is written in the same commit, by the key's id.

    Raises:
        ToolError: NOT_FOUND for an unknown business, VALIDATION for a scope, name or text that cannot be, CONFLICT
            for a text that is another business's key, or was one of this business's and is revoked.
    """
    fields = checked_fields(name, scopes, expires_at)
    if text is not None and not _HEADER_SAFE.match(text):
        raise ToolError(ErrorType.VALIDATION, "a key's text is 1 to 200 visible ASCII characters without blanks")
    await require_keys_place(store, paths, business_id)
    key = text or PREFIX + secrets.token_urlsafe(_RANDOM_BYTES)
    key_id = _id_of(key)
    # A credential names its business alone: one text for two of them would be a key to whichever is found first.
    if text is not None and await _is_held_elsewhere(store, paths, business_id, key):
        raise ToolError(ErrorType.CONFLICT, "this text is already another business's key; choose another")
    document = {"hash": key_hash(key), **fields}
    try:
        await store.commit([Create(paths.within(business_id).document("apiKeys", key_id), document), *beside(key_id)])
    except AlreadyExists:
        await _require_unrevoked(store, paths, business_id, key_id)
    return NewKey(key_id, key)


def key_write(within: BusinessPaths, name: str, scopes: Iterable[str] = SERVICE_SCOPES) -> tuple[NewKey, Create]:
    """Return a random key with the write that makes it, for a business that comes to be in the same commit.

    Raises:
        ToolError: VALIDATION, a scope or name that cannot be.
    """
    text = PREFIX + secrets.token_urlsafe(_RANDOM_BYTES)
    key = NewKey(_id_of(text), text)
    fields = {"hash": key_hash(text), **checked_fields(name, scopes, None)}
    return key, Create(within.document("apiKeys", key.id), fields)


async def list_keys(store: Store, paths: Paths, business_id: str) -> list[ApiKey]:
    """Return a business's keys, the oldest first, without anything a key could be made from.

    Raises:
        ToolError: NOT_FOUND for an unknown business, naming the known ones.
    """
    await _require_business(store, paths, business_id)
    documents = await store.query(Query(paths.within(business_id).collection("apiKeys")))
    return [read_key(d) for d in sorted(documents, key=lambda d: (d.create_time, d.id))]


async def revoke_key(store: Store, paths: Paths, business_id: str, key_id: str) -> None:
    """Make a key useless from now on; one that is revoked already keeps the time of the first revocation.

    Raises:
        ToolError: NOT_FOUND for an unknown business or key, naming the known ones.
    """
    keys = await list_keys(store, paths, business_id)
    known = {key.id: key for key in keys}
    if key_id not in known:
        raise ToolError(
            ErrorType.NOT_FOUND, f"{business_id} has no key {key_id!r}; its keys are: {', '.join(known) or 'none'}"
        )
    if known[key_id].revoked_at is None:
        path = paths.within(business_id).document("apiKeys", key_id)
        try:
            await store.commit([Update(path, {"revokedAt": SERVER_TIME})])
        except Missing:
            raise ToolError(ErrorType.NOT_FOUND, f"the key {key_id!r} was just removed") from None


def checked_fields(name: str, scopes: Iterable[str], expires_at: datetime | None) -> JsonObject:
    """Return what a document says of a key or an account, but for what it is recognised by.

    Raises:
        ToolError: VALIDATION, a scope or name that cannot be.
    """
    allowed = _checked_scopes(scopes)
    if not name.strip():
        raise ToolError(ErrorType.VALIDATION, "a key needs a name that tells later what it was for")
    times = {"createdAt": SERVER_TIME, "expiresAt": expires_at, "revokedAt": None}
    return {"name": " ".join(name.split()), "scopes": list(allowed), **times}


async def require_keys_place(store: Store, paths: Paths, business_id: str) -> None:
    """Make sure that there is such a business, and that keys can be made for it.

    Raises:
        ToolError: NOT_FOUND, VALIDATION.
    """
    await _require_business(store, paths, business_id)
    if paths.business_of(paths.within(business_id).business) != business_id:
        # A key is recognised by its document's path, and this id stands in no path as it is.
        raise ToolError(ErrorType.VALIDATION, "keys need a business whose id is made of letters, digits, - and _")


def _checked_scopes(scopes: Iterable[str]) -> tuple[str, ...]:
    scopes_wanted = set(scopes)
    unknown = sorted(scopes_wanted - set(Scope))
    if unknown or not scopes_wanted:
        problem = f"unknown scope {', '.join(unknown)}" if unknown else "a key needs a scope"
        raise ToolError(ErrorType.VALIDATION, f"{problem}; use {', '.join(Scope)}")
    return tuple(scope.value for scope in Scope if scope in scopes_wanted)


async def _require_business(store: Store, paths: Paths, business_id: str) -> None:
    if business_id and await store.get(paths.within(business_id).business) is not None:
        return
    ids = [d.id for d in await store.query(Query(paths.businesses, limit=_NAMED + 1))]
    known = ", ".join(ids[:_NAMED]) + (", ..." if len(ids) > _NAMED else "") if ids else "none yet"
    raise ToolError(ErrorType.NOT_FOUND, f"there is no business {business_id!r}; known are: {known}")


async def _is_held_elsewhere(store: Store, paths: Paths, business_id: str, key: str) -> bool:
    own = paths.within(business_id).collection("apiKeys") + "/"
    everywhere = Query("apiKeys", filters=(Filter("hash", "==", key_hash(key)),), group=True)
    return any(not document.path.startswith(own) for document in await store.query(everywhere))


async def _require_unrevoked(store: Store, paths: Paths, business_id: str, key_id: str) -> None:
    document = await store.get(paths.within(business_id).document("apiKeys", key_id))
    if document is None or document.data.get("revokedAt") is not None:
        raise ToolError(ErrorType.CONFLICT, "this text was a key that is revoked; choose another")


def _id_of(key: str) -> str:
    # From the text, so that a given one is never kept twice. The hash of a random key tells nothing about it.
    return f"key_{key_hash(key)[:12]}"


def read_key(document: Document) -> ApiKey:
    """Return a stored key."""
    data = document.data
    return ApiKey(
        id=document.id,
        name=str(data.get("name") or ""),
        scopes=tuple(data.get("scopes") or ()),
        created_at=data.get("createdAt"),
        expires_at=data.get("expiresAt"),
        revoked_at=data.get("revokedAt"),
        service_account=str(data.get("serviceAccount") or ""),
        subject=str(data.get("subject") or ""),
        issuer=str(data.get("issuer") or ""),
    )


async def enter_account(
    store: Store,
    paths: Paths,
    business_id: str,
    name: str,
    account: TrustedAccount,
    now: datetime,
    *,
    scopes: Iterable[str] = SERVICE_SCOPES,
    expires_at: datetime | None = None,
    beside: Callable[[str], Sequence[Write]] = lambda key_id: (),
) -> str:
    """Let an account in for a business, and return the id by which it is listed and revoked.

    Args:
        store: Where keys are kept.
        paths: Where things are in it.
        business_id: The business it will speak for; it may be entered for others too.
        name: What the owners call it.
        account: Who it is.
        now: Tells whether one that was entered before still counts.
        scopes: What it allows; an issuer's account only what services may do.
        expires_at: From when on it does not.
        beside: Returns what is written in the same commit, by the id.

    Raises:
        ToolError: NOT_FOUND for an unknown business; VALIDATION for a scope or name that cannot be; CONFLICT, it is
            entered already.
    """
    fields = checked_fields(name, scopes, expires_at) | {account.kind: account.id}
    if account.kind == "subject":
        fields["issuer"] = account.issuer
        if not set(fields["scopes"]) <= set(SERVICE_SCOPES):
            words = f"an account of {account.issuer} may be given {' and '.join(SERVICE_SCOPES)} only"
            raise ToolError(ErrorType.VALIDATION, words)
    await require_keys_place(store, paths, business_id)
    path, further = paths.within(business_id).document("apiKeys", account.key_id), beside(account.key_id)
    try:
        await store.commit([Create(path, fields), *further])
        return account.key_id
    except AlreadyExists:
        document = await store.get(path)
    entered = ToolError(ErrorType.CONFLICT, f"{account.id} is entered already, as {account.key_id}; revoke that first")
    if document is None or read_key(document).works_at(now):
        raise entered
    try:
        await store.commit([Update(path, fields, if_update_time=document.update_time), *further])
    except (Stale, Missing):
        raise entered from None
    return account.key_id
