"""Queries as Firestore's messages."""

from collections.abc import Sequence
from typing import Final

from google.cloud.firestore_v1.types import query as query_types

from switchboard.contract.store import Filter, Near, Query, Reference
from switchboard.state.firestore.values import Message, ValueCodec, quoted
from switchboard.state.value import is_nan

_STRUCTURED: Final = query_types.StructuredQuery
_FIELD: Final = _STRUCTURED.FieldFilter.Operator
_UNARY: Final = _STRUCTURED.UnaryFilter.Operator
_OPERATORS = {
    "==": _FIELD.EQUAL,
    "!=": _FIELD.NOT_EQUAL,
    "<": _FIELD.LESS_THAN,
    "<=": _FIELD.LESS_THAN_OR_EQUAL,
    ">": _FIELD.GREATER_THAN,
    ">=": _FIELD.GREATER_THAN_OR_EQUAL,
    "in": _FIELD.IN,
    "not-in": _FIELD.NOT_IN,
    "array-contains": _FIELD.ARRAY_CONTAINS,
    "array-contains-any": _FIELD.ARRAY_CONTAINS_ANY,
}
# Null and NaN are no values to compare with: Firestore asks for them by operators of their own.
_NULL = {"==": _UNARY.IS_NULL, "!=": _UNARY.IS_NOT_NULL}
_NAN = {"==": _UNARY.IS_NAN, "!=": _UNARY.IS_NOT_NAN}
_ALL, _ANY = _STRUCTURED.CompositeFilter.Operator.AND, _STRUCTURED.CompositeFilter.Operator.OR
_ASCENDING, _DESCENDING = _STRUCTURED.Direction.ASCENDING, _STRUCTURED.Direction.DESCENDING
_DOT_PRODUCT = _STRUCTURED.FindNearest.DistanceMeasure.DOT_PRODUCT
_DOCUMENT_ID = "__name__"
_MAX_LIMIT = 2**31 - 1
"""Firestore counts to it; there are never as many documents."""


def parent_path(query: Query) -> str:
    """Return the path of the document below which a query searches; empty for the whole database."""
    return "" if query.group else query.collection.rpartition("/")[0]


def encode_query(message: Message, query: Query, codec: ValueCodec) -> None:
    """Write a checked query into a `StructuredQuery`."""
    message.from_.add(collection_id=query.collection.rpartition("/")[2], all_descendants=query.group)
    if query.filters and query.any_of:
        message.where.composite_filter.op = _ALL
        for item in query.filters:
            _encode_filter(message.where.composite_filter.filters.add(), item, codec)
        _encode_filters(message.where.composite_filter.filters.add(), query.any_of, _ANY, codec)
    elif query.filters:
        _encode_filters(message.where, query.filters, _ALL, codec)
    elif query.any_of:
        _encode_filters(message.where, query.any_of, _ANY, codec)
    if query.near is not None:
        # Its limit stands among what is said about nearness.
        _encode_near(message.find_nearest, query.near, query.limit or 1, codec)
        return
    for order in query.order:
        _encode_order(message, quoted(order.field), order.descending)
    if query.start_after is not None:
        _encode_cursor(message, query, query.start_after, codec)
    if query.limit is not None:
        message.limit.value = min(query.limit, _MAX_LIMIT)
        # None at all is a limit too.
        message.limit.SetInParent()


def _encode_filters(message: Message, filters: Sequence[Filter], joined_by: int, codec: ValueCodec) -> None:
    if len(filters) == 1:
        _encode_filter(message, filters[0], codec)
        return
    message.composite_filter.op = joined_by
    for item in filters:
        _encode_filter(message.composite_filter.filters.add(), item, codec)


def _encode_filter(message: Message, item: Filter, codec: ValueCodec) -> None:
    unary = _NULL if item.value is None else _NAN if is_nan(item.value) else None
    if unary is not None:
        message.unary_filter.field.field_path = quoted(item.field)
        message.unary_filter.op = unary[item.op]
        return
    message.field_filter.field.field_path = quoted(item.field)
    message.field_filter.op = _OPERATORS[item.op]
    codec.encode(message.field_filter.value, item.value)


def _encode_order(message: Message, field_path: str, descending: bool) -> None:
    message.order_by.add(direction=_DESCENDING if descending else _ASCENDING).field.field_path = field_path


def _encode_cursor(message: Message, query: Query, start_after: tuple[object, ...], codec: ValueCodec) -> None:
    values = list(start_after)
    if len(values) > len(query.order):
        path = values.pop()
        values.append(Reference(str(path) if query.group else f"{query.collection}/{path}"))
        # in the direction of the last key, as the order that Firestore implies: else it needs one more index
        _encode_order(message, _DOCUMENT_ID, bool(query.order) and query.order[-1].descending)
    # Whatever is equal to the values stands before the point.
    message.start_at.before = False
    for value in values:
        codec.encode(message.start_at.values.add(), value)


def _encode_near(message: Message, near: Near, limit: int, codec: ValueCodec) -> None:
    message.vector_field.field_path = quoted(near.field)
    codec.encode(message.query_vector, near.vector)
    message.distance_measure = _DOT_PRODUCT
    message.limit.value = limit
    message.distance_result_field = near.result
