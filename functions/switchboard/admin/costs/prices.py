"""The one document of prices, `config/prices`: read, and replaced as a whole, with a note of who did it beside it."""

import secrets

from switchboard.admin.access.access import Permit
from switchboard.admin.access.refusal import NotValid, OutOfDate
from switchboard.admin.api.paging import Page, Slice, sliced
from switchboard.admin.audit.document_kind import revision_of
from switchboard.admin.audit.revisions import Saved, again_where_late, require, stamps
from switchboard.admin.costs.paths import CostPaths
from switchboard.admin.costs.price_list import PriceList, price_list, problems_of
from switchboard.admin.documents.difference import differences
from switchboard.contract.json import JsonObject
from switchboard.contract.ports import Clock, Store
from switchboard.contract.python.dataclass import dataclass
from switchboard.contract.store import Create, Document, Order, Query, Update, Write

_RANDOM_BYTES = 8


@dataclass(frozen=True, slots=True)
class PricesRead:
    """The prices as they are now, with what a change of them is based on; without a document there are none."""

    list: PriceList
    document: Document | None = None

    @property
    def revision(self) -> str:
        """What a change is based on."""
        return revision_of(self.list.to_json())

    def to_json(self) -> JsonObject:
        """Return them as the admin API answers them."""
        data = self.document.data if self.document is not None else {}
        return {
            **self.list.to_json(),
            "revision": self.revision,
            "updatedAt": data.get("updatedAt"),
            "updatedBy": str(data.get("updatedBy") or ""),
        }


class Prices:
    """Reads prices and replaces them. What the store raises passes through."""

    def __init__(self, store: Store, paths: CostPaths, clock: Clock) -> None:
        self._store, self._paths, self._clock = store, paths, clock

    async def read(self) -> PricesRead:
        """Return the prices of now."""
        document = await self._store.get(self._paths.prices)
        return PricesRead(price_list(document.data if document is not None else {}), document)

    @again_where_late
    async def replace(self, permit: Permit, based_on: str | None, currency: str, rows: list[JsonObject]) -> Saved:
        """Replace all prices; the same once more is nothing done.

        Raises:
            RevisionMissing: `based_on` says nothing.
            OutOfDate: Somebody else has changed them since that revision.
            NotValid: They cannot be prices; all problems at once.
        """
        require(based_on)
        problems = problems_of(rows)
        if problems:
            raise NotValid(problems)
        after = price_list({"currency": currency, "prices": rows})
        current = await self.read()
        before, new = current.list.to_json(), after.to_json()
        if current.revision != based_on:
            by = str(current.document.data.get("updatedBy") or "") if current.document is not None else ""
            raise OutOfDate(current.revision, before, new, differences(before, new), by)
        if before == new:
            return Saved(current.document, current.revision, None)
        note = self._note(permit, before, new)
        await self._store.commit([self._write(current.document, {**new, **stamps(permit)}), note])
        return Saved(current.document, revision_of(new), note.path.rpartition("/")[2])

    async def changes(self, page: Page) -> Slice[JsonObject]:
        """Return a page of who has changed the prices, the newest first, with both lists."""
        query = Query(self._paths.price_changes, order=(Order("at", descending=True),))
        part = await sliced(self._store, query, page)
        return Slice([{"id": document.id, **document.data} for document in part.items], part.next_cursor)

    def _write(self, document: Document | None, fields: JsonObject) -> Write:
        if document is None:
            return Create(self._paths.prices, fields)
        return Update(document.path, fields, if_update_time=document.update_time)

    def _note(self, permit: Permit, before: JsonObject, after: JsonObject) -> Create:
        now = self._clock.now()
        lines = [str(difference) for difference in differences(before, after)]
        fields = {"at": now, "who": permit.who, "before": before, "after": after, "changes": lines}
        return Create(self._paths.price_change(f"{now:%Y%m%dT%H%M%S}-{secrets.token_hex(_RANDOM_BYTES)}"), fields)
