"""JSON as Python values: the one place where the type of untyped data is said."""

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

Json: TypeAlias = "bool | int | float | str | Sequence[Json] | Mapping[str, Json] | None"
"""A value that JSON can carry."""

JsonObject: TypeAlias = dict[str, Any]
"""A JSON object, or the fields of a stored document (which may also hold aware `datetime` and `bytes` values)."""
