"""Calls that wait for somebody to go on with them, looked up over all businesses or in one."""

import asyncio
from collections.abc import Sequence
from datetime import datetime

from switchboard.contract.ports import Store
from switchboard.contract.shards import SHARD, SHARDS_AT_ONCE
from switchboard.contract.store import Filter, Order, Query
from switchboard.pipeline.ledger.row import CallRow
from switchboard.pipeline.ledger.states import State

ABANDONED_AT_ONCE = 50
"""How many calls make a page of those that wait for somebody."""


async def standing_in(
    store: Store, states: Sequence[State], now: datetime, business_id: str | None, behind: CallRow | None
) -> list[CallRow]:
    """Return a page of the calls, of one business or of all, that stand in these states and are due, oldest first.

    Raises:
        StoreError: They cannot be looked up.
    """
    standing = Filter("state", "in", list(states))
    if business_id is not None:
        own: list[tuple[Filter, ...]] = [(Filter("businessId", "==", business_id), standing)]
        earlier = own
    else:
        own = [(Filter(SHARD, "in", list(shards)), standing) for shards in SHARDS_AT_ONCE]
        earlier = [(standing,)]
    queries = [_due_by("dueAt", filters, now, behind) for filters in own]
    # What earlier versions have left is asked for by the name that it has there, until there is none any more.
    queries += [_due_by("leaseUntil", filters, now, behind) for filters in earlier]
    pages = await asyncio.gather(*(store.query(query) for query in queries))
    rows = {row.document.path: row for page in pages for row in map(CallRow, page)}
    due = sorted((at, path) for path, row in rows.items() if (at := row.due_at) is not None and at <= now)
    return [rows[path] for _, path in due[:ABANDONED_AT_ONCE]]


def _due_by(field: str, filters: tuple[Filter, ...], now: datetime, behind: CallRow | None) -> Query:
    return Query(
        "calls",
        filters=(*filters, Filter(field, "<=", now)),
        order=(Order(field),),
        limit=ABANDONED_AT_ONCE,
        start_after=(behind.due_at, behind.document.path) if behind is not None else None,
        group=True,
    )
