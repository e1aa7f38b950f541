"""Notes in a business's document what of its month is used up, so that whoever answers a call reads it with the rest.

What is noted follows from the sums and the limits alone. It is worked out anew whenever something of the business was
counted or its limits were saved, and for every business with limits some minutes later all the same: what was noted
wrongly, taken out by hand, or not noted because a pass died, is right again then.
"""

import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Mapping, Sequence
from datetime import timedelta
from decimal import Decimal
from typing import Any, Final
from zoneinfo import ZoneInfo

from switchboard.admin.access.roles import Operation
from switchboard.admin.audit.document_kind import DocumentKind
from switchboard.admin.costs.monthly_limits import (
    IS_SET,
    LIMITS_FIELD,
    LimitStanding,
    MonthlyLimit,
    limit_problems,
    read_monthly_limits,
)
from switchboard.admin.costs.paths import MONTHS, CostPaths
from switchboard.admin.costs.price_list import PriceList, price_list
from switchboard.admin.costs.statement import lines_of
from switchboard.admin.costs.used import CONVERSATIONS, MODELS, TEXTS
from switchboard.contract.business.business import read_business
from switchboard.contract.business.month_stop import (
    MONTHLY_UNITS,
    STOP_FIELD,
    MonthlyUnit,
    MonthStop,
    month_of,
    read_month_stop,
)
from switchboard.contract.channel import Channel
from switchboard.contract.document import integer, mapping
from switchboard.contract.error import log_fields
from switchboard.contract.ports import Clock, Store
from switchboard.contract.store import (
    DELETE_FIELD,
    Document,
    Filter,
    Invalid,
    Missing,
    Query,
    Stale,
    StoreError,
    Update,
    WriteResult,
    documents_of,
)

LIMITS: Final = "monthlyLimits"
"""The kind of document that limits are, as the audit names it."""

_AGAIN_AFTER: Final = timedelta(minutes=10)
_AT_ONCE: Final = 100
# Where a month begins first, and where it is over last.
_FIRST_AND_LAST: Final = (ZoneInfo("Etc/GMT-14"), ZoneInfo("Etc/GMT+12"))
_TRIES: Final = 4

log = logging.getLogger(__name__)


def standings(
    limits: Mapping[MonthlyUnit, MonthlyLimit], sums: Mapping[str, Any], prices: PriceList
) -> tuple[LimitStanding, ...]:
    """Return how far limits are used up by a month's sums, in the order of the units."""
    return tuple(
        LimitStanding(unit, _used(unit, sums, prices), limits[unit]) for unit in MONTHLY_UNITS if unit in limits
    )


def _used(unit: MonthlyUnit, sums: Mapping[str, Any], prices: PriceList) -> Decimal | None:
    if unit == "cost":
        costs = [line.cost for line in lines_of(sums, prices) if line.cost is not None]
        return sum(costs, Decimal()) if costs or prices.prices else None
    if unit == "texts":
        return Decimal(integer(mapping(sums.get(TEXTS)).get("segments")))
    if unit == "phoneMinutes":
        spoken = mapping(mapping(sums.get(CONVERSATIONS)).get(Channel.PHONE.value))
        return Decimal(integer(spoken.get("minutes")))
    models = [mapping(model) for model in mapping(sums.get(MODELS)).values()]
    return Decimal(sum(integer(model.get("input")) + integer(model.get("output")) for model in models))


def is_limited(document: Document) -> bool:
    """Tell whether a business's own document has limits, or a note about those it had."""
    return LIMITS_FIELD in document.data or STOP_FIELD in document.data


class LimitStandings:
    """Tells how far businesses' limits are used up. What the store raises passes through."""

    def __init__(self, store: Store, paths: CostPaths, clock: Clock) -> None:
        self._store, self._paths, self._clock = store, paths, clock

    async def of(self, business_id: str, data: Mapping[str, Any]) -> tuple[str, tuple[LimitStanding, ...]]:
        """Return the month of now (`yyyy-mm`) and how a business's limits stand; without any, nothing is read for it.

        Args:
            business_id: Whose.
            data: Its own document, as it was read.
        """
        limits = read_monthly_limits(data.get(LIMITS_FIELD))
        month = month_of(self._clock.now(), read_business(business_id, data).timezone)
        if not limits:
            return month, ()
        sums = self._paths.within(business_id).document(MONTHS, month)
        counted, prices = await self._store.get_many([sums, self._paths.prices])
        used, priced = (read.data if read is not None else {} for read in (counted, prices))
        return month, standings(limits, used, price_list(priced))


class MonthStops:
    """Notes what is used up."""

    def __init__(self, store: Store, paths: CostPaths, clock: Clock, forget: Callable[[str], None]) -> None:
        """Note it in `store`; `forget` has a business read anew when it is next needed."""
        self._store, self._paths, self._clock, self._forget = store, paths, clock, forget
        self._standings = LimitStandings(store, paths, clock)
        self._all_again_at = float("-inf")

    def look_at_all(self) -> None:
        """Note it with the next pass of every business that has limits, as nobody knows which have used up more."""
        self._all_again_at = float("-inf")

    async def note(self, business_ids: Collection[str]) -> None:
        """Note it of these businesses, and, where this process has not done so for a while, of all that have limits.

        Those count as well that had some, and of which something is noted.

        Raises:
            StoreError: The store does not answer; the next pass goes on.
        """
        for business_id in sorted(business_ids):
            await self._noted_or_passed_over(business_id)
        if self._clock.monotonic() < self._all_again_at:
            return
        async for document in self._limited_or_noted():
            if document.id not in business_ids:
                await self._noted_or_passed_over(document.id, document)
        self._all_again_at = self._clock.monotonic() + _AGAIN_AFTER.total_seconds()

    async def _noted_or_passed_over(self, business_id: str, document: Document | None = None) -> None:
        """Note it of a business; one whose document can hold nothing more keeps no other from its turn."""
        try:
            await self.note_of(business_id, document)
        except Invalid as error:
            log.warning("month not noted", extra={"businessId": business_id, **log_fields(error)})

    async def _limited_or_noted(self) -> AsyncIterator[Document]:
        """Yield the businesses that have limits, and those whose limits were taken away and whose note was not."""
        businesses, now = self._paths.businesses, self._clock.now()
        limited = Query(businesses, (Filter(f"{LIMITS_FIELD}.{IS_SET}", "==", True),))
        async for document in documents_of(self._store.query, limited, _AT_ONCE):
            yield document
        # A note of any other month stops nothing.
        months = sorted({month_of(now, zone) for zone in _FIRST_AND_LAST})
        noted = Query(businesses, (Filter(f"{STOP_FIELD}.month", "in", months),))
        async for document in documents_of(self._store.query, noted, _AT_ONCE):
            if LIMITS_FIELD not in document.data:
                yield document

    async def note_of(self, business_id: str, document: Document | None = None) -> None:
        """Note what of a business's month is used up; nothing is written where that stands there already.

        Args:
            business_id: Whose.
            document: The business's own, where it was just read.

        Raises:
            StoreError: The store does not answer.
        """
        path = self._paths.within(business_id).business
        for _ in range(_TRIES):
            document = document or await self._store.get(path)
            if document is None:
                return
            write = await self._write(business_id, document)
            if write is None:
                return
            try:
                await self._store.commit([write])
            except (Stale, Missing):
                # Somebody edits the business, or another pass has noted it: what there is now is looked at once more.
                document = None
                continue
            self._forget(business_id)
            return

    async def _write(self, business_id: str, document: Document) -> Update | None:
        month, limits = await self._standings.of(business_id, document.data)
        if not limits:
            is_noted = STOP_FIELD in document.data
            return Update(document.path, {STOP_FIELD: DELETE_FIELD}, document.update_time) if is_noted else None
        noted = read_month_stop(document.data.get(STOP_FIELD))
        before = noted.since if noted.month == month else {}
        now = self._clock.now()
        since = {one.unit: before.get(one.unit, now) for one in limits if one.reached == "limit"}
        if noted == (stop := MonthStop(month, since)):
            return None
        return Update(document.path, {STOP_FIELD: stop.to_document()}, document.update_time)


def limits_kind(note_of: Callable[[str], Awaitable[None]]) -> DocumentKind:
    """Return the kind that the limits in a business's document are; only whoever runs all businesses writes them.

    Args:
        note_of: Notes what of a business's month is used up, once its limits are others.
    """

    async def saved(business_id: str, document: str, beside: Sequence[WriteResult]) -> None:
        try:
            await note_of(business_id)
        except StoreError as error:
            # The limits are saved; a pass notes it within some minutes.
            log.warning("what a month has used up is not noted yet", extra=log_fields(error))

    return DocumentKind(
        LIMITS,
        Operation.LIMIT_MONTHS,
        lambda paths, _: paths.business,
        limit_problems,
        (LIMITS_FIELD,),
        saved=saved,
    )
