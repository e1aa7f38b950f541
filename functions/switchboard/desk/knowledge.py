"""Search over everything a business has written down for its callers (seed 004, `search_knowledge`)."""

import asyncio
from typing import Literal, TypeAlias

from switchboard.contract.context import CallContext
from switchboard.contract.ports import BusinessPaths, Clock, Store
from switchboard.contract.store import Document, Query, StoreError
from switchboard.desk.outage import unreadable
from switchboard.desk.passage import Passage, faq_passages, knowledge_passages, policy_passages
from switchboard.desk.passage_index import Hit, PassageIndex
from switchboard.desk.shared_read import SharedReads

_KEPT_S = 60.0
# Facts about parking do not spoil: while the store is away, yesterday's are better than none (reliability.md §4).
_STALE_S = 86_400.0
_BUSINESSES = 64
_MOST_DOCUMENTS = 1_000
# Indexing takes some 20 microseconds per passage; above this it would be heard as a pause in other calls.
_LARGE = 250

_Collection: TypeAlias = Literal["policies", "faqs", "knowledge"]


class Knowledge:
    """Finds passages by the words of a question."""

    def __init__(self, store: Store, clock: Clock) -> None:
        """Read from `store`, at most once a minute per business."""
        self._store = store
        self._indexes: SharedReads[str, PassageIndex] = SharedReads(clock, _KEPT_S, _BUSINESSES, _STALE_S)

    async def search(self, ctx: CallContext, question: str, limit: int) -> list[Hit]:
        """Return the passages that answer a question best; none when no word of it is known.

        Raises:
            ToolError: TRANSIENT when the store does not answer and nothing was read before.
        """
        try:
            reading = await self._indexes.get(ctx.paths.business, lambda: self._read(ctx.paths))
        except StoreError as error:
            raise unreadable("knowledge of the business", error) from error
        return reading.value.search(question, limit)

    def forget(self, paths: BusinessPaths) -> None:
        """Read a business's texts again at the next search: its owner has just changed them."""
        self._indexes.forget(lambda key: key == paths.business)

    async def _read(self, paths: BusinessPaths) -> PassageIndex:
        policies, faqs, knowledge = await asyncio.gather(
            self._documents(paths, "policies"), self._documents(paths, "faqs"), self._documents(paths, "knowledge")
        )
        passages: list[Passage] = [
            *faq_passages(faqs),
            *policy_passages(policies),
            *knowledge_passages(knowledge),
        ]
        if len(passages) > _LARGE:
            return await asyncio.to_thread(PassageIndex, passages)
        return PassageIndex(passages)

    async def _documents(self, paths: BusinessPaths, name: _Collection) -> list[Document]:
        return await self._store.query(Query(paths.collection(name), limit=_MOST_DOCUMENTS))
