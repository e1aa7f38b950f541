"""The parts of a long conversation's record: one document holds 1 MiB, and a conversation may be longer.

The record itself, `interactions/{id}`, always holds the latest, and what is told of the conversation as a whole; what
is older moves on to `interactions/{id}/parts/{number}`, numbered from 0. The record's field `parts` says how many there
are. Whoever counts its tools or receipts, or searches its words, has to read the parts too.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any, Final

import orjson

from switchboard.contract.document import integer, items
from switchboard.contract.json import JsonObject
from switchboard.contract.python.dataclass import dataclass
from switchboard.contract.store import Document

PARTS: Final = "parts"
HEARD_AT: Final = "heardAt"
"""When a conversation was last heard of; records of earlier versions call it `updatedAt`."""
SILENCE_NOTED_AT: Final = "silenceNotedAt"
"""When somebody noticed that silence had ended a conversation, which was over when it was last heard of."""
MOST_BYTES: Final = 384 * 1024
"""From there on a record continues in a part: a document of this size is read in time before a turn."""
_KEPT_BYTES: Final = 128 * 1024
PARTS_READ: Final = 16
"""So many parts, the latest, are read with a record: some six MiB."""
SPOKEN_IN: Final = "spokenIn"
"""The field that says by channel in which language the caller speaks, where that was ever another than the agent's."""
TIMES: Final = "times"
"""The field that says how long the steps of each turn took, as far as they were measured."""
_LISTS: Final = ("transcript", "tools", "receipts", TIMES)
# What tells whose a conversation is, for whoever looks for the traces of a caller.
_WHOSE: Final = ("businessId", "sessionId", "channel", "callerPhone", "callerId", "expireAt")


@dataclass(frozen=True, slots=True)
class Split:
    """A record that is too long.

    Attributes:
        number: Of the part that begins.
        part: What moves there: the document's fields.
        left: The fields of the record that change, as they are then.
    """

    number: int
    part: JsonObject
    left: JsonObject


def part_count(data: Mapping[str, Any]) -> int:
    """Return how many parts a record has."""
    return max(0, integer(data.get(PARTS)))


def part_numbers(data: Mapping[str, Any], most: int = PARTS_READ) -> range:
    """Return the numbers of the parts that are read with a record, the oldest first: the latest, at most so many."""
    count = part_count(data)
    return range(max(0, count - most), count)


def joined(record: Document, parts: Iterable[Document | None]) -> Document:
    """Return a record as if it had no parts: what moved into these comes before what it holds."""
    parts_data = [part.data for part in parts if part is not None]
    if not parts_data:
        return record
    whole = {name: [row for data in (*parts_data, record.data) for row in items(data.get(name))] for name in _LISTS}
    return replace(record, data={**record.data, **whole})


def record_bytes(data: Mapping[str, Any]) -> int:
    """Return about how many bytes the growing lists of a record, or of what is added to it, count for."""
    return sum(rows_bytes(items(data.get(name))) for name in _LISTS)


def rows_bytes(rows: Sequence[Any]) -> int:
    """Return about how many bytes entries of a record count for."""
    return len(orjson.dumps(rows, _spelt)) if rows else 0


def split(data: Mapping[str, Any]) -> Split | None:
    """Return how a record goes on in a part; None where it is short enough as it is."""
    if record_bytes(data) <= MOST_BYTES:
        return None
    part: JsonObject = {name: data[name] for name in _WHOSE if name in data}
    left: JsonObject = {}
    for name, share in zip(_LISTS, (1.0, 0.5, 0.5, 0.5), strict=True):
        rows = items(data.get(name))
        at = _cut(rows, int(_KEPT_BYTES * share))
        if at:
            part[name], left[name] = rows[:at], rows[at:]
    number = part_count(data)
    part["number"], left[PARTS] = number, number + 1
    return Split(number, part, left)


def _cut(rows: Sequence[Any], most: int) -> int:
    """Return from where on the newest entries stay, so that they are no more than so many bytes."""
    total = 0
    for at in reversed(range(len(rows))):
        total += rows_bytes(rows[at : at + 1])
        if total > most:
            return at + 1
    return 0


def _spelt(value: Any) -> str:
    # Whatever JSON has no word for takes some two dozen bytes.
    return value.isoformat() if isinstance(value, datetime) else "x" * 24
