"""Entering an account that is let in without a key: a service account of Google's, or an account of an issuer.

An account is entered once in a business, under an id that comes from its name. Otherwise a business could fill the list
that is read when another business's service comes with the same account.
"""

from collections.abc import Callable, Iterable, Sequence
from datetime import datetime

from switchboard.admin.credentials.api_keys import checked_fields, read_key, require_keys_place
from switchboard.contract.account import TrustedAccount
from switchboard.contract.credential import SERVICE_SCOPES
from switchboard.contract.error import ErrorType, ToolError
from switchboard.contract.ports import Paths, Store
from switchboard.contract.store import AlreadyExists, Create, Missing, Stale, Update, Write


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
        found = await store.get(path)
    entered = ToolError(ErrorType.CONFLICT, f"{account.id} is entered already, as {account.key_id}; revoke that first")
    if found is None or read_key(found).works_at(now):
        raise entered
    try:
        await store.commit([Update(path, fields, if_update_time=found.update_time), *further])
    except (Stale, Missing):
        raise entered from None
    return account.key_id
