"""What a business has written down by topic, such as its policies and FAQs (seed 000, "Tool Usage Policy")."""

from collections.abc import Callable, Iterable, Iterator
from functools import cached_property
from typing import Literal, TypeAlias

from switchboard.contract.cache import Cache
from switchboard.contract.context import CallContext
from switchboard.contract.error import ErrorType, ToolError, unreadable
from switchboard.contract.ports import BusinessPaths, Clock, Store
from switchboard.contract.python.dataclass import dataclass
from switchboard.contract.store import Document, Filter, Query, StoreError
from switchboard.desk.knowledge.chunk import Passage, faq_passages, policy_passages
from switchboard.desk.knowledge.keyword_index import KeywordIndex

SUGGESTED_TOPICS = (
    "cancellation",
    "reschedule",
    "late arrival",
    "deposits",
    "refunds",
    "pricing",
    "hours",
    "location",
    "parking",
)
"""What callers usually ask about (seed 000, "Tool Usage Policy")."""

# Seed 000 wants them fresh: a second is only long enough to share the read between callers.
_SHARED_S = 1.0
_STALE_S = 86_400.0
_RETRY_AFTER_S = 5.0
_BUSINESSES = 64
_MOST_TOPICS_TOLD = 40
_MOST_OF_A_TOPIC = 20

Collection: TypeAlias = Literal["policies", "faqs"]

_CLOSEST_FAQS = 3
_MOST_FAQS = 500

_CLOSEST_POLICIES = 2
_MOST_POLICIES = 200


@dataclass(frozen=True, slots=True)
class TopicAnswer:
    """The entries on a topic, and every topic there is, so that the model can ask again.

    `is_exact` tells whether they are of the very topic that was asked for, and not only the closest.
    """

    entries: tuple[Passage, ...]
    is_exact: bool
    known_topics: tuple[str, ...]


@dataclass(frozen=True)
class _TopicShelf:
    entries: tuple[Passage, ...]
    topics: tuple[tuple[str, ...], ...]
    is_whole: bool

    @cached_property
    def index(self) -> KeywordIndex:
        # Made when it is first needed: most questions name a topic that is there, and a shelf lasts a second.
        return KeywordIndex(self.entries)

    @property
    def known_topics(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(names[0] for names in self.topics if names and names[0]))


class Topics:
    """One collection of entries, found by topic."""

    def __init__(
        self,
        store: Store,
        clock: Clock,
        collection: Collection,
        passages: Callable[[Iterable[Document]], Iterator[Passage]],
        names_of: Callable[[Passage], tuple[str, ...]],
        closest: int,
        most: int,
    ) -> None:
        """Read from `store`, once for everybody who asks within a second.

        Args:
            store: Where the entries are.
            clock: Ages what was read.
            collection: Which entries.
            passages: Reads them.
            names_of: Under which topics an entry is found exactly; the first is its own.
            closest: How many are told where none is exactly on the topic: more would be reading out the whole list.
            most: How many entries are read; of more, those on the very topic are asked for by it.
        """
        self._store = store
        self._collection: Collection = collection
        self._passages, self._names_of = passages, names_of
        self._closest, self._most = closest, most
        self._shelves: Cache[str, _TopicShelf] = Cache(
            clock, _SHARED_S, _BUSINESSES, stale_s=_STALE_S, retry_after_s=_RETRY_AFTER_S, remembers_failures=False
        )

    async def on(self, ctx: CallContext, topic: str | None) -> TopicAnswer:
        """Return the entries of exactly this topic, else the closest by the words of topic and text, else none.

        Raises:
            ToolError: VALIDATION without a topic, naming some; TRANSIENT when the store does not answer and nothing
                was read before.
        """
        try:
            reading = await self._shelves.get(ctx.paths.business, lambda: self._read(ctx.paths))
        except StoreError as error:
            raise unreadable(self._collection, error) from error
        shelf = reading.value
        key = plain(topic or "")
        if not key:
            raise _topic_missing(shelf.known_topics)
        pairs = list(zip(shelf.entries, shelf.topics, strict=True))
        passages = tuple(e for e, names in pairs if names and plain(names[0]) == key)
        passages = passages or tuple(e for e, names in pairs if key in map(plain, names))
        if not passages and not shelf.is_whole:
            passages = await self._further(ctx.paths, topic or "")
        is_exact = bool(passages)
        if not is_exact:
            passages = tuple(hit.passage for hit in shelf.index.search(topic or "", self._closest))
        return TopicAnswer(passages, is_exact, shelf.known_topics)

    def forget(self, paths: BusinessPaths) -> None:
        """Read a business's entries again at the next question: its owner has just changed them."""
        self._shelves.drop(paths.business)

    async def _read(self, paths: BusinessPaths) -> _TopicShelf:
        documents = await self._store.query(Query(paths.collection(self._collection), limit=self._most))
        entries = tuple(self._passages(documents))
        return _TopicShelf(entries, tuple(map(self._names_of, entries)), len(documents) < self._most)

    async def _further(self, paths: BusinessPaths, topic: str) -> tuple[Passage, ...]:
        """Return entries of this topic, so spelt, wherever they stand among more than are read."""
        spelt = list(dict.fromkeys((topic.strip(), plain(topic))))
        query = Query(paths.collection(self._collection), (Filter("topic", "in", spelt),), limit=_MOST_OF_A_TOPIC)
        try:
            return tuple(self._passages(await self._store.query(query)))
        except StoreError:
            # The closest of those that were read are told as no more than that.
            return ()


def plain(topic: str) -> str:
    """Return a topic as it is compared: without case, underscores, hyphens and surplus blanks."""
    return " ".join(topic.replace("_", " ").replace("-", " ").split()).casefold()


def _topic_missing(known: tuple[str, ...]) -> ToolError:
    own = [topic for topic in known if plain(topic) not in SUGGESTED_TOPICS][:_MOST_TOPICS_TOLD]
    message = f"topic is required, in one or two words. Usual topics: {', '.join(SUGGESTED_TOPICS)}."
    if own:
        message += f" Of this business also: {', '.join(own)}."
    return ToolError(ErrorType.VALIDATION, message)


class Faqs(Topics):
    """Finds FAQs by their topic, else by their tags."""

    def __init__(self, store: Store, clock: Clock) -> None:
        """Read from `store`, once for everybody who asks within a second."""
        super().__init__(store, clock, "faqs", faq_passages, lambda p: p.labels, _CLOSEST_FAQS, _MOST_FAQS)


class Policies(Topics):
    """Finds policies by topic."""

    def __init__(self, store: Store, clock: Clock) -> None:
        """Read from `store`, once for everybody who asks within a second."""
        super().__init__(
            store, clock, "policies", policy_passages, lambda p: (p.title,), _CLOSEST_POLICIES, _MOST_POLICIES
        )
