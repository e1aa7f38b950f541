"""mockfirestore as what it is good for: a tree that holds documents by path.

Every collection, however deep, stands at the top of the tree under its whole path. mockfirestore itself would keep a
document's sub-collections among the document's fields, where replacing the document deletes them, where a field and a
collection of one name are the same thing, and where a parent that nobody wrote exists.
"""

from collections import defaultdict
from collections.abc import Iterator

from switchboard.contract.json import JsonObject


class DocumentTree:
    """Documents by path. What goes in and comes out is not copied: that is left to the store."""

    def __init__(self) -> None:
        # Imported only where such a store is made: it looks for Google's exceptions first, which takes 0.18 s.
        from mockfirestore import MockFirestore
        from mockfirestore._helpers import delete_by_path

        self._collections: dict[str, dict[str, JsonObject]] = MockFirestore()._data
        self._delete = delete_by_path
        # By the last part of their paths: every conversation has collections of its own, and looking through all of
        # them for one name would take longer with each.
        self._groups: defaultdict[str, list[str]] = defaultdict(list)

    def put(self, path: str, fields: JsonObject) -> None:
        """Put a document in its place, or in the place of another."""
        collection, id = _place(path)
        documents = self._collections.get(collection)
        if documents is None:
            documents = self._collections[collection] = {}
            self._groups[collection.rpartition("/")[2]].append(collection)
        documents[id] = fields

    def remove(self, path: str) -> None:
        """Take away a document that is there."""
        self._delete(self._collections, _place(path))

    def within(self, collection: str) -> Iterator[tuple[str, JsonObject]]:
        """Yield the documents of one collection with their paths."""
        for id, fields in self._collections.get(collection, {}).items():
            yield f"{collection}/{id}", fields

    def within_group(self, name: str) -> Iterator[tuple[str, JsonObject]]:
        """Yield the documents of every collection of that name, wherever it stands; without a name, all documents."""
        for collection in self._groups.get(name, ()) if name else self._collections:
            yield from self.within(collection)


def _place(path: str) -> tuple[str, str]:
    collection, _, id = path.rpartition("/")
    return collection, id
