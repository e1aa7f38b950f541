"""What is found of the shares of callers and visitors of whom nothing is known: whether all of them have had theirs."""

from datetime import datetime

from switchboard.admin.health.findings import HealthFinding
from switchboard.contract.caller.strangers import shares_of_all
from switchboard.contract.document import integer
from switchboard.contract.ports import BusinessPaths, Store
from switchboard.contract.window import span


async def about_shares(store: Store, within: BusinessPaths, now: datetime) -> list[HealthFinding]:
    """Return a finding for each thing of which strangers have had, all together, as many as they may have.

    It is told as long as that goes on and once as long behind it.

    Raises:
        StoreError: The store refuses or does not answer.
    """
    shares = shares_of_all(within, now)
    documents = await store.get_many([window.path for _, window in shares])
    most: dict[str, int] = {}
    for (thing, window), document in zip(shares, documents, strict=True):
        count = integer(document.data.get("count")) if document is not None else 0
        if count >= window.rule.limit:
            subject = f"{thing.value} ({window.rule.limit} in {span(window.rule.window_s)})"
            most[subject] = max(count, most.get(subject, 0))
    return [HealthFinding("strangers_used_up", subject, count) for subject, count in most.items()]
