"""Mends the records of callers: what they are found by is stored beside what somebody typed in.

Records are also written by whoever imports or types them into the store itself. Once a day every business's are gone
through; until then such a record is found by the usual spellings of its first number or its address.

Appointments of earlier versions do not say by what their customers' names are found: these are gone through once.
"""

from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from typing import Final

from switchboard.admin.access.known_business import businesses
from switchboard.contract.business.business import read_business
from switchboard.contract.json import JsonObject
from switchboard.contract.ports import BusinessCollection, BusinessPaths, Clock, Paths, Store
from switchboard.contract.store import Document, Missing, Query, Set, Stale, Update
from switchboard.desk.callers.callers import name_keys, normalised
from switchboard.desk.contact.phone import region_of

_MARK: Final = "mended:callers"
_MARK_OF_BOOKINGS: Final = "mended:bookings"
_EVERY: Final = timedelta(days=1)
_PAGE: Final = 100
# A pass is made every minute: what it does not finish, the next one does.
_PAGES: Final = 20


class CallerSpellings:
    """Keeps `phoneNormalised`, `otherPhonesNormalised` and `emailNormalised` in line.

    What the store raises passes through.
    """

    def __init__(self, store: Store, paths: Paths, clock: Clock) -> None:
        self._store, self._paths, self._clock = store, paths, clock

    async def mend(self, business_id: str | None = None) -> Mapping[str, int]:
        """Mend the records of one business, or of all that are due; return how many were `{mended}`."""
        mended = 0
        async for document in businesses(self._store, self._paths, business_id):
            mended += await self._of(document)
        return {"mended": mended}

    async def _of(self, business: Document) -> int:
        """Go on where the last pass of a business's records stopped."""
        within, now = self._paths.within(business.id), self._clock.now()
        places = (mark_of(within), within.document("tickets", _MARK_OF_BOOKINGS))
        of_callers, of_bookings = await self._store.get_many(places)
        region, mended = region_of(read_business(business.id, business.data)), 0
        done_at = of_callers.data.get("doneAt") if of_callers is not None else None
        if not isinstance(done_at, datetime) or now - done_at >= _EVERY:

            def of_caller(document: Document) -> JsonObject:
                return normalised(document.data, region)

            mended += await self._gone_on(within, "callers", places[0], of_callers, of_caller)
        if of_bookings is None or not isinstance(of_bookings.data.get("doneAt"), datetime):
            mended += await self._gone_on(within, "bookings", places[1], of_bookings, _of_booking)
        return mended

    async def _gone_on(
        self,
        within: BusinessPaths,
        collection: BusinessCollection,
        place: str,
        mark: Document | None,
        spellings_of: Callable[[Document], JsonObject],
    ) -> int:
        """Go on where the last pass of a collection stopped, and note how far this one came."""
        after, mended = mark.data.get("after") if mark is not None else None, 0
        for _ in range(_PAGES):
            start = (after,) if isinstance(after, str) else None
            page = await self._store.query(Query(within.collection(collection), limit=_PAGE, start_after=start))
            mended += sum([await self._mended(document, spellings_of(document)) for document in page])
            after = page[-1].id if len(page) == _PAGE else None
            if after is None:
                break
        # Where it is not through, no time is noted: the next pass goes on behind the last record.
        done_at = self._clock.now() if after is None else None
        await self._store.commit([Set(place, {"doneAt": done_at, "after": after})])
        return mended

    async def _mended(self, document: Document, spellings: JsonObject) -> bool:
        fields = {name: value for name, value in spellings.items() if document.data.get(name) != value}
        if not fields:
            return False
        try:
            await self._store.commit([Update(document.path, fields, if_update_time=document.update_time)])
        except (Stale, Missing):
            # Whoever changed it in this moment is followed tomorrow.
            return False
        return True


def _of_booking(document: Document) -> JsonObject:
    name = document.data.get("customerName")
    return {"customerKeys": name_keys(name)} if isinstance(name, str) and name else {}


def mark_of(within: BusinessPaths) -> str:
    """Return the path of what says how far the records of a business were gone through."""
    return within.document("tickets", _MARK)
