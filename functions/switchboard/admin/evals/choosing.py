"""Which kept tests are played where more are kept than there is time for: some of every business."""

import asyncio
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from itertools import zip_longest
from typing import Any, TypeVar

from switchboard.admin.access.known_business import first_businesses
from switchboard.admin.evals.kept import MOST_EVALS
from switchboard.admin.evals.playing import KeptTest
from switchboard.admin.evals.premises import StoredPremises, read_premises
from switchboard.contract.document import text
from switchboard.contract.error import ToolError
from switchboard.contract.json import JsonObject
from switchboard.contract.ports import Paths, Store
from switchboard.contract.python.dataclass import dataclass
from switchboard.contract.store import Document, Query

MOST_TESTS = 150
"""So many tests are played before something is published, at most."""
MOST_BUSINESSES = 500
_AT_ONCE = 8
_Result = TypeVar("_Result")


@dataclass(frozen=True, slots=True)
class ChosenTests:
    """The tests that are to be played, and how many are kept beside them that are not, by business.

    Attributes:
        is_whole: Whether every business was looked at.
    """

    tests: tuple[KeptTest, ...] = ()
    left_out: Mapping[str, int] | None = None
    is_whole: bool = True


async def choose(
    store: Store, paths: Paths, businesses: Collection[str] | None, first: Collection[str] = ()
) -> ChosenTests:
    """Return the kept tests of businesses, the first of each before the second of any; at most `MOST_TESTS`.

    Args:
        store: Where they are kept.
        paths: Name them.
        businesses: Whose; None for all.
        first: The names of tests that stand before all others.

    Raises:
        StoreError: The store's; then nothing is known of any test.
    """
    ids, is_whole = sorted(businesses or ()), True
    if businesses is None:
        ids, is_whole = await first_businesses(store, paths, MOST_BUSINESSES)

    async def count(id: str) -> int:
        return await store.count(Query(paths.within(id).collection("evals"), limit=MOST_EVALS))

    counts = dict(zip(ids, await _side_by_side(count, ids), strict=True))
    having = [id for id in ids if counts[id]]
    # Those that are named are read as well, wherever they stand.
    share = max(1, MOST_TESTS // max(1, len(having)))
    whole = sum(counts.values()) <= MOST_TESTS

    async def read(id: str) -> list[KeptTest]:
        own = {name.partition("/")[2] for name in first if name.partition("/")[0] == id}
        return await kept_tests(store, paths, id, MOST_EVALS if whole else share, own)

    by_business = await _side_by_side(read, having)
    ordered = [test for row in zip_longest(*by_business) for test in row if test is not None]
    ordered.sort(key=lambda test: test.name not in first)
    chosen = ordered[:MOST_TESTS]
    read_of = {id: sum(test.business_id == id for test in chosen) for id in having}
    left_out = {id: counts[id] - read_of[id] for id in having if counts[id] > read_of[id]}
    return ChosenTests(tuple(chosen), left_out, is_whole)


async def kept_tests(
    store: Store, paths: Paths, business_id: str, limit: int, named: Collection[str] = ()
) -> list[KeptTest]:
    """Return kept tests of a business with the business as it is now: those that are named, and the first ones."""
    within = paths.within(business_id)
    documents = await store.query(Query(within.collection("evals"), limit=limit))
    missing = sorted(set(named) - {document.id for document in documents})
    more = await store.get_many([within.document("evals", name) for name in missing]) if missing else []
    documents = [*filter(None, more), *documents]
    if not documents:
        return []
    try:
        premises = await read_premises(store, within)
    except ToolError:
        return []  # the business was removed in this moment
    return [test_of(business_id, document, premises) for document in documents]


def test_of(business_id: str, document: Document, premises: StoredPremises) -> KeptTest:
    """Return a kept test as it is played; one that says itself what its business is like stays as it says."""
    from switchboard.admin.evals.scenario import BadScenario
    from switchboard.admin.evals.scenario_text import read_text

    try:
        fields: JsonObject = dict(read_text(text(document.data.get("text"))))
    except BadScenario as problem:
        return KeptTest(business_id, document, {}, str(problem))
    whole = fields if fields.get("document") else premises.joined(fields)
    # Whatever it says: it is one of this business, which decides what is tried by whom.
    return KeptTest(business_id, document, {**whole, "business": business_id})


async def _side_by_side(ask: Callable[[str], Awaitable[_Result]], ids: Sequence[str]) -> list[_Result]:
    gate = asyncio.Semaphore(_AT_ONCE)

    async def one(id: str) -> Any:
        async with gate:
            return await ask(id)

    return list(await asyncio.gather(*(one(id) for id in ids)))
