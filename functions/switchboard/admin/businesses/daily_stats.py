"""What happened at a business each day, for plots: conversations, tools, failures, how long both took.

A day that is over changes no more: it is counted once, and its totals stay in `businesses/{id}/days/{yyyy-mm-dd}`,
where no caller's data is. Whoever looks has today counted anew and closes what is still missing, newest first, and of
that no more than a bounded number of records; the rest is told as uncounted, for the next look.
"""

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import date, datetime, time, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from switchboard.admin.access.known_business import known_business
from switchboard.admin.businesses.stats import spread
from switchboard.admin.conversations.records import InteractionFilter, has_failed, whole_of
from switchboard.contract.channel import Channel
from switchboard.contract.conclusion import OUTCOMES
from switchboard.contract.context import is_trials_id
from switchboard.contract.document import objects_of
from switchboard.contract.json import JsonObject, ToldAsJson
from switchboard.contract.ports import BusinessCollection, BusinessPaths, Clock, Paths, Store
from switchboard.contract.python.dataclass import dataclass
from switchboard.contract.store import Document, Set

DAYS: BusinessCollection = "days"
MOST_DAYS = 31
READ_AT_MOST = 100
"""How many records are read for today, and how many for the days before; a longer day is counted by the store.

As many again are read behind days that cannot be closed yet, so that those keep no older day waiting.
"""
OVER_AFTER = timedelta(hours=1)
"""A day is over so long after its midnight; while one of its conversations goes on, when that has ended."""
GOES_ON_AT_MOST = timedelta(days=3)
"""A record that nobody has ended for longer keeps no day open: silence ends every conversation within hours."""

# Of a day that was not read whole, this many records are enough to tell how its tools did.
_SAMPLE = 50
# What counts as a failure, and how conversations end: days that were counted otherwise are counted once more, as long
# as their conversations are kept.
_RULES = 2
_CHANNELS = [channel.value for channel in Channel]
_READ = ("startedAt", "endedAt", "channel", "outcome", "durationSeconds")
_READ_OF_CALL = ("elapsedMs", "ok", "error", "refused", "unknown")


@dataclass(frozen=True, slots=True)
class Days(ToldAsJson):
    """Totals of the last days, today's last.

    Attributes:
        timezone: Whose midnights they begin at.
        days: Each with its `day` (ISO); one that could not be counted yet is missing.
        uncounted: How many are missing; another look counts some of them.
    """

    timezone: str
    days: list[JsonObject]
    uncounted: int


@dataclass(frozen=True, slots=True)
class _Calendar:
    """The last days of a business, newest first, as they are at a moment."""

    zone: ZoneInfo
    now: datetime
    days: list[date]

    def begin(self, day: date) -> datetime:
        return datetime.combine(day, time.min, self.zone)

    def during(self, first: date, last: date) -> InteractionFilter:
        return InteractionFilter(since=self.begin(first), until=self.begin(last + timedelta(days=1)))

    def is_over(self, day: date) -> bool:
        return self.now - self.begin(day + timedelta(days=1)) >= OVER_AFTER

    def goes_on(self, document: Document) -> bool:
        """Tell whether a conversation has not ended: what it came to, and how long it was, is not known yet."""
        began = document.data["startedAt"]
        is_open = "endedAt" in document.data and document.data["endedAt"] is None
        return is_open and self.now - began < GOES_ON_AT_MOST

    def day_of(self, document: Document) -> date:
        began: datetime = document.data["startedAt"]
        return began.astimezone(self.zone).date()


class DailyStats:
    """The totals of every business. What the store raises passes through."""

    def __init__(self, store: Store, paths: Paths, clock: Clock) -> None:
        """Count in `store`, where totals are kept too."""
        self._store, self._paths, self._clock = store, paths, clock

    async def of(self, business_id: str, count: int) -> Days:
        """Return the totals of so many days (at most `MOST_DAYS`), today among them, in the business's time zone.

        Raises:
            NotFound: There is no such business.
        """
        within = self._paths.within(business_id)
        zone, now = (await known_business(self._store, within)).timezone, self._clock.now()
        today = now.astimezone(zone).date()
        calendar = _Calendar(zone, now, [today - timedelta(days=ago) for ago in range(min(count, MOST_DAYS))])
        by_day = await self._kept(within, calendar)
        missing = [day for day in calendar.days if day not in by_day and calendar.is_over(day)]
        going_on = [day for day in calendar.days if not calendar.is_over(day)]
        (current, _), closed = await asyncio.gather(
            self._counted(within, calendar, going_on), self._closed(within, calendar, missing)
        )
        by_day |= current | closed
        return Days(
            zone.key,
            [{"day": day.isoformat(), **by_day[day]} for day in sorted(by_day)],
            len(calendar.days) - len(by_day),
        )

    async def _closed(
        self, within: BusinessPaths, calendar: _Calendar, missing: Sequence[date]
    ) -> dict[date, JsonObject]:
        """Return the totals of as many days that are over as one look counts; those that change no more are kept."""
        by_day: dict[date, JsonObject] = {}
        while missing:
            totals, still_open = await self._counted(within, calendar, _first_run(missing))
            closed = {day: one for day, one in totals.items() if day not in still_open}
            await self._keep(within, calendar, closed)
            by_day |= totals
            if closed:
                break
            # Only the last days can be open: this ends after a few passes.
            missing = [day for day in missing if day not in totals]
        return by_day

    async def _kept(self, within: BusinessPaths, calendar: _Calendar) -> dict[date, JsonObject]:
        over = [day for day in calendar.days if calendar.is_over(day)]
        documents = await self._store.get_many([within.document(DAYS, day.isoformat()) for day in over])
        # At other midnights they were other days, and by other rules other numbers.
        rules = {"timezone": calendar.zone.key, "rules": _RULES}
        return {
            day: document.data["totals"]
            for day, document in zip(over, documents, strict=True)
            if document is not None and rules.items() <= {n: document.data.get(n) for n in rules}.items()
        }

    async def _keep(self, within: BusinessPaths, calendar: _Calendar, totals: Mapping[date, JsonObject]) -> None:
        fields = {"timezone": calendar.zone.key, "rules": _RULES, "countedAt": calendar.now}
        await self._store.commit(
            [Set(within.document(DAYS, day.isoformat()), {**fields, "totals": one}) for day, one in totals.items()]
        )

    async def _counted(
        self, within: BusinessPaths, calendar: _Calendar, run: Sequence[date]
    ) -> tuple[dict[date, JsonObject], set[date]]:
        """Return the totals of days that follow each other, newest first: of all, or of as many as may be read.

        And those of which a conversation still goes on, as far as was read: the latest are.
        """
        query = calendar.during(run[-1], run[0]).query(within)
        records = await self._store.query(replace(query, limit=READ_AT_MOST))
        # One after the other: whole, a hundred long conversations would be held in memory at once.
        documents = [_counted_of(await whole_of(self._store, within, record)) for record in records]
        by_day: dict[date, list[Document]] = {day: [] for day in run}
        for document in documents:
            if is_trials_id(document.id):
                continue
            by_day[calendar.day_of(document)].append(document)
        still_open = {day for day, own in by_day.items() if any(calendar.goes_on(one) for one in own)}
        if len(documents) < READ_AT_MOST:
            return {day: _totals(own) for day, own in by_day.items()}, still_open
        cut = calendar.day_of(documents[-1])
        totals = {day: _totals(own) for day, own in by_day.items() if day > cut}
        if cut == run[0] or len(by_day[cut]) >= _SAMPLE:
            totals[cut] = await self._counted_by_store(within, calendar.during(cut, cut), by_day[cut])
        return totals, still_open

    async def _counted_by_store(
        self, within: BusinessPaths, selection: InteractionFilter, sample: Sequence[Document]
    ) -> JsonObject:
        queries = [replace(selection, channel=name).query(within) for name in _CHANNELS]
        queries += [replace(selection, outcome=name).query(within) for name in OUTCOMES]
        counts = await asyncio.gather(*(self._store.count(query) for query in queries))
        by_channel = dict(zip(_CHANNELS, counts, strict=False))
        by_outcome = dict(zip(OUTCOMES, counts[len(_CHANNELS) :], strict=True))
        sampled = _totals(sample)
        seconds = {
            name: sampled["seconds"][name] * by_channel[name] / sampled["byChannel"][name]
            if sampled["byChannel"][name]
            else 0
            for name in _CHANNELS
        }
        return sampled | {
            "interactions": sum(by_channel.values()),
            "byChannel": by_channel,
            "byOutcome": by_outcome,
            "seconds": seconds,
        }


def _first_run(days: Sequence[date]) -> list[date]:
    """Return those at the beginning of a descending list that follow each other without a gap."""
    return [day for ago, day in enumerate(days) if day == days[0] - timedelta(days=ago)]


def _counted_of(document: Document) -> Document:
    """Return what is counted of a record, and nothing that was said."""
    data = document.data
    calls = [{name: row[name] for name in _READ_OF_CALL if name in row} for row in objects_of(data.get("tools"))]
    return replace(document, data={name: data[name] for name in _READ if name in data} | {"tools": calls})


def _totals(documents: Sequence[Document]) -> JsonObject:
    """Return the totals of a day of which these are the records."""
    data = [document.data for document in documents]
    calls = [row for one in data for row in objects_of(one.get("tools"))]
    median_ms, p95_ms = spread(value for row in calls if isinstance(value := row.get("elapsedMs"), int | float))
    return {
        "interactions": len(data),
        "byChannel": {name: sum(one.get("channel") == name for one in data) for name in _CHANNELS},
        "byOutcome": {name: sum(one.get("outcome") == name for one in data) for name in OUTCOMES},
        "seconds": {name: _seconds(one for one in data if one.get("channel") == name) for name in _CHANNELS},
        "basedOn": len(data),
        "toolCalls": len(calls),
        "failedCalls": sum(has_failed(row) for row in calls),
        "medianMs": median_ms,
        "p95Ms": p95_ms,
    }


def _seconds(data: Iterable[Mapping[str, Any]]) -> float:
    return sum(value for one in data if isinstance(value := one.get("durationSeconds"), int | float))
