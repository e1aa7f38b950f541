"""Forget one business: its own document first, so that nobody is served any more, and then all that lies below it."""

from collections.abc import AsyncIterator, Sequence

from switchboard.admin.maintenance.data_inventory import PLACES, all_documents, documents_of
from switchboard.contract.ports import Paths, Store
from switchboard.contract.store import Delete, Document

_KEYS = next(place for place in PLACES if place.name == "apiKeys")
_AT_ONCE = 100
# Instances that still hold the business for a minute may write on; what they left goes with a further look.
_LOOKS = 3


async def forget_business(store: Store, paths: Paths, business_id: str, *, dry_run: bool = False) -> dict[str, int]:
    """Delete a business or count what there is; returns how many documents, by collection.

    A run that was interrupted is simply repeated; a business whose own document is gone already is still cleaned up.

    Raises:
        StoreError: The store refuses or does not answer; what was deleted until then stays deleted.
    """
    own = paths.within(business_id).business
    by_name: dict[str, int] = {}
    if await store.get(own) is not None:
        by_name["businesses"] = 1
        if not dry_run:
            await store.commit([Delete(own)])
    for _ in range(1 if dry_run else _LOOKS):
        if not await _below(store, paths, business_id, by_name, dry_run):
            break
    return by_name


async def _below(store: Store, paths: Paths, business_id: str, counts: dict[str, int], dry_run: bool) -> int:
    """Delete all there is, whoever has put it there, and return how much."""
    # Who may come in goes first. A look that deletes nothing would only count it twice.
    begun = 0 if dry_run else await _deleted(store, documents_of(store, paths, _KEYS, business_id), counts, dry_run)
    return begun + await _deleted(store, all_documents(store, paths, business_id), counts, dry_run)


async def _deleted(store: Store, documents: AsyncIterator[Document], counts: dict[str, int], dry_run: bool) -> int:
    count, batch = 0, list[str]()
    async for document in documents:
        collection = document.path.split("/")[-2]
        counts[collection] = counts.get(collection, 0) + 1
        count += 1
        batch.append(document.path)
        if len(batch) == _AT_ONCE:
            await _delete(store, batch, dry_run)
            batch.clear()
    await _delete(store, batch, dry_run)
    return count


async def _delete(store: Store, batch: Sequence[str], dry_run: bool) -> None:
    if batch and not dry_run:
        await store.commit([Delete(path) for path in batch])
