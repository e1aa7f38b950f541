"""What a checked write makes of a document, in memory, as Firestore does it.

Fields are never changed, only replaced: a write copies the maps on the way to what it reaches and shares the others, so
that it costs what it says, however much the document holds.
"""

from datetime import datetime
from typing import Any

from switchboard.contract.json import JsonObject
from switchboard.contract.store import DELETE_FIELD, SERVER_TIME, ArrayUnion, Create, Increment, Set, Update
from switchboard.state.stored import copied, is_identical, sort_key
from switchboard.state.value import split_path

_INT64_MAX = 2**63 - 1
_ABSENT = object()
_NUMBERS = frozenset({int, float})
# Maps, since instructions may stand in them, and the instructions themselves; all other values are taken as they are.
_TO_BE_MADE = frozenset({dict, Increment, ArrayUnion, type(SERVER_TIME)})


def applied(
    write: Create | Set | Update, before: JsonObject | None, now: datetime, *, is_literal: bool = False
) -> "Applied":
    """Return what a checked write makes of a document; `before` is left as it is.

    `is_literal`: it is known that there is no instruction in it.
    """
    application = Applied(now, is_new=before is None)
    if isinstance(write, Update):
        application.fields = application.updated(before or {}, write.data)
    elif isinstance(write, Set) and write.merge:
        application.fields = application.merged(before or {}, write.data, "")
    else:
        # It was copied when it was checked, and nobody else has it.
        application.fields = fields = write.data if is_literal else application.made(write.data, None, "")
        application.differs = before is None or not is_identical(before, fields)
    return application


def value_at(fields: JsonObject, path: tuple[str, ...], default: object = None) -> Any:
    """Return the value that a path leads to, or the default where it leads nowhere."""
    place: Any = fields
    for name in path:
        if not isinstance(place, dict) or name not in place:
            return default
        place = place[name]
    return place


class Applied:
    """What a write makes of a document: copies the maps that it reaches, and notes what it finds out there.

    Attributes:
        fields: The document's fields after it. What the write did not reach is shared with the fields before.
        differs: Whether anything is different, by value or by type, from what was there.
        increments: The new values of the fields that the write incremented, by dotted path.
    """

    __slots__ = ("_now", "differs", "fields", "increments")

    def __init__(self, now: datetime, *, is_new: bool) -> None:
        """Begin with nothing written; a document that `is_new` differs from what was there in any case."""
        self._now = now
        self.fields: JsonObject = {}
        self.differs = is_new
        self.increments: dict[str, int | float] = {}

    def updated(self, before: JsonObject, data: JsonObject) -> JsonObject:
        """Return the fields with those replaced that dotted paths lead to."""
        fields = dict(before)
        for dotted, value in data.items():
            *outer, name = split_path(dotted)
            place: JsonObject | None = fields
            for map_name in outer:
                place = _opened(place, map_name, creates=value is not DELETE_FIELD) if place is not None else None
            if place is not None:
                self._put(place, name, value, dotted)
        return fields

    def merged(self, before: JsonObject, data: JsonObject, prefix: str) -> JsonObject:
        """Return a map's fields with others joined to them, map by map."""
        fields = dict(before)
        for name, value in data.items():
            kind = type(value)
            if kind is Increment:
                before_it = fields.get(name)
                total = fields[name] = self.increments[prefix + name] = _sum(before_it, value.by)
                if not self.differs and not is_identical(before_it, total):
                    self.differs = True
            elif kind is not dict or not value:
                # An empty map has nothing to merge: as in Firestore, it replaces what is there.
                self._put(fields, name, value, prefix + name)
            else:
                inner = fields.get(name)
                joined = self.merged(inner if type(inner) is dict else {}, value, f"{prefix}{name}.")
                # A map in which fields were only to be deleted does not come to be by that.
                if joined or type(inner) is dict:
                    fields[name] = joined
        return fields

    def made(self, value: Any, before: Any, path: str) -> Any:
        """Return what a value of a write comes to, with its instructions carried out on what was there before."""
        kind = type(value)
        if kind is dict:
            unmade = [name for name, item in value.items() if type(item) in _TO_BE_MADE and item]
            if not unmade:
                # It was copied when it was checked, and nobody else has it.
                return value
            prefix = path and f"{path}."
            return value | {name: self.made(value[name], None, prefix + name) for name in unmade}
        if kind is Increment:
            total = self.increments[path] = _sum(before, value.by)
            return total
        if kind is ArrayUnion:
            return _union(before, value.values)
        # Firestore stamps whole milliseconds
        return self._now.replace(microsecond=self._now.microsecond // 1000 * 1000) if value is SERVER_TIME else value

    def _put(self, fields: JsonObject, name: str, value: Any, path: str) -> None:
        before = fields.get(name, _ABSENT)
        if value is DELETE_FIELD:
            if before is not _ABSENT:
                del fields[name]
                self.differs = True
            return
        after = fields[name] = self.made(value, before, path) if type(value) in _TO_BE_MADE else value
        self.differs = self.differs or not (before is after or is_identical(before, after))


def _opened(place: JsonObject, name: str, *, creates: bool) -> JsonObject | None:
    """Return a map in a map, copied to be changed; None where there is none and none is to come to be."""
    inner = place.get(name)
    if type(inner) is not dict and not creates:
        return None
    opened: JsonObject = dict(inner) if type(inner) is dict else {}
    place[name] = opened
    return opened


def _sum(value: Any, by: int | float) -> int | float:
    # By exact type, which stored values have: a truth value is no number, and is replaced.
    if type(value) not in _NUMBERS:
        return by
    total: int | float = value + by
    if -_INT64_MAX <= total <= _INT64_MAX or type(total) is float:
        return total
    # Firestore's integers stop at their ends instead of overflowing
    return max(-_INT64_MAX - 1, min(_INT64_MAX, total))


def _union(value: Any, additions: tuple[Any, ...]) -> list[Any]:
    union = list(value) if isinstance(value, list) else []
    present = {sort_key(item) for item in union}
    for item in additions:
        key = sort_key(item)
        if key not in present:
            present.add(key)
            union.append(copied(item))
    return union
