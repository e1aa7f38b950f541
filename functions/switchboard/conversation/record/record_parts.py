"""Lets a conversation's record go on in a part when it has become too long for one document."""

import logging
from collections.abc import Callable, Sequence

from switchboard.contract.ports import Store
from switchboard.contract.record_parts import MOST_BYTES, record_bytes, split
from switchboard.contract.store import Invalid, Set, Stale, StoreError, Update, Write, WriteResult

log = logging.getLogger(__name__)

# So often a record that others write to at the same moment is divided.
_TRIES = 3


class RecordParts:
    """Writes to one record, and sees that it stays short enough to be written to."""

    def __init__(self, store: Store, path: str, part_path: Callable[[int], str], size: int) -> None:
        """Write to the record at `path`, which held about `size` bytes when it was read last."""
        self._store, self._path, self._part_path, self._bytes = store, path, part_path, size

    async def commit(self, writes: Sequence[Write], size: int) -> list[WriteResult]:
        """Make writes that add about so many bytes to the record; one that is full is divided first.

        Raises:
            StoreError: As `Store.commit`.
        """
        try:
            results = await self._store.commit(writes)
        except Invalid:
            # Others have written to it as well, or did before it was divided.
            if not await self._divide():
                raise
            results = await self._store.commit(writes)
        self._bytes += size
        if self._bytes > MOST_BYTES:
            try:
                await self._divide()
            except StoreError as error:
                # With the next turn, perhaps.
                log.warning("a record is not divided", extra={"reason": type(error).__name__})
        return results

    def grew(self, size: int) -> None:
        """Note that others have added so many bytes."""
        self._bytes += size

    async def _divide(self) -> bool:
        """Move what is older into a part; tell whether anything was."""
        for _ in range(_TRIES):
            record = await self._store.get(self._path)
            found = split(record.data) if record is not None else None
            self._bytes = record_bytes(record.data) if record is not None else 0
            if record is None or found is None:
                return False
            left = Update(self._path, found.left, if_update_time=record.update_time)
            try:
                # What the precondition lets through is alone: a part of that number is left of a record that expired.
                await self._store.commit([Set(self._part_path(found.number), found.part), left])
            except Stale:
                continue
            self._bytes = record_bytes(record.data | found.left)
            return True
        return False
