"""The ways in which documents are put back: by what changes them otherwise, so that an undo is held to the same rules.

Where a change is a document alone, that is `Revisions`. Where an outside system is involved it is the operation that
owners have for it; where even that cannot bring back what was, the undo is refused, and told why.
"""

from collections.abc import Callable, Mapping
from dataclasses import field
from typing import Protocol

from switchboard.admin.access.access import Permit
from switchboard.admin.audit.document_kind import DocumentKind
from switchboard.admin.audit.revisions import Revisions, Saved
from switchboard.contract.error import ErrorType, ToolError
from switchboard.contract.json import JsonObject
from switchboard.contract.ports import Paths, Store
from switchboard.contract.python.dataclass import dataclass

_ALWAYS_THERE = "This is set, and neither made nor removed; set it as you want it."


@dataclass(frozen=True, slots=True)
class DocumentState:
    """What there is of a document now: the owner's part, and its revision."""

    view: JsonObject
    revision: str


class UndoHandler(Protocol):
    """Puts back documents of one kind. The failures are those of the kind's operations."""

    @property
    def kind(self) -> DocumentKind:
        """The kind, which says what a role must allow."""

    async def standing(self, business_id: str, id: str) -> DocumentState | None:
        """Return what there is now; None where there is nothing."""

    async def create(self, permit: Permit, id: str, fields: JsonObject, *, undoes: str) -> Saved:
        """Bring back what was deleted."""

    async def change(
        self, permit: Permit, id: str, based_on: str, edit: Callable[[JsonObject], JsonObject], *, undoes: str
    ) -> Saved:
        """Change it into what `edit` makes of the owner's part."""

    async def delete(self, permit: Permit, id: str, based_on: str, *, undoes: str) -> Saved:
        """Take away what was created."""


class OnlyChanges:
    """What is always there: it is set and set back, and neither made nor taken away."""

    async def create(self, permit: Permit, id: str, fields: JsonObject, *, undoes: str) -> Saved:
        """Refuse."""
        raise ToolError(ErrorType.CONFLICT, _ALWAYS_THERE)

    async def delete(self, permit: Permit, id: str, based_on: str, *, undoes: str) -> Saved:
        """Refuse."""
        raise ToolError(ErrorType.CONFLICT, _ALWAYS_THERE)


class DocumentWay:
    """Puts back documents that are nothing but documents."""

    def __init__(self, store: Store, paths: Paths, revisions: Revisions, kind: DocumentKind) -> None:
        self._store, self._paths, self._revisions, self.kind = store, paths, revisions, kind

    async def standing(self, business_id: str, id: str) -> DocumentState | None:
        """Return what there is now; None where there is nothing."""
        document = await self._store.get(self.kind.path(self._paths.within(business_id), id))
        return None if document is None else DocumentState(self.kind.view(document.data), self.kind.revision(document))

    async def create(self, permit: Permit, id: str, fields: JsonObject, *, undoes: str) -> Saved:
        """See `Revisions.create`."""
        return await self._revisions.create(permit, self.kind, id, fields, undoes=undoes)

    async def change(
        self, permit: Permit, id: str, based_on: str, edit: Callable[[JsonObject], JsonObject], *, undoes: str
    ) -> Saved:
        """See `Revisions.change`."""
        return await self._revisions.change(permit, self.kind, id, based_on, edit, undoes=undoes)

    async def delete(self, permit: Permit, id: str, based_on: str, *, undoes: str) -> Saved:
        """See `Revisions.delete`."""
        return await self._revisions.delete(permit, self.kind, id, based_on, undoes=undoes)


@dataclass(frozen=True, slots=True)
class UndoHandlers:
    """The ways back beside plain documents, by kind: where there is one, and why there is none where there is not."""

    by_kind: Mapping[str, UndoHandler] = field(default_factory=dict)
    refusals: Mapping[str, str] = field(default_factory=dict)
