"""Writes the audit's entries: each in the commit of the change that it tells of, or not at all."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import datetime

from switchboard.admin.access.access import Permit
from switchboard.admin.audit import entry as audit_entry
from switchboard.admin.audit.document_kind import DocumentKind
from switchboard.admin.audit.undo_links import linked
from switchboard.admin.audit.wishes import note_of_wish, wish_noted
from switchboard.contract.json import JsonObject
from switchboard.contract.ports import Clock, Paths, Store
from switchboard.contract.python.dataclass import dataclass
from switchboard.contract.store import Create, Unavailable, Write, WriteResult

_LEFT: ContextVar[list[str] | None] = ContextVar("left_entries", default=None)


@contextmanager
def entries_left() -> Iterator[list[str]]:
    """Provide the list of the entries' ids that are written within."""
    entry_ids: list[str] = []
    token = _LEFT.set(entry_ids)
    try:
        yield entry_ids
    finally:
        _LEFT.reset(token)


def left(entry: Create) -> None:
    """Note that an entry was written."""
    entry_ids = _LEFT.get()
    if entry_ids is not None:
        entry_ids.append(entry.path.rpartition("/")[2])


@dataclass(frozen=True, slots=True)
class Committed:
    """A commit that was made: when, and what each write did; nothing where only the audit could tell that it was."""

    at: datetime
    results: Sequence[WriteResult] = ()


class AuditTrail:
    """Says who did what. What the store raises passes through."""

    def __init__(self, store: Store, paths: Paths, clock: Clock) -> None:
        self._store, self._paths, self._clock = store, paths, clock

    def now(self) -> datetime:
        """Return the time by which entries are dated (aware, UTC)."""
        return self._clock.now()

    def entry(
        self,
        permit: Permit,
        kind: DocumentKind,
        document: str,
        before: JsonObject | None,
        after: JsonObject | None,
        undoes: str | None = None,
    ) -> Create:
        """Return the entry of a change, still to be committed; the last part of its path is its id.

        Args:
            permit: Who makes the change, and where.
            kind: Of what.
            document: Its id.
            before: The owner's part as it was; None where there was none.
            after: The same as it will be; None where there will be none.
            undoes: The entry that the change undoes, if any.
        """
        now = self._clock.now()
        path = self._paths.within(permit.business_id).document("audit", audit_entry.new_id(now))
        return Create(path, audit_entry.to_write(permit, kind, document, before, after, now, undoes))

    async def commit(
        self, entry: Create, writes: Sequence[Write], further: Sequence[Create] = (), made: str = ""
    ) -> Committed:
        """Do all writes, the entry's behind them, or none; the results are in the order of `writes`.

        An entry that undoes another is noted in that one, too (`undo_chain`); those of `further` undo nothing. What
        is wished under a key is noted as well, with `made` for the id of what it makes, else that of the document.
        """
        links = await linked(self._store, entry)
        note = note_of_wish(entry, self._clock.now(), made)
        try:
            results = await self._store.commit([*writes, *note, *further, *links])
        except Unavailable:
            # No answer does not mean no commit; the audit tells.
            document = await self._store.get(entry.path)
            if document is None:
                raise
            _left([*further, entry])
            return Committed(document.update_time)
        _left([*further, entry])
        return Committed(results[-1].update_time, results[: len(writes)])


def _left(entries: Sequence[Create]) -> None:
    for entry in entries:
        left(entry)
    wish_noted()


def id_of(entry: Create) -> str:
    """Return the id of an entry."""
    return entry.path.rsplit("/", 1)[1]
