"""What both stores refuse before anything is sent or changed, so that they refuse the same.

Firestore's own refusals arrive as `Invalid` too; the ones here are those that the SDK or the emulator lets through or
reports in other ways, and those that the memory store must know by itself.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from switchboard.contract.json import JsonObject
from switchboard.contract.store import DELETE_FIELD, Create, Delete, Filter, Invalid, Near, Query, Set, Update, Write
from switchboard.state.paths import compiled_from
from switchboard.state.value import (
    check_collection_path,
    check_document_path,
    check_name,
    checked_fields,
    checked_value,
    checked_vector,
    is_nan,
    is_plain,
    joined_path,
    split_path,
)

MAX_WRITES = 500
_LISTED = {"in": 30, "not-in": 10, "array-contains-any": 30}
_NEGATED = ("!=", "not-in")
_ARRAY = ("array-contains", "array-contains-any")
_ALTERNATIVE = ("==", "in", "array-contains")
_RANGED = ("<", "<=", ">", ">=", *_NEGATED)
_OPERATORS = frozenset(("==", "array-contains", *_RANGED, *_LISTED))
# Firestore multiplies the lists of all `in` and `array-contains-any` filters out into that many plain queries.
_MAX_ALTERNATIVES = 30
_MAX_NEIGHBOURS = 1000


def checked_writes(writes: Sequence[Write]) -> list[Write]:
    """Return the writes with their data copied and made of plain values; refuse what the store cannot write."""
    if len(writes) > MAX_WRITES:
        raise Invalid(f"a commit takes at most {MAX_WRITES} writes, not {len(writes)}")
    checked = [_checked_write(write) for write in writes]
    _check_sequence(checked)
    return checked


def with_compiled_dropped(writes: Sequence[Write]) -> Sequence[Write]:
    """Return the writes of one commit, and behind them the deletions of whatever was compiled of what they change.

    So no reader finds an old compilation beside a new part, whoever writes the part. They count for no limit of writes:
    Firestore has none any more, and `MAX_WRITES` is this house's own.
    """
    dropped: dict[str, None] = {}
    for write in writes:
        compiled = compiled_from(write.path)
        if compiled is not None:
            dropped[compiled] = None
    if not dropped:
        return writes
    written = {write.path for write in writes}
    return [*writes, *(Delete(path) for path in dropped if path not in written)]


def checked_query(query: Query) -> Query:
    """Return the query with its values copied and made of plain ones; refuse what Firestore cannot answer."""
    if query.collection or not query.group:
        check_collection_path(query.collection)
    elif query.filters or query.any_of or query.order or query.near:
        raise Invalid("all documents there are come unfiltered, in the order of their paths")
    if query.limit is not None and query.limit < 0:
        raise Invalid("a limit cannot be negative")
    filters, any_of = (tuple(map(_checked_filter, each)) for each in (query.filters, query.any_of))
    _check_combination(filters, any_of)
    query = replace(query, filters=filters, any_of=any_of)
    if query.near is not None:
        return replace(query, near=_checked_near(query, query.near))
    ordered = [split_path(order.field) for order in query.order]
    if len(set(ordered)) < len(ordered):
        raise Invalid("a query cannot be ordered by one field twice")
    if query.start_after is None:
        return query
    # Firestore appends these fields to the order by itself, and would take the document id for one of their values.
    unordered = set(range_fields(filters)) - set(ordered)
    if unordered:
        raise Invalid(f"to continue behind a point, order by the compared fields too: {min(unordered)}")
    return replace(query, start_after=_checked_cursor(query))


def checked_count(query: Query) -> Query:
    """Return the query as `checked_query` does; refuse one whose matches cannot be counted without reading them."""
    if query.near is not None:
        raise Invalid("the nearest are found, not counted")
    return checked_query(query)


def range_fields(filters: Sequence[Filter]) -> list[tuple[str, ...]]:
    """Return the fields that are compared by anything but equality, by which Firestore orders if nobody says how."""
    return sorted({split_path(item.field) for item in filters if item.op in _RANGED})


def _check_sequence(writes: Sequence[Write]) -> None:
    """Refuse writes of one document that contradict each other; Firestore does not even look at the document then."""
    if len({write.path for write in writes}) == len(writes):
        return
    is_left: dict[str, bool] = {}
    for write in writes:
        earlier = is_left.get(write.path)
        match write:
            case Create():
                contradicts = earlier is True
            case Set():
                contradicts = False
            case Update() | Delete():
                insists = isinstance(write, Update) or write.must_exist
                # an update time is the one that was read, so it cannot be that of an earlier write of the same commit
                contradicts = (earlier is False and insists) or (earlier is not None and bool(write.if_update_time))
        if contradicts:
            raise Invalid(f"{type(write).__name__} cannot follow the commit's earlier write of {write.path}")
        is_left[write.path] = not isinstance(write, Delete)


def _checked_write(write: Write) -> Write:
    check_document_path(write.path)
    match write:
        case Create():
            return Create(write.path, checked_fields(write.data, specials=True))
        case Set():
            return Set(write.path, checked_fields(write.data, specials=True, deletes=write.merge), write.merge)
        case Update():
            return Update(write.path, _checked_changes(write.data), write.if_update_time)
        case Delete():
            return write


def _checked_changes(data: JsonObject) -> JsonObject:
    if not isinstance(data, Mapping) or not data:
        raise Invalid("an update needs a map of at least one field")
    paths = {split_path(dotted) for dotted in data}
    for path in paths:
        if len(path) > 1 and any(path[:length] in paths for length in range(1, len(path))):
            raise Invalid(f"an update names a field and a part of it: {joined_path(path)!r}")
    checked: JsonObject = {}
    for dotted, value in data.items():
        if is_plain(value):
            checked[dotted] = value
            continue
        name, depth = split_path(dotted)[-1], dotted.count(".")
        # A map given here replaces the one that is there, so there is nothing to delete in it.
        deletes = value is DELETE_FIELD
        checked[dotted] = checked_fields({name: value}, specials=True, deletes=deletes, depth=depth)[name]
    return checked


def _checked_filter(item: Filter) -> Filter:
    split_path(item.field)
    if item.op not in _OPERATORS:
        raise Invalid(f"there is no operator {item.op!r}")
    limit = _LISTED.get(item.op)
    if limit is None:
        if item.op not in ("==", "!=") and (item.value is None or is_nan(item.value)):
            raise Invalid(f"null and NaN are only equal or unequal, not {item.op!r}")
        return replace(item, value=checked_value(item.value))
    if not isinstance(item.value, list | tuple) or not 0 < len(item.value) <= limit:
        raise Invalid(f"{item.op!r} takes a list of 1 to {limit} values")
    return replace(item, value=[checked_value(value) for value in item.value])


def _checked_near(query: Query, near: Near) -> Near:
    # Firestore's emulator finds no vector that stands in a map.
    if len(split_path(near.field)) > 1:
        raise Invalid(f"a vector to compare stands in a field of the document itself, not at {near.field!r}")
    check_name(near.result)
    if query.any_of:
        raise Invalid("the nearest are looked for among what meets every filter, not any of several")
    if query.order or query.start_after is not None:
        raise Invalid("the nearest come in the order of their nearness, from the first on")
    if query.limit is None or not 1 <= query.limit <= _MAX_NEIGHBOURS:
        raise Invalid(f"a query for the nearest takes a limit of 1 to {_MAX_NEIGHBOURS}")
    return replace(near, vector=checked_vector(near.vector))


def _check_combination(filters: Sequence[Filter], any_of: Sequence[Filter]) -> None:
    operators = [item.op for item in filters]
    if sum(op in _NEGATED for op in operators) > 1:
        raise Invalid("a query takes one '!=' or one 'not-in'")
    if sum(item.op in _ARRAY for item in (*filters, *any_of)) > 1:
        raise Invalid("a query takes one 'array-contains' or one 'array-contains-any'")
    if "not-in" in operators and ("in" in operators or "array-contains-any" in operators or any_of):
        raise Invalid("'not-in' cannot be combined with 'in' or 'array-contains-any', nor with 'any of'")
    if other := next((item.op for item in any_of if item.op not in _ALTERNATIVE), None):
        raise Invalid(f"any of several conditions are each '==', 'in' or 'array-contains', not {other!r}")
    alternatives = sum(map(_alternatives, any_of)) or 1
    for item in filters:
        alternatives *= _alternatives(item)
    if alternatives > _MAX_ALTERNATIVES:
        raise Invalid(f"the lists of a query multiply to {alternatives}; {_MAX_ALTERNATIVES} is the most")


def _alternatives(item: Filter) -> int:
    """Return into how many plain conditions Firestore multiplies one out."""
    return len(item.value) if item.op in ("in", "array-contains-any") else 1


def _checked_cursor(query: Query) -> tuple[object, ...]:
    cursor = query.start_after or ()
    if not len(query.order) <= len(cursor) <= len(query.order) + 1 or not cursor:
        raise Invalid("a query continues behind one value per order key, optionally followed by a document id")
    values = [checked_value(value) for value in cursor[: len(query.order)]]
    names = cursor[len(query.order) :]
    for name in names:
        if not isinstance(name, str):
            raise Invalid(f"what breaks ties is a document id, not {type(name).__name__}")
        check_document_path(name if query.group else f"{query.collection}/{name}")
    return (*values, *names)
