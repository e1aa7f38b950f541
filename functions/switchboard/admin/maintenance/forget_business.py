"""Forget one business: its own document first, so that nobody is served any more, and then all that lies below it."""

from collections.abc import AsyncIterator, Sequence

from switchboard.admin.maintenance.data_inventory import PLACES, all_documents, documents_of
from switchboard.admin.maintenance.deletion_progress import DeletionProgress
from switchboard.contract.ports import Paths, Store
from switchboard.contract.store import Delete, Document

_KEYS = next(place for place in PLACES if place.name == "apiKeys")
_AT_ONCE = 100
# What is written while it is deleted goes with a further look; for what comes later, `DeletionJobs` looks again.
_LOOKS = 3


async def forget_business(
    store: Store, paths: Paths, business_id: str, *, dry_run: bool = False, progress: DeletionProgress | None = None
) -> dict[str, int]:
    """Delete a business or count what there is; returns how many documents, by collection. Keeps a page in memory.

    A run that was interrupted is simply repeated; a business whose own document is gone already is still cleaned up.

    Raises:
        StoreError: The store refuses or does not answer; what was deleted until then stays deleted.
    """
    own, work = paths.within(business_id).business, _Deleting(store, dry_run, progress or DeletionProgress())
    if await store.get(own) is not None:
        work.by_name["businesses"] = 1
        if not dry_run:
            await store.commit([Delete(own)])
    for _ in range(1 if dry_run else _LOOKS):
        # Who may come in goes first. A look that deletes nothing would only count it twice.
        begun = 0 if dry_run else await work.deleted(documents_of(store, paths, _KEYS, business_id))
        if not begun + await work.deleted(all_documents(store, paths, business_id)):
            break
    return work.by_name


class _Deleting:
    """Deletes what it is given, whoever has put it there, and counts it by collection."""

    def __init__(self, store: Store, dry_run: bool, progress: DeletionProgress) -> None:
        self._store, self._dry_run, self._progress = store, dry_run, progress
        self.by_name: dict[str, int] = {}

    async def deleted(self, documents: AsyncIterator[Document]) -> int:
        """Return how many there were."""
        count, batch = 0, list[str]()
        async for document in self._progress.reading(documents):
            collection = document.path.split("/")[-2]
            self.by_name[collection] = self.by_name.get(collection, 0) + 1
            count += 1
            batch.append(document.path)
            if len(batch) == _AT_ONCE:
                await self._delete(batch)
                batch.clear()
        await self._delete(batch)
        return count

    async def _delete(self, batch: Sequence[str]) -> None:
        if batch and not self._dry_run:
            await self._store.commit([Delete(path) for path in batch])
            await self._progress.wrote(len(batch))
