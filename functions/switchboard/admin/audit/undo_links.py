"""Whether a change is in force: undone, or done again by undoing the undo, and so on.

An undo, and whatever undoes that, names the `first` change, the one that it is about in the end, and says whether it
does that one again (`isAgain`). The first change's own document holds the last of each (`undoneBy`, `redoneBy`),
written in the commit of the undo, so that one look at it tells how everything stands.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from switchboard.contract.ports import Store
from switchboard.contract.python.dataclass import dataclass
from switchboard.contract.store import Create, Document, Update, Write


@dataclass(frozen=True, slots=True)
class InForce:
    """How a change stands.

    Attributes:
        undone_by: The entry that has undone it; None while it is in force.
        redone_by: The entry that has put it into force again after that; None where none has, or it is undone.
    """

    undone_by: str | None = None
    redone_by: str | None = None


async def linked(store: Store, entry: Create) -> list[Write]:
    """Return an entry, one that undoes another with what says so there and in the first change."""
    undoes = entry.data.get("undoes")
    undone = await store.get(_beside(entry.path, undoes)) if isinstance(undoes, str) else None
    # Entries are not kept for ever.
    if undone is None:
        return [entry]
    first = undone if _first(undone) == undone.id else await store.get(_beside(entry.path, _first(undone)))
    is_again = undone.data.get("undoes") is not None and undone.data.get("isAgain") is not True
    linked_entry = replace(entry, data={**entry.data, "first": _first(undone), "isAgain": is_again})
    if first is None:
        return [linked_entry]
    id = entry.path.rpartition("/")[2]
    marks = {"undoneBy": None, "redoneBy": id} if is_again else {"undoneBy": id, "redoneBy": None}
    return [linked_entry, Update(first.path, marks)]


async def in_force(store: Store, entries: Sequence[Document]) -> Mapping[str, InForce]:
    """Return how the changes stand that some entries of one place tell of, by the entries' ids."""
    known: dict[str, Document | None] = {entry.id: entry for entry in entries}
    missing = sorted({first for entry in entries if (first := _first(entry)) not in known})
    if missing:
        read = await store.get_many([_beside(entries[0].path, id) for id in missing])
        known |= dict(zip(missing, read, strict=True))
    return {entry.id: _standing(entry, known[_first(entry)]) for entry in entries}


def _standing(entry: Document, first: Document | None) -> InForce:
    marks: Mapping[str, Any] = first.data if first is not None else {}
    undone, redone = marks.get("undoneBy"), marks.get("redoneBy")
    if entry.data.get("undoes") is None or entry.data.get("isAgain") is True:
        return InForce(undone, redone if entry.data.get("undoes") is None else None)
    return InForce(redone)


def _first(entry: Document) -> str:
    return str(entry.data.get("first") or entry.data.get("undoes") or entry.id)


def _beside(path: str, id: str) -> str:
    return f"{path.rpartition('/')[0]}/{id}"
