"""Drafts of definitions: kept, thrown away and brought back; each deed is noted in its commit, with the document."""

import secrets
from collections.abc import Mapping
from typing import Any

from switchboard.admin.access.access import Permit
from switchboard.admin.access.refusal import NotFound, NotValid, OutOfDate
from switchboard.admin.audit.revisions import again_where_late
from switchboard.admin.audit.undo_links import linked
from switchboard.admin.definitions.changes import NOT_ONE_DRAFT, Changes, DefinitionChange, draft_mark
from switchboard.admin.definitions.check import check, without_effect
from switchboard.admin.definitions.definition_set import content_hash, keep_version, storable
from switchboard.admin.definitions.record import DefinitionRecords, Record
from switchboard.admin.documents.difference import differences
from switchboard.admin.evals.gate import TestedBefore
from switchboard.catalog.schema.lint.rules import LintFinding
from switchboard.contract.error import ErrorType, ToolError
from switchboard.contract.json import JsonObject
from switchboard.contract.ports import Paths, Store
from switchboard.contract.python.dataclass import dataclass
from switchboard.contract.store import (
    SERVER_TIME,
    Create,
    Delete,
    Unavailable,
    Update,
    Write,
)

_RANDOM_BYTES = 8


@dataclass(frozen=True, slots=True)
class DraftResult:
    """What a change of a definition left behind.

    Attributes:
        record: What there is now.
        entry_id: The note's id; None where nothing was changed.
        findings: What was changed and has no effect.
        tested: What was tested before; None where nothing was.
    """

    record: Record
    entry_id: str | None
    findings: tuple[LintFinding, ...] = ()
    tested: TestedBefore | None = None


class Drafts:
    """Changes drafts. What the store raises passes through."""

    def __init__(self, store: Store, paths: Paths, records: DefinitionRecords) -> None:
        self._store, self._paths, self._records = store, paths, records
        self.changes = Changes(store, paths)

    @again_where_late
    async def save(self, permit: Permit, name: str, based_on: str | None, document: Mapping[str, Any]) -> DraftResult:
        """Keep a draft that nobody is offered yet.

        Raises:
            NotValid: It could not be published; all problems at once.
        """
        copy = dict(document)
        record = await self._records.read(name)
        # Whatever it is based on, and however that is told: it could not be saved.
        _require_sound(record, copy)
        record.require(based_on, copy)
        return await self._put(permit, record, copy)

    @again_where_late
    async def discard(self, permit: Permit, name: str, based_on: str | None) -> DraftResult:
        """Throw a draft away; businesses that try it keep it until that is ended.

        Raises:
            NotFound: There is none.
        """
        record = await self._records.read(name)
        record.require(based_on)
        if record.draft is None:
            raise NotFound("There is no draft of this tool.")
        return await self._put(permit, record, None)

    @again_where_late
    async def take_back(self, permit: Permit, change: DefinitionChange, based_on: str | None) -> DraftResult:
        """Put a draft back into what it was before a change; that is refused where it was changed or published since.

        Raises:
            OutOfDate: The draft is not what the change made of it.
            NotFound: What the draft was is not kept any more.
            NotValid: The tool's handler has changed since, and could not serve it.
            ToolError: CONFLICT, the change was no draft's, or was undone already.
        """
        if change.why_not_undoable or len(change.tools) != 1:
            raise ToolError(ErrorType.CONFLICT, change.why_not_undoable or NOT_ONE_DRAFT)
        ((name, (before, after)),) = change.tools.items()
        content = await self.changes.content(name, before)
        if before is not None and content is None:
            raise NotFound("What the draft said before is not kept any more.")
        record = await self._records.read(name)
        record.require(based_on, content)
        if _hash_of(record) != after:
            drafted = record.drafted
            differing = differences(drafted, content) if drafted is not None and content is not None else ()
            raise OutOfDate(record.revision, drafted, content, differing)
        if content is not None:
            _require_sound(record, content)
        return await self._put(permit, record, content, change.id)

    async def _put(
        self, permit: Permit, record: Record, drafted: JsonObject | None, undoes: str | None = None
    ) -> DraftResult:
        """Make something sound, or nothing, the draft, and note it.

        Raises:
            AlreadyExists, Stale, Missing: Somebody else was quicker.
        """
        name, by = record.name, permit.identity.name
        document = storable(drafted) if drafted is not None else None
        sides = _hash_of(record), content_hash(document) if document is not None else None
        if sides[0] == sides[1]:
            return DraftResult(record, None)
        path = self._paths.definition_draft(name)
        write: Write
        if document is None:
            write = thrown_away(record)
        else:
            fields = {
                "document": document,
                "basedOn": content_hash(record.stored),
                "savedAt": SERVER_TIME,
                "savedBy": by,
            }
            write = (
                Create(path, fields)
                if record.draft is None
                else Update(path, fields, if_update_time=record.draft.update_time)
            )
        note: JsonObject = {
            "at": SERVER_TIME,
            "by": by,
            "who": permit.who,
            "deed": "draft discarded" if document is None else "draft saved",
            "isDraft": True,
            "names": [draft_mark(name)],
            "tools": {name: {"before": sides[0], "after": sides[1]}},
            "undoes": undoes,
        }
        for version_document in filter(None, (_stored(record), document)):
            await keep_version(self._store, self._paths, name, version_document, by)
        entry = Create(self._paths.publication(f"draft-{secrets.token_hex(_RANDOM_BYTES)}"), note)
        try:
            await self._store.commit([write, *await linked(self._store, entry)])
        except Unavailable:
            # No answer does not mean no commit; the note tells.
            if await self._store.get(entry.path) is None:
                raise
        findings = without_effect(record, drafted) if drafted is not None else ()
        return DraftResult(await self._records.read(name), entry.path.rpartition("/")[2], findings)


def thrown_away(record: Record) -> Write:
    """Return what removes a record's draft, which it has, as it was read."""
    assert record.draft is not None
    return Delete(record.draft.path, must_exist=True, if_update_time=record.draft.update_time)


def _require_sound(record: Record, document: JsonObject) -> None:
    problems = check(record, document).problems
    if problems:
        raise NotValid(problems)


def _hash_of(record: Record) -> str | None:
    stored = _stored(record)
    return content_hash(stored) if stored is not None else None


def _stored(record: Record) -> JsonObject | None:
    value = record.draft.data.get("document") if record.draft is not None else None
    return dict(value) if isinstance(value, Mapping) else None
