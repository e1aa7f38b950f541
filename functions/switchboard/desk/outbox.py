"""The outbox: what was promised to a caller and is still to be done, for every business.

Documents of kind `text` are text messages: those that `Texts` could not finish, and those that others left to be sent,
with `id`, `kind`, `state: "todo"`, `to`, `body`, `createdAt`, `expireAt` and `effectKey`. Those of kind `message` are
what callers left for the owner; those of kind `code`, codes that somebody asked for.
"""

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass
from datetime import datetime

from switchboard.contract.business import Business, read_business
from switchboard.contract.ports import BusinessPaths, Clock, Mailers, Paths, Store
from switchboard.contract.store import Document, Filter, Order, Query
from switchboard.desk.one_time_codes import KIND as CODE
from switchboard.desk.one_time_codes import OneTimeCodes
from switchboard.desk.owner_messages import OwnerMessages
from switchboard.desk.rate_limits import Spender
from switchboard.desk.texts import Texts

log = logging.getLogger(__name__)

_PAGE = 100
_AT_ONCE = 8
_OPEN = ("todo", "sending", "unknown")


@dataclass(frozen=True, slots=True)
class Errand:
    """For whom the outbox is drained, and when: what a call's context is to a call."""

    business: Business
    paths: BusinessPaths
    now: datetime


class Outbox:
    """Finishes what is open, one document at a time, each by at most one of those who drain."""

    def __init__(
        self,
        store: Store,
        paths: Paths,
        texts: Texts,
        mailers: Mailers,
        clock: Clock,
        codes: OneTimeCodes | None = None,
    ) -> None:
        """Drain what lies in `store`, below the businesses of `paths`."""
        self._store, self._paths, self._clock = store, paths, clock
        self._carriers: dict[str, Callable[[Spender, Document], Awaitable[bool]]] = {
            "text": texts.carry_on,
            "message": OwnerMessages(store, texts, mailers, clock).carry_on,
        }
        if codes is not None:
            self._carriers[CODE] = codes.carry_on

    async def drain(self, limit: int = 100) -> int:
        """Do what is due in the outboxes of all businesses, the oldest first; return for how many documents.

        Any number of processes may drain at once. One document's trouble keeps no other waiting; it is tried again by
        the next drain.

        Args:
            limit: After so many documents the rest is left for the next time.

        Raises:
            StoreError: The outbox cannot be read.
        """
        businesses: dict[str, asyncio.Task[Business | None]] = {}
        done = 0
        async for page in self._pages():
            for begin in range(0, len(page), _AT_ONCE):
                batch = page[begin : begin + min(_AT_ONCE, limit - done)]
                done += await self._carry_on_all(batch, businesses)
                if done >= limit:
                    return done
        return done

    async def _pages(self) -> AsyncIterator[list[Document]]:
        """Yield what is open; what waits for a later time is passed over by who looks at it, and blocks nobody."""
        after: tuple[object, ...] | None = None
        while True:
            query = Query(
                "outbox",
                filters=(Filter("kind", "in", list(self._carriers)), Filter("state", "in", list(_OPEN))),
                order=(Order("createdAt"),),
                limit=_PAGE,
                start_after=after,
                group=True,
            )
            page = await self._store.query(query)
            if page:
                yield page
            if len(page) < _PAGE:
                return
            after = (page[-1].data["createdAt"], page[-1].path)

    async def _carry_on_all(self, batch: list[Document], businesses: dict[str, asyncio.Task[Business | None]]) -> int:
        outcomes = await asyncio.gather(
            *(self._carry_on(document, businesses) for document in batch), return_exceptions=True
        )
        for document, outcome in zip(batch, outcomes, strict=True):
            if isinstance(outcome, BaseException):
                log.error("outbox document failed", extra={"path": document.path}, exc_info=outcome)
        return sum(outcome is True for outcome in outcomes)

    async def _carry_on(self, document: Document, businesses: dict[str, asyncio.Task[Business | None]]) -> bool:
        # A business whose id cannot stand in a path as it is says it in the document.
        id = str(document.data.get("businessId") or self._paths.business_of(document.path))
        if id not in businesses:
            businesses[id] = asyncio.create_task(self._business(id))
        business = await businesses[id]
        if business is None:
            return False
        errand = Errand(business, self._paths.within(id), self._clock.now())
        if not document.path.startswith(errand.paths.business + "/"):
            log.error("outbox document names another business", extra={"path": document.path})
            return False
        return await self._carriers[document.data["kind"]](errand, document)

    async def _business(self, id: str) -> Business | None:
        found = await self._store.get(self._paths.within(id).business)
        return read_business(id, found.data) if found is not None else None
