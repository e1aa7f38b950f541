"""Search over everything a business has written down for its callers (seed 004, `search_knowledge`).

By words and by meaning at once (seed 003, `kb_search`; seed 000); each finds what the
other misses.
"""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

from switchboard.contract.cache import Cache
from switchboard.contract.context import CallContext
from switchboard.contract.error import ErrorType, ToolError
from switchboard.contract.ports import BusinessPaths, Clock, Embedder, Store
from switchboard.contract.store import Document, Query, StoreError
from switchboard.desk.knowledge.chunk import Passage, faq_passages, knowledge_passages, policy_passages, whole
from switchboard.desk.knowledge.keyword_index import Hit, KeywordIndex
from switchboard.desk.knowledge.rank_fusion import fused
from switchboard.desk.knowledge.vector_search import VectorSearch
from switchboard.desk.knowledge.vector_writing import Reindexed, reindex
from switchboard.desk.limits.outage import unreadable

_KEPT_S = 60.0
# Facts about parking do not spoil: while the store is away, yesterday's are better than none.
_STALE_S = 86_400.0
_RETRY_AFTER_S = 5.0
_BUSINESSES = 64
# A page must arrive within the store's time-out for one read, whether its texts are short or as long as they may be.
_FIRST_PAGE, _PAGE, _PAGE_CHARACTERS = 25, 1_000, 500_000
_MOST_DOCUMENTS = 10_000
# Indexing takes some 40 microseconds per passage; above this it would be heard as a pause in other calls.
_LARGE = 120
# How deep both rankings are looked through: what both find in the middle may be the best.
_CONSIDERED = 20
# So many ids are named to whoever asks for one that is not there.
_NAMED = 5

Kind: TypeAlias = Literal["knowledge", "faq", "policy"]
KINDS: tuple[Kind, ...] = get_args(Kind)
_Collection: TypeAlias = Literal["policies", "faqs", "knowledge"]
_COLLECTIONS: dict[Kind, _Collection] = {"knowledge": "knowledge", "faq": "faqs", "policy": "policies"}


@dataclass(frozen=True, slots=True)
class _Shelf:
    index: KeywordIndex
    keyed: Mapping[str, Passage]


class Knowledge:
    """Finds passages by the words and the meaning of a question, and whole entries by their ids."""

    def __init__(self, store: Store, clock: Clock, embedder: Embedder | None = None) -> None:
        """Read from `store`, at most once a minute per business; without an embedder search by words alone."""
        self._store = store
        self._embedder = embedder
        self._meaning = VectorSearch(store, clock, embedder)
        self._shelves: Cache[str, _Shelf] = Cache(
            clock, _KEPT_S, _BUSINESSES, stale_s=_STALE_S, retry_after_s=_RETRY_AFTER_S, remembers_failures=False
        )

    async def warm(self) -> None:
        """Load what searching needs, so that no caller waits for it."""
        await self._meaning.warm()

    async def search(self, ctx: CallContext, question: str, limit: int) -> list[Hit]:
        """Return the passages that answer a question best; none when nothing speaks of it.

        Raises:
            ToolError: TRANSIENT when the store does not answer and nothing was read before.
        """
        try:
            reading = await self._shelves.get(ctx.paths.business, lambda: self._read(ctx.paths))
        except StoreError as error:
            raise unreadable("knowledge of the business", error) from error
        shelf = reading.value
        by_words = shelf.index.search(question, _CONSIDERED)
        by_meaning = await self._meaning.nearest(ctx.paths, shelf.keyed, question, _CONSIDERED)
        return fused(by_words, by_meaning, limit)

    async def entry(self, ctx: CallContext, id: str, kind: Kind | None = None) -> Passage:
        """Return one entry whole, as its id is cited in what `search` finds (seed 003, `kb_get`).

        Args:
            ctx: The call.
            id: A policy's, an FAQ's or an article's id.
            kind: Which of them, for ids that several have.

        Raises:
            ToolError: NOT_FOUND when the business has no such entry; VALIDATION when several kinds have one of that
                id; TRANSIENT when the store does not answer.
        """
        kinds = KINDS if kind is None else (kind,)
        try:
            documents = await self._store.get_many([ctx.paths.document(_COLLECTIONS[k], id) for k in kinds])
        except StoreError as error:
            raise unreadable("knowledge of the business", error) from error
        found = [entry for k, d in zip(kinds, documents, strict=True) if d and (entry := whole(k, d))]
        if not found:
            near = await self.search(ctx, id.replace("-", " ").replace("_", " "), _NAMED)
            there = ", ".join(f"{hit.passage.id!r} ({hit.passage.kind})" for hit in near)
            raise ToolError(
                ErrorType.NOT_FOUND,
                f"Nothing is written down under the id {id!r}. {f'There is: {there}. ' if there else ''}Ids come from "
                "the results of a search, in the field id: search for the question first, and use an id exactly as it "
                "stands there.",
            )
        if len(found) > 1:
            raise ToolError(
                ErrorType.VALIDATION,
                f"Several entries have the id {id!r}. Give the kind as well: {' or '.join(e.kind for e in found)}.",
            )
        return found[0]

    async def reindex(self, paths: BusinessPaths) -> Reindexed:
        """Store the vectors of all that a business has written down; nothing to do without an embedder.

        For whoever has just written its texts; they are read anew at the next search in this process.

        Raises:
            StoreError: The store failed; what was done stays, and doing it again continues.
            ToolError: The embedder failed, likewise.
        """
        self.forget(paths)
        if self._embedder is None:
            return Reindexed()
        return await reindex(self._store, self._embedder, paths, await self._passages(paths))

    def forget(self, paths: BusinessPaths) -> None:
        """Read a business's texts again at the next search: its owner has just changed them."""
        self._shelves.drop(paths.business)

    async def _read(self, paths: BusinessPaths) -> _Shelf:
        passages = await self._passages(paths)
        if len(passages) > _LARGE:
            return await asyncio.to_thread(self._shelf, passages)
        return self._shelf(passages)

    def _shelf(self, passages: tuple[Passage, ...]) -> _Shelf:
        return _Shelf(KeywordIndex(passages), self._meaning.keyed(passages))

    async def _passages(self, paths: BusinessPaths) -> tuple[Passage, ...]:
        faqs, policies, knowledge = await asyncio.gather(
            self._documents(paths, "faqs"), self._documents(paths, "policies"), self._documents(paths, "knowledge")
        )
        return (*faq_passages(faqs), *policy_passages(policies), *knowledge_passages(knowledge))

    async def _documents(self, paths: BusinessPaths, name: _Collection) -> Sequence[Document]:
        found: list[Document] = []
        after: tuple[str, ...] | None = None
        size = _FIRST_PAGE
        while len(found) < _MOST_DOCUMENTS:
            page = await self._store.query(Query(paths.collection(name), limit=size, start_after=after))
            found += page
            if len(page) < size:
                break
            after, size = (page[-1].id,), _next_page(page)
        return found


def _next_page(page: Sequence[Document]) -> int:
    """Return how many documents to read next, if they are as long as those of this page."""
    characters = sum(len(value) for document in page for value in document.data.values() if isinstance(value, str))
    return min(_PAGE, max(1, _PAGE_CHARACTERS * len(page) // max(1, characters)))
