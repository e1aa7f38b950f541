"""Answers a query over documents in memory: Firestore's filters, order, cursors and limits."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import datetime
from operator import ge, gt, le, lt, mul
from typing import Any, TypeAlias

from switchboard.contract.json import JsonObject
from switchboard.contract.python.dataclass import dataclass
from switchboard.contract.store import Filter, Near, Order, Query, Vector
from switchboard.state.memory.documents import StoredDocument
from switchboard.state.memory.transforms import value_at
from switchboard.state.stored import SortKey, sort_key
from switchboard.state.validation import range_fields
from switchboard.state.value import is_nan, joined_path, split_path

_ABSENT = object()
# Values of these types equal none of another type.
_OF_ONE_TYPE = frozenset({str, bool, datetime, bytes})
_COMPARED: dict[str, Callable[[Any, Any], bool]] = {"<": lt, "<=": le, ">": gt, ">=": ge}
_Test: TypeAlias = Callable[[Any], bool]


@dataclass(frozen=True, slots=True)
class SearchedDocument:
    """A document to be searched; its fields are only looked at, and a search for what is near adds to a copy."""

    path: str
    fields: JsonObject
    stored: StoredDocument


@dataclass(frozen=True, slots=True)
class _Placed:
    """A row with what it is ordered by: one key per order, then its place among all documents."""

    row: SearchedDocument
    keys: tuple[SortKey, ...]


def matching(query: Query, documents: Iterable[tuple[str, StoredDocument]]) -> list[SearchedDocument]:
    """Return the documents that match a checked query, in its order."""
    rows = _passing(query, documents)
    if query.near is not None:
        return _nearest(query.near, rows)[: query.limit]
    orders = _orders(query)
    paths = [split_path(order.field) for order in orders]
    placed = [
        _Placed(row, (*(sort_key(value) for value in values), _name_key(row.path)))
        for row in rows
        if not _lacks(values := [value_at(row.fields, path, _ABSENT) for path in paths])
    ]
    # Ties follow the last key's direction, as Firestore's implied order by document id does.
    directions = [order.descending for order in orders]
    directions.append(directions[-1] if directions else False)
    for place in reversed(range(len(directions))):
        placed.sort(key=lambda item: item.keys[place], reverse=directions[place])
    if query.start_after is not None:
        cursor = _cursor(query)
        placed = [item for item in placed if _is_behind(item.keys, cursor, directions)]
    return [item.row for item in placed[: query.limit]]


def _passing(query: Query, documents: Iterable[tuple[str, StoredDocument]]) -> Iterator[SearchedDocument]:
    """Yield the documents that pass a query's filters."""
    # What most do not pass comes first: only what waits for something has a time at which that is due.
    filters = sorted(query.filters, key=lambda item: not isinstance(item.value, datetime))
    tests = [(split_path(item.field), _test(item)) for item in filters]
    either = [(split_path(item.field), _test(item)) for item in query.any_of]
    for path, stored in documents:
        fields = stored.fields
        for names, test in tests:
            value = fields.get(names[0], _ABSENT) if len(names) == 1 else value_at(fields, names, _ABSENT)
            if not test(value):
                break
        else:
            if not either or any(test(value_at(fields, names, _ABSENT)) for names, test in either):
                yield SearchedDocument(path, fields, stored)


def _nearest(near: Near, rows: Iterable[SearchedDocument]) -> list[SearchedDocument]:
    path, components = split_path(near.field), near.vector.values
    ranked = []
    for row in rows:
        vector = value_at(row.fields, path, _ABSENT)
        if isinstance(vector, Vector) and len(vector.values) == len(components):
            product = sum(map(mul, vector.values, components))
            ranked.append(replace(row, fields={**row.fields, near.result: product}))
    return sorted(ranked, key=lambda row: (-row.fields[near.result], _name_key(row.path)))


def _lacks(values: list[Any]) -> bool:
    return any(value is _ABSENT for value in values)


def _orders(query: Query) -> list[Order]:
    """Return the order asked for, followed by the one that Firestore implies for fields compared by range."""
    named = {split_path(order.field) for order in query.order}
    descending = query.order[-1].descending if query.order else False
    implied = [joined_path(path) for path in range_fields(query.filters) if path not in named]
    return [*query.order, *(Order(field, descending) for field in implied)]


def _name_key(path: str) -> SortKey:
    # by part, not by text: "a-b/x" stands behind "a/x" although "-" stands before "/"
    return tuple(path.split("/"))


def _cursor(query: Query) -> tuple[SortKey, ...]:
    cursor = query.start_after or ()
    keys = [sort_key(value) for value in cursor[: len(query.order)]]
    names = [name if query.group else f"{query.collection}/{name}" for name in cursor[len(query.order) :]]
    return (*keys, *map(_name_key, names))


def _is_behind(keys: Sequence[SortKey], cursor: Sequence[SortKey], directions: Sequence[bool]) -> bool:
    for key, limit, descending in zip(keys, cursor, directions, strict=False):
        if key != limit:
            return (key > limit) is not descending
    return False


def _test(item: Filter) -> _Test:
    """Return whether a field's value passes a filter; a field that is absent never does."""
    kind, wanted = type(item.value), item.value
    # Most of what is asked for, without making a key of every value that is looked at.
    if item.op == "==" and kind in _OF_ONE_TYPE:
        return lambda value: type(value) is kind and value == wanted
    if item.op in _COMPARED and kind is datetime:
        compare = _COMPARED[item.op]
        return lambda value: type(value) is datetime and compare(value, wanted)
    if item.op in ("in", "not-in", "array-contains-any"):
        return _listed(item)
    key = sort_key(item.value)
    match item.op:
        case "==":
            return lambda value: value is not _ABSENT and sort_key(value) == key
        case "!=":
            return lambda value: value is not _ABSENT and value is not None and sort_key(value) != key
        case "array-contains":
            return lambda value: isinstance(value, list) and any(sort_key(part) == key for part in value)
    return _ranged(item.op, key)


def _listed(item: Filter) -> _Test:
    # null and NaN equal nothing in a list
    if item.op == "in" and all(type(value) in (str, int) for value in item.value):
        values = frozenset(item.value)
        return lambda value: type(value) in (str, int, float) and value in values
    keys = {sort_key(value) for value in item.value if value is not None and not is_nan(value)}
    if item.op == "in":
        return lambda value: value is not _ABSENT and sort_key(value) in keys
    if item.op == "array-contains-any":
        return lambda value: isinstance(value, list) and any(sort_key(part) in keys for part in value)
    if any(value is None for value in item.value):
        return lambda value: False
    return lambda value: value is not _ABSENT and value is not None and sort_key(value) not in keys


def _ranged(op: str, bound: SortKey) -> _Test:
    def passes(value: Any) -> bool:
        if value is _ABSENT or is_nan(value):
            return False
        key = sort_key(value)
        # only values of the same type can be more or less
        if key[0] != bound[0]:
            return False
        match op:
            case "<":
                return key < bound
            case "<=":
                return key <= bound
            case ">":
                return key > bound
        return key >= bound

    return passes
