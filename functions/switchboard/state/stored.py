"""Values as they are stored, which `value` has made of what was given: copied, compared, ordered and measured.

How values compare is Firestore's rule, checked against its emulator by the contract tests.
"""

from datetime import datetime
from typing import Any, TypeAlias

from switchboard.contract.store import ArrayUnion, GeoPoint, Reference, Vector
from switchboard.state.value import is_elsewhere, is_nan, utf8_length

SortKey: TypeAlias = tuple[Any, ...]
"""Compares like the value it was made of: first by type, then within the type."""


def copied(value: Any) -> Any:
    """Return a copy of a stored value that shares nothing changeable with it."""
    # Written out instead of copy.deepcopy, which takes ten times as long: every read of the memory store pays this.
    if type(value) is dict:
        return {name: copied(item) if type(item) in (dict, list) else item for name, item in value.items()}
    if type(value) is list:
        return [copied(item) if type(item) in (dict, list) else item for item in value]
    return value


def is_identical(one: Any, other: Any) -> bool:
    """Whether two stored values are the same in type too: to the store 1, 1.0 and True are three values."""
    if type(one) is not type(other):
        return False
    if type(one) is dict:
        return one.keys() == other.keys() and all(is_identical(one[name], other[name]) for name in one)
    if type(one) is list:
        return len(one) == len(other) and all(map(is_identical, one, other))
    return bool(one == other) or (is_nan(one) and is_nan(other))


def sort_key(value: Any) -> SortKey:
    """Return what a value is ordered by: first its type (null, bool, number, time, text, bytes, reference, ...)."""
    match value:
        case None:
            return (0,)
        case bool():
            return (1, value)
        case int() | float():
            return (2, 0, 0) if is_nan(value) else (2, 1, value)
        case datetime():
            return (3, value)
        case str():
            return (4, value)
        case bytes():
            return (5, value)
        case list():
            return (8, tuple(map(sort_key, value)))
        case Vector():
            return (9, len(value.values), value.values)
        case Reference():
            return (6, reference_key(value))
        case GeoPoint():
            return (7, point_key(value))
    return (10, tuple((name, sort_key(value[name])) for name in sorted(value)))


def size(value: Any) -> int:
    """Return how many bytes a stored value counts for towards the limit of a document; an instruction, at most."""
    kind = type(value)
    if kind is str:
        return utf8_length(value) + 1
    if kind is dict:
        total = 0
        for name, item in value.items():
            total += len(name) + 1 if name.isascii() else utf8_length(name) + 1
            total += len(item) + 1 if type(item) is str and item.isascii() else size(item)
        return total
    if kind is list:
        return sum(map(size, value))
    if kind is bytes:
        return len(value)
    if kind is Vector:
        return 8 * len(value.values)
    if kind is ArrayUnion:
        return sum(map(size, value.values))
    if kind is Reference:
        return reference_size(value)
    if kind is GeoPoint:
        return 16
    return 1 if value is None or kind is bool else 8


def point_key(point: GeoPoint) -> tuple[float, float]:
    """Return what a point is ordered by."""
    return point.latitude, point.longitude


def reference_key(reference: Reference) -> tuple[bool, tuple[str, ...]]:
    """Return what a reference is ordered by: part by part, those into other databases last."""
    return is_elsewhere(reference.path), tuple(reference.path.split("/"))


def reference_size(reference: Reference) -> int:
    """Return how many bytes a reference counts for."""
    return 16 + utf8_length(reference.path) + 1
