"""Statements of months: of one business, and of all, each from one document that the passes have summed up."""

import asyncio
import re
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any, Final

from switchboard.admin.access.known_business import business_document
from switchboard.admin.api.paging import Page, Slice, sliced
from switchboard.admin.costs.counting import SINCE, counted_until
from switchboard.admin.costs.month_stops import standings
from switchboard.admin.costs.monthly_limits import LIMITS_FIELD, read_monthly_limits
from switchboard.admin.costs.paths import MONTHS, CostPaths
from switchboard.admin.costs.price_list import PriceList, price_list
from switchboard.admin.costs.statement import Statement, lines_of
from switchboard.contract.business.business import read_business
from switchboard.contract.business.month_stop import month_of
from switchboard.contract.document import moment
from switchboard.contract.ports import Clock, Store
from switchboard.contract.python.dataclass import dataclass
from switchboard.contract.store import Query

MONTH: Final = re.compile(r"20[0-9]{2}-(0[1-9]|1[0-2])")
"""A month as it is asked for."""
# The longest month, with a day of whatever zone.
_INTO_NEXT: Final = timedelta(days=32)


@dataclass(frozen=True, slots=True)
class _PricedUntil:
    """What all statements have in common: when they are made, the prices, and how far everything is counted."""

    now: datetime
    prices: PriceList
    since: datetime | None
    until: datetime | None


class MonthStatements:
    """Reads them. What the store raises passes through."""

    def __init__(self, store: Store, paths: CostPaths, clock: Clock) -> None:
        self._store, self._paths, self._clock = store, paths, clock

    async def of(self, business_id: str, month: str = "") -> Statement:
        """Return a business's month, as `MONTH` has it; without one that of now, by the business's calendar.

        Raises:
            NotFound: There is no such business.
        """
        within = self._paths.within(business_id)
        business, known = await asyncio.gather(business_document(self._store, within), self._known())
        asked = month or month_of(known.now, read_business(business_id, business.data).timezone)
        document = await self._store.get(within.document(MONTHS, asked))
        return _statement(business_id, business.data, asked, document.data if document is not None else {}, known)

    async def of_all(self, page: Page, month: str = "") -> Slice[Statement]:
        """Return the statements of a page of businesses, by id; without a month that of now in UTC."""
        asked = month or f"{self._clock.now().astimezone(UTC):%Y-%m}"
        part, known = await asyncio.gather(sliced(self._store, Query(self._paths.businesses), page), self._known())
        businesses = [(document.id, document.data) for document in part.items]
        paths = [self._paths.within(id).document(MONTHS, asked) for id, _ in businesses]
        documents = await self._store.get_many(paths) if paths else []
        return Slice(
            [
                _statement(id, data, asked, document.data if document is not None else {}, known)
                for (id, data), document in zip(businesses, documents, strict=True)
            ],
            part.next_cursor,
        )

    async def _known(self) -> _PricedUntil:
        prices, progress = await self._store.get_many([self._paths.prices, self._paths.month_counting])
        since = moment(progress.data.get(SINCE)) if progress is not None else None
        until = counted_until(progress) if progress is not None else None
        # What is counted is some time old: until that has passed since the beginning, nothing is.
        has_begun = since is not None and until is not None and until > since
        listed = price_list(prices.data if prices is not None else {})
        return _PricedUntil(self._clock.now(), listed, since, until if has_begun else None)


def _statement(id: str, data: Mapping[str, Any], month: str, sums: Mapping[str, Any], known: _PricedUntil) -> Statement:
    business = read_business(id, data)
    begins = datetime.fromisoformat(f"{month}-01").replace(tzinfo=business.timezone)
    ends = (begins + _INTO_NEXT).replace(day=1)
    limits = read_monthly_limits(data.get(LIMITS_FIELD))
    return Statement(
        business_id=id,
        name=business.name,
        month=month,
        timezone=business.timezone.key,
        lines=lines_of(sums, known.prices),
        currency=known.prices.currency,
        counted_since=known.since,
        counted_until=known.until,
        is_counted_whole=known.since is not None and begins >= known.since,
        is_over=known.until is not None and ends <= known.until,
        limits=standings(limits, sums, known.prices) if month == month_of(known.now, business.timezone) else (),
    )
