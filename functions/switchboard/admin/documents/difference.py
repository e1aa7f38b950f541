"""What differs between two documents, field by field, and how to show it in a line."""

import json
from collections.abc import Iterable, Iterator, Mapping
from itertools import takewhile
from typing import Any, Final

from switchboard.contract.json import JsonObject
from switchboard.contract.python.dataclass import dataclass


class _Absent:
    def __repr__(self) -> str:
        return "(none)"


ABSENT: Final = _Absent()
"""Stands for a field that is not there, which is something else than a field that holds null."""

_SHOWN = 44


@dataclass(frozen=True, slots=True)
class Difference:
    """One field, by its dotted path, that is not the same before and after; either side may be `ABSENT`."""

    field: str
    before: Any
    after: Any

    def __str__(self) -> str:
        """Return `field: before → after`, both shortened around the place where they part."""
        before, after = _excerpts(_shown(self.before), _shown(self.after))
        return f"{self.field}: {before} → {after}"


def canonical(value: Any) -> str:
    """Return the one JSON text of a value: equal values have equal texts, and 1, 1.0 and true are three values."""
    return json.dumps(value, sort_keys=True, ensure_ascii=False, separators=(",", ":"), default=str)


def changed(before: Mapping[str, Any], after: Mapping[str, Any]) -> tuple[JsonObject, JsonObject]:
    """Return the fields that differ, as they were and as they are; one that is not there is left out."""
    names = [
        name
        for name in (*before, *(n for n in after if n not in before))
        if not same(before.get(name, ABSENT), after.get(name, ABSENT))
    ]
    return {n: before[n] for n in names if n in before}, {n: after[n] for n in names if n in after}


def same(one: Any, other: Any) -> bool:
    """Tell whether two values of a field are equal, `ABSENT` being one of them."""
    if one is ABSENT or other is ABSENT:
        return one is other
    return canonical(one) == canonical(other)


def touched(before: Mapping[str, Any], after: Mapping[str, Any], paths: Iterable[str]) -> list[str]:
    """Return which of some fields are not the same before and after; `ai.tone` is a field of an object."""
    return [path for path in paths if not same(_at(before, path), _at(after, path))]


def _at(data: Mapping[str, Any], path: str) -> Any:
    name, _, inner = path.partition(".")
    value = data.get(name, ABSENT)
    return (value.get(inner, ABSENT) if isinstance(value, Mapping) else ABSENT) if inner else value


def differences(before: Mapping[str, Any], after: Mapping[str, Any]) -> tuple[Difference, ...]:
    """Return where two documents differ, in the order of the newer one; objects and lists are looked into."""
    return tuple(_between("", before, after))


def _between(field: str, before: Any, after: Any) -> Iterator[Difference]:
    if isinstance(before, Mapping) and isinstance(after, Mapping):
        for key in (*after, *(k for k in before if k not in after)):
            yield from _between(f"{field}.{key}" if field else key, before.get(key, ABSENT), after.get(key, ABSENT))
    elif isinstance(before, list) and isinstance(after, list) and len(before) == len(after):
        for index, (old, new) in enumerate(zip(before, after, strict=True)):
            yield from _between(f"{field}[{index}]", old, new)
    elif before is ABSENT or after is ABSENT or canonical(before) != canonical(after):
        yield Difference(field, before, after)


def _shown(value: Any) -> str:
    return repr(value) if value is ABSENT else canonical(value)


def _excerpts(before: str, after: str) -> tuple[str, str]:
    """Cut two texts to the same window, which begins a little before the first character that differs."""
    if max(len(before), len(after)) <= _SHOWN:
        return before, after
    shared = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(before, after, strict=False)))
    start = max(0, shared - _SHOWN // 3)
    return _window(before, start), _window(after, start)


def _window(text: str, start: int) -> str:
    end = start + _SHOWN
    return f"{'…' if start else ''}{text[start:end]}{'…' if end < len(text) else ''}"


def merged(whole: Mapping[str, Any], patch: Mapping[str, Any]) -> JsonObject:
    """Return `whole` with objects joined, null removing and everything else replacing."""
    copy = dict(whole)
    for name, value in patch.items():
        if value is None:
            copy.pop(name, None)
        elif isinstance(value, Mapping):
            inner = copy.get(name)
            copy[name] = merged(inner if isinstance(inner, Mapping) else {}, value)
        else:
            copy[name] = value
    return copy
