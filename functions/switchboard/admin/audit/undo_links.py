"""Whether a change is in force: undone, or done again by undoing the undo, and so on.

An undo, and whatever undoes that, names the `first` change, the one that it is about in the end, and says whether it
does that one again (`isAgain`). The first change's own document holds the last of each (`undoneBy`, `redoneBy`),
written in the commit of the undo, so that one look at it tells how everything stands.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from switchboard.contract.document import mapping
from switchboard.contract.ports import Store
from switchboard.contract.python.dataclass import dataclass
from switchboard.contract.store import Create, Document, Update, Write


@dataclass(frozen=True, slots=True)
class InForce:
    """How a change stands.

    Attributes:
        undone_by: The entry that has undone it; None while it is in force.
        redone_by: The entry that has put it into force again after that; None where none has, or it is undone.
        undone_at: When it was undone; None while it is in force, and where that entry is not kept any more.
        undone_who: By whom, as far as that is known.
    """

    undone_by: str | None = None
    redone_by: str | None = None
    undone_at: datetime | None = None
    undone_who: str = ""

    def why_not_again(self, *, is_named: bool = True) -> str:
        """Return why it cannot be undone once more; empty while it is in force.

        Args:
            is_named: Whether whoever reads it may know who has undone it.
        """
        if self.undone_by is None:
            return ""
        when = f" on {self.undone_at.astimezone(UTC):%Y-%m-%d at %H:%M} UTC" if self.undone_at is not None else ""
        who = f" by {self.undone_who}" if self.undone_who and is_named else ""
        return f"This was undone already{when}{who}. Undo that to have it again."


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
    standing = {entry.id: _standing(entry, known[_first(entry)]) for entry in entries}
    unread = sorted({by for one in standing.values() if (by := one.undone_by) is not None and by not in known})
    if unread:
        read = await store.get_many([_beside(entries[0].path, id) for id in unread])
        known |= dict(zip(unread, read, strict=True))
    return {id: _told(one, known.get(one.undone_by or "")) for id, one in standing.items()}


def _told(now: InForce, undoing: Document | None) -> InForce:
    if undoing is None:
        return now
    at, who = undoing.data.get("at"), mapping(undoing.data.get("who"))
    name = str(who.get("name") or who.get("id") or "")
    return replace(now, undone_at=at if isinstance(at, datetime) else undoing.create_time, undone_who=name)


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
