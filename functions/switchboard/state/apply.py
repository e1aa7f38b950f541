"""What a checked write makes of a document, in memory, as Firestore does it.

Plain values first, then the instructions (`Increment`, `ArrayUnion`, `SERVER_TIME`) on what is there by then.
"""

from datetime import datetime
from typing import Any, TypeAlias

from switchboard.contract.json import JsonObject
from switchboard.contract.store import DELETE_FIELD, ArrayUnion, Create, Increment, Set, Update
from switchboard.state import field_path
from switchboard.state.value import copied, is_special, sort_key

_INT64_MAX = 2**63 - 1

Instructions: TypeAlias = list[tuple[tuple[str, ...], Any]]
"""Field paths, each with the instruction to carry out there."""


def applied(write: Create | Set | Update, before: JsonObject | None, now: datetime) -> JsonObject:
    """Return the fields that a document has after a write; `before` is left as it is."""
    keeps = isinstance(write, Update) or (isinstance(write, Set) and write.merge)
    fields: JsonObject = copied(before or {}) if keeps else {}
    if isinstance(write, Update):
        for dotted, value in write.data.items():
            _write(fields, field_path.split(dotted), value)
    else:
        _merge(fields, (), write.data)
    for path, instruction in instructions(write):
        _put(fields, path, _carried_out(instruction, value_at(fields, path), now))
    return fields


def increments(write: Create | Set | Update, after: JsonObject) -> dict[str, int | float]:
    """Return the new values of the fields that a write incremented, by dotted path."""
    found = [path for path, instruction in instructions(write) if isinstance(instruction, Increment)]
    return {field_path.join(path): value_at(after, path) for path in found}


def instructions(write: Create | Set | Update) -> Instructions:
    """Return the instructions of a write with the paths they stand at, in the order of the paths.

    It is the order in which Firestore's SDK sends them, and so the order in which their results come back.
    """
    found: Instructions = []
    for name, value in write.data.items():
        _collect(value, field_path.split(name) if isinstance(write, Update) else (name,), found)
    return sorted(found, key=lambda item: item[0])


def value_at(fields: JsonObject, path: tuple[str, ...], default: object = None) -> Any:
    """Return the value that a path leads to, or the default where it leads nowhere."""
    place: Any = fields
    for name in path:
        if not isinstance(place, dict) or name not in place:
            return default
        place = place[name]
    return place


def _collect(value: Any, path: tuple[str, ...], found: Instructions) -> None:
    if is_special(value):
        found.append((path, value))
    elif isinstance(value, dict):
        for name, item in value.items():
            _collect(item, (*path, name), found)


def _merge(fields: JsonObject, path: tuple[str, ...], data: JsonObject) -> None:
    for name, value in data.items():
        if isinstance(value, dict) and value:
            _merge(fields, (*path, name), value)
        else:
            # An empty map has nothing to merge: as in Firestore, it replaces what is there.
            _write(fields, (*path, name), value)


def _write(fields: JsonObject, path: tuple[str, ...], value: Any) -> None:
    if value is DELETE_FIELD:
        _remove(fields, path)
    elif not is_special(value):
        _put(fields, path, _plain(value))


def _plain(value: Any) -> Any:
    if not isinstance(value, dict):
        return value
    return {name: _plain(item) for name, item in value.items() if not is_special(item)}


def _put(fields: JsonObject, path: tuple[str, ...], value: Any) -> None:
    place = fields
    for name in path[:-1]:
        inner = place.get(name)
        if not isinstance(inner, dict):
            inner = place[name] = {}
        place = inner
    place[path[-1]] = value


def _remove(fields: JsonObject, path: tuple[str, ...]) -> None:
    place = value_at(fields, path[:-1])
    if isinstance(place, dict):
        place.pop(path[-1], None)


def _carried_out(instruction: Any, value: Any, now: datetime) -> Any:
    if isinstance(instruction, Increment):
        return _sum(value, instruction.by)
    if isinstance(instruction, ArrayUnion):
        return _union(value, instruction.values)
    # Firestore stamps whole milliseconds
    return now.replace(microsecond=now.microsecond // 1000 * 1000)


def _sum(value: Any, by: int | float) -> int | float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return by
    total = value + by
    # Firestore's integers stop at their ends instead of overflowing
    return max(-_INT64_MAX - 1, min(_INT64_MAX, total)) if isinstance(total, int) else total


def _union(value: Any, additions: tuple[Any, ...]) -> list[Any]:
    union = list(value) if isinstance(value, list) else []
    present = {sort_key(item) for item in union}
    for item in additions:
        key = sort_key(item)
        if key not in present:
            present.add(key)
            union.append(copied(item))
    return union
