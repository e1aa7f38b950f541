"""How fast indexes grow at their one end: what every call of everybody writes there, beside what Firestore takes.

Of moments that are written about when they are. An index of one collection is another in each business; only those of
collection groups hold what all businesses write. https://firebase.google.com/docs/firestore/best-practices: a
stretch whose values rise takes some 500 writes a second.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cache
from typing import Any

import setting_up
from switchboard.contract.shards import SHARD, SHARDS

ENTRIES_S, TARGET_S = 500, 250
_GROUP = "COLLECTION_GROUP"
_OWN = "businessId"
# What is written about now, or is due soon; an appointment's time is not.
_NEAR = timedelta(hours=12)


@dataclass(frozen=True)
class Stretch:
    """A part of an index that grows at one end.

    Attributes:
        index: The collection and the fields.
        within: What stands in front of the moment, without the shard.
        shards: Into how many parts it is split.
        is_own: Whether each business has one of its own.
    """

    index: str
    within: tuple[str, ...] = ()
    shards: int = 1
    is_own: bool = False

    def __str__(self) -> str:
        return f"{self.index}: {', '.join(self.within)}" if self.within else self.index


Entries = dict[Stretch, tuple[Any, ...]]


@cache
def group_indexes() -> tuple[tuple[str, tuple[str, ...]], ...]:
    """Return the indexes over all collections of a name: the name, and the fields in their order."""
    declared = json.loads((setting_up.ROOT / "firestore.indexes.json").read_text())
    several = [
        (index["collectionGroup"], tuple(field["fieldPath"] for field in index["fields"]))
        for index in declared["indexes"]
        if index["queryScope"] == _GROUP
    ]
    single = [
        (override["collectionGroup"], (override["fieldPath"],))
        for override in declared["fieldOverrides"]
        if any(index["queryScope"] == _GROUP for index in override["indexes"])
    ]
    return tuple(dict.fromkeys((*several, *single)))


def name_of(collection: str, fields: tuple[str, ...]) -> str:
    """Return how an index is called."""
    return f"{collection} ({', '.join(fields)})"


def entries(collection: str, data: Mapping[str, Any] | None, now: datetime) -> Entries:
    """Return what a document has in the rising stretches of indexes: by stretch, the values from the moment on."""
    found: Entries = {}
    for group, fields in group_indexes():
        if data is None or group != collection or any(field not in data for field in fields):
            continue
        values = [data[field] for field in fields]
        at = next((n for n, value in enumerate(values) if isinstance(value, datetime)), None)
        if at is None or abs(values[at] - now) > _NEAR:
            continue
        front = dict(zip(fields[:at], values[:at], strict=True))
        within = tuple(str(value) for name, value in front.items() if name not in (SHARD, _OWN))
        stretch = Stretch(name_of(group, fields), within, SHARDS if SHARD in front else 1, _OWN in front)
        found[stretch] = tuple(values[at:])
    return found


def grown(collection: str, before: Mapping[str, Any] | None, after: Mapping[str, Any] | None) -> Iterator[Stretch]:
    """Yield the stretches that a write of a document adds an entry to."""
    now = datetime.now(UTC)
    old, new = entries(collection, before, now), entries(collection, after, now)
    yield from (stretch for stretch, values in new.items() if old.get(stretch) != values)


def rates(per_call: Mapping[Stretch, float], calls_s: float, busiest_part: float) -> dict[str, tuple[Stretch, float]]:
    """Return the fastest stretch of each index that rises, and how many entries a second it gets.

    Args:
        per_call: How many entries a call adds to each, on average over all kinds of calls.
        calls_s: How many calls begin in a second.
        busiest_part: Which part of them the busiest business has.
    """
    fastest: dict[str, tuple[Stretch, float]] = {}
    for stretch, each in per_call.items():
        rate = each * calls_s * (busiest_part if stretch.is_own else 1) / stretch.shards
        if stretch.index not in fastest or rate > fastest[stretch.index][1]:
            fastest[stretch.index] = stretch, rate
    return fastest


def averaged(kinds: list[tuple[float, Counter[Stretch]]]) -> dict[Stretch, float]:
    """Return how many entries a call adds to each stretch, of kinds that are each so great a part of all."""
    total: Counter[Stretch] = Counter()
    for part, counts in kinds:
        for stretch, count in counts.items():
            total[stretch] += part * count  # type: ignore[assignment]
    return dict(total)
