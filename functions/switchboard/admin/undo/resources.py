"""How a change of a person, a room or the like is undone: by what changes them otherwise."""

from collections.abc import Callable

from switchboard.admin.access.access import Permit
from switchboard.admin.access.refusal import NotFound
from switchboard.admin.audit.document_kind import revision_of
from switchboard.admin.audit.revisions import NO_DOCUMENT, Saved
from switchboard.admin.resources.resources import RESOURCE, ChangeWish, ResourceChange, Resources
from switchboard.admin.undo.handler import DocumentState
from switchboard.contract.json import JsonObject


class ResourceWay:
    """Puts back people, rooms and the like; never so that something breaks unseen."""

    kind = RESOURCE

    def __init__(self, resources: Resources) -> None:
        """Go through `resources`."""
        self._resources = resources

    async def standing(self, business_id: str, id: str) -> DocumentState | None:
        """Return what there is now; None where there is nothing."""
        try:
            row = await self._resources.one(business_id, id)
        except NotFound:
            return None
        return DocumentState(row, revision_of(row))

    async def create(self, permit: Permit, id: str, fields: JsonObject, *, undoes: str) -> Saved:
        """Enter again what was removed."""
        return await self._put(permit, id, NO_DOCUMENT, fields, undoes)

    async def change(
        self, permit: Permit, id: str, based_on: str, edit: Callable[[JsonObject], JsonObject], *, undoes: str
    ) -> Saved:
        """Change it into what it was."""
        return await self._put(permit, id, based_on, edit(await self._resources.one(permit.business_id, id)), undoes)

    async def delete(self, permit: Permit, id: str, based_on: str, *, undoes: str) -> Saved:
        """Remove what was entered."""
        return _saved(await self._resources.delete(permit, id, based_on, ChangeWish(undoes=undoes)))

    async def _put(self, permit: Permit, id: str, based_on: str, fields: JsonObject, undoes: str) -> Saved:
        # Absences that are not named would stay as they are.
        given = {"absences": [], **fields}
        return _saved(await self._resources.put(permit, id, based_on, given, ChangeWish(undoes=undoes)))


def _saved(change: ResourceChange) -> Saved:
    assert change.saved is not None
    return change.saved
