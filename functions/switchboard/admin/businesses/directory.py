"""Businesses found by the beginnings of words: of thousands a few are read.

What a business is found by is kept in its own document (`words.py`). Documents come from elsewhere too, from
seeds, backups and other programs, without it. As long as there is one such, businesses are looked through in the order
of their ids instead, a bounded number at a time, and what is missing in them is put in.
"""

import asyncio
import logging
from collections.abc import Sequence
from dataclasses import replace

from switchboard.admin.api.paging import Page, Slice, cursor_of
from switchboard.admin.businesses.words import FIELD, VERSION, are_current, are_found, looked_up, stored_words
from switchboard.contract.ports import BusinessPaths, Paths, Store
from switchboard.contract.store import Document, Filter, Query, Set, StoreError, Update, Write

log = logging.getLogger(__name__)

SCANNED_AT_MOST = 300
# A business's document holds its services and hours; a page of them must arrive within the store's time-out.
_READ_AT_ONCE = 100
_OUTDATED = 0


class Directory:
    """Finds businesses, and keeps what they are found by."""

    def __init__(self, store: Store, paths: Paths) -> None:
        self._store, self._paths = store, paths

    async def found(self, words: Sequence[str], page: Page) -> Slice[Document]:
        """Return a page of the businesses that have a word for each wanted one, by id.

        At most `SCANNED_AT_MOST` are read for it; then the cursor goes on behind them.

        Args:
            words: Beginnings of words, as `words_of` returns them; at least one.
            page: Which part.

        Raises:
            StoreError: The store failed.
        """
        is_whole = await self._is_whole()
        filters = (Filter(f"{FIELD}.words", "array-contains", looked_up(words)),) if is_whole else ()
        query = Query(self._paths.businesses, filters)
        documents: list[Document] = []
        after, read = page.after, 0
        while read < SCANNED_AT_MOST:
            size = min(_READ_AT_ONCE, SCANNED_AT_MOST - read)
            part = await self._store.query(replace(query, limit=size, start_after=after))
            if not is_whole:
                await self._mend(part)
            for document in part:
                if are_found(words, document.id, document.data):
                    if len(documents) == page.limit:
                        return Slice(documents, cursor_of(documents[-1].id))
                    documents.append(document)
            if len(part) < size:
                return Slice(documents)
            after, read = (part[-1].id,), read + len(part)
        return Slice(documents, cursor_of(*after) if after else None)

    def outdated(self, paths: BusinessPaths) -> Write:
        """Return the write that says, in the commit of an edit, that a business may now have another name."""
        return Set(paths.business, {FIELD: {"version": _OUTDATED}}, merge=True)

    async def enter(self, business_id: str) -> None:
        """Put in what a business is found by; if that fails, leave it to whoever looks through them."""
        try:
            document = await self._store.get(self._paths.within(business_id).business)
        except StoreError as error:
            log.warning("business not entered yet", extra={"business": business_id, "reason": type(error).__name__})
            return
        if document is not None:
            await self._mend([document])

    async def _is_whole(self) -> bool:
        everything = Query(self._paths.businesses)
        current = replace(everything, filters=(Filter(f"{FIELD}.version", "==", VERSION),))
        count, entered = await asyncio.gather(self._store.count(everything), self._store.count(current))
        return count == entered

    async def _mend(self, documents: Sequence[Document]) -> None:
        writes = [
            Update(d.path, stored_words(d.id, d.data), if_update_time=d.update_time)
            for d in documents
            if not are_current(d.id, d.data)
        ]
        if not writes:
            return
        try:
            await self._store.commit(writes)
        except StoreError as error:
            # Somebody changed one of them meanwhile; the next search tries again.
            log.info("businesses not entered yet", extra={"count": len(writes), "reason": type(error).__name__})
