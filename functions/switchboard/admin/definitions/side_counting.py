"""What the two sides of a trial did, counted by the marks that conversations and calls of each keep.

The store adds it up. Both are kept for a week and a trial may take longer: what is over for some hours is counted once,
and its totals stay with the trial. Whoever looks has only the rest counted.
"""

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any, Final

from switchboard.contract.document import mapping
from switchboard.contract.error import Tells
from switchboard.contract.json import JsonObject, as_json
from switchboard.contract.ports import Clock, Store
from switchboard.contract.python.dataclass import dataclass
from switchboard.contract.session_use import KEPT
from switchboard.contract.store import Document, Filter, Order, Query, Update, documents_of

SETTLED_AFTER: Final = timedelta(hours=3)
"""A call that nobody could bring to its end is given up within two hours; what is older than this changes no more."""
FEW_CALLS: Final = 30
"""Of fewer calls a share says little: one more failure would be several in a hundred."""
SIDES: Final = ("old", "new")
# A record may be large.
_READ_AT_ONCE = 25
_KEPT_EVERY = timedelta(hours=6)
_NONE: Final[Mapping[str, int]] = dict.fromkeys(
    ("conversations", "calls", "refusals", "failures", "unknown", "turns"), 0
)


@dataclass(frozen=True, slots=True)
class CanaryCounts:
    """What one side of a trial did.

    Attributes:
        conversations: How many began with its words.
        calls: How many calls of the tool came to an end in these.
        refusals: How many of the calls were refused, by a check or a rule; a no that is an answer is none.
        failures: In how many somebody was not served who should have been.
        unknown: Of how many nobody knows what came of them.
        turns: How many turns the conversations had; 0 where nobody counts them.
    """

    conversations: int
    calls: int
    refusals: int
    failures: int
    unknown: int
    turns: int = 0

    def to_json(self) -> JsonObject:
        """Return it as the admin API answers it, with what it is of a hundred calls; null where there was none."""
        of_hundred = {
            name: round(100 * count / self.calls, 1) if self.calls else None
            for name, count in (("refusals", self.refusals), ("failures", self.failures), ("unknown", self.unknown))
        }
        return as_json(self, without=("turns",), per_hundred=of_hundred, remark=self.remark)

    @property
    def remark(self) -> str | None:
        """Says that there are too few calls to go by; None where there are enough."""
        if not self.calls:
            return "No call yet."
        if self.calls < FEW_CALLS:
            return f"{self.calls} {'call says' if self.calls == 1 else 'calls say'} little yet."
        return None


@dataclass(frozen=True, slots=True)
class MarkedPlaces:
    """Where a kind of trial leaves its marks.

    Attributes:
        conversations: The collection of what is counted as a conversation, and its list of marks.
        call: The field of a call that holds its mark.
        turns: The field of a conversation that says how many turns it had; empty where they are not counted.
    """

    conversations: tuple[str, str]
    call: str
    turns: str = ""


@dataclass(frozen=True, slots=True)
class CountedSides:
    """What both sides of a trial did up to now; `is_whole` says whether that is everything since it began."""

    old: CanaryCounts
    new: CanaryCounts
    is_whole: bool


class SideCounting:
    """Counts the sides of trials of one kind. What the store raises passes through."""

    def __init__(self, store: Store, clock: Clock, places: MarkedPlaces) -> None:
        self._store, self._clock, self._places = store, clock, places

    async def counted(self, trial: Document, mark_of: Callable[[bool], str]) -> CountedSides:
        """Return what a trial's sides did; `trial` holds `since` and `endedAt`, `mark_of` a side, true for the new."""
        now, since, ended_at = self._clock.now(), trial.data["since"], trial.data.get("endedAt")
        # Calls of conversations that began with its words come to an end after it, as long as these are kept.
        last = min(now, ended_at + KEPT) if isinstance(ended_at, datetime) else now
        totals, through, is_whole = await self._totals(trial, mark_of, since, last)
        rest = await self._between(mark_of, through, last) if through < last else _nothing()
        old, new = (CanaryCounts(**_sum(totals[side], rest[side])) for side in SIDES)
        return CountedSides(old, new, is_whole)

    async def _totals(
        self, document: Document, mark_of: Callable[[bool], str], since: datetime, last: datetime
    ) -> tuple[Mapping[str, Mapping[str, int]], datetime, bool]:
        """Return what changes no more, up to when that is, and whether it is whole; what is new of it is kept."""
        counted = mapping(document.data.get("counted"))
        totals = {side: _read(mapping(counted.get(side))) for side in SIDES}
        noted, is_whole = counted.get("through"), counted.get("isWhole") is not False
        through = noted if isinstance(noted, datetime) else since
        until = min(last, self._clock.now() - SETTLED_AFTER)
        if until - through < (_KEPT_EVERY if until < last else timedelta(microseconds=1)):
            return totals, through, is_whole
        # What is kept for a week may be gone a moment before.
        is_whole = is_whole and through > self._clock.now() - KEPT
        more = await self._between(mark_of, through, until)
        totals = {side: _sum(totals[side], more[side]) for side in SIDES}
        kept: JsonObject = {"through": until, "isWhole": is_whole, **{side: dict(totals[side]) for side in SIDES}}
        # Two who look at once count the same, so that it does not matter whose numbers stay.
        await self._store.commit([Update(document.path, {"counted": kept})])
        return totals, until, is_whole

    async def _between(
        self, mark_of: Callable[[bool], str], begin: datetime, end: datetime
    ) -> dict[str, dict[str, int]]:
        sides = await asyncio.gather(*(self.side(mark_of(side == "new"), begin, end) for side in SIDES))
        return dict(zip(SIDES, sides, strict=True))

    async def side(self, mark: str, begin: datetime, end: datetime) -> dict[str, int]:
        """Return what was done under a mark from one moment until before another."""
        during = (Filter("finishedAt", ">=", begin), Filter("finishedAt", "<", end))

        def calls(state: str, *tells: Filter) -> Query:
            ended = (Filter(self._places.call, "==", mark), Filter("state", "==", state))
            return Query("calls", (*ended, *tells, *during), group=True)

        began = (Filter("startedAt", ">=", begin), Filter("startedAt", "<", end))
        collection, marks = self._places.conversations
        conversations = Query(collection, (Filter(marks, "array-contains", mark), *began), group=True)
        answers, failure = Filter("tells", "==", Tells.ANSWER.value), Filter("tells", "==", Tells.FAILURE.value)
        queries = [
            conversations,
            *(calls(state) for state in ("finished", "failed", "refused", "unknown")),
            calls("failed", answers),
            calls("refused", failure),
        ]
        counts = await asyncio.gather(*(self._store.count(query) for query in queries))
        begun, finished, failed, refused, unknown, answered, unserved = counts
        return {
            "conversations": begun,
            "calls": finished + failed + refused + unknown,
            "refusals": refused - unserved,
            "failures": failed - answered + unserved,
            "unknown": unknown,
            "turns": await self._turns(conversations) if self._places.turns else 0,
        }

    async def _turns(self, conversations: Query) -> int:
        """Return how many turns conversations had: the store cannot add them up, so that each is read."""
        by_time = replace(conversations, order=(Order("startedAt"),))
        documents = documents_of(self._store.query, by_time, _READ_AT_ONCE)
        numbers = [document.data.get(self._places.turns) async for document in documents]
        return sum(number for number in numbers if isinstance(number, int))


def _nothing() -> dict[str, dict[str, int]]:
    return {side: dict(_NONE) for side in SIDES}


def _read(counts: Mapping[str, Any]) -> dict[str, int]:
    return {name: value if isinstance(value := counts.get(name), int) else 0 for name in _NONE}


def _sum(one: Mapping[str, int], other: Mapping[str, int]) -> dict[str, int]:
    return {name: one[name] + other[name] for name in _NONE}
