"""What came of kept tests with what is published: every night and when an owner asks, kept on the tests."""

import time
from collections.abc import Collection, Mapping, Sequence
from datetime import timedelta

from switchboard.admin.access.known_business import businesses
from switchboard.admin.access.refusal import NotFound
from switchboard.admin.definitions.definition_set import read_published
from switchboard.admin.evals.choosing import kept_tests
from switchboard.admin.evals.kept import MOST_EVALS
from switchboard.admin.evals.outcome import digest, outcome_of, stands
from switchboard.admin.evals.playing import KeptTest, PlayedVerdict, Playing
from switchboard.admin.health.findings import HealthFinding
from switchboard.contract.json import JsonObject
from switchboard.contract.ports import BusinessPaths, Clock, Paths, Store
from switchboard.contract.store import Filter, Missing, Query, Stale, Update

PASS_WITHIN_S = 40.0
"""For so long a pass begins further tests; the next one goes on behind them."""
ASKED_WITHIN_S = 40.0
_STANDS = timedelta(hours=20)
_NAMED = 5


class KeptOutcomes:
    """Plays kept tests and keeps what came of them. What the store raises passes through."""

    def __init__(self, store: Store, paths: Paths, playing: Playing, clock: Clock) -> None:
        """Read tests from `store`, have them played, and date what came of them by `clock`."""
        self._store, self._paths, self._playing, self._clock = store, paths, playing, clock

    async def run_now(self, business_id: str, names: Collection[str] = ()) -> int:
        """Play the tests of a business that are named, or all; return how many there was no time for.

        Raises:
            NotFound: There is none of one of the names.
            ToolError: TRANSIENT; none can be played here now.
        """
        tests = await kept_tests(self._store, self._paths, business_id, MOST_EVALS, names)
        missing = sorted(set(names) - {test.document.id for test in tests})
        if missing:
            raise NotFound(f"There is no test {missing[0]!r}.", "names")
        chosen = [test for test in tests if not names or test.document.id in names]
        return len(chosen) - len(await self._played(chosen, ASKED_WITHIN_S))

    async def look(self, business_id: str | None) -> Mapping[str, int]:
        """Play the tests of a business, or of all, that were not played since yesterday; go on where it stopped.

        Two at once do no harm: a test that both play comes to the same.
        """
        ends_at, counts = time.monotonic() + PASS_WITHIN_S, {"played": 0, "red": 0, "left": 0}
        async for document in businesses(self._store, self._paths, business_id):
            if time.monotonic() >= ends_at:
                break
            await self._look_at(document.id, ends_at, counts)
        return counts

    async def _look_at(self, business_id: str, ends_at: float, counts: dict[str, int]) -> None:
        left_s = ends_at - time.monotonic()
        if left_s <= 0:
            return
        tests = await kept_tests(self._store, self._paths, business_id, MOST_EVALS)
        since = self._clock.now() - _STANDS
        due = [test for test in tests if not stands(test.document, since)]
        if not due:
            return
        verdicts = await self._played(due, left_s)
        counts["played"] += len(verdicts)
        counts["red"] += sum(verdict.is_red for verdict in verdicts.values())
        counts["left"] += len(due) - len(verdicts)

    async def _played(self, tests: Sequence[KeptTest], within_s: float) -> Mapping[str, PlayedVerdict]:
        if not tests:
            return {}
        published = await read_published(self._store, self._paths)
        played = await self._playing.play(tests, published.documents, within_s)
        for test in tests:
            verdict = played.verdicts.get(test.name)
            if verdict is not None:
                await self._keep(test, verdict)
        return played.verdicts

    async def _keep(self, test: KeptTest, verdict: PlayedVerdict) -> None:
        outcome: JsonObject = {
            "at": self._clock.now(),
            "of": digest(test.document),
            "what": verdict.what,
            "sentence": verdict.sentence,
            "call": verdict.call,
            "catalogHash": verdict.catalog_hash,
        }
        fields: JsonObject = {"outcome": outcome, "isRed": verdict.is_red}
        try:
            await self._store.commit([Update(test.document.path, fields, if_update_time=test.document.update_time)])
        except (Missing, Stale):
            return  # it was changed meanwhile, and is played again as what it is now


async def about_tests(store: Store, within: BusinessPaths) -> list[HealthFinding]:
    """Return a finding where kept tests of a business were red the last time, as they still are."""
    documents = await store.query(red_ones(within))
    red = [(document.id, outcome) for document in documents if (outcome := outcome_of(document)) is not None]
    if not red:
        return []
    names = ", ".join(name for name, _ in red[:_NAMED])
    return [HealthFinding("tests_red", names, len(red), max(outcome["at"] for _, outcome in red))]


def red_ones(within: BusinessPaths) -> Query:
    """Return the query for the kept tests of a business that were red the last time."""
    return Query(within.collection("evals"), (Filter("isRed", "==", True),), limit=MOST_EVALS)
