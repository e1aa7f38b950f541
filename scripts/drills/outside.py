"""When the store has come to rest with an outside calendar."""

from __future__ import annotations

import asyncio
import time

from drills.premises import WITHIN
from switchboard.contract.store import Query
from switchboard.state.firestore.store import FirestoreStore


async def until_at_rest(store: FirestoreStore, within_s: float) -> bool:
    """Wait until nothing is under way with any booking of the drilled business; false if the time is over first."""
    deadline = time.monotonic() + within_s
    while await _under_way(store):
        if time.monotonic() > deadline:
            return False
        await asyncio.sleep(0.1)
    return True


async def _under_way(store: FirestoreStore) -> bool:
    documents = await store.query(Query(WITHIN.collection("bookings")))
    return any(document.data.get("leaseUntil") for document in documents)
