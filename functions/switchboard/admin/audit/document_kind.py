"""The kinds of documents that owners edit, each with its rules; what is edited, and undone, goes by one of them."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any

from switchboard.admin.access.access import Permit
from switchboard.admin.access.refusal import EntryProblem
from switchboard.admin.access.roles import Operation
from switchboard.admin.definitions.definition_set import content_hash
from switchboard.contract.json import JsonObject
from switchboard.contract.ports import BusinessPaths
from switchboard.contract.python.dataclass import dataclass
from switchboard.contract.store import Document, Write, WriteResult

STAMPS = ("createdAt", "updatedAt", "updatedBy")
"""Fields that say when and by whom; they are no part of what an owner edits."""

_REVISION_DIGITS = 16


def no_further_need(before: Mapping[str, Any], after: Mapping[str, Any]) -> dict[Operation, str]:
    """Ask for nothing beyond the kind's own operation."""
    return {}


def as_wanted(fields: JsonObject, before: JsonObject) -> JsonObject:
    """Add nothing to what an owner wants."""
    return fields


def nothing_beside(paths: BusinessPaths, document: str) -> Sequence[Write]:
    """Write nothing along with the document."""
    return ()


async def nothing_afterwards(business_id: str, document: str, beside: Sequence[WriteResult]) -> None:
    """Do nothing once it is written."""


async def held_by_nothing(permit: Permit, before: JsonObject, after: JsonObject) -> Sequence[EntryProblem]:
    """Find nothing wrong."""
    return ()


async def breaks_nothing(permit: Permit, before: JsonObject, after: JsonObject) -> None:
    """Let every change through."""


@dataclass(frozen=True, slots=True)
class DocumentKind:
    """One kind of document.

    Attributes:
        name: As it stands in the audit.
        operation: What somebody must be allowed in order to write it.
        path: Where a document is, by its id.
        check: Returns everything that is wrong with the fields an owner wants; also told what they were before.
        fields: The owner's fields; None where all are theirs but the stamps. Others are neither shown nor touched. One
            with a dot, as `integrations.calendar`, is an entry of an object whose other entries are not theirs.
        needs: What else must be allowed for a change from one to the other, with what the change is called.
        beside: What is written in the same commit.
        saved: Is awaited after the commit, with the results of what was written beside; must not fail.
        completed: Adds to the fields an owner wants what they need and did not say; also told what they were before.
        held: Returns what is wrong with a change by what else there is: told who wants it, and the fields before and
            after.
        unbroken: Is awaited, told the same, before a change is saved that nobody has confirmed; raises `NotConfirmed`
            where something would break by it.
    """

    name: str
    operation: Operation
    path: Callable[[BusinessPaths, str], str]
    check: Callable[[JsonObject, JsonObject], Sequence[EntryProblem]]
    fields: tuple[str, ...] | None = None
    needs: Callable[[Mapping[str, Any], Mapping[str, Any]], Mapping[Operation, str]] = no_further_need
    beside: Callable[[BusinessPaths, str], Sequence[Write]] = nothing_beside
    saved: Callable[[str, str, Sequence[WriteResult]], Awaitable[None]] = nothing_afterwards
    completed: Callable[[JsonObject, JsonObject], JsonObject] = as_wanted
    held: Callable[[Permit, JsonObject, JsonObject], Awaitable[Sequence[EntryProblem]]] = held_by_nothing
    unbroken: Callable[[Permit, JsonObject, JsonObject], Awaitable[None]] = breaks_nothing

    def view(self, data: Mapping[str, Any]) -> JsonObject:
        """Return the owner's part of a stored document."""
        result: JsonObject = {}
        for name, value in self.leaves(data).items():
            whole, _, entry = name.partition(".")
            if entry:
                result.setdefault(whole, {})[entry] = value
            else:
                result[name] = value
        return result

    def leaves(self, data: Mapping[str, Any]) -> JsonObject:
        """Return the owner's part of a stored document, or of a view, by the paths of `fields`."""
        if self.fields is None:
            return {name: value for name, value in data.items() if name not in STAMPS}
        by_name = {}
        for name in self.fields:
            whole, _, entry = name.partition(".")
            place, last = (data.get(whole), entry) if entry else (data, whole)
            if isinstance(place, Mapping) and last in place:
                by_name[name] = place[last]
        return by_name

    def revision(self, document: Document) -> str:
        """Return the revision of a stored document: it changes with the owner's part, and only with that."""
        return revision_of(self.view(document.data))


def revision_of(view: Mapping[str, Any]) -> str:
    """Return the revision of what `DocumentKind.view` returned."""
    # Of the content: what the running system notes in the same document makes no owner's form out of date.
    return content_hash(view)[:_REVISION_DIGITS]
