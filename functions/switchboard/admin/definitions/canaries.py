"""How drafts on trial did beside the old words: who tried which from when to when, and what both sides' calls came to.

What is counted stands on each conversation and each call (`catalog/definitions/canary.py`); `side_counting.py` counts
it, and an hourly pass keeps what nobody has looked at.

Conversations of before the trial, and owners' trials, are on neither side.
"""

import asyncio
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta

from switchboard.admin.api.paging import Page, Slice, sliced
from switchboard.admin.definitions.definition_set import content_hash, read_published
from switchboard.admin.definitions.record import Record
from switchboard.admin.definitions.side_counting import CanaryCounts, MarkedPlaces, SideCounting
from switchboard.catalog.definitions.canary import mark_of, since_of
from switchboard.contract.document import mapping, strings
from switchboard.contract.json import JsonObject, ToldAsJson
from switchboard.contract.ports import Clock, Paths, Store
from switchboard.contract.python.dataclass import dataclass
from switchboard.contract.session_use import KEPT
from switchboard.contract.store import Document, Filter, Order, Query, Set, Write

# So long after the last call of a trial that has ended a pass still counts it, also one that comes late.
_COUNTED_LATE = timedelta(days=1)
_PREFIX = "canary:"


@dataclass(frozen=True, slots=True)
class CanaryLook(ToldAsJson):
    """A trial, and what both sides did in it.

    Attributes:
        since: When it began (aware, UTC).
        ended_at: When it ended; None while it is on.
        ended: What ended it, such as `published`; None while it is on.
        by: Who began it.
        businesses: Who tries, or tried last.
        is_whole: Whether everything since its beginning is counted; a week later nothing can be counted any more.
    """

    since: datetime
    ended_at: datetime | None
    ended: str | None
    by: str
    businesses: tuple[str, ...]
    old: CanaryCounts
    new: CanaryCounts
    is_whole: bool


class Canaries:
    """Notes trials, and counts what they came to. What the store raises passes through."""

    def __init__(self, store: Store, paths: Paths, clock: Clock) -> None:
        self._store, self._paths, self._clock = store, paths, clock
        self.counting = SideCounting(store, clock, MarkedPlaces(("sessions", "canaries"), "canary"))

    def staged(self, record: Record, draft: JsonObject, businesses: Sequence[str], by: str) -> tuple[str, list[Write]]:
        """Return what names a trial of a draft, and what notes it; one that only gets other businesses goes on.

        Args:
            record: The tool's, as it stands.
            draft: What is tried, as it is stored.
            businesses: The ids of those who try it.
            by: Who has them try it.
        """
        canary = record.canary
        if canary is not None and canary.since and content_hash(canary.document) == content_hash(draft):
            path = self._path(record.name, canary.since)
            return canary.since, [Set(path, {"businesses": list(businesses)}, merge=True)]
        now = self._clock.now()
        since = now.isoformat(timespec="milliseconds").replace("+00:00", "Z")
        fields = {
            "tool": record.name,
            "since": datetime.fromisoformat(since),
            "by": by,
            "businesses": list(businesses),
            "endedAt": None,
            "ended": None,
        }
        begun = Set(self._path(record.name, since), fields)
        return since, [*self.ended(record, "another draft is tried"), begun]

    def ended(self, record: Record, deed: str) -> list[Write]:
        """Return what notes that a tool's trial ends, if there is one."""
        return trial_ended(self._paths, record.name, record.stored or {}, self._clock.now(), deed)

    async def listed(self, record: Record, page: Page) -> Slice[CanaryLook]:
        """Return a page of a tool's trials, the newest first, each counted up to now."""
        # They stand among the tool's versions, of which no other says when it began.
        query = Query(self._versions(record.name), (), (Order("since", descending=True),))
        part = await sliced(self._store, query, page)
        running = since_of(record.stored or {})
        looks = await asyncio.gather(*(self._look(record.name, one, _named(one) == running) for one in part.items))
        return Slice(list(looks), part.next_cursor)

    async def kept(self, business_id: str | None) -> Mapping[str, int]:
        """Count what is over of all trials that are on or in which calls come to an end, and keep it.

        No trial is one business's alone: which one is named does not matter.

        Returns:
            How many trials were `{counted}`.
        """
        whole = await read_published(self._store, self._paths)
        counted = 0
        for name, document in whole.documents.items():
            running = since_of(mapping(document))
            for trial in await self._going_on(name, running):
                await self._look(name, trial, is_running=_named(trial) == running)
                counted += 1
        return {"counted": counted}

    async def _going_on(self, tool: str, running: str) -> list[Document]:
        """Return the trials of a tool of which not everything may be counted yet: that which is on, and late ones."""
        ended = Filter("endedAt", ">=", self._clock.now() - KEPT - _COUNTED_LATE)
        late = await self._store.query(Query(self._versions(tool), (ended,), (Order("endedAt"),)))
        document = await self._store.get(self._path(tool, running)) if running else None
        return [*late, *([document] if document is not None and "since" in document.data else [])]

    def _versions(self, tool: str) -> str:
        return self._path(tool, "").rpartition("/")[0]

    def _path(self, tool: str, since: str) -> str:
        return _path(self._paths, tool, since)

    async def _look(self, tool: str, document: Document, is_running: bool) -> CanaryLook:
        data, named = document.data, _named(document)
        counts = await self.counting.counted(document, lambda is_new: mark_of(tool, named, is_new=is_new))
        ended_at = data.get("endedAt")
        ended = data.get("ended")
        return CanaryLook(
            data["since"],
            ended_at if isinstance(ended_at, datetime) else None,
            str(ended) if ended else None if is_running else "replaced",
            str(data.get("by") or ""),
            tuple(strings(data.get("businesses"))),
            *(counts.old, counts.new),
            counts.is_whole,
        )


def trial_ended(paths: Paths, tool: str, stored: JsonObject, at: datetime, deed: str) -> list[Write]:
    """Return what notes that the trial of a tool's stored document ends; nothing where there is none."""
    since = since_of(stored)
    return [Set(_path(paths, tool, since), {"endedAt": at, "ended": deed}, merge=True)] if since else []


def _path(paths: Paths, tool: str, since: str) -> str:
    return paths.definition_version(tool, f"{_PREFIX}{since}")


def _named(document: Document) -> str:
    """Return what names a trial in its marks."""
    return document.id.removeprefix(_PREFIX)
