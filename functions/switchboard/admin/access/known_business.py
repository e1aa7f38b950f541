"""The business that an owner's request is about, which may be gone, or never have been; and all that there are."""

from collections.abc import AsyncIterator

from switchboard.admin.access.refusal import NotFound
from switchboard.contract.business.business import Business, read_business
from switchboard.contract.ports import BusinessPaths, Paths, Store
from switchboard.contract.store import Document, Query, documents_of

_AT_ONCE = 100


async def business_document(store: Store, within: BusinessPaths) -> Document:
    """Return a business as it is stored. What the store raises passes through.

    Raises:
        NotFound: There is no such business.
    """
    document = await store.get(within.business)
    if document is None:
        raise NotFound("There is no such business.")
    return document


async def known_business(store: Store, within: BusinessPaths) -> Business:
    """Return a business as far as it can be read. What the store raises passes through.

    Raises:
        NotFound: There is no such business.
    """
    document = await business_document(store, within)
    return read_business(document.id, document.data)


async def businesses(store: Store, paths: Paths, business_id: str | None = None) -> AsyncIterator[Document]:
    """Yield all businesses as they are stored, in the order of their ids; of one that is named only that, if it is."""
    if business_id is None:
        async for document in documents_of(store.query, Query(paths.businesses), _AT_ONCE):
            yield document
    elif (named := await store.get(paths.within(business_id).business)) is not None:
        yield named


async def first_businesses(store: Store, paths: Paths, most: int) -> tuple[list[str], bool]:
    """Return the ids of so many businesses, and whether these are all."""
    ids: list[str] = []
    async for document in businesses(store, paths):
        if len(ids) == most:
            return ids, False
        ids.append(document.id)
    return ids, True
