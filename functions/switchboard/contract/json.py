"""JSON as Python values: the one place where the type of untyped data is said, and how a record is told in it."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import fields
from enum import Enum
from typing import Any, TypeAlias

Json: TypeAlias = "bool | int | float | str | Sequence[Json] | Mapping[str, Json] | None"
"""A value that JSON can carry."""

JsonObject: TypeAlias = dict[str, Any]
"""A JSON object, or the fields of a stored document (which may also hold aware `datetime` and `bytes` values)."""


def leaves(value: Any, name: str = "") -> Iterator[tuple[str, Any]]:
    """Yield what is neither object nor list in a value, each behind the name of the field that it stands in.

    What stands in a list, of lists or not, has the name of the field that the list stands in.
    """
    if isinstance(value, Mapping):
        for key, inner in value.items():
            yield from leaves(inner, str(key))
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from leaves(inner, name)
    else:
        yield name, value


def at_path(value: Any, path: str, otherwise: Any = None) -> Any:
    """Return what stands at a dotted path of an object; what lies in a list is not looked for."""
    for name in path.split("."):
        if not isinstance(value, Mapping) or name not in value:
            return otherwise
        value = value[name]
    return value


class ToldAsJson:
    """A dataclass of which all is told, by the names of its fields."""

    __slots__ = ()

    def to_json(self) -> JsonObject:
        """Return its fields, as `as_json` names them."""
        return as_json(self)


def as_json(record: Any, /, without: Collection[str] = (), **further: Any) -> JsonObject:
    """Return the fields of a dataclass by their names in JSON (`isWhole` for `is_whole`), with what they hold.

    Args:
        record: A dataclass.
        without: Names of fields that are not told.
        further: What is told beside its fields, or in place of one; named as fields are.
    """
    own = {field.name: getattr(record, field.name) for field in fields(record) if field.name not in without}
    return {_named(name): _held(value) for name, value in (own | further).items()}


def _named(name: str) -> str:
    first, *rest = name.split("_")
    return first + "".join(map(str.capitalize, rest))


def _held(value: Any) -> Any:
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, list | tuple):
        return [_held(inner) for inner in value]
    if isinstance(value, Mapping):
        return {name: _held(inner) for name, inner in value.items()}
    return value.to_json() if hasattr(value, "to_json") else value
