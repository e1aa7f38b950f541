"""Tries, counted before they are looked at: the value that the store returns decides.

One write, no read, no transaction: of any number of tries at once, each gets a number of its own.
"""

from collections.abc import Sequence
from datetime import datetime, timedelta

from switchboard.contract.ports import Store
from switchboard.contract.store import Increment, Set

# Firestore's TTL may then remove a tally; nothing relies on when it does.
_KEPT = timedelta(days=2)


async def tallied(store: Store, paths: Sequence[str], now: datetime) -> list[int]:
    """Add one to each tally, in one commit, and return their new values in order.

    Args:
        store: Where they stand.
        paths: Documents of `tickets`, no two the same.
        now: When it is counted (aware).

    Raises:
        StoreError: They may or may not have been counted; the try must not be looked at.
    """
    writes = [Set(path, {"count": Increment(1), "expireAt": now + _KEPT}, merge=True) for path in paths]
    return [int(result.increments["count"]) for result in await store.commit(writes)]
