"""So many values by key, of those used last: for what is kept of every conversation and asked for with every call.

`cachetools.LRUCache` does the same and measures what it keeps; where all are of one size that makes asking for one
take seven times as long.
"""

from collections import OrderedDict
from collections.abc import Hashable, Iterator
from typing import Generic, TypeVar

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


class Recent(Generic[K, V]):
    """A bounded mapping: whatever was neither asked for nor set for longest leaves when there is no room."""

    __slots__ = ("_most", "_values")

    def __init__(self, most: int) -> None:
        """Keep nothing yet, and never more than `most`."""
        self._most = most
        self._values: OrderedDict[K, V] = OrderedDict()

    def __len__(self) -> int:
        return len(self._values)

    def get(self, key: K) -> V | None:
        """Return what is kept under a key, which is used by that; None where nothing is."""
        value = self._values.get(key)
        if value is not None:
            self._values.move_to_end(key)
        return value

    def __setitem__(self, key: K, value: V) -> None:
        """Keep a value."""
        values = self._values
        values[key] = value
        values.move_to_end(key)
        if len(values) > self._most:
            values.popitem(last=False)

    def drop(self, key: K) -> None:
        """Keep nothing under a key."""
        self._values.pop(key, None)

    def __iter__(self) -> Iterator[K]:
        """Yield the keys under which something is kept, those that were used last at the end."""
        return iter(self._values)

    def pop(self, key: K, default: V | None = None, /) -> V | None:
        """Keep nothing under a key any more, and return what was."""
        return self._values.pop(key, default)
