"""Kept tests that come to what a test says, without a product that plays them."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field

from switchboard.admin.evals.playing import KeptTest, Played, PlayedVerdict
from switchboard.contract.json import JsonObject

Judge = Callable[[KeptTest, Mapping[str, JsonObject]], str]
"""Returns what is wrong with a test over definitions; nothing where it is green."""


@dataclass
class PlayedAs:
    """Says what came of tests.

    Attributes:
        judge: Decides.
        not_run: The names of those that there is no time for.
        meanwhile: Happens while they are played.
        sets: The definitions that tests were played with, and their names.
    """

    judge: Judge = lambda test, definitions: ""
    not_run: set[str] = field(default_factory=set)
    meanwhile: Callable[[], Awaitable[object]] | None = None
    sets: list[tuple[Mapping[str, JsonObject], list[str]]] = field(default_factory=list)

    async def play(self, tests: Sequence[KeptTest], definitions: Mapping[str, JsonObject], within_s: float) -> Played:
        """Say it."""
        self.sets.append((definitions, [test.name for test in tests]))
        if self.meanwhile is not None:
            happening, self.meanwhile = self.meanwhile, None
            await happening()
        played = [test for test in tests if test.name not in self.not_run]
        verdicts = {}
        for test in played:
            what = test.problem or self.judge(test, definitions)
            verdicts[test.name] = PlayedVerdict(
                what, "It is done." if what else "", "look: done" if what else "", "hash"
            )
        return Played(verdicts, tuple(test.name for test in tests if test.name in self.not_run))


def minimal(business: str, name: str, **more: str) -> str:
    """Return a scenario as YAML in which somebody says hello."""
    fields = {
        "name": name,
        "business": business,
        "now": "2026-12-01 10:00",
        "lines": "[Hello]",
        "expect": "{}",
        **more,
    }
    return "".join(f"{field}: {value}\n" for field, value in fields.items())
