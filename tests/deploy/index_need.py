"""Which index a query needs of Firestore, and whether firestore.indexes.json has it.

The emulator answers without any; production refuses with FAILED_PRECONDITION.
https://firebase.google.com/docs/firestore/query-data/index-overview
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any

from switchboard.contract.store import Query
from tests.architecture.house import ROOT

_EQUAL, _CONTAINS = ("==", "in"), ("array-contains", "array-contains-any")
Key = tuple[str, str]
"""A field and how an index holds it: `ASCENDING`, `DESCENDING`, `CONTAINS` or `VECTOR`."""


@dataclass(frozen=True)
class Need:
    """What answers a query: the fields that are equal, in any order, then the others in theirs.

    One field alone has its indexes by itself, unless an override says otherwise.
    """

    collection: str
    scope: str
    equal: frozenset[str]
    rest: tuple[Key, ...]

    @property
    def is_composite(self) -> bool:
        """Whether several fields have to stand in one index; equalities alone are joined from those of each field."""
        return len(self.rest) > 1 or bool(self.equal and self.rest and self.rest[0][1] != "CONTAINS")

    def is_met_by(self, index: "Index") -> bool:
        """Tell whether a composite index is the one."""
        split = len(self.equal)
        fields = [name for name, _ in index.keys[:split]]
        return (
            (self.collection, self.scope) == (index.collection, index.scope)
            and self.equal == frozenset(fields)
            and self.rest == index.keys[split:]
        )

    def single_fields(self) -> Iterator[Key]:
        """Yield the indexes of single fields that answer it, where it needs no composite one."""
        yield from ((name, "ASCENDING") for name in sorted(self.equal))
        yield from self.rest

    def __str__(self) -> str:
        keys = [*((name, "ASCENDING") for name in sorted(self.equal)), *self.rest]
        return f"{self.collection} ({self.scope}): {', '.join(f'{name} {how}' for name, how in keys)}"


@dataclass(frozen=True)
class Index:
    """A composite index of firestore.indexes.json."""

    collection: str
    scope: str
    keys: tuple[Key, ...]
    dimension: int = 0


@dataclass(frozen=True)
class Override:
    """What firestore.indexes.json says of one field: its indexes instead of the usual ones, and whether it ends."""

    collection: str
    name: str
    keys: frozenset[tuple[str, str]] = field(default_factory=frozenset)
    is_ttl: bool = False


def needed_by(query: Query) -> Need:
    """Return what a query without alternatives needs."""
    collection = query.collection.rpartition("/")[2]
    equal = frozenset(item.field for item in query.filters if item.op in _EQUAL)
    contains = [(item.field, "CONTAINS") for item in query.filters if item.op in _CONTAINS]
    order = [(item.field, "DESCENDING" if item.descending else "ASCENDING") for item in query.order]
    ordered = {name for name, _ in order} | equal
    compared = {item.field for item in query.filters if item.op not in (*_EQUAL, *_CONTAINS)}
    # What is compared and not sorted by is sorted by all the same.
    order += [(name, order[-1][1] if order else "ASCENDING") for name in sorted(compared - ordered)]
    near = [(query.near.field, "VECTOR")] if query.near is not None else []
    rest = (*contains, *(key for key in order if key[0] not in equal), *near)
    return Need(collection, "COLLECTION_GROUP" if query.group else "COLLECTION", equal, rest)


def alternatives_of(query: Query) -> list[Query]:
    """Return the queries into which Firestore multiplies one out that asks for any of several things."""
    return [replace(query, filters=(*query.filters, item), any_of=()) for item in query.any_of] or [query]


def missing_for(query: Query) -> str | None:
    """Return what firestore.indexes.json lacks for a query, or None; for one with alternatives, for each of them."""
    if query.any_of:
        return next((missing for one in alternatives_of(query) if (missing := missing_for(one))), None)
    need = needed_by(query)
    indexes, overrides = declared()
    if need.is_composite or any(how == "VECTOR" for _, how in need.rest):
        return None if any(need.is_met_by(index) for index in indexes) else f"composite index {need}"
    for name, how in need.single_fields():
        if not _has_single(overrides, need.collection, need.scope, name, how):
            return f"index of one field {need.collection}.{name} ({need.scope}, {how})"
    return None


@cache
def declared() -> tuple[tuple[Index, ...], tuple[Override, ...]]:
    """Return what firestore.indexes.json declares."""
    found = json.loads((ROOT / "firestore.indexes.json").read_text())
    return tuple(map(_index, found["indexes"])), tuple(map(_override, found["fieldOverrides"]))


def _has_single(overrides: tuple[Override, ...], collection: str, scope: str, name: str, how: str) -> bool:
    said = [o for o in overrides if o.collection == collection and (name == o.name or name.startswith(f"{o.name}."))]
    if not said:
        # By itself a field is indexed within its collection only.
        return scope == "COLLECTION"
    return any((scope, how) in override.keys for override in said)


def _index(given: dict[str, Any]) -> Index:
    fields = given["fields"]
    dimension = sum(f["vectorConfig"]["dimension"] for f in fields if "vectorConfig" in f)
    return Index(
        given["collectionGroup"], given["queryScope"], tuple((f["fieldPath"], _how(f)) for f in fields), dimension
    )


def _override(given: dict[str, Any]) -> Override:
    keys = frozenset((index["queryScope"], _how(index)) for index in given["indexes"])
    return Override(given["collectionGroup"], given["fieldPath"], keys, bool(given.get("ttl")))


def _how(given: dict[str, Any]) -> str:
    return "VECTOR" if "vectorConfig" in given else given.get("order") or given["arrayConfig"]
