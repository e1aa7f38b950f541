"""Mends the records of callers: what they are found by is stored beside what somebody typed in.

Records are also written by whoever imports or types them into the store itself. Once a day every business's are gone
through; until then such a record is found by the usual spellings of a number or an address.
"""

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Final

from switchboard.contract.business.business import read_business
from switchboard.contract.ports import BusinessPaths, Clock, Paths, Store
from switchboard.contract.store import Document, Missing, Query, Set, Stale, Update
from switchboard.desk.callers.callers import normalised
from switchboard.desk.contact.phone import region_of

_MARK: Final = "mended:callers"
_EVERY: Final = timedelta(days=1)
_PAGE: Final = 100
# A pass is made every minute: what it does not finish, the next one does.
_PAGES: Final = 20


class CallerSpellings:
    """Keeps `phoneNormalised` and `emailNormalised` in line. What the store raises passes through."""

    def __init__(self, store: Store, paths: Paths, clock: Clock) -> None:
        self._store, self._paths, self._clock = store, paths, clock

    async def mend(self, business_id: str | None = None) -> Mapping[str, int]:
        """Mend the records of one business, or of all that are due; return how many were `{mended}`."""
        if business_id is not None:
            stored = await self._store.get(self._paths.within(business_id).business)
            return {"mended": await self._of(stored) if stored is not None else 0}
        mended, after = 0, None
        while True:
            page = await self._store.query(Query(self._paths.businesses, limit=_PAGE, start_after=after))
            for document in page:
                mended += await self._of(document)
            if len(page) < _PAGE:
                return {"mended": mended}
            after = (page[-1].id,)

    async def _of(self, business: Document) -> int:
        """Go on where the last pass of a business's records stopped."""
        within, now = self._paths.within(business.id), self._clock.now()
        place = mark_of(within)
        mark = await self._store.get(place)
        done_at, after = (mark.data.get("doneAt"), mark.data.get("after")) if mark is not None else (None, None)
        if isinstance(done_at, datetime) and now - done_at < _EVERY:
            return 0
        region, mended = region_of(read_business(business.id, business.data)), 0
        for _ in range(_PAGES):
            start = (after,) if isinstance(after, str) else None
            page = await self._store.query(Query(within.collection("callers"), limit=_PAGE, start_after=start))
            mended += sum([await self._mended(document, region) for document in page])
            after = page[-1].id if len(page) == _PAGE else None
            if after is None:
                break
        # Where it is not through, no time is noted: the next pass goes on behind the last record.
        await self._store.commit([Set(place, {"doneAt": now if after is None else None, "after": after})])
        return mended

    async def _mended(self, document: Document, region: str | None) -> bool:
        spellings = normalised(document.data, region)
        fields = {name: value for name, value in spellings.items() if document.data.get(name) != value}
        if not fields:
            return False
        try:
            await self._store.commit([Update(document.path, fields, if_update_time=document.update_time)])
        except (Stale, Missing):
            # Whoever changed it in this moment is followed tomorrow.
            return False
        return True


def mark_of(within: BusinessPaths) -> str:
    """Return the path of what says how far the records of a business were gone through."""
    return within.document("tickets", _MARK)
