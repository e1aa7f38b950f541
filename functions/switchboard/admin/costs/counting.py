"""Counts what businesses use, behind the calls: `businesses/{id}/days/{yyyy-mm}`, a document a month.

Nothing is counted on a caller's time. A pass reads what was written since the one before: calls of the ledger,
conversations of which nothing was heard for some minutes, texts and e-mails. How far it has come stands in
`config/counting`, which is written in the same commit as the sums: of two passes at once one counts and the other
stops, and what a pass that died has not counted, the next one does. A conversation may go on after it was counted; its
record says what was (`counted`), so that only what is more is added.

Each is counted in the month in which it began, by the business's calendar.
"""

import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any, Final

from switchboard.admin.costs.month_stops import MonthStops, is_limited
from switchboard.admin.costs.paths import MONTHS, CostPaths
from switchboard.admin.costs.used import added, more_than, used_by_call, used_by_conversation, used_by_message
from switchboard.contract.business.business import read_business
from switchboard.contract.document import mapping, moment, text
from switchboard.contract.json import JsonObject
from switchboard.contract.ports import Clock, Store
from switchboard.contract.python.dataclass import dataclass
from switchboard.contract.shards import SHARD, SHARDS_AT_ONCE
from switchboard.contract.store import (
    AlreadyExists,
    Create,
    Document,
    Filter,
    Increment,
    Missing,
    Order,
    Query,
    Set,
    Stale,
    StoreError,
    Update,
    Write,
)

COUNTED: Final = "counted"
"""In a conversation's record: what of it stands in the sums."""
SINCE: Final = "since"
"""In `config/counting`: since when everything is counted."""

# A row is written within seconds of the moment that it bears, clocks differ by minutes at worst, and whoever talks is
# left alone: so long ago everything is that is counted.
_SETTLED_AFTER = timedelta(minutes=10)
# A text is worth sending for an hour: then it was sent, or never will be, or nobody will ever know.
_SENT_AFTER = timedelta(minutes=75)
_PASSES_EVERY_S = 60.0
_PAGES, _TRIES = 40, 3

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class CountedStream:
    """One kind of documents that are counted, in the order of a moment that each bears.

    Attributes:
        name: Its place in `config/counting`.
        what: What is told of how many were counted.
        query: All of them.
        field: The moment.
        began: The field that says in which month it counts.
        used: Returns what a document counts as.
        after: So long ago the moment is of what is counted.
        is_marked: Whether a document may be met again, and says what of it was counted.
    """

    name: str
    what: str
    query: Query
    field: str
    began: str
    used: Callable[[Document], JsonObject]
    after: timedelta
    is_marked: bool = False


def _streams() -> list[CountedStream]:
    streams = []
    for number, shards in enumerate(SHARDS_AT_ONCE):
        filters = (Filter(SHARD, "in", list(shards)),)
        calls, records = (Query(name, filters, limit=limit, group=True) for name, limit in _SHARDED)
        streams += [
            CountedStream(f"calls{number}", "calls", calls, "startedAt", "startedAt", used_by_call, _SETTLED_AFTER),
            CountedStream(
                *(f"conversations{number}", "conversations", records, "heardAt", "startedAt", used_by_conversation),
                *(_SETTLED_AFTER, True),
            ),
        ]
    outbox = Query("outbox", limit=200, group=True)
    sent = CountedStream("messages", "messages", outbox, "createdAt", "createdAt", used_by_message, _SENT_AFTER)
    return [*streams, sent]


# Records hold transcripts, and are written to as well: a page of them is short.
_SHARDED: tuple[tuple[str, int], ...] = (("calls", 200), ("interactions", 50))


@dataclass(frozen=True, slots=True)
class Reached:
    """How far a stream has been counted: everything before a moment, and at it everything up to a path.

    Attributes:
        at: The moment.
        path: Empty where nothing at the moment itself was counted.
    """

    at: datetime
    path: str = ""

    def to_document(self) -> JsonObject:
        """Return it as `config/counting` keeps it."""
        return {"at": self.at, "path": self.path}


class MonthCounting:
    """Makes the passes."""

    def __init__(self, store: Store, paths: CostPaths, clock: Clock, stops: MonthStops | None = None) -> None:
        """Count what lies in `store`; `stops` note what is used up by it, and None notes nothing."""
        self._store, self._paths, self._clock, self._stops = store, paths, clock, stops
        self._not_before = float("-inf")

    async def look(self, business_id: str | None = None) -> Mapping[str, int]:
        """Make a pass if this process has made none for a minute, for where passes are made every few seconds."""
        if self._clock.monotonic() < self._not_before:
            return {}
        self._not_before = self._clock.monotonic() + _PASSES_EVERY_S
        return await self.count(business_id)

    async def count(self, business_id: str | None = None) -> Mapping[str, int]:
        """Count what has come to be since the last pass; return how many of each kind were looked at.

        All businesses are counted together: whoever asks for one alone has nothing done.

        Raises:
            StoreError: The store does not answer; the next pass goes on.
        """
        if business_id is not None:
            return {}
        try:
            return await self._count_all()
        except StoreError:
            if self._stops is not None:
                # What was counted by then may have used something up.
                self._stops.look_at_all()
            raise

    async def _count_all(self) -> Mapping[str, int]:
        looked_at = {"calls": 0, "conversations": 0, "messages": 0}
        limited: set[str] = set()
        for stream in _streams():
            zones: dict[str, Any] = {}
            for _ in range(_PAGES):
                count, is_more = await self._count_page(stream, zones, limited)
                looked_at[stream.what] += count
                if not is_more:
                    break
        if self._stops is not None:
            await self._stops.note(limited)
        return looked_at

    async def _count_page(self, stream: CountedStream, zones: dict[str, Any], limited: set[str]) -> tuple[int, bool]:
        """Count a page; return how many documents it had, and whether there is more that may be counted now.

        The zones of its businesses are added to `zones`, and those that have limits to `limited`.
        """
        for _ in range(_TRIES):
            progress = await self._progress()
            until = self._clock.now() - stream.after
            reached = _reached(progress, stream)
            if reached.at >= until:
                return 0, False
            documents = await self._store.query(_page(stream, reached, until))
            is_more = stream.query.limit is not None and len(documents) >= stream.query.limit
            upto = Reached(documents[-1].data[stream.field], documents[-1].path) if is_more else Reached(until)
            limited |= await self._learn_zones(documents, zones)
            own = Update(progress.path, {stream.name: upto.to_document()}, if_update_time=progress.update_time)
            try:
                await self._store.commit([own, *self._writes(stream, documents, zones)])
            except (Stale, Missing):
                # Another pass was quicker, or a conversation goes on: what there is now is read once more.
                continue
            return len(documents), is_more
        return 0, False

    async def _progress(self) -> Document:
        """Return how far everything was counted; the first pass of all begins with what comes now."""
        path = self._paths.month_counting
        document = await self._store.get(path)
        if document is None:
            now = self._clock.now()
            begun = {stream.name: Reached(now - stream.after).to_document() for stream in _streams()}
            try:
                await self._store.commit([Create(path, {SINCE: now - _SETTLED_AFTER, **begun})])
            except AlreadyExists:
                log.info("another pass has begun to count")
            document = await self._store.get(path)
        if document is None:
            raise Stale(f"how far was counted is gone: {path}")
        return document

    async def _learn_zones(self, documents: Sequence[Document], zones: dict[str, Any]) -> set[str]:
        """Add the zones that are not known yet, and return which of those businesses have limits."""
        ids = {id for document in documents if (id := self._business_of(document)) and id not in zones}
        named = sorted(ids)
        read = await self._store.get_many([self._paths.within(id).business for id in named]) if named else []
        for id, business in zip(named, read, strict=True):
            zones[id] = read_business(id, business.data).timezone if business is not None else None
        return {id for id, document in zip(named, read, strict=True) if document is not None and is_limited(document)}

    def _business_of(self, document: Document) -> str:
        # A business whose id cannot stand in a path as it is says it in the document.
        return text(document.data.get("businessId")) or self._paths.business_of(document.path)

    def _writes(self, stream: CountedStream, documents: Sequence[Document], zones: Mapping[str, Any]) -> list[Write]:
        sums: dict[tuple[str, str], JsonObject] = {}
        writes: list[Write] = []
        for document in documents:
            business_id = self._business_of(document)
            zone, began = zones.get(business_id), moment(document.data.get(stream.began))
            used = stream.used(document)
            # Of a business that is gone, nothing is to come to be again.
            if zone is None or began is None or not used:
                continue
            more = more_than(mapping(document.data.get(COUNTED)), used) if stream.is_marked else used
            if not more:
                continue
            key = business_id, f"{began.astimezone(zone):%Y-%m}"
            sums[key] = added(sums.get(key, {}), more)
            if stream.is_marked:
                writes.append(Update(document.path, {COUNTED: used}, if_update_time=document.update_time))
        for (business_id, month), total in sums.items():
            fields = {"month": month, "timezone": zones[business_id].key, **_incremented(total)}
            writes.append(Set(self._paths.within(business_id).document(MONTHS, month), fields, merge=True))
        return writes


def counted_until(progress: Document) -> datetime:
    """Return up to when everything is counted, as `config/counting` says."""
    return min(_reached(progress, stream).at for stream in _streams())


def _reached(progress: Document, stream: CountedStream) -> Reached:
    own = mapping(progress.data.get(stream.name))
    at = moment(own.get("at")) or moment(progress.data.get(SINCE)) or progress.create_time
    return Reached(at, text(own.get("path")))


def _page(stream: CountedStream, reached: Reached, until: datetime) -> Query:
    span = (Filter(stream.field, ">=", reached.at), Filter(stream.field, "<", until))
    behind = (reached.at, reached.path) if reached.path else None
    return replace(
        stream.query, filters=(*stream.query.filters, *span), order=(Order(stream.field),), start_after=behind
    )


def _incremented(sums: Mapping[str, Any]) -> JsonObject:
    return {
        name: _incremented(value) if isinstance(value, Mapping) else Increment(value) for name, value in sums.items()
    }
