"""Field values: which ones the store takes, how they are copied, compared and measured.

What is refused and how values compare is Firestore's rule, checked against its emulator by the contract tests.
"""

import math
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, TypeAlias

from switchboard.contract.json import JsonObject
from switchboard.contract.store import (
    DELETE_FIELD,
    SERVER_TIME,
    ArrayUnion,
    GeoPoint,
    Increment,
    Invalid,
    NotStorable,
    Reference,
    Vector,
)
from switchboard.state.field_path import check_names, utf8_length
from switchboard.state.point_and_reference import (
    checked_point,
    checked_reference,
    point_key,
    reference_key,
    reference_size,
)

_MAX_DEPTH = 20
_MAX_DIMENSION = 2048
_INT64_MIN, _INT64_MAX = -(2**63), 2**63 - 1
_INSTRUCTIONS = (Increment, ArrayUnion)
_PLAIN = frozenset({type(None), bool, float, bytes})

SortKey: TypeAlias = tuple[Any, ...]
"""Compares like the value it was made of: first by type, then within the type."""


def is_special(value: object) -> bool:
    """Whether a field's value is an instruction to the store that is carried out when the write happens."""
    return type(value) is Increment or value is SERVER_TIME or isinstance(value, _INSTRUCTIONS)


def checked_fields(fields: object, *, specials: bool = False, deletes: bool = False, depth: int = 0) -> JsonObject:
    """Return a copy of a map made of plain values only, with the instructions left in place; refuse what does not fit.

    Args:
        fields: What a caller wants to store.
        specials: Whether `Increment`, `ArrayUnion` and `SERVER_TIME` may stand in it.
        deletes: Whether `DELETE_FIELD` may.
        depth: In how many maps and arrays of the document it stands.
    """
    if not isinstance(fields, Mapping):
        raise Invalid(f"the fields of a document must be a map, not {type(fields).__name__}")
    check_names(fields)
    checked: JsonObject = dict(fields)
    for name, value in fields.items():
        # What `is_plain` says and the usual steps are, without asking: this loop is a good part of every commit.
        kind = type(value)
        if kind is str:
            is_plain = value.isascii()
        elif kind is int:
            is_plain = _INT64_MIN <= value <= _INT64_MAX
        elif kind is datetime:
            is_plain = value.tzinfo is UTC
        elif kind is Increment:
            is_plain = specials and type(value.by) is int and -_INT64_MAX <= value.by <= _INT64_MAX
        else:
            is_plain = kind in _PLAIN
        if not is_plain:
            checked[name] = _checked_field(name, value, specials, deletes, depth)
    return checked


def _checked_field(name: str, value: Any, specials: bool, deletes: bool, depth: int) -> Any:
    is_map = type(value) is dict
    if not is_map and (value is DELETE_FIELD or is_special(value)):
        if not (deletes if value is DELETE_FIELD else specials):
            told = "DELETE_FIELD" if value is DELETE_FIELD else type(value).__name__
            raise Invalid(f"{told} cannot stand here: {name!r}")
        return _checked_special(value)
    if not is_map and not isinstance(value, Mapping):
        return checked_value(value, depth)
    _check_depth(depth + 1)
    return checked_fields(value, specials=specials, deletes=deletes, depth=depth + 1)


def is_plain(value: Any) -> bool:
    """Whether a value is stored just as it is, as most are; some of the others turn out to be as well."""
    # By exact type: asking what a value is an instance of, class by class, takes ten times as long.
    kind = type(value)
    if kind is str:
        return bool(value.isascii())
    if kind is int:
        return bool(_INT64_MIN <= value <= _INT64_MAX)
    return kind in _PLAIN or (kind is datetime and value.tzinfo is UTC)


def checked_value(value: object, depth: int = 0) -> Any:
    """Return a copy of a value made of plain ones, with times in UTC; refuse what Firestore cannot keep."""
    match value:
        case None | bool() | float() | bytes():
            return value
        case str():
            utf8_length(value)
            # an enumeration's member is stored as the text it stands for
            return value if type(value) is str else str.__str__(value)
        case int():
            if not _INT64_MIN <= value <= _INT64_MAX:
                raise NotStorable("an integer needs more than 64 bits")
            return int(value)
        case datetime():
            return _checked_time(value)
        case Mapping():
            _check_depth(depth + 1)
            return checked_fields(value, depth=depth + 1)
        case list() | tuple():
            _check_depth(depth + 1)
            if any(isinstance(item, list | tuple) for item in value):
                raise NotStorable("an array cannot stand directly in an array")
            if any(isinstance(item, Vector) for item in value):
                raise Invalid("a vector cannot stand in an array")
            return [checked_value(item, depth + 1) for item in value]
    return _checked_rarity(value)


def _checked_rarity(value: object) -> Vector | GeoPoint | Reference:
    match value:
        case Vector():
            return checked_vector(value)
        case GeoPoint():
            return checked_point(value)
        case Reference():
            return checked_reference(value)
    raise Invalid(f"values of type {type(value).__name__} cannot be stored")


def checked_vector(vector: Vector) -> Vector:
    """Return a vector made of plain floats; refuse one that Firestore cannot keep or compare."""
    if not isinstance(vector, Vector) or not 1 <= len(vector.values) <= _MAX_DIMENSION:
        raise Invalid(f"a vector has 1 to {_MAX_DIMENSION} numbers")
    try:
        values = tuple(float(number) for number in vector.values)
    except (TypeError, ValueError):
        raise Invalid("a vector is made of numbers") from None
    if not all(map(math.isfinite, values)):
        raise Invalid("a vector is made of finite numbers")
    return Vector(values)


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


def is_nan(value: object) -> bool:
    """Whether a value is the float that equals nothing."""
    return isinstance(value, float) and math.isnan(value)


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


def _checked_special(value: Any) -> Any:
    if isinstance(value, ArrayUnion):
        if not value.values:
            raise Invalid("a union needs at least one value")
        return ArrayUnion(tuple(checked_value(list(value.values))))
    if isinstance(value, Increment):
        if isinstance(value.by, bool) or not isinstance(value.by, int | float):
            raise Invalid(f"a field is incremented by a number, not by {type(value.by).__name__}")
        checked_value(value.by)
    return value


def _checked_time(value: datetime) -> datetime:
    if value.tzinfo is UTC:
        return value
    if value.utcoffset() is None:
        raise Invalid("a time without a zone is ambiguous; give it one")
    try:
        return value.astimezone(UTC)
    except OverflowError:
        raise Invalid("a time lies outside the years 1 to 9999") from None


def _check_depth(depth: int) -> None:
    if depth > _MAX_DEPTH:
        raise NotStorable(f"maps and arrays are nested deeper than {_MAX_DEPTH}")
