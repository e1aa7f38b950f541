"""What a drill is asked and what it answers."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable
from dataclasses import dataclass

from command_line import Problem

SMOKE, QUICK, FULL = "smoke", "quick", "full"


class Skipped(Exception):
    """The drill needs something that this machine lacks; the text is one sentence."""


@dataclass(frozen=True)
class Effort:
    """How much to do: `smoke`, `quick` or `full`; the seed decides every choice that is left to chance."""

    size: str
    seed: int


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
        return "" if self.is_met is None else "as expected" if self.is_met else "DIFFERS"


@dataclass(frozen=True)
class Result:
    """A drill's table: what was done, what was expected and seen, and text to print below."""

    title: str
    checks: tuple[Check, ...]
    notes: tuple[str, ...] = ()

    @property
    def is_met(self) -> bool:
        """Whether nothing differs."""
        return all(check.is_met is not False for check in self.checks)

    def text(self) -> str:
        """Return the table as text."""
        rows = [("", "expected", "seen", "")]
        rows += [(check.what, check.expected, check.seen, check.verdict) for check in self.checks]
        widths = [max(len(row[n]) for row in rows) for n in range(len(rows[0]))]
        told = [self.title]
        told += ["  " + "  ".join(map(str.ljust, row, widths)).rstrip() for row in rows]
        return "\n".join([*told, *(f"  {note}" for note in self.notes)])


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
