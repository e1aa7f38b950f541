"""Numbers about a business: how many conversations, counted by the store, and how its tools have done lately."""

import asyncio
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import replace
from statistics import median
from typing import Any

from switchboard.admin.conversations.records import InteractionFilter, has_failed
from switchboard.contract.channel import Channel
from switchboard.contract.conclusion import OUTCOMES
from switchboard.contract.context import is_trials_id
from switchboard.contract.document import objects_of
from switchboard.contract.json import JsonObject
from switchboard.contract.ports import BusinessCollection, Paths, Store
from switchboard.contract.store import Query

SAMPLED = 100
"""How many of the latest interactions the figures about tools are drawn from."""

_COUNTED: tuple[BusinessCollection, ...] = ("bookings", "callers", "policies", "faqs", "knowledge", "tools", "agents")


class BusinessStats:
    """Figures about every business. What the store raises passes through."""

    def __init__(self, store: Store, paths: Paths) -> None:
        self._store, self._paths = store, paths

    async def counts(self, business_id: str, selection: InteractionFilter) -> JsonObject:
        """Return how many interactions there were in a time, by channel and outcome, and how much else there is.

        Nothing is read for it: the store counts.
        """
        within = self._paths.within(business_id)
        channels = {c.value: replace(selection, channel=c.value) for c in Channel}
        outcomes = {o: replace(selection, outcome=o) for o in OUTCOMES}
        queries = [w.query(within) for w in (selection, *channels.values(), *outcomes.values())]
        queries += [Query(within.collection(name)) for name in _COUNTED]
        total, *rest = await asyncio.gather(*(self._store.count(query) for query in queries))
        by_channel, rest = rest[: len(channels)], rest[len(channels) :]
        by_outcome, rest = rest[: len(outcomes)], rest[len(outcomes) :]
        return {
            "interactions": total,
            "byChannel": dict(zip(channels, by_channel, strict=True)),
            "byOutcome": dict(zip(outcomes, by_outcome, strict=True)),
            "stored": dict(zip(_COUNTED, rest, strict=True)),
        }

    async def summary(self, business_id: str, selection: InteractionFilter) -> JsonObject:
        """Return how the conversations and tools of the latest `SAMPLED` interactions of a time went."""
        query = selection.query(self._paths.within(business_id))
        read = await self._store.query(replace(query, limit=SAMPLED))
        conversations = [document for document in read if not is_trials_id(document.id)]
        seconds = [v for d in conversations if isinstance(v := d.data.get("durationSeconds"), int | float)]
        return {
            "basedOn": len(conversations),
            "isWhole": len(read) < SAMPLED,
            "since": conversations[-1].data["startedAt"] if conversations else None,
            "medianSeconds": median(seconds) if seconds else None,
            "outcomes": dict(Counter(str(d.data.get("outcome") or "unknown") for d in conversations)),
            "tools": tool_figures(row for d in conversations for row in objects_of(d.data.get("tools"))),
        }


def tool_figures(rows: Iterable[Mapping[str, Any]]) -> list[JsonObject]:
    """Return per tool how often it was called, failed and why, and how long it took; the most called first."""
    by_tool: dict[str, list[Mapping[str, Any]]] = defaultdict(list)
    for row in rows:
        by_tool[str(row.get("name"))].append(row)
    figures = []
    for name, calls in by_tool.items():
        median_ms, p95_ms = spread(v for row in calls if isinstance(v := row.get("elapsedMs"), int | float))
        figures.append(
            {
                "tool": name,
                "calls": len(calls),
                "failed": sum(has_failed(row) for row in calls),
                "errors": dict(Counter(str(row["error"]) for row in calls if row.get("error"))),
                "medianMs": median_ms,
                "p95Ms": p95_ms,
            }
        )
    return sorted(figures, key=lambda figure: (-int(str(figure["calls"])), str(figure["tool"])))


def spread(values: Iterable[float]) -> tuple[float | None, float | None]:
    """Return the median and the 95th percentile, or nothing of nothing."""
    ordered = sorted(values)
    if not ordered:
        return None, None
    return median(ordered), ordered[-(-len(ordered) * 95 // 100) - 1]
