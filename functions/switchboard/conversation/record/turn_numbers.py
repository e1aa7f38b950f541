"""The numbers of a conversation's human turns, each taken from the record as what was said is written down.

A phone call goes on in a portal while it lasts, and two messages may reach two instances at once: all take the numbers
of their turns from the one record, so that each number is one turn, with budgets, questions and calls of its own, and
whoever finds a number skipped looks what was said.
"""

import asyncio
import logging
from collections import Counter
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import field, replace

from switchboard.contract.document import integer
from switchboard.contract.json import JsonObject
from switchboard.contract.ports import Store
from switchboard.contract.python.dataclass import dataclass
from switchboard.contract.store import (
    ArrayUnion,
    Document,
    Increment,
    Set,
    Stale,
    StoreError,
    Unavailable,
    Update,
    Write,
    WriteResult,
)

log = logging.getLogger(__name__)

# Whoever has spoken does not wait any longer for a number: the turn begins, and counts itself when it is written down.
_PATIENCE_S = 0.4
# What may come twice is worth waiting for a little longer: without its claim nobody would know it again.
_CLAIM_PATIENCE_S = 1.0
_TRIES = 3

Judge = Callable[[Sequence[WriteResult], Sequence[JsonObject]], Awaitable[None]]
"""Decides by the results of the commit that began a turn, and the entries that it wrote, whether the turn stands."""


@dataclass(frozen=True, slots=True)
class TurnClaim:
    """What else the commit that begins a turn does.

    Attributes:
        fields: What it changes in the record.
        counting: What comes first in it.
        judge: Decides by its results; what that raises is passed on, and the turn has been taken back then.
        names_turn: The path of the field among them that holds the turn's number, as it was expected.
    """

    fields: JsonObject
    counting: Sequence[Write]
    judge: Judge
    names_turn: str


@dataclass(frozen=True, slots=True)
class TakenNumber:
    """A number that was taken.

    Attributes:
        number: The turn's.
        is_written: Whether the record holds it, and what was said.
        record: What the record holds by now, where others have taken numbers since; None where nobody has.
    """

    number: int
    is_written: bool
    record: Document | None = None


class TurnNumbers:
    """Takes the numbers of one conversation's turns.

    Attributes:
        behind: How many turns the record does not count yet.
        is_unsure: Whether it may count some of them, since a write that counts had no answer.
        unanswered: The turns of which nobody knows whether the record holds, or is going to hold, what was said.
    """

    def __init__(self, store: Store, path: str) -> None:
        """Count in the record at `path`."""
        self._store, self._path = store, path
        self.behind, self.is_unsure = 0, False
        self.unanswered: set[int] = set()

    def caught_up(self, fields: JsonObject) -> None:
        """Note that a commit with these fields of the record, `turns` among them, has got through."""
        counted = fields.get("turns")
        self.behind -= int(counted.by) if isinstance(counted, Increment) else 0

    def learn(self, record: Document | None, turn: int) -> None:
        """Take from the record, as it was read, how many of the turns up to the last one it counts."""
        if self.is_unsure:
            counted = integer(record.data.get("turns")) if record is not None else 0
            self.behind, self.is_unsure = max(0, turn - counted), False

    async def take(
        self,
        fields: JsonObject,
        before: Sequence[JsonObject],
        entry: JsonObject | None,
        expected: int,
        claim: TurnClaim | None = None,
        beside: Sequence[Write] = (),
    ) -> TakenNumber:
        """Take the next number, and write down what was said under it. Raises nothing but what a claim's judge does.

        Args:
            fields: What else changes in the record.
            before: What was said before, and is not written down.
            entry: What was said, under the number that is expected; None where that is told later.
            expected: The number that follows the last one that is known.
            claim: What else the commit does; None where nothing may come twice.
            beside: What it writes elsewhere.
        """
        rows = (*before, entry) if entry is not None else tuple(before)
        transcript: JsonObject = {"transcript": ArrayUnion(rows)} if rows else {}
        counting, claimed = (claim.counting, claim.fields) if claim is not None else ((), {})
        write = Set(self._path, {**fields, **transcript, **claimed, "turns": Increment(1)}, merge=True)
        try:
            async with asyncio.timeout(_PATIENCE_S if claim is None else _CLAIM_PATIENCE_S):
                results = await self._store.commit([*counting, *beside, write])
        except (StoreError, TimeoutError) as error:
            log.warning("a turn counts itself", extra={"reason": type(error).__name__, "pii.detail": str(error)})
            self.behind += 1
            if isinstance(error, Unavailable | TimeoutError):
                self.is_unsure = True
                self.unanswered.add(expected)
            return TakenNumber(expected, is_written=False)
        if claim is not None:
            await claim.judge([*results[: len(counting)], results[-1]], rows)
        number = int(results[-1].increments["turns"])
        # Turns that could not take theirs were answered all the same, and are counted with the next that is written.
        self.behind, self.is_unsure = max(0, expected - number), False
        if number <= expected:
            return TakenNumber(expected, is_written=True)
        return TakenNumber(number, is_written=True, record=await self._renumbered(entry, expected, number, claim))

    async def _renumbered(
        self, entry: JsonObject | None, expected: int, number: int, claim: TurnClaim | None
    ) -> Document | None:
        """Let what was said stand under the number that was taken; return the record, None where it cannot be read."""
        named: JsonObject = {claim.names_turn: number} if claim is not None else {}
        try:
            for _ in range(_TRIES):
                record = await self._store.get(self._path)
                rows = record.data.get("transcript") if record is not None else None
                if record is None or not isinstance(rows, list) or (entry is None and not named):
                    return record
                renumbered = [{**row, "turn": number} if _is_same(row, entry, expected) else row for row in rows]
                fields = {"transcript": renumbered, **named}
                try:
                    await self._store.commit([Update(self._path, fields, if_update_time=record.update_time)])
                except Stale:
                    continue
                return replace(record, data={**record.data, "transcript": renumbered})
        except StoreError as error:
            log.warning("others' turns not read", extra={"reason": type(error).__name__, "pii.detail": str(error)})
        return None


def _is_same(row: object, entry: JsonObject | None, turn: int) -> bool:
    if entry is None or not isinstance(row, dict) or row.get("turn") != turn:
        return False
    return all(row.get(name) == entry[name] for name in ("role", "text", "at", "channel"))


@dataclass(slots=True)
class OtherTurns:
    """What one conversation knows of its record's turns.

    Attributes:
        own: The turns that were begun here.
        known: By turn, how many entries of it have been read from the record.
    """

    own: set[int] = field(default_factory=set)
    known: dict[int, int] = field(default_factory=dict)

    def read(self, rows: Iterable[JsonObject]) -> None:
        """Note the entries that a conversation is taken up from."""
        self.known = _counted(rows)

    def are_news(self, rows: Iterable[JsonObject]) -> bool:
        """Tell whether entries of the record were said elsewhere, and have not been read."""
        counts = _counted(rows).items()
        return any(turn not in self.own and count > self.known.get(turn, 0) for turn, count in counts)


def last_turn(rows: Iterable[JsonObject]) -> int:
    """Return the number of the last turn among entries; 0 where there is none."""
    return max(_counted(rows), default=0)


def _counted(rows: Iterable[JsonObject]) -> dict[int, int]:
    # A greeting, before the first turn, is said by whoever opens the conversation.
    turns = (row.get("turn") for row in rows)
    return dict(Counter(turn for turn in turns if isinstance(turn, int) and turn > 0))
