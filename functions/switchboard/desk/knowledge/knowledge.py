"""Search over everything a business has written down for its callers (seed 004, `search_knowledge`).

By words and by meaning at once (seed 003, `kb_search`; seed 000); each finds what the
other misses.
"""

import asyncio
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import accumulate
from typing import Literal, TypeAlias, get_args

from switchboard.contract.business.business import Service
from switchboard.contract.cache import Cache
from switchboard.contract.context import CallContext
from switchboard.contract.error import ErrorType, ToolError, unreadable
from switchboard.contract.json import JsonObject
from switchboard.contract.policy import CHANNEL_POLICY
from switchboard.contract.ports import BusinessPaths, Clock, Embedder, Store
from switchboard.contract.python.dataclass import dataclass
from switchboard.contract.store import Document, Query, StoreError
from switchboard.desk.knowledge.chunk import (
    Passage,
    content_of,
    faq_passages,
    knowledge_passages,
    policy_passages,
    service_passages,
    whole,
)
from switchboard.desk.knowledge.keyword_index import Hit, KeywordIndex
from switchboard.desk.knowledge.vector_search import Neighbour, Reindexed, VectorSearch, reindex

_KEPT_S = 60.0
# Facts about parking do not spoil: while the store is away, yesterday's are better than none.
_STALE_S = 86_400.0
_RETRY_AFTER_S = 5.0
_BUSINESSES = 64
# A page must arrive within the store's time-out for one read, whether its texts are short or as long as they may be.
_FIRST_PAGE, _PAGE, _PAGE_CHARACTERS = 25, 1_000, 500_000
# Of what was read out of files one may be twice as long as what is typed.
_FIRST_DOCUMENTS = 12
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

# How far behind the best a passage is says more than its rank does (Bruch et al. 2023, "An Analysis of Fusion Functions
# for Hybrid Retrieval"). A word may be shared by chance; what passes the embedder's floor seldom is near by chance.
# Between 1.25 and 2 the labelled questions of `scripts/bench knowledge` are answered equally well, give or take one.
_MEANING, _WORDS = 1.5, 1.0
# Texts of one subject seldom lie nearer than half way between an embedder's floor and the very same words.
_STEEP = 3
FITS = 0.3
"""Below this, the best passage hardly answers: it has a word or two in common with the question, by chance."""
# What is told of a passage that just so made it.
_LEAST = 0.01

# What a result takes beside its text: id, title, source and the JSON around them.
_AROUND = 160
_SHORTEST, _LONGEST = 160, 1_500

_GOES_ON = " \u2026"
# Not behind an initial, a title or a single figure, as in "Dr. J. Rossi" or "on the 3. of May".
_SENTENCE_END = re.compile(r"(?<!\b\w)(?<!\b[DFMS][rts])[.!?\u2026][)\"'\u201d\u00bb]*(?=\s)")
_CUT = "A text with isCut goes on: tell the caller that there is more, or search once more for just what they need."
_CUT_READABLE = (
    "A text with isCut goes on: tell the caller that there is more, or read it whole with kb_get, by id and kind."
)

_NOTHING_FITS = (
    "Nothing that is written down clearly answers this. Unless a text here does, say that you do not know, and what "
    "can be had instead; do not fill the gap."
)


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
            reading = await self._shelves.get(ctx.paths.business, lambda: self._read(ctx.paths, ctx.business.services))
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
        entries = [entry for k, d in zip(kinds, documents, strict=True) if d and (entry := whole(k, d))]
        if not entries and "knowledge" in kinds:
            told = [passage for passage in service_passages(ctx.business.services) if passage.id == id]
            entries = [replace(told[0], text="\n\n".join(passage.text for passage in told))] if told else []
        if not entries:
            near = await self.search(ctx, id.replace("-", " ").replace("_", " "), _NAMED)
            there = ", ".join(f"{hit.passage.id!r} ({hit.passage.kind})" for hit in near)
            raise ToolError(
                ErrorType.NOT_FOUND,
                f"Nothing is written down under the id {id!r}. {f'There is: {there}. ' if there else ''}Ids come from "
                "the results of a search, in the field id: search for the question first, and use an id exactly as it "
                "stands there.",
            )
        if len(entries) > 1:
            raise ToolError(
                ErrorType.VALIDATION,
                f"Several entries have the id {id!r}. Give the kind as well: {' or '.join(e.kind for e in entries)}.",
            )
        return entries[0]

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

    async def _read(self, paths: BusinessPaths, services: Sequence[Service]) -> _Shelf:
        passages, beside = await self._passages(paths), tuple(service_passages(services))
        if len(passages) > _LARGE:
            return await asyncio.to_thread(self._shelf, passages, beside)
        return self._shelf(passages, beside)

    def _shelf(self, passages: tuple[Passage, ...], beside: tuple[Passage, ...]) -> _Shelf:
        # What is said of a service stands in the business's document, of which no vectors are made: words find it.
        return _Shelf(KeywordIndex((*passages, *beside)), self._meaning.keyed(passages))

    async def _passages(self, paths: BusinessPaths) -> tuple[Passage, ...]:
        faqs, policies, knowledge = await asyncio.gather(
            self._documents(paths, "faqs"), self._documents(paths, "policies"), self._documents(paths, "knowledge")
        )
        return (*faq_passages(faqs), *policy_passages(policies), *knowledge_passages(knowledge))

    async def _documents(self, paths: BusinessPaths, name: _Collection) -> Sequence[Document]:
        documents: list[Document] = []
        after: tuple[str, ...] | None = None
        size = _FIRST_DOCUMENTS if name == "knowledge" else _FIRST_PAGE
        while len(documents) < _MOST_DOCUMENTS:
            page = await self._store.query(Query(paths.collection(name), limit=size, start_after=after))
            documents += page
            if len(page) < size:
                break
            after, size = (page[-1].id,), _next_page(page)
        return documents


def _next_page(page: Sequence[Document]) -> int:
    """Return how many documents to read next, if they are as long as those of this page."""
    characters = sum(len(value) for document in page for value in document.data.values() if isinstance(value, str))
    # What was read out of a file stands in its parts.
    characters += sum(len(content_of(document)) for document in page if document.data.get("parts"))
    return min(_PAGE, max(1, _PAGE_CHARACTERS * len(page) // max(1, characters)))


def fused(by_words: Sequence[Hit], by_meaning: Sequence[Neighbour], limit: int) -> list[Hit]:
    """Return the best of both, at most one passage per document, best first.

    What is told as their score is how well each answers the question by itself, and never more than what stands before
    it: the best of nothing that fits scores little.
    """
    shares = [(_WORDS, _shares([(hit.passage, hit.score) for hit in by_words]))]
    shares.append((_MEANING, _shares([(near.passage, near.similarity) for near in by_meaning])))
    scores: dict[tuple[str, str], float] = {}
    passages: dict[tuple[str, str], tuple[float, Passage]] = {}
    for weight, hits in shares:
        for name, (share, passage) in hits.items():
            scores[name] = scores.get(name, 0.0) + weight * share
            # Of a document that both found, the passage is told that one of them held for better.
            if name not in passages or share > passages[name][0]:
                passages[name] = (share, passage)
    best = sorted(scores, key=lambda name: -scores[name])[:limit]
    fits = _fits(by_words, by_meaning)
    shown_fits = accumulate((fits[name] for name in best), min)
    return [
        Hit(passages[name][1], max(_LEAST, round(fit, 2)), fits[name])
        for name, fit in zip(best, shown_fits, strict=True)
    ]


def _fits(by_words: Sequence[Hit], by_meaning: Sequence[Neighbour]) -> dict[tuple[str, str], float]:
    """Return how well each document answers the question, from 0 to 1: neither way alone can tell."""
    unlike: dict[tuple[str, str], float] = {}
    covered = ((hit.passage, 1 - min(hit.cover, 1.0)) for hit in by_words)
    near = ((near.passage, (1 - min(near.similarity, 1.0)) ** _STEEP) for near in by_meaning)
    for shares in (covered, near):
        least: dict[tuple[str, str], float] = {}
        for passage, share in shares:
            name = (passage.kind, passage.id)
            least[name] = min(least.get(name, 1.0), share)
        for name, share in least.items():
            unlike[name] = unlike.get(name, 1.0) * share
    return {name: 1 - share for name, share in unlike.items()}


def _shares(ranking: Sequence[tuple[Passage, float]]) -> dict[tuple[str, str], tuple[float, Passage]]:
    """Return the best passage of each document, and what share of the best one's score it has."""
    most = max((score for _, score in ranking), default=0.0)
    shares: dict[tuple[str, str], tuple[float, Passage]] = {}
    for passage, score in ranking:
        shares.setdefault((passage.kind, passage.id), (score / most if most > 0 else 1.0, passage))
    return shares


def answer(ctx: CallContext, hits: Sequence[Hit]) -> JsonObject:
    """Return what was found, and whether any of it fits the question; where nothing does, what that means."""
    if not hits or hits[0].score < FITS:
        return {"results": cited(ctx, hits, beside=_NOTHING_FITS), "fits": False, "note": _NOTHING_FITS}
    results = cited(ctx, hits)
    if not any(result.get("isCut") for result in results):
        return {"results": results, "fits": True}
    # Not of every conversation the model knows that there is such a tool.
    note = _CUT_READABLE if "kb_get" in ctx.told_tools else _CUT
    return {"results": cited(ctx, hits, beside=note), "fits": True, "note": note}


def cited(ctx: CallContext, hits: Sequence[Hit], *, beside: str = "") -> list[JsonObject]:
    """Return `{id, kind, title, text, source, score}` of each, and `isCut` where its text goes on.

    Together, and with what is told `beside` them, they fit what the channel takes. The better ones are shortened last,
    and none in the middle of a sentence, if one ends in the second half of what fits.
    """
    room = CHANNEL_POLICY[ctx.facts.channel].result_characters - _AROUND * len(hits) - len(beside)
    cited_hits: list[JsonObject] = []
    for rank, hit in enumerate(hits):
        # Those behind it need room for their beginnings; where there is none, the best one has half of all.
        behind = len(hits) - rank - 1
        share = room // (behind + 1 if rank else 2)
        size = min(max(room - behind * _SHORTEST, share, _SHORTEST), _LONGEST)
        told = _shortened(hit.passage.text, size)
        room -= len(told)
        cited_hits.append(
            {
                "id": hit.passage.id,
                "kind": hit.passage.kind,
                "title": hit.passage.title,
                "text": told,
                **({"isCut": True} if told != hit.passage.text else {}),
                "source": hit.passage.source,
                "score": hit.score,
            }
        )
    return cited_hits


def _shortened(text: str, size: int) -> str:
    """Return as many whole sentences of a text as fit, if they are half of that; else its beginning, in whole words."""
    if len(text) <= size:
        return text
    ends = [match.end() for match in _SENTENCE_END.finditer(text[: size + 1])]
    if ends and ends[-1] > size // 2:
        return text[: ends[-1]]
    # A "Yes." alone may say the contrary of what goes on behind it.
    most = size - len(_GOES_ON)
    end = text.rfind(" ", 0, most + 1)
    return text[: end if end > size // 2 else most] + _GOES_ON
