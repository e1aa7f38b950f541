"""Field values, their names and the paths of documents: which the store takes, and what it makes of them.

What is refused is Firestore's rule, checked against its emulator by the contract tests.

Nothing of ours is kept as a point or a reference; owners keep them in their own collections.

A dotted path is split at every dot, and each segment is the literal name of a field: `usage.2026-01` reaches the field
`2026-01` of the map `usage`. So a name that holds a dot cannot be reached by a path (a `Set` can still write it), and
backticks and backslashes, with which Firestore quotes names, are refused.
"""

import math
import re
from collections.abc import Collection, Hashable, Mapping, Sequence
from datetime import UTC, datetime
from functools import lru_cache
from typing import Any

from switchboard.contract.json import JsonObject
from switchboard.contract.store import (
    DELETE_FIELD,
    RESERVED_NAME,
    SERVER_TIME,
    ArrayUnion,
    GeoPoint,
    Increment,
    Invalid,
    NotStorable,
    Reference,
    Vector,
)

_MAX_DEPTH = 20
_MAX_DIMENSION = 2048
_INT64_MIN, _INT64_MAX = -(2**63), 2**63 - 1
_INSTRUCTIONS = (Increment, ArrayUnion)
_PLAIN = frozenset({type(None), bool, float, bytes})

_ELSEWHERE = re.compile(r"projects/[^/]+/databases/[^/]+/documents/(.+)", re.DOTALL)

_MAX_NAME_BYTES = 1500
_QUOTING = re.compile(r"[`\\]")
_NAMES_KEPT = 4096
_GOOD_NAMES: set[Hashable] = set()

_MAX_ID_BYTES = 1500
_RESERVED_ID = re.compile(r"\.{1,2}|__.*__", re.DOTALL)


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
    if type(fields) is not dict and not isinstance(fields, Mapping):
        raise Invalid(f"the fields of a document must be a map, not {type(fields).__name__}")
    if not _GOOD_NAMES.issuperset(fields):
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
            by = value.by
            is_plain = specials and (type(by) is float or (type(by) is int and -_INT64_MAX <= by <= _INT64_MAX))
        elif kind is dict and depth < _MAX_DEPTH:
            checked[name] = checked_fields(value, specials=specials, deletes=deletes, depth=depth + 1)
            continue
        else:
            is_plain = kind in _PLAIN or (deletes and value is DELETE_FIELD)
        if not is_plain:
            checked[name] = _checked_field(name, value, specials, deletes, depth)
    return checked


def _checked_field(name: str, value: Any, specials: bool, deletes: bool, depth: int) -> Any:
    if type(value) is list:
        return _checked_list(value, depth)
    if value is DELETE_FIELD or is_special(value):
        if not (deletes if value is DELETE_FIELD else specials):
            shown = "DELETE_FIELD" if value is DELETE_FIELD else type(value).__name__
            raise Invalid(f"{shown} cannot stand here: {name!r}")
        return _checked_special(value)
    if not isinstance(value, Mapping):
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
        case list() | tuple():
            return _checked_list(value, depth)
        # Last, since asking for an abstract type takes longer than all others together.
        case Mapping():
            _check_depth(depth + 1)
            return checked_fields(value, depth=depth + 1)
    return _checked_rarity(value)


def _checked_list(items: Sequence[Any], depth: int) -> list[Any]:
    _check_depth(depth + 1)
    if not items:
        return []
    if any(isinstance(item, list | tuple) for item in items):
        raise NotStorable("an array cannot stand directly in an array")
    if any(isinstance(item, Vector) for item in items):
        raise Invalid("a vector cannot stand in an array")
    return [checked_value(item, depth + 1) for item in items]


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


def is_nan(value: object) -> bool:
    """Whether a value is the float that equals nothing."""
    return isinstance(value, float) and math.isnan(value)


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


def checked_point(point: GeoPoint) -> GeoPoint:
    """Return a point made of plain floats; refuse one that lies nowhere on earth."""
    degrees = (point.latitude, point.longitude)
    if any(isinstance(number, bool) or not isinstance(number, int | float) for number in degrees):
        raise Invalid("a point is made of two numbers")
    latitude, longitude = degrees
    # Written so that what is no number is refused as well.
    if not (-90 <= latitude <= 90 and -180 <= longitude <= 180):
        raise Invalid("a point lies between the latitudes -90 and 90 and the longitudes -180 and 180")
    return GeoPoint(float(latitude), float(longitude))


def checked_reference(reference: Reference) -> Reference:
    """Return a reference; refuse one that names no document."""
    if not isinstance(reference.path, str):
        raise Invalid(f"a reference is the path of a document, not {type(reference.path).__name__}")
    elsewhere = _ELSEWHERE.fullmatch(reference.path)
    check_document_path(elsewhere[1] if elsewhere else reference.path)
    return reference


def is_elsewhere(path: str) -> bool:
    """Whether a reference's path names its database too."""
    return _ELSEWHERE.fullmatch(path) is not None


@lru_cache(maxsize=4096)
def split_path(dotted: str) -> tuple[str, ...]:
    """Return the field names that a dotted path goes through; refuse what is not one."""
    if not isinstance(dotted, str):
        raise Invalid(f"a field path must be text, not {type(dotted).__name__}")
    if _QUOTING.search(dotted):
        raise Invalid(f"a field path cannot hold a backtick or a backslash: {dotted[:40]!r}")
    if utf8_length(dotted) > _MAX_NAME_BYTES:
        raise Invalid(f"a field path is longer than {_MAX_NAME_BYTES} bytes: {dotted[:40]!r}…")
    names = tuple(dotted.split("."))
    for name in names:
        check_name(name)
    return names


def joined_path(names: tuple[str, ...]) -> str:
    """Return the dotted spelling of a path."""
    return ".".join(names)


def check_names(fields: Collection[Hashable]) -> None:
    """Refuse a map in which Firestore would not take one of the names."""
    if _GOOD_NAMES.issuperset(fields):
        return
    for name in fields:
        if name not in _GOOD_NAMES:
            check_name(name)
    # A map of one name is as often one that is named by what it is about, and so by another each time.
    if len(fields) > 1:
        if len(_GOOD_NAMES) >= _NAMES_KEPT:
            _GOOD_NAMES.clear()
        _GOOD_NAMES.update(fields)


def check_name(name: Hashable) -> None:
    """Refuse what Firestore does not take as the name of a field."""
    if type(name) is str and name.isascii() and 0 < len(name) <= _MAX_NAME_BYTES and not name.startswith("__"):
        return
    if not isinstance(name, str):
        raise Invalid(f"the name of a field must be text, not {type(name).__name__}")
    if not name:
        raise NotStorable("the name of a field is empty")
    if RESERVED_NAME.fullmatch(name):
        raise NotStorable(f"names between double underscores are Firestore's own: {name[:40]!r}")
    if utf8_length(name) > _MAX_NAME_BYTES:
        raise NotStorable(f"the name of a field is longer than {_MAX_NAME_BYTES} bytes: {name[:40]!r}…")


def utf8_length(text: str) -> int:
    """Return how many bytes text takes; refuse a lone surrogate, which no encoding carries."""
    if text.isascii():
        return len(text)
    try:
        return len(text.encode())
    except UnicodeEncodeError:
        raise NotStorable("text with a lone surrogate cannot be stored") from None


def check_document_path(path: str) -> None:
    """Refuse what is not the path of a document."""
    # A collection is met again and again, a document in it often once.
    if type(path) is str:
        collection, _, id = path.rpartition("/")
        if _is_id(id) and _is_collection_path(collection):
            return
    if len(_ids(path)) % 2:
        raise Invalid(f"the path of a document has an even number of parts: {path[:200]!r}")


@lru_cache(maxsize=4096)
def check_collection_path(path: str) -> None:
    """Refuse what is not the path of a collection."""
    if not len(_ids(path)) % 2:
        raise Invalid(f"the path of a collection has an odd number of parts: {path[:200]!r}")


@lru_cache(maxsize=4096)
def _is_collection_path(path: str) -> bool:
    ids = path.split("/")
    return len(ids) % 2 == 1 and all(map(_is_id, ids))


def _is_id(id: str) -> bool:
    length = len(id) if id.isascii() else utf8_length(id)
    return 0 < length <= _MAX_ID_BYTES and not _RESERVED_ID.fullmatch(id)


def _ids(path: str) -> list[str]:
    if not isinstance(path, str):
        raise Invalid(f"a path must be text, not {type(path).__name__}")
    ids = path.split("/")
    for id in ids:
        if not _is_id(id):
            raise Invalid(f"Firestore does not take {id[:40]!r} as a part of a path: {path[:200]!r}")
    return ids
