"""The calls that were made in a trace: a line of the log names it, and nothing else is known."""

from switchboard.contract.document import text
from switchboard.contract.ports import Store
from switchboard.contract.store import Filter, Query

MOST_CALLS = 100


async def calls_in(store: Store, trace: str) -> list[tuple[str, str, str]]:
    """Return business, session and call id of each call of a trace, in the order in which they began.

    A phone call over a socket is one trace, with all its calls; those are at most `MOST_CALLS`.

    Raises:
        StoreError: The store did not answer.
    """
    rows = await store.query(Query("calls", (Filter("trace", "==", trace),), limit=MOST_CALLS, group=True))
    rows.sort(key=lambda row: (str(row.data.get("startedAt")), row.id))
    return [(text(row.data.get("businessId")), text(row.data.get("sessionId")), row.id) for row in rows]
