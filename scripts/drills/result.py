"""What a drill is asked and what it answers."""

from __future__ import annotations

import asyncio
import textwrap
from collections.abc import Awaitable, Sequence
from dataclasses import dataclass

from command_line import Problem

SMOKE, QUICK, FULL = "smoke", "quick", "full"
COLUMNS = 100
_VERDICTS = {True: "as expected", False: "DIFFERS"}


class Skipped(Exception):
    """The drill needs something that this machine lacks; the text is one sentence."""


@dataclass(frozen=True)
class Effort:
    """How much to do: `smoke`, `quick` or `full`; the seed decides every choice that is left to chance.

    `trials` is how many deeds the drill `kill` kills, which then does nothing else; None leaves that to the size.
    `against` names the server of others that takes the place of our stand-ins; empty for none. `calendar` is whose
    outside calendar takes part, where one does. `calls` is how many calls the drill `simulate` makes; None leaves that
    to the size.
    """

    size: str
    seed: int
    trials: int | None = None
    against: str = ""
    calendar: str = "google"
    calls: int | None = None


@dataclass(frozen=True)
class Check:
    """One row of a drill's table; `is_met` is None where nothing was promised."""

    what: str
    expected: str
    seen: str
    is_met: bool | None = None

    @property
    def verdict(self) -> str:
        """The word for `is_met`."""
        return "" if self.is_met is None else _VERDICTS[self.is_met]


@dataclass(frozen=True)
class Result:
    """A drill's table: what was done, what was expected and seen, and text to print below.

    Attributes:
        title: What was done, in one line.
        expected: What was promised, in the few words that stand for the whole drill.
        seen: What came of it, in as few.
    """

    title: str
    expected: str
    seen: str
    checks: tuple[Check, ...]
    notes: tuple[str, ...] = ()

    @property
    def is_met(self) -> bool:
        """Whether nothing differs."""
        return all(check.is_met is not False for check in self.checks)

    @property
    def verdict(self) -> str:
        """The word for `is_met`."""
        return _VERDICTS[self.is_met]

    def text(self) -> str:
        """Return the table as text."""
        rows = [("", "expected", "seen", "")]
        rows += [(check.what, check.expected, check.seen, check.verdict) for check in self.checks]
        lines = [line for note in self.notes for line in textwrap.wrap(note, COLUMNS - 2, subsequent_indent="  ")]
        return "\n".join([self.title, table(rows), *(f"  {line}".rstrip() for line in lines)])


def table(rows: Sequence[tuple[str, ...]]) -> str:
    """Return rows as text, their cells under each other."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return "\n".join("  " + "  ".join(map(str.ljust, row, widths)).rstrip() for row in rows)


async def within(limit_s: float, work: Awaitable[Result]) -> Result:
    """Return the result, or give up after so many seconds.

    Raises:
        Problem: It is not there by then.
    """
    try:
        async with asyncio.timeout(limit_s):
            return await work
    except TimeoutError:
        raise Problem(f"not done after {limit_s:g} s") from None


def exactly(what: str, expected: int, seen: int) -> Check:
    """Return the row of a number that must be met exactly."""
    return Check(what, f"{expected:,}", f"{seen:,}", seen == expected)


def at_most(what: str, allowed: float, seen: float, unit: str = "s", digits: int = 2) -> Check:
    """Return the row of a number that must not be exceeded."""
    return Check(what, f"≤ {allowed:g} {unit}", f"{seen:.{digits}f} {unit}", seen <= allowed)
