"""Kept tests before something is published: played with the new definitions, and a red one is acknowledged by name."""

import time
from collections.abc import Collection, Mapping, Sequence
from dataclasses import field

from switchboard.admin.access.refusal import EntryProblem, NotValid
from switchboard.admin.evals.choosing import choose
from switchboard.admin.evals.playing import KeptTest, Played, PlayedVerdict, Playing
from switchboard.contract.error import ErrorType, ToolError
from switchboard.contract.json import JsonObject, ToldAsJson
from switchboard.contract.ports import Paths, Store
from switchboard.contract.python.dataclass import dataclass

PLAYED_WITHIN_S = 30.0
"""For so long tests are played before something is published; those that are left then are told as not run."""
COMPARED_WITHIN_S = 10.0
"""For so long the red ones are played with what is published now, to tell which of them were red before."""
_FIELD = "acknowledgedTests"
_MOST_NAMED = 5


@dataclass(frozen=True, slots=True)
class RedTest:
    """A kept test that is red with what is to be published.

    Attributes:
        was_red: Whether it is red with what is published now as well; None where there was no time to find out.
        is_acknowledged: Whether it was named by whoever publishes.
    """

    test: KeptTest
    verdict: PlayedVerdict
    was_red: bool | None
    is_acknowledged: bool

    def to_json(self) -> JsonObject:
        """Return it as a refusal tells it."""
        return {
            "name": self.test.name,
            "businessId": self.test.business_id,
            "test": self.test.document.id,
            "what": self.verdict.what,
            "sentence": self.verdict.sentence,
            "call": self.verdict.call,
            "wasRed": self.was_red,
            "isAcknowledged": self.is_acknowledged,
        }


class RedTests(ToolError):
    """Kept tests are red with what is to be published, and not all are acknowledged; nothing was published."""

    def __init__(self, red: Sequence[RedTest], tested: "TestedBefore") -> None:
        self.red, self.tested = tuple(red), tested
        super().__init__(ErrorType.CONFLICT, self.told(f"in {_FIELD}"))

    def told(self, where: str) -> str:
        """Return what is wrong with which test, and how it is published all the same; `where` tests are named."""
        missing = [one for one in self.red if not one.is_acknowledged]
        lines = [f"{one.test.name}{_since(one)}: {one.verdict.what}" for one in missing[:_MOST_NAMED]]
        more = f" (and {len(missing) - _MOST_NAMED} more)" if len(missing) > _MOST_NAMED else ""
        return (
            f"Nothing was published: kept tests are red with it. {'; '.join(lines)}{more}. Change it or the tests; or "
            f"publish it all the same, and name each red test {where}."
        )


def _since(one: RedTest) -> str:
    return {True: " (red before as well)", False: "", None: " (nobody knows whether it was red before)"}[one.was_red]


@dataclass(frozen=True, slots=True)
class TestedBefore(ToldAsJson):
    """What was tested before a publication.

    Attributes:
        run: How many tests were played.
        acknowledged: The names of those that were red, and were named by whoever published.
        not_run: How many were not played, by business, for want of time or because there are too many.
        is_whole: Whether every business was looked at.
    """

    run: int = 0
    acknowledged: tuple[str, ...] = ()
    not_run: Mapping[str, int] = field(default_factory=dict)
    is_whole: bool = True


class PublishGate:
    """Plays kept tests before a publication. What the store raises passes through: then nothing is published."""

    def __init__(self, store: Store, paths: Paths, playing: Playing) -> None:
        """Read tests from `store`, and have them played."""
        self._store, self._paths, self._playing = store, paths, playing

    async def require(
        self,
        before: Mapping[str, JsonObject],
        after: Mapping[str, JsonObject],
        businesses: Collection[str] | None,
        acknowledged: Sequence[str],
    ) -> TestedBefore:
        """Return if no test is red with a set of definitions but those that are named; none of it is stored.

        Args:
            before: The definitions that are published now, as they are stored.
            after: Those that are to be.
            businesses: Whose tests; None for all.
            acknowledged: The names of red tests, such as `demo-salon/booking-at-ten`.

        Raises:
            RedTests: Others are red.
            NotValid: A test is named that is not red.
            ToolError: TRANSIENT; no test can be played here now.
        """
        chosen = await choose(self._store, self._paths, businesses, acknowledged)
        began = time.monotonic()
        played = await self._playing.play(chosen.tests, after, PLAYED_WITHIN_S) if chosen.tests else Played()
        if played.not_run and not played.verdicts:
            raise ToolError(
                ErrorType.TRANSIENT,
                f"Nothing was published: within {time.monotonic() - began:.0f} seconds none of the kept tests could be "
                "played. Try again in a moment.",
            )
        red = [test for test in chosen.tests if test.name in played.verdicts and played.verdicts[test.name].is_red]
        _refuse_others(acknowledged, {test.name for test in red}, played.not_run)
        not_run = dict(chosen.left_out or {})
        for test in chosen.tests:
            if test.name in played.not_run:
                not_run[test.business_id] = not_run.get(test.business_id, 0) + 1
        tested = TestedBefore(len(played.verdicts), tuple(sorted(acknowledged)), not_run, chosen.is_whole)
        if {test.name for test in red} - set(acknowledged):
            earlier = await self._playing.play(red, before, COMPARED_WITHIN_S)
            raise RedTests([_red(test, played, earlier, test.name in acknowledged) for test in red], tested)
        return tested


def _red(test: KeptTest, played: Played, earlier: Played, is_acknowledged: bool) -> RedTest:
    was = earlier.verdicts.get(test.name)
    return RedTest(test, played.verdicts[test.name], was.is_red if was is not None else None, is_acknowledged)


def _refuse_others(acknowledged: Sequence[str], red: Collection[str], not_run: Collection[str]) -> None:
    """Let only names through that are red: nobody acknowledges what is not there, or will be."""
    problems = []
    for name in dict.fromkeys(acknowledged):
        if name in red:
            continue
        why = "was not played, for want of time" if name in not_run else "is no red test"
        problems.append(EntryProblem(_FIELD, f"{_FIELD}: {name!r} {why}; leave it out."))
    if problems:
        raise NotValid(problems)
