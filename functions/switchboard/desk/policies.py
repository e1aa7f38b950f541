"""What the business decided about cancellations, deposits and the like, by topic (seed 000, `get_policies`)."""

from dataclasses import dataclass

from switchboard.contract.context import CallContext
from switchboard.contract.ports import BusinessPaths, Clock, Store
from switchboard.contract.store import Query, StoreError
from switchboard.desk.outage import unreadable
from switchboard.desk.passage import Passage, policy_passages
from switchboard.desk.passage_index import PassageIndex
from switchboard.desk.shared_read import SharedReads

# Seed 000 wants policies fresh: a second is only long enough to share the read between callers.
_SHARED_S = 1.0
_STALE_S = 86_400.0
_BUSINESSES = 64
_MOST_POLICIES = 200
# The topic may be put in other words; more than two near ones would be reading out the whole list.
_CLOSEST = 2


@dataclass(frozen=True, slots=True)
class PolicyAnswer:
    """The policies on a topic, and every topic there is, so that the model can ask again.

    `is_exact` tells whether they are of the very topic that was asked for, and not only the closest.
    """

    policies: tuple[Passage, ...]
    is_exact: bool
    known_topics: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Shelf:
    policies: tuple[Passage, ...]
    index: PassageIndex


class Policies:
    """Finds policies by topic."""

    def __init__(self, store: Store, clock: Clock) -> None:
        """Read from `store`, once for everybody who asks within a second."""
        self._store = store
        self._shelves: SharedReads[str, _Shelf] = SharedReads(clock, _SHARED_S, _BUSINESSES, _STALE_S)

    async def on(self, ctx: CallContext, topic: str) -> PolicyAnswer:
        """Return the policies of exactly this topic, else the closest by the words of topic and text, else none.

        Raises:
            ToolError: TRANSIENT when the store does not answer and nothing was read before.
        """
        try:
            reading = await self._shelves.get(ctx.paths.business, lambda: self._read(ctx.paths))
        except StoreError as error:
            raise unreadable("policies", error) from error
        shelf = reading.value
        wanted = _plain(topic)
        found = tuple(p for p in shelf.policies if _plain(p.title) == wanted)
        is_exact = bool(found)
        if not is_exact:
            found = tuple(hit.passage for hit in shelf.index.search(topic, _CLOSEST))
        return PolicyAnswer(found, is_exact, tuple(dict.fromkeys(p.title for p in shelf.policies)))

    def forget(self, paths: BusinessPaths) -> None:
        """Read a business's policies again at the next question: its owner has just changed them."""
        self._shelves.forget(lambda key: key == paths.business)

    async def _read(self, paths: BusinessPaths) -> _Shelf:
        documents = await self._store.query(Query(paths.collection("policies"), limit=_MOST_POLICIES))
        policies = tuple(policy_passages(documents))
        return _Shelf(policies, PassageIndex(policies))


def _plain(topic: str) -> str:
    return " ".join(topic.replace("_", " ").replace("-", " ").split()).casefold()
