"""Stores the vectors of everything a business has written down, when its owner saves something or the seeds are pushed.

Unchanged text keeps its vector; what no text says any more goes.
"""

from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass

from switchboard.contract.ports import BusinessPaths, Embedder, Store
from switchboard.contract.store import Delete, Query
from switchboard.desk.knowledge.chunk import Passage
from switchboard.desk.knowledge.vector_document import COLLECTION, by_key, embedded_text, to_write
from switchboard.desk.knowledge.vector_search import BATCH

# Vectors of 1,024 dimensions take 8 KB: a page must arrive within the store's time-out for one read.
_PAGE = 50
_DELETED_AT_ONCE = 400


@dataclass(frozen=True, slots=True)
class Reindexed:
    """How many passages kept their vector, got one, and how many vectors were removed."""

    kept: int = 0
    embedded: int = 0
    removed: int = 0


async def reindex(store: Store, embedder: Embedder, paths: BusinessPaths, passages: Sequence[Passage]) -> Reindexed:
    """Bring the stored vectors of a business in line with its passages.

    Two at once do no harm: whoever finishes last removes at most what the other is about to need, and the next call
    writes it again.

    Raises:
        StoreError: The store failed; what was done stays, and doing it again continues.
        ToolError: The embedder failed, likewise.
    """
    wanted = by_key(passages, embedder.name)
    stored = {id async for id in _stored(store, paths)}
    missing = [key for key in wanted if key not in stored]
    for at in range(0, len(missing), BATCH):
        keys = missing[at : at + BATCH]
        vectors = await embedder.embed([embedded_text(wanted[key]) for key in keys], "passage")
        pairs = zip(keys, vectors, strict=True)
        await store.commit(
            [to_write(paths.document(COLLECTION, key), wanted[key], embedder.name, vector) for key, vector in pairs]
        )
    obsolete = sorted(stored - wanted.keys())
    for at in range(0, len(obsolete), _DELETED_AT_ONCE):
        keys = obsolete[at : at + _DELETED_AT_ONCE]
        await store.commit([Delete(paths.document(COLLECTION, key)) for key in keys])
    return Reindexed(kept=len(wanted) - len(missing), embedded=len(missing), removed=len(obsolete))


async def _stored(store: Store, paths: BusinessPaths) -> AsyncIterator[str]:
    last: tuple[str, ...] | None = None
    while True:
        page = await store.query(Query(paths.collection(COLLECTION), limit=_PAGE, start_after=last))
        for document in page:
            yield document.id
        if len(page) < _PAGE:
            return
        last = (page[-1].id,)
