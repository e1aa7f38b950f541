"""The outbox: what was promised to a caller and is still to be done, for every business.

Documents of kind `text` are text messages: those that `Texts` could not finish, and those that others left to be sent,
with `id`, `kind`, `state: "todo"`, `to`, `body`, `createdAt`, `expireAt` and `effectKey`. Those of kind `message` are
what callers left for the owner; those of kind `code`, codes that somebody asked for.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime, timedelta

from switchboard.contract.business.business import Business, read_business
from switchboard.contract.context import Spender
from switchboard.contract.document import integer
from switchboard.contract.error import ErrorType
from switchboard.contract.json import JsonObject
from switchboard.contract.observability.subject import About
from switchboard.contract.policy import OUTBOX_DAYS
from switchboard.contract.ports import BusinessPaths, Clock, Mailers, Paths, Store
from switchboard.contract.python.dataclass import dataclass
from switchboard.contract.store import DELETE_FIELD, Document, Filter, Order, Query, Stale, StoreError, Update
from switchboard.desk.callers.one_time_codes import KIND as CODE
from switchboard.desk.callers.one_time_codes import OneTimeCodes
from switchboard.desk.messaging.due_times import DUE, OPEN, due_at, pause_after
from switchboard.desk.messaging.owner_messages import OwnerMessages
from switchboard.desk.messaging.sms import Texts

log = logging.getLogger(__name__)

_PAGE, _PAGES = 60, 40
_AT_ONCE = 8
# How much of what does not say when it is due one drain takes in, and how often everything is looked through for it.
_TAKEN_IN_AT_ONCE = 40
_LOOK_BACK_EVERY, _CLOCKS_DIFFER = timedelta(hours=1), timedelta(minutes=5)
_EVERYTHING: tuple[object, ...] = ()
# So often is one tried that nobody can handle, within some two hours.
_MOST_TRIES = 12
_FIRST_PAUSE, _LONGEST_PAUSE = timedelta(seconds=15), timedelta(minutes=15)


@dataclass(frozen=True, slots=True)
class OutboxItem:
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
        # How far what is open has been looked through for documents that do not say when they are due: back from a
        # place, or not at all any more, since everything up to some time has been seen.
        self._looked_back_at = self._seen_to = datetime.min.replace(tzinfo=UTC)
        self._back_from: tuple[object, ...] | None = None
        self._carriers: dict[str, Callable[[Spender, Document], Awaitable[bool]]] = {
            "text": texts.carry_on,
            "message": OwnerMessages(store, texts, mailers, clock).carry_on,
        }
        if codes is not None:
            self._carriers[CODE] = codes.carry_on

    async def drain(self, limit: int = 100) -> int:
        """Do what is due in the outboxes of all businesses, the oldest first; return for how many documents.

        Only what is due is read, whatever else waits. Any number of processes may drain at once. One document's trouble
        keeps no other waiting: it is tried again later, less and less often, and in the end it has failed.

        Args:
            limit: After so many documents the rest is left for the next time.

        Raises:
            StoreError: The outbox cannot be read.
        """
        businesses: dict[str, asyncio.Task[Business | None]] = {}
        done, now = 0, self._clock.now()
        await self._take_in(now)
        after: tuple[object, ...] | None = None
        for _ in range(_PAGES):
            page = await self._due(now, min(_PAGE, limit - done), after)
            done += sum([await self._carry_on_all(page[n : n + _AT_ONCE], businesses) for n in _batches(len(page))])
            if done >= limit or len(page) < _PAGE:
                return done
            after = (page[-1].data[DUE], page[-1].path)
        return done

    async def _due(self, now: datetime, limit: int, after: tuple[object, ...] | None) -> list[Document]:
        query = Query(
            "outbox",
            filters=(Filter(DUE, "<=", now),),
            order=(Order(DUE),),
            limit=limit,
            start_after=after,
            group=True,
        )
        return await self._store.query(query)

    async def _take_in(self, now: datetime) -> None:
        """Say when documents are due, and when they end, that do not say it: of earlier versions, and left by others.

        A page of what is open at a time, the newest first, back to the oldest that there is; from then on only what is
        new, and everything once more every now and then, since others may write what looks old.
        """
        if now >= self._looked_back_at + _LOOK_BACK_EVERY:
            self._looked_back_at, self._seen_to, self._back_from = now, now, _EVERYTHING
        is_back = self._back_from is not None
        since = () if is_back else (Filter("createdAt", ">=", self._seen_to - _CLOCKS_DIFFER),)
        query = Query(
            "outbox",
            filters=(Filter("kind", "in", list(self._carriers)), Filter("state", "in", list(OPEN)), *since),
            order=(Order("createdAt", descending=True),),
            limit=_TAKEN_IN_AT_ONCE,
            start_after=self._back_from or None,
            group=True,
        )
        documents = await self._store.query(query)
        without = [
            d for d in documents if not all(isinstance(d.data.get(name), datetime) for name in (DUE, "expireAt"))
        ]
        try:
            for n in _batches(len(without)):
                await asyncio.gather(*(self._say_when(d, now) for d in without[n : n + _AT_ONCE]))
        except StoreError as error:
            # The next drain begins here again.
            log.warning("outbox not taken in", extra={"reason": type(error).__name__, "pii.detail": str(error)})
            return
        if len(documents) < _TAKEN_IN_AT_ONCE:
            self._back_from, self._seen_to = None, now
        else:
            # Of what is new, too, more may have come than one look takes in: what is behind it is looked for from here.
            self._back_from = (documents[-1].data["createdAt"], documents[-1].path)

    async def _carry_on_all(self, batch: list[Document], businesses: dict[str, asyncio.Task[Business | None]]) -> int:
        known = [document for document in batch if document.data.get("kind") in self._carriers]
        outcomes = await asyncio.gather(*(self._carry_on(d, businesses) for d in known), return_exceptions=True)
        for document, outcome in zip(known, outcomes, strict=True):
            if isinstance(outcome, BaseException):
                log.error("outbox document failed", extra={"path": document.path}, exc_info=outcome)
        await asyncio.gather(*(self._put_off(d, outcome) for d, outcome in zip(known, outcomes, strict=True)))
        return sum(outcome is True for outcome in outcomes)

    async def _put_off(self, document: Document, outcome: bool | str | BaseException) -> None:
        """See that a document that was looked at is not the next one again, unless there is something to be done."""
        try:
            document_now = await self._store.get(document.path)
            if document_now is None or not isinstance(document_now.data.get(DUE), datetime):
                return
            now = self._clock.now()
            if document_now.data.get("state") not in OPEN:
                changes: JsonObject = {DUE: DELETE_FIELD}
            elif document_now.data[DUE] > now:
                return
            else:
                changes = self._later(document_now, outcome, now)
            await self._store.commit([Update(document_now.path, changes, if_update_time=document_now.update_time)])
        except Stale:
            # Somebody has gone on with it.
            return
        except StoreError as error:
            log.warning("outbox document not put off", extra={"reason": type(error).__name__, "pii.detail": str(error)})

    def _later(self, document: Document, outcome: bool | str | BaseException, now: datetime) -> JsonObject:
        tries = integer(document.data.get("recoveries")) + 1
        due = due_at(document.data, now)
        pause = pause_after(tries, _FIRST_PAUSE, _LONGEST_PAUSE)
        changes: JsonObject = {DUE: due if due > now else now + pause, "recoveries": tries}
        if isinstance(outcome, (bool, StoreError)):
            return changes
        if tries < _MOST_TRIES:
            return changes
        why = outcome if isinstance(outcome, str) else type(outcome).__name__
        log.error("outbox document given up", extra={"path": document.path, "reason": why})
        error = {"type": ErrorType.INTERNAL.value, "message": f"It could not be handled: {why}."}
        return {DUE: DELETE_FIELD, "state": "failed", "error": error, "givenUp": why, "givenUpAt": now}

    async def _say_when(self, document: Document, now: datetime) -> None:
        fields: JsonObject = {}
        if not isinstance(document.data.get(DUE), datetime):
            fields[DUE] = due_at(document.data, now)
        if not isinstance(document.data.get("expireAt"), datetime):
            fields["expireAt"] = now + timedelta(days=OUTBOX_DAYS)
        try:
            await self._store.commit([Update(document.path, fields, if_update_time=document.update_time)])
        except Stale:
            # Whoever has changed it has said it, or the next look does.
            return

    async def _carry_on(self, document: Document, businesses: dict[str, asyncio.Task[Business | None]]) -> bool | str:
        """Do what is due; return whether something was done, or why nobody can do anything."""
        # A business whose id cannot stand in a path as it is says it in the document.
        id = str(document.data.get("businessId") or self._paths.business_of(document.path))
        with About(id):
            return await self._carried_on(id, document, businesses)

    async def _carried_on(
        self, id: str, document: Document, businesses: dict[str, asyncio.Task[Business | None]]
    ) -> bool | str:
        if id not in businesses:
            businesses[id] = asyncio.create_task(self._business(id))
        business = await businesses[id]
        if business is None:
            return "its business is not there"
        errand = OutboxItem(business, self._paths.within(id), self._clock.now())
        if not document.path.startswith(errand.paths.business + "/"):
            log.error("outbox document names another business", extra={"path": document.path})
            return "it names another business than the one it lies in"
        return await self._carriers[document.data["kind"]](errand, document)

    async def _business(self, id: str) -> Business | None:
        document = await self._store.get(self._paths.within(id).business)
        return read_business(id, document.data) if document is not None else None


def _batches(count: int) -> range:
    return range(0, count, _AT_ONCE)
