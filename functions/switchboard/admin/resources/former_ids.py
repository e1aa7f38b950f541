"""Ids of people, rooms and the like that were removed: whoever was given one anew would take over what still names it.

Appointments name whom they are with by id, and so do the secret addresses of calendar feeds: a new Rosa would be told
to the old one's callers, and her appointments to whoever has the old one's address.
"""

import asyncio
from collections.abc import Sequence

from switchboard.admin.access.refusal import EntryProblem, NotValid
from switchboard.admin.resources.form import free_id
from switchboard.contract.ports import Paths, Store
from switchboard.contract.store import Filter, Query

_TRIED = 20


class FormerIds:
    """Tells which ids are still named. What the store raises passes through."""

    def __init__(self, store: Store, paths: Paths) -> None:
        self._store, self._paths = store, paths

    async def like(self, business_id: str, name: str, taken: Sequence[str]) -> list[str]:
        """Return those ids that would be made of a name, and that nobody has any more, but something still names.

        Raises:
            NotValid: There are too many of them.
        """
        entries = list[str]()
        for _ in range(_TRIED):
            id = free_id(name, [*taken, *entries])
            if not await self._named_by(business_id, id):
                return entries
            entries.append(id)
        raise NotValid([EntryProblem("id", f"The ids that {name[:60]!r} makes were all had before; choose an id.")])

    async def check(self, business_id: str, id: str, taken: Sequence[str]) -> None:
        """Refuse to give somebody an id that something names of somebody who was removed.

        Args:
            business_id: Where.
            id: The id.
            taken: The ids that there are.

        Raises:
            NotValid: In words that say what would work.
        """
        named_by = await self._named_by(business_id, id)
        if named_by:
            other = free_id(id, [*taken, id, *await self.like(business_id, id, [*taken, id])])
            sentence = (
                f"The id {id!r} still stands in {named_by}, of somebody who was removed; whoever got it would take "
                f"these over. Choose another, such as {other}, or undo the removal under Changes if it is the same one."
            )
            raise NotValid([EntryProblem("id", sentence)])

    async def _named_by(self, business_id: str, id: str) -> str:
        """Return what names an id; nothing where it is new."""
        within = self._paths.within(business_id)
        booked = Filter("resourceIds", "array-contains", id)
        # One whose time is being changed in an outside calendar has two.
        moved = Filter("move.resourceIds", "array-contains", id)
        places = {
            "appointments": (Query(within.collection("bookings"), (it,), limit=1) for it in (booked, moved)),
            "calendar addresses": [Query(within.collection("calendarFeeds"), (Filter("person", "==", id),), limit=1)],
        }
        asked = [(name, query) for name, queries in places.items() for query in queries]
        documents = await asyncio.gather(*(self._store.query(query) for _, query in asked))
        names = dict.fromkeys(name for (name, _), rows in zip(asked, documents, strict=True) if rows)
        return " and ".join(names)
