"""What a business's FAQs and policies say otherwise than what was entered of it: callers may be told either."""

import asyncio
from collections.abc import Iterable
from datetime import datetime
from typing import Protocol

from switchboard.admin.health.findings import HealthFinding
from switchboard.contract.business.business import Business
from switchboard.contract.ports import BusinessPaths, Store
from switchboard.contract.store import Query
from switchboard.desk.knowledge.chunk import faq_passages, policy_passages

_LOOKED_AT = 100
_NAMED = 10


class TellsOtherwise(Protocol):
    """Reads a text as a caller hears it."""

    def __call__(self, business: Business, text: str, now: datetime, question: str = "") -> Iterable["SaysOtherwise"]:
        """Return the sentences that say something else than the business has entered."""


class SaysOtherwise(Protocol):
    """A sentence, and what was entered instead, as half a sentence."""

    @property
    def sentence(self) -> str:
        """As it is written."""

    @property
    def entered(self) -> str:
        """What the list of services, the hours or the address say."""


async def about_texts(
    store: Store, within: BusinessPaths, business: Business, now: datetime, told_otherwise: TellsOtherwise
) -> list[HealthFinding]:
    """Return a finding for each of the first hundred FAQs and policies that says something else, at most ten."""
    faqs, policies = await asyncio.gather(
        store.query(Query(within.collection("faqs"), limit=_LOOKED_AT)),
        store.query(Query(within.collection("policies"), limit=_LOOKED_AT)),
    )
    found, local = list[HealthFinding](), now.astimezone(business.timezone)
    for passage in (*faq_passages(faqs), *policy_passages(policies)):
        first = next(iter(told_otherwise(business, passage.text, local, passage.title)), None)
        if first is not None:
            found.append(HealthFinding("text_otherwise", f"“{first.sentence}” in {passage.source}; {first.entered}"))
        if len(found) == _NAMED:
            break
        # Each takes some milliseconds: callers come between.
        await asyncio.sleep(0)
    return found
