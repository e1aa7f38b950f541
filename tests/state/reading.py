"""Reading for tests: a document that must be there, or just what it holds."""

from typing import Any

from switchboard.contract.ports import Store
from switchboard.contract.store import Document


async def read(store: Store, path: str) -> Document:
    """Return a document that the test knows to be there."""
    document = await store.get(path)
    assert document is not None, path
    return document


async def fields(store: Store, path: str) -> dict[str, Any] | None:
    """Return what is stored at a path, or None."""
    document = await store.get(path)
    return document.data if document else None
