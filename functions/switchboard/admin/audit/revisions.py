"""Every owner's write: based on a revision, refused when that is out of date, audited in the same commit.

An owner says which revision was read; if somebody else has changed the document since, nothing is written and both
versions are shown. The commit itself is conditioned on what was read a moment before it, so two who save in the same
moment cannot both succeed.
"""

import re
from collections.abc import Awaitable, Callable, Coroutine, Mapping
from datetime import datetime
from functools import wraps
from typing import Any, ParamSpec, TypeVar

from switchboard.admin.access.access import Permit
from switchboard.admin.access.refusal import EntryProblem, Forbidden, NotFound, NotValid, OutOfDate, RevisionMissing
from switchboard.admin.audit.document_kind import DocumentKind, revision_of
from switchboard.admin.audit.trail import AuditTrail, id_of
from switchboard.admin.documents.difference import changed, differences
from switchboard.admin.documents.redaction import without_secrets
from switchboard.contract.error import ErrorType, ToolError
from switchboard.contract.json import JsonObject
from switchboard.contract.ports import Clock, Paths, Store
from switchboard.contract.python.dataclass import dataclass
from switchboard.contract.store import (
    DELETE_FIELD,
    SERVER_TIME,
    AlreadyExists,
    Create,
    Delete,
    Document,
    Missing,
    Stale,
    Update,
    Write,
)

NO_DOCUMENT = "none"
"""The revision of a document that is not there, which bringing it back is based on."""

_FIELD = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,99}")
# What the running system writes into the same document may come between read and commit.
_ATTEMPTS = 8
_Given = ParamSpec("_Given")
_Made = TypeVar("_Made")


def changing() -> ToolError:
    """Return the refusal where somebody else was quicker every time."""
    return ToolError(ErrorType.TRANSIENT, "This document is changing too quickly right now; save again in a moment.")


def again_where_late(change: Callable[_Given, Awaitable[_Made]]) -> Callable[_Given, Coroutine[Any, Any, _Made]]:
    """Return a change that begins anew where something has changed between what it reads and its commit.

    It may raise what the change raises, and TRANSIENT where somebody else was quicker every time.
    """

    @wraps(change)
    async def made(*args: _Given.args, **given: _Given.kwargs) -> _Made:
        for _ in range(_ATTEMPTS):
            try:
                return await change(*args, **given)
            except (Stale, Missing, AlreadyExists):
                continue
        raise changing()

    return made


@dataclass(frozen=True, slots=True)
class Saved:
    """What a write left behind.

    Attributes:
        document: The document; None where it was deleted.
        revision: Its revision, `NO_DOCUMENT` where it was deleted.
        entry_id: The audit's entry; None where nothing had to be changed.
    """

    document: Document | None
    revision: str
    entry_id: str | None


@dataclass(frozen=True, slots=True)
class _RevisionStep:
    """One change, ready to be committed."""

    permit: Permit
    kind: DocumentKind
    id: str
    before: JsonObject | None
    after: JsonObject | None
    write: Write
    found: Document | None = None
    undoes: str | None = None


class Revisions:
    """Writes owners' documents. What the store raises passes through."""

    def __init__(self, store: Store, paths: Paths, clock: Clock) -> None:
        self._store, self._paths, self._trail = store, paths, AuditTrail(store, paths, clock)

    async def read(self, business_id: str, kind: DocumentKind, id: str) -> Document:
        """Return a document.

        Raises:
            NotFound: There is none.
        """
        document = await self._store.get(self._path(business_id, kind, id))
        if document is None:
            raise NotFound("There is nothing of that id.")
        return document

    async def create(
        self, permit: Permit, kind: DocumentKind, id: str, fields: JsonObject, *, undoes: str | None = None
    ) -> Saved:
        """Write a document that must not be there yet.

        Raises:
            NotValid: The fields cannot be kept.
            Forbidden: The role is not enough for them.
            ToolError: CONFLICT; there is one of that id.
        """
        wanted = kind.completed(kind.view(fields), {})
        await check_change(permit, kind, {}, wanted)
        stamped = {**wanted, "createdAt": SERVER_TIME, **stamps(permit)}
        path = self._path(permit.business_id, kind, id)
        try:
            return await self._commit(
                _RevisionStep(permit, kind, id, None, wanted, Create(path, stamped), undoes=undoes)
            )
        except AlreadyExists:
            raise ToolError(ErrorType.CONFLICT, "There is one of that id already; choose another.") from None

    @again_where_late
    async def change(
        self,
        permit: Permit,
        kind: DocumentKind,
        id: str,
        based_on: str | None,
        edit: Callable[[JsonObject], JsonObject],
        *,
        undoes: str | None = None,
        is_confirmed: bool = False,
    ) -> Saved:
        """Change a document from what an owner has read into what `edit` makes of it; nothing changed is nothing done.

        Raises:
            NotConfirmed: Something else would break by it, and `is_confirmed` does not say that this is wanted.
            RevisionMissing: `based_on` says nothing.
            OutOfDate: Somebody else has changed it since that revision.
            NotValid: What `edit` makes of it cannot be kept.
            Forbidden: The role is not enough for everything that changes.
            NotFound: There is no such document.
        """
        require(based_on)
        document = await self.read(permit.business_id, kind, id)
        current = kind.view(document.data)
        wanted = kind.completed(kind.view(edit(current)), current)
        if revision_of(current) != based_on:
            raise out_of_date(document, current, wanted)
        fields = fields_to_write(kind, current, wanted)
        if not fields:
            return Saved(document, revision_of(current), None)
        await check_change(permit, kind, current, wanted)
        if not is_confirmed:
            await kind.unbroken(permit, current, wanted)
        write = Update(document.path, fields | stamps(permit), if_update_time=document.update_time)
        return await self._commit(_RevisionStep(permit, kind, id, current, wanted, write, document, undoes))

    @again_where_late
    async def delete(
        self, permit: Permit, kind: DocumentKind, id: str, based_on: str | None, *, undoes: str | None = None
    ) -> Saved:
        """Remove a document as an owner has read it.

        Raises:
            RevisionMissing, OutOfDate, Forbidden, NotFound: As for `change`.
        """
        require(based_on)
        document = await self.read(permit.business_id, kind, id)
        current = kind.view(document.data)
        if revision_of(current) != based_on:
            raise out_of_date(document, current, None)
        allow(permit, kind, current, {})
        write = Delete(document.path, must_exist=True, if_update_time=document.update_time)
        return await self._commit(_RevisionStep(permit, kind, id, current, None, write, document, undoes))

    async def _commit(self, step: _RevisionStep) -> Saved:
        permit, kind, id = step.permit, step.kind, step.id
        entry = self._trail.entry(permit, kind, id, step.before, step.after, step.undoes)
        beside = kind.beside(self._paths.within(permit.business_id), id)
        done = await self._trail.commit(entry, [step.write, *beside])
        await kind.saved(permit.business_id, id, done.results[1:])
        if step.after is None:
            return Saved(None, NO_DOCUMENT, id_of(entry))
        return Saved(_as_written(step, done.at), revision_of(step.after), id_of(entry))

    def _path(self, business_id: str, kind: DocumentKind, id: str) -> str:
        return kind.path(self._paths.within(business_id), id)


def _as_written(step: _RevisionStep, at: datetime) -> Document:
    before, after = step.before or {}, step.after or {}
    fields = dict(step.found.data if step.found else {"createdAt": at})
    for name, value in fields_to_write(step.kind, before, after).items():
        whole, _, entry = name.partition(".")
        place = fields
        if entry:
            place = fields[whole] = dict(fields.get(whole) or {})
        if value is DELETE_FIELD:
            place.pop(entry or whole, None)
        else:
            place[entry or whole] = value
    fields |= {"updatedAt": at, "updatedBy": step.permit.identity.name}
    return Document(step.write.path, fields, at, step.found.create_time if step.found else at)


def fields_to_write(kind: DocumentKind, before: JsonObject, after: JsonObject) -> JsonObject:
    """Return the fields to write, by path, so that the one view becomes the other."""
    old, new = changed(kind.leaves(before), kind.leaves(after))
    return {name: DELETE_FIELD for name in old if name not in new} | new


async def check_change(permit: Permit, kind: DocumentKind, before: JsonObject, after: JsonObject) -> None:
    """Let a change through that can be kept, and that whoever makes it may make.

    Raises:
        NotValid: It cannot be kept; all problems at once.
        Forbidden: The role is not enough for everything that changes.
    """
    problems = [
        EntryProblem(name, f"{name!r} cannot be the name of a field.") for name in after if not _FIELD.fullmatch(name)
    ]
    problems += kind.check(after, before)
    if problems:
        raise NotValid(problems)
    allow(permit, kind, before, after)
    # Only who may make the change is told what else there is.
    problems += await kind.held(permit, before, after)
    if problems:
        raise NotValid(problems)


def allow(permit: Permit, kind: DocumentKind, before: JsonObject, after: JsonObject) -> None:
    """Let a change through that the role allows.

    Raises:
        Forbidden: It does not allow all of it.
    """
    needed = {kind.operation: "this"} | dict(kind.needs(before, after))
    lacking = [words for operation, words in needed.items() if not permit.may(operation)]
    if lacking:
        raise Forbidden(f"Your role does not allow changing {', '.join(lacking)}. Nothing was saved.")


def require(based_on: str | None) -> None:
    """Let a change through that says what it is based on.

    Raises:
        RevisionMissing: It does not.
    """
    if not based_on:
        raise RevisionMissing


def stamps(permit: Permit) -> JsonObject:
    """Return the fields that say when something was changed, and by whom."""
    return {"updatedAt": SERVER_TIME, "updatedBy": permit.identity.name}


def out_of_date(document: Document, current: Mapping[str, Any], wished: Mapping[str, Any] | None) -> OutOfDate:
    """Return the refusal of a change that is based on something else than what is there now, with both versions."""
    now, yours = without_secrets(dict(current)), None if wished is None else without_secrets(dict(wished))
    differing = differences(now, yours) if yours is not None else ()
    return OutOfDate(revision_of(current), now, yours, differing, str(document.data.get("updatedBy") or ""))
