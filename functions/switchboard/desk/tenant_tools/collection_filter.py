"""Which items of a collection a query means: what the store can find by itself, and what is held against each item.

Firestore answers equalities on several fields, or one range, from the indexes that every field has; for mixtures it
wants an index that somebody has made. Owners make collections and tools without asking us, so the rest is done here.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Final, get_args

from switchboard.contract.store import Filter, Operator

Condition = tuple[str, str, Any]
"""Field (dotted), operator and value."""

OPERATORS: Final = ("==", "<", "<=", ">", ">=", "in", "array-contains")
_RANGES = frozenset({"<", "<=", ">", ">="})
# As many values as Firestore takes in one `in`.
_MOST_VALUES = 30
_ABSENT = object()


def asked_of_store(conditions: Sequence[Condition]) -> tuple[Filter, ...]:
    """Return the conditions that the store answers without an index made for them.

    All equalities with at most one `array-contains`; without any, one `in`, or the ranges of one field.
    """
    usable = [condition for condition in conditions if _is_plain(condition)]
    equal = [c for c in usable if c[1] == "=="]
    containing = [c for c in usable if c[1] == "array-contains"][:1]
    one_of = [c for c in usable if c[1] == "in"][:1]
    ranges = [c for c in usable if c[1] in _RANGES]
    chosen = [*equal, *containing] or one_of or [c for c in ranges if c[0] == ranges[0][0]]
    return tuple(Filter(field, _operator(op), value) for field, op, value in chosen)


def fits(item: Mapping[str, Any], conditions: Sequence[Condition]) -> bool:
    """Tell whether an item meets every condition; one without the field, or with another type there, does not."""
    return all(_meets(at(item, field), op, value) for field, op, value in conditions)


def at(item: Mapping[str, Any], field: str) -> Any:
    """Return what stands at a dotted field; what is not there equals nothing, not even None."""
    found: Any = item
    for name in field.split("."):
        if not isinstance(found, Mapping) or name not in found:
            return _ABSENT
        found = found[name]
    return found


def is_there(value: Any) -> bool:
    """Tell whether `at` has found something."""
    return value is not _ABSENT


def _is_plain(condition: Condition) -> bool:
    _, op, value = condition
    values = value if op == "in" and isinstance(value, list | tuple) else [value]
    return 0 < len(values) <= _MOST_VALUES and all(isinstance(v, bool | int | float | str | datetime) for v in values)


def _operator(word: str) -> Operator:
    found: Operator = next(op for op in get_args(Operator) if op == word)
    return found


def _meets(found: Any, op: str, value: Any) -> bool:
    if not is_there(found):
        return False
    if op == "==":
        return _equal(found, value)
    if op == "in":
        return isinstance(value, list | tuple) and any(_equal(found, one) for one in value)
    if op == "array-contains":
        return isinstance(found, list | tuple) and any(_equal(one, value) for one in found)
    if not _is_comparable(found, value):
        return False
    if op in ("<", "<="):
        return bool(found < value or (op == "<=" and found == value))
    return op in _RANGES and bool(found > value or (op == ">=" and found == value))


def _equal(found: Any, value: Any) -> bool:
    # In Python, True is 1.
    return isinstance(found, bool) == isinstance(value, bool) and bool(found == value)


def _is_comparable(found: Any, value: Any) -> bool:
    if isinstance(found, bool) or isinstance(value, bool):
        return False
    kinds: tuple[Any, ...] = (int | float, str, datetime)
    return any(isinstance(found, kind) and isinstance(value, kind) for kind in kinds)
