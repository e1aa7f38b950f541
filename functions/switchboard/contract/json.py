"""JSON as Python values: the one place where the type of untyped data is said."""

from collections.abc import Iterator, Mapping, Sequence
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
