"""Documents by path, in plain dicts.

Every collection, however deep, stands at the top under its whole path: a document's sub-collections outlive it, a
field and a collection may have one name, and a parent that nobody wrote does not exist.
"""

from collections import defaultdict
from collections.abc import Iterable
from datetime import datetime
from typing import NamedTuple

from switchboard.contract.json import JsonObject


class StoredDocument(NamedTuple):
    """A document as it is stored, or as a commit would leave it; its fields are never changed, only replaced.

    Attributes:
        fields: The document's; those of another version of it may be parts of these.
        at_most: Bytes that it counts for at most, of those that a document may have.
    """

    fields: JsonObject
    created: datetime
    updated: datetime
    at_most: int


class DocumentTree:
    """Documents by path. What goes in and comes out is not copied: that is left to the store."""

    def __init__(self) -> None:
        # By the path of the collection, and within it by the document's own.
        self._collections: dict[str, dict[str, StoredDocument]] = {}
        # By the last part of their paths: every conversation has collections of its own, and looking through all of
        # them for one name would take longer with each.
        self._groups: defaultdict[str, dict[str, dict[str, StoredDocument]]] = defaultdict(dict)

    def get(self, path: str) -> StoredDocument | None:
        """Return the document at a path, None if there is none."""
        return self._collections.get(path.rpartition("/")[0], {}).get(path)

    def put(self, path: str, document: StoredDocument) -> None:
        """Put a document in its place, or in the place of another."""
        collection = path.rpartition("/")[0]
        documents = self._collections.get(collection)
        if documents is None:
            documents = self._collections[collection] = {}
            self._groups[collection.rpartition("/")[2]][collection] = documents
        documents[path] = document

    def remove(self, path: str) -> None:
        """Take away the document at a path, if there is one, and with the last of its collection the collection."""
        collection = path.rpartition("/")[0]
        documents = self._collections.get(collection, {})
        if documents.pop(path, None) is not None and not documents:
            del self._collections[collection], self._groups[collection.rpartition("/")[2]][collection]

    def within(self, collection: str) -> Iterable[tuple[str, StoredDocument]]:
        """Return the documents of one collection with their paths."""
        return self._collections.get(collection, {}).items()

    def within_group(self, name: str) -> Iterable[tuple[str, StoredDocument]]:
        """Yield the documents of every collection of that name, wherever it stands; without a name, all documents."""
        collections = self._groups.get(name, {}) if name else self._collections
        for documents in collections.values():
            yield from documents.items()
