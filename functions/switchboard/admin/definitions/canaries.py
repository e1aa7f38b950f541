"""How drafts on trial did beside the old words: who tried which from when to when, and what both sides' calls came to.

What is counted stands on each conversation and each call (`catalog/definitions/canary.py`), so that the store adds it
up. Both are kept for a week and a trial may take longer: what is over for some hours is counted once, and its totals
stay with the trial. Whoever looks has only the rest counted, and an hourly pass keeps what nobody has looked at.

Conversations of before the trial, and owners' trials, are on neither side.
"""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final

from switchboard.admin.api.paging import Page, Slice, sliced
from switchboard.admin.definitions.definition_set import content_hash, read_published
from switchboard.admin.definitions.record import Record
from switchboard.catalog.definitions.canary import mark_of, since_of
from switchboard.contract.document import mapping, strings
from switchboard.contract.error import Tells
from switchboard.contract.json import JsonObject
from switchboard.contract.ports import Clock, Paths, Store
from switchboard.contract.session_use import KEPT
from switchboard.contract.store import Document, Filter, Order, Query, Set, Update, Write

SETTLED_AFTER: Final = timedelta(hours=3)
"""A call that nobody could bring to its end is given up within two hours; what is older than this changes no more."""
_KEPT_EVERY = timedelta(hours=6)
# So long after the last call of a trial that has ended a pass still counts it, also one that comes late.
_COUNTED_LATE = timedelta(days=1)
FEW_CALLS: Final = 30
"""Of fewer calls a share says little: one more failure would be several in a hundred."""
_PREFIX = "canary:"
_SIDES = ("old", "new")
_NONE: Final[Mapping[str, int]] = dict.fromkeys(("conversations", "calls", "refusals", "failures", "unknown"), 0)


@dataclass(frozen=True, slots=True)
class CanaryCounts:
    """What one side of a trial did.

    Attributes:
        conversations: How many began with its words.
        calls: How many calls of the tool came to an end in these.
        refusals: How many of the calls were refused, by a check or a rule; a no that is an answer is none.
        failures: In how many somebody was not served who should have been.
        unknown: Of how many nobody knows what came of them.
    """

    conversations: int
    calls: int
    refusals: int
    failures: int
    unknown: int

    def to_json(self) -> JsonObject:
        """Return it as the admin API answers it, with what it is of a hundred calls; null where there was none."""
        of_hundred = {
            name: round(100 * count / self.calls, 1) if self.calls else None
            for name, count in (("refusals", self.refusals), ("failures", self.failures), ("unknown", self.unknown))
        }
        return {
            "conversations": self.conversations,
            "calls": self.calls,
            "refusals": self.refusals,
            "failures": self.failures,
            "unknown": self.unknown,
            "perHundred": of_hundred,
            "remark": self.remark,
        }

    @property
    def remark(self) -> str | None:
        """Says that there are too few calls to go by; None where there are enough."""
        if not self.calls:
            return "No call yet."
        if self.calls < FEW_CALLS:
            return f"{self.calls} {'call says' if self.calls == 1 else 'calls say'} little yet."
        return None


@dataclass(frozen=True, slots=True)
class CanaryLook:
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

    def to_json(self) -> JsonObject:
        """Return it as the admin API answers it."""
        return {
            "since": self.since,
            "endedAt": self.ended_at,
            "ended": self.ended,
            "by": self.by,
            "businesses": list(self.businesses),
            "old": self.old.to_json(),
            "new": self.new.to_json(),
            "isWhole": self.is_whole,
        }


class Canaries:
    """Notes trials, and counts what they came to. What the store raises passes through."""

    def __init__(self, store: Store, paths: Paths, clock: Clock) -> None:
        self._store, self._paths, self._clock = store, paths, clock

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
        since = since_of(record.stored or {})
        if not since:
            return []
        fields = {"endedAt": self._clock.now(), "ended": deed}
        return [Set(self._path(record.name, since), fields, merge=True)]

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
        return self._paths.definition_version(tool, f"{_PREFIX}{since}")

    async def _look(self, tool: str, document: Document, is_running: bool) -> CanaryLook:
        data, now = document.data, self._clock.now()
        since: datetime = data["since"]
        ended_at = data.get("endedAt")
        # Calls of conversations that began with its words come to an end after it, as long as these are kept.
        last = min(now, ended_at + KEPT) if isinstance(ended_at, datetime) else now
        totals, through, is_whole = await self._totals(tool, document, since, last)
        rest = await self._counted(tool, _named(document), through, last) if through < last else _nothing()
        old, new = (CanaryCounts(**_sum(totals[side], rest[side])) for side in _SIDES)
        ended = data.get("ended")
        return CanaryLook(
            since,
            ended_at if isinstance(ended_at, datetime) else None,
            str(ended) if ended else None if is_running else "replaced",
            str(data.get("by") or ""),
            tuple(strings(data.get("businesses"))),
            *(old, new),
            is_whole,
        )

    async def _totals(
        self, tool: str, document: Document, since: datetime, last: datetime
    ) -> tuple[Mapping[str, Mapping[str, int]], datetime, bool]:
        """Return what changes no more, up to when that is, and whether it is whole; what is new of it is kept."""
        counted = mapping(document.data.get("counted"))
        totals = {side: _read(mapping(counted.get(side))) for side in _SIDES}
        noted, is_whole = counted.get("through"), counted.get("isWhole") is not False
        through = noted if isinstance(noted, datetime) else since
        until = min(last, self._clock.now() - SETTLED_AFTER)
        if until - through < (_KEPT_EVERY if until < last else timedelta(microseconds=1)):
            return totals, through, is_whole
        # What is kept for a week may be gone a moment before.
        is_whole = is_whole and through > self._clock.now() - KEPT
        more = await self._counted(tool, _named(document), through, until)
        totals = {side: _sum(totals[side], more[side]) for side in _SIDES}
        kept: JsonObject = {"through": until, "isWhole": is_whole, **{side: dict(totals[side]) for side in _SIDES}}
        # Two who look at once count the same, so that it does not matter whose numbers stay.
        await self._store.commit([Update(document.path, {"counted": kept})])
        return totals, until, is_whole

    async def _counted(self, tool: str, since: str, begin: datetime, end: datetime) -> dict[str, dict[str, int]]:
        sides = await asyncio.gather(
            *(self._side(mark_of(tool, since, is_new=side == "new"), begin, end) for side in _SIDES)
        )
        return dict(zip(_SIDES, sides, strict=True))

    async def _side(self, mark: str, begin: datetime, end: datetime) -> dict[str, int]:
        during = (Filter("finishedAt", ">=", begin), Filter("finishedAt", "<", end))

        def calls(state: str, *tells: Filter) -> Query:
            ended = (Filter("canary", "==", mark), Filter("state", "==", state))
            return Query("calls", (*ended, *tells, *during), group=True)

        began = (Filter("startedAt", ">=", begin), Filter("startedAt", "<", end))
        conversations = Query("sessions", (Filter("canaries", "array-contains", mark), *began), group=True)
        answers, failure = Filter("tells", "==", Tells.ANSWER.value), Filter("tells", "==", Tells.FAILURE.value)
        queries = [
            conversations,
            *(calls(state) for state in ("finished", "failed", "refused", "unknown")),
            calls("failed", answers),
            calls("refused", failure),
        ]
        counts = await asyncio.gather(*(self._store.count(query) for query in queries))
        begun, finished, failed, refused, unknown, answered, unserved = counts
        return {
            "conversations": begun,
            "calls": finished + failed + refused + unknown,
            "refusals": refused - unserved,
            "failures": failed - answered + unserved,
            "unknown": unknown,
        }


def _named(document: Document) -> str:
    """Return what names a trial in its marks."""
    return document.id.removeprefix(_PREFIX)


def _nothing() -> dict[str, dict[str, int]]:
    return {side: dict(_NONE) for side in _SIDES}


def _read(counts: Mapping[str, Any]) -> dict[str, int]:
    return {name: value if isinstance(value := counts.get(name), int) else 0 for name in _NONE}


def _sum(one: Mapping[str, int], other: Mapping[str, int]) -> dict[str, int]:
    return {name: one[name] + other[name] for name in _NONE}
