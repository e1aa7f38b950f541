"""Bring stored documents in line with given ones: what is new, what differs, what is there beyond, and the writes.

Given fields are owned by whoever gives them; fields that only the store has belong to the running system and stay.
"""

import textwrap
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Literal

from switchboard.admin.documents.difference import ABSENT, Difference, canonical, differences
from switchboard.contract.json import JsonObject
from switchboard.contract.python.dataclass import dataclass
from switchboard.contract.store import SERVER_TIME, Create, Delete, Set, Update, Write

# Its entries are owned one by one: a calendar that an owner connected is not in the documents that are given.
_OWNED_BY_ENTRY = "integrations"
_WIDTH = 110
_FOLDED_FROM = 4
_FIELDS_SHOWN = 8


@dataclass(frozen=True, slots=True)
class DocumentChange:
    """What is to happen to one document.

    Attributes:
        sign: `+` is new, `~` differs, `-` is there although nobody gave it.
        name: The document's id.
        differences: For `~`, the fields that differ.
        write: What to write; None where nothing is written (a `-` that stays) or another operation does it.
    """

    sign: Literal["+", "~", "-"]
    name: str
    differences: tuple[Difference, ...] = ()
    write: Write | None = None


@dataclass(frozen=True, slots=True)
class Comparison:
    """One collection held against what it should be: the changes, and how many documents need none."""

    place: str
    changes: tuple[DocumentChange, ...]
    unchanged: int

    def count(self, sign: str) -> int:
        """Return how many changes bear a sign."""
        return sum(change.sign == sign for change in self.changes)

    def lines(self, extra: str) -> Iterator[str]:
        """Yield the changes as lines to read, under the place; `extra` says what happens to a `-`."""
        if self.changes:
            yield self.place
        yield from _new_lines([change.name for change in self.changes if change.sign == "+"])
        for change in self.changes:
            if change.sign == "~":
                yield f"  ~ {change.name}"
                yield from (f"      {difference}" for difference in change.differences[:_FIELDS_SHOWN])
                if len(change.differences) > _FIELDS_SHOWN:
                    yield f"      and {len(change.differences) - _FIELDS_SHOWN} more fields"
            elif change.sign == "-":
                yield f"  - {change.name}  {extra}"


def compare(
    place: str, stored: Mapping[str, JsonObject], given: Mapping[str, JsonObject], *, prune: bool = False
) -> Comparison:
    """Compare stored documents with given ones, both by path; with `prune` what is not given is to be deleted."""
    changes = []
    for path, document in given.items():
        if path not in stored:
            stamped = {**document, "createdAt": SERVER_TIME, "updatedAt": SERVER_TIME}
            changes.append(DocumentChange("+", _id(path), write=Set(path, stamped)))
            continue
        fields = _differing(stored[path], document)
        if fields:
            # The listing shows where inside a field they part; what is written is the field as a whole.
            shown = tuple(d for name, (old, new) in fields.items() for d in _inside(name, old, new))
            update = {name: new for name, (_, new) in fields.items()} | {"updatedAt": SERVER_TIME}
            changes.append(DocumentChange("~", _id(path), shown, Update(path, update)))
    unchanged = len(given) - len(changes)
    changes += [DocumentChange("-", _id(p), write=Delete(p) if prune else None) for p in stored if p not in given]
    return Comparison(place, tuple(changes), unchanged)


def compare_entered(place: str, stored: Mapping[str, JsonObject], given: Mapping[str, JsonObject]) -> Comparison:
    """Compare like `compare`, for documents that are entered when missing and from then on belong to daily work."""
    stamps = {"createdAt": SERVER_TIME, "updatedAt": SERVER_TIME}
    new = [
        DocumentChange("+", _id(p), write=Create(p, document | stamps))
        for p, document in given.items()
        if p not in stored
    ]
    return Comparison(place, tuple(new), len(given) - len(new))


def compare_whole(
    place: str,
    stored: Mapping[str, JsonObject],
    given: Mapping[str, JsonObject],
    readable: Callable[[JsonObject], JsonObject],
) -> Comparison:
    """Compare like `compare`, for documents by id that another operation writes, each as a whole.

    `readable` turns a document as stored into one whose fields can be told one by one.
    """
    changes = [DocumentChange("+", name) for name in given if name not in stored]
    for name, document in given.items():
        if name in stored and canonical(stored[name]) != canonical(document):
            changes.append(DocumentChange("~", name, differences(readable(stored[name]), readable(document))))
    unchanged = len(given) - len(changes)
    return Comparison(
        place, (*changes, *(DocumentChange("-", name) for name in stored if name not in given)), unchanged
    )


def _differing(stored: JsonObject, given: JsonObject) -> dict[str, tuple[Any, Any]]:
    """Return the given fields that the store holds differently, by dotted path, with both values."""
    pairs = {}
    for name, old, new in _owned(stored, given):
        if old is ABSENT or canonical(old) != canonical(new):
            pairs[name] = (old, new)
    return pairs


def _owned(stored: JsonObject, given: JsonObject) -> Iterator[tuple[str, Any, Any]]:
    for name, value in given.items():
        before = stored.get(name, ABSENT)
        if name == _OWNED_BY_ENTRY and isinstance(value, Mapping) and isinstance(before, Mapping):
            yield from ((f"{name}.{entry}", before.get(entry, ABSENT), new) for entry, new in value.items())
        else:
            yield name, before, value


def _inside(name: str, old: Any, new: Any) -> tuple[Difference, ...]:
    return differences({name: old}, {name: new})


def _new_lines(names: list[str]) -> Iterator[str]:
    if len(names) < _FOLDED_FROM:
        yield from (f"  + {name}" for name in names)
    else:
        head = f"  + {len(names)} new: "
        yield from textwrap.wrap(
            head + ", ".join(names), _WIDTH, subsequent_indent=" " * len(head), break_on_hyphens=False
        )


def _id(path: str) -> str:
    return path.rsplit("/", 1)[-1]
