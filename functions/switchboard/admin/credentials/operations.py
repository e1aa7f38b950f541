"""A business's API keys as its owners handle them: made, listed, revoked, all of it audited, and never a key shown.

An account that is let in without a key is entered, listed and revoked as one.
"""

from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from switchboard.admin.access.access import Permit
from switchboard.admin.access.refusal import EntryProblem, Forbidden, NotFound, NotValid, OutOfDate
from switchboard.admin.access.roles import Operation, Role
from switchboard.admin.audit.document_kind import DocumentKind, revision_of
from switchboard.admin.audit.revisions import Saved, again_where_late, require
from switchboard.admin.audit.trail import AuditTrail, id_of
from switchboard.admin.audit.wishes import note_of_wish
from switchboard.admin.credentials.api_keys import ApiKey, NewKey, create_key, enter_account, list_keys, read_key
from switchboard.admin.credentials.models import KeyBody
from switchboard.admin.documents.difference import differences
from switchboard.contract.account import TrustedAccount, service_account, subject
from switchboard.contract.credential import SERVICE_SCOPES, Scope
from switchboard.contract.json import JsonObject
from switchboard.contract.ports import Clock, Paths, Store
from switchboard.contract.store import SERVER_TIME, Create, Update, Write

API_KEY = DocumentKind(
    "apiKey", Operation.EDIT_KEYS, lambda paths, id: paths.document("apiKeys", id), lambda after, before: ()
)


class OwnersKeys:
    """The owners' operations. What the store raises passes through."""

    def __init__(
        self,
        store: Store,
        paths: Paths,
        trail: AuditTrail,
        clock: Clock,
        issuer: str | None = None,
        forget: Callable[[Mapping[str, Any]], None] = lambda key: None,
    ) -> None:
        """Keep keys in `store`.

        Args:
            store: Where keys are.
            paths: Where things are in it.
            trail: Writes the audit.
            clock: Tells which have expired.
            issuer: Whose accounts may be entered; None for nobody's.
            forget: Is told the document of a key that was revoked, so that this process lets it in no more.
        """
        self._store, self._paths, self._trail, self._clock = store, paths, trail, clock
        self.issuer, self._forget = issuer, forget

    async def all(self, business_id: str) -> list[JsonObject]:
        """Return the keys, the oldest first: `{id, name, scopes, createdAt, expiresAt, revokedAt, works, revision}`.

        Those that stand for an account have `serviceAccount`, or `subject` and `issuer`, too.

        Raises:
            ToolError: NOT_FOUND, there is no such business.
        """
        now = self._clock.now()
        return [_shown(key, now) for key in await list_keys(self._store, self._paths, business_id)]

    async def create(self, permit: Permit, body: KeyBody) -> tuple[NewKey, Saved]:
        """Make a key and return it with its text, which is kept nowhere; or enter an account, with an empty text.

        Args:
            permit: Who makes it, and where.
            body: What its owner says of it.

        Raises:
            NotValid: Everything that is wrong with it.
            ToolError: NOT_FOUND, there is no such business; CONFLICT, the account is entered already.
        """
        now = self._clock.now()
        account = _account(body, now, self.issuer)
        view = _view(" ".join(body.name.split()), body.scopes, body.expires_at, is_revoked=False)
        view |= _who(account.kind, account.id, account.issuer) if account is not None else {}
        entries: list[Create] = []

        def beside(key_id: str) -> Sequence[Write]:
            entries.append(self._trail.entry(permit, API_KEY, key_id, None, view))
            return [*entries, *note_of_wish(entries[0], now)]

        place = self._store, self._paths, permit.business_id, body.name
        scopes, expires_at = body.scopes, body.expires_at
        if account is None:
            made = await create_key(*place, scopes=scopes, expires_at=expires_at, beside=beside)
        else:
            key_id = await enter_account(*place, account, now, scopes=scopes, expires_at=expires_at, beside=beside)
            made = NewKey(key_id, "")
        return made, Saved(None, revision_of(view), id_of(entries[0]))

    @again_where_late
    async def revoke(self, permit: Permit, key_id: str, based_on: str | None) -> Saved:
        """Make a key useless from now on; one that is revoked already stays as it is.

        Raises:
            RevisionMissing, OutOfDate: See `Revisions.change`.
            Forbidden: It is a key of those who operate Switchboard, and this is no one of them.
            NotFound: There is no such key.
        """
        require(based_on)
        path = self._paths.within(permit.business_id).document("apiKeys", key_id)
        document = await self._store.get(path)
        if document is None:
            raise NotFound("There is no such key.")
        key = read_key(document)
        if Scope.PLATFORM.value in key.scopes and permit.role is not Role.PLATFORM:
            raise Forbidden("This key belongs to those who operate Switchboard; ask them to revoke it.")
        now, then = _of(key), _of(key) | {"isRevoked": True}
        if revision_of(now) != based_on:
            raise OutOfDate(revision_of(now), now, then, differences(now, then))
        if key.revoked_at is not None:
            return Saved(document, revision_of(now), None)
        entry = self._trail.entry(permit, API_KEY, key_id, now, then)
        write = Update(path, {"revokedAt": SERVER_TIME}, if_update_time=document.update_time)
        try:
            await self._trail.commit(entry, [write])
        finally:
            self._forget(document.data)
        return Saved(document, revision_of(then), id_of(entry))


def _account(body: KeyBody, now: datetime, issuer: str | None) -> TrustedAccount | None:
    """Return the account that is wanted to be let in without a key, if one is.

    Raises:
        NotValid: What no type says of a key is wrong with it.
    """
    account, problems = None, []
    if body.service_account is not None and body.subject is not None:
        message = "subject and serviceAccount are two accounts; enter them one by one."
        problems.append(EntryProblem("subject", message))
    elif body.service_account is not None:
        account = service_account(body.service_account)
        if account is None:
            # Never a key instead of it.
            sentence = "serviceAccount must be its e-mail address, such as till@my-project.iam.gserviceaccount.com."
            problems.append(EntryProblem("serviceAccount", sentence))
    elif body.subject is not None and issuer is None:
        message = "subject needs an authorization server, and this deployment trusts none (SWITCHBOARD_MCP_ISSUER)."
        problems.append(EntryProblem("subject", message))
    elif body.subject is not None and issuer is not None:
        account = subject(issuer, body.subject)
        if account is None:
            problems.append(EntryProblem("subject", f"subject must be what tokens of {issuer} say in sub."))
        if Scope.OWNER in body.scopes:
            only = " and ".join(SERVICE_SCOPES)
            problems.append(EntryProblem("scopes", f"scopes of an account of {issuer} may be {only} only."))
    if body.expires_at is not None and body.expires_at <= now:
        message = "expiresAt must be a time to come, such as 2027-03-10T09:00:00-05:00, or null."
        problems.append(EntryProblem("expiresAt", message))
    if problems:
        raise NotValid(problems)
    return account


def _who(kind: str, id: str, issuer: str) -> JsonObject:
    return {kind: id} | ({"issuer": issuer} if issuer else {})


def _view(name: str, scopes: Sequence[str], expires_at: datetime | None, *, is_revoked: bool) -> JsonObject:
    known = [scope.value for scope in Scope if scope in scopes]
    at = expires_at.astimezone(UTC).isoformat() if expires_at is not None else None
    return {"name": name, "scopes": known, "expiresAt": at, "isRevoked": is_revoked}


def _of(key: ApiKey) -> JsonObject:
    return _view(key.name, key.scopes, key.expires_at, is_revoked=key.revoked_at is not None) | _holder(key)


def _holder(key: ApiKey) -> JsonObject:
    if key.service_account:
        return _who("serviceAccount", key.service_account, "")
    return _who("subject", key.subject, key.issuer) if key.subject else {}


def _shown(key: ApiKey, now: datetime) -> JsonObject:
    times = {"createdAt": key.created_at, "expiresAt": key.expires_at, "revokedAt": key.revoked_at}
    shown: JsonObject = {"id": key.id, "name": key.name, "scopes": list(key.scopes), **times}
    return shown | _holder(key) | {"works": key.works_at(now), "revision": revision_of(_of(key))}
