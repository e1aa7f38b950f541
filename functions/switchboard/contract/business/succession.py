"""Another business under an id that one had before: nothing that was kept of the one taken away counts for it.

A business is told by its id and by when it was made. What the store holds of one goes when it is taken away; what a
process remembers beyond what it reads again by itself goes here, as soon as it reads another one under that id, or
none. Tokens that nothing is stored of carry the moment themselves.
"""

from collections.abc import Hashable, Iterable
from datetime import datetime
from typing import Any, Protocol
from weakref import WeakSet

from cachetools import LRUCache

_BUSINESSES_KNOWN = 50_000


class Forgetful(Protocol):
    """Remembers something of businesses."""

    def forget_business(self, business_id: str) -> None:
        """Forget whatever is of the business that had this id until now."""


_FORGETFUL: "WeakSet[Forgetful]" = WeakSet()


def forgets_businesses(keeper: Forgetful) -> None:
    """See that something forgets a business, for as long as it is there itself."""
    _FORGETFUL.add(keeper)


class _Kept(Protocol):
    def __iter__(self) -> Any: ...

    def pop(self, key: Any, default: Any, /) -> Any: ...


def drop_business(kept: _Kept, business_id: str) -> None:
    """Drop the entries of a business: those under its id, or under a tuple that begins with it."""
    for key in [key for key in kept if _whose(key) == business_id]:
        kept.pop(key, None)


def _whose(key: Hashable) -> object:
    return key[0] if isinstance(key, tuple) and key else key


class Beginnings:
    """When the businesses were made that a process has read."""

    def __init__(self) -> None:
        """Know none."""
        self._known: LRUCache[str, datetime] = LRUCache(_BUSINESSES_KNOWN)

    def met(self, business_id: str, began_at: datetime | None) -> None:
        """Note which business an id is of now, None where it is nobody's; of another one everything is forgotten."""
        before = self._known.get(business_id)
        if before is not None and before != began_at:
            _forget(business_id, list(_FORGETFUL))
        if began_at is None:
            self._known.pop(business_id, None)
        elif before != began_at:
            self._known[business_id] = began_at


def _forget(business_id: str, keepers: Iterable[Forgetful]) -> None:
    for keeper in keepers:
        keeper.forget_business(business_id)
