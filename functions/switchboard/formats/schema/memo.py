"""What is made of a schema, kept for as long as the schema is in use: every business and session shares it."""

from collections.abc import Callable
from functools import lru_cache, wraps
from typing import TypeVar

from switchboard.contract.json import JsonObject

_T = TypeVar("_T")
_MOST = 1_024


class _Same:
    """A schema that is equal to itself only: comparing two by content would cost more than what is saved."""

    __slots__ = ("schema",)

    def __init__(self, schema: JsonObject) -> None:
        self.schema = schema

    def __hash__(self) -> int:
        return id(self.schema)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Same) and other.schema is self.schema


def once_per_schema(make: Callable[[JsonObject], _T]) -> Callable[[JsonObject], _T]:
    """Return `make`, which is carried out once per schema object; schemas and results are not to be changed.

    Definitions are kept per published set, and interpolating a description leaves the schemas the same objects, so a
    declaration costs its schema's work once per catalog version and not once per listing.
    """

    @lru_cache(_MOST)
    def kept(same: _Same) -> _T:
        return make(same.schema)

    @wraps(make)
    def made(schema: JsonObject) -> _T:
        return kept(_Same(schema))

    return made
