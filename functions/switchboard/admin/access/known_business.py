"""The business that an owner's request is about, which may be gone, or never have been."""

from switchboard.admin.access.refusal import NotFound
from switchboard.contract.business.business import Business, read_business
from switchboard.contract.ports import BusinessPaths, Store
from switchboard.contract.store import Document


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
