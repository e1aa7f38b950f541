"""How the work on a text grows with its length, measured so that a busy machine does not upset it."""

import gc
import itertools
import math
import re
import signal
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from types import FrameType
from typing import Any

from drills.adversarial import FAMILIES, Family, made_of

SIZES = (2_000, 4_000, 8_000, 16_000)
MOST_PER_DOUBLING = 2.6
# What takes less of a processor at the greatest size holds nobody up, whatever its growth; noise is most of it.
FLOOR_S = 0.04
_REPEATS = 5
_TRIES = 3
_TOO_LONG_S, _LEAST_S = 1.0, 0.01

__all__ = ["FAMILIES", "Family", "families_of", "growth_of"]


def growth_of(work: Callable[[str], Any], family: Family, cap: int | None = None) -> str:
    """Return how the work on a family grows too fast; empty where it does not.

    Args:
        work: Is done with a text; what it raises is as good as an answer.
        family: Makes the texts.
        cap: The greatest length that ever comes here, where something before it sees to that.
    """
    if _is_quick(work, family):
        return ""
    # What else the machine does is slow once and then again quick; a square stays one.
    found = ""
    for _ in range(_TRIES):
        found = _growth(work, family, cap)
        if not found or "more than" in found:
            break
    return found


def _is_quick(work: Callable[[str], Any], family: Family) -> bool:
    """Return whether the smallest text takes so little that not even its cube is long at the greatest."""
    return _took(work, family(SIZES[0]), repeats=1) < FLOOR_S * (SIZES[0] / SIZES[-1]) ** 2 / 2


def _growth(work: Callable[[str], Any], family: Family, cap: int | None) -> str:
    sizes = [size for size in SIZES if cap is None or size <= cap] or [cap or 0]
    # Nearly everything is quick at the greatest size, and needs no more looks.
    took = {sizes[-1]: _took(work, family(sizes[-1]), repeats=1)}
    if took[sizes[-1]] < FLOOR_S:
        return ""
    looks = [took[sizes[-1]]]
    while looks[-1] > _TOO_LONG_S and len(looks) < _REPEATS:
        # What is read in for the first time, or a machine that does something else, is slow for a while.
        looks.append(_took(work, family(sizes[-1]), repeats=1))
    if looks[-1] > _TOO_LONG_S:
        return f"{sizes[-1]:,} characters take more than {_TOO_LONG_S:g} s, {len(looks)} times"
    took[sizes[-1]] = looks[-1]
    if cap is not None and cap < SIZES[-1]:
        took[sizes[-1]] = _took(work, family(sizes[-1]), _REPEATS)
        least = took[sizes[-1]]
        return "" if least < 2 * FLOOR_S else f"{sizes[-1]:,} characters take {least * 1e3:.0f} ms"
    for _ in range(_REPEATS):
        # In turn, so that a while in which the machine is slow is one for every size.
        for size in sizes:
            took[size] = min(took.get(size, _TOO_LONG_S), _took(work, family(size), repeats=1))
    for small, large in itertools.pairwise(sizes):
        if not _too_fast(took, small, large):
            continue
        # One size that was unlucky at each of its looks is not a square: that goes on to the end, and beyond it.
        if large == sizes[-1]:
            took[2 * large] = _took(work, family(2 * large), _REPEATS)
        if _too_fast(took, small, max(took)):
            return f"{small:,} characters take {took[small] * 1e3:.1f} ms, {large:,} {took[large] * 1e3:.1f} ms"
    return ""


def _too_fast(took: dict[int, float], small: int, large: int) -> bool:
    """Return whether the work grew too fast between two sizes, the smaller of which has to be measurable as well."""
    most = MOST_PER_DOUBLING ** math.log2(large / small)
    return took[large] >= FLOOR_S and took[large] > most * max(took[small], FLOOR_S / 4)


@cache
def _keeping() -> list[Any]:
    """Return the functions of the package that keep what they last returned, a bounded number of times."""
    modules = [module for name, module in sys.modules.items() if name.startswith("switchboard.")]
    found = {id(value): value for module in modules for value in vars(module).values() if hasattr(value, "cache_info")}
    return [kept for kept in found.values() if kept.cache_info().maxsize is not None]


def _took(work: Callable[[str], Any], text: str, repeats: int) -> float:
    """Return the processor time of the quickest of several runs; what does not end is broken off."""
    least = float("inf")
    for _ in range(repeats):
        # What was kept of the same text would be quick whatever it took to read.
        for kept in _keeping():
            kept.cache_clear()
        started = time.thread_time()
        try:
            with _limited(), _left_uncollected():
                work(text)
        except _TooLong:
            return time.thread_time() - started + _TOO_LONG_S
        except Exception:
            # A refusal, or a value of a kind that never comes here; how long that takes is all that is asked.
            pass
        least = min(least, time.thread_time() - started)
    return least


class _TooLong(BaseException):
    """The work did not end."""


@contextmanager
def _limited() -> Iterator[None]:
    started = time.thread_time()

    def end(number: int, frame: FrameType | None) -> None:
        # The timer counts the whole process, whose other threads may still be at what an earlier test has begun.
        left = _TOO_LONG_S - (time.thread_time() - started)
        if left <= 0:
            raise _TooLong
        signal.setitimer(signal.ITIMER_VIRTUAL, max(left, _LEAST_S))

    before = signal.signal(signal.SIGVTALRM, end)
    # Of this process's own time: other programs on the machine do not count.
    signal.setitimer(signal.ITIMER_VIRTUAL, _TOO_LONG_S)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


@contextmanager
def _left_uncollected() -> Iterator[None]:
    """Let no collection of what other tests have left fall into the time of this work."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


def families_of(pattern: "re.Pattern[str]") -> dict[str, Family]:  # noqa: C901 - one case a kind of node
    """Return the texts that a pattern itself suggests: what it repeats, behind what leads to that."""
    from re import _parser  # type: ignore[attr-defined]

    found: dict[str, Family] = {}

    def sample(node: Any) -> str:
        return "".join(map(_sample, node))

    def walk(node: Any, before: str) -> None:
        for op, value in node:
            name = str(op)
            if name in ("MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT"):
                _, most, body = value
                inner = sample(body)
                if inner and (most == _parser.MAXREPEAT or most >= 50):
                    found[f"{inner!r} behind {before!r}"] = made_of(inner, before, "\x00")
                    found[f"{before + inner!r}"] = made_of(before + inner, "", "\x00")
                walk(body, before)
            elif name == "SUBPATTERN":
                walk(value[3], before)
            elif name == "BRANCH":
                for branch in value[1]:
                    walk(branch, before)
            elif name == "ATOMIC_GROUP":
                walk(value, before)
            elif name in ("ASSERT", "ASSERT_NOT"):
                walk(value[1], before)
            before += _sample((op, value))

    def _sample(item: Any) -> str:
        op, value = item
        name = str(op)
        if name == "LITERAL":
            return chr(value)
        if name == "NOT_LITERAL":
            return "a" if value != ord("a") else "b"
        if name == "ANY":
            return "a"
        if name == "IN":
            return _member(value)
        if name in ("MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT"):
            least, _, body = value
            return sample(body) * max(1, least)
        if name == "SUBPATTERN":
            return sample(value[3])
        if name == "BRANCH":
            return sample(value[1][0])
        return sample(value) if name == "ATOMIC_GROUP" else ""

    walk(_parser.parse(pattern.pattern, pattern.flags & ~re.DEBUG), "")
    return found


def _member(items: Any) -> str:
    """Return a character of a class."""
    candidates = "a 1-_.,/A!\n\t\"'[]{}()<>:;@#%\\=+*\x00\u00e9\uff1c"
    negated = str(items[0][0]) == "NEGATE"
    tests = [str(op) for op, _ in items]

    def fits(character: str) -> bool:
        code = ord(character)
        for (_, value), name in zip(items, tests, strict=True):
            if name == "LITERAL" and code == value:
                return True
            if name == "RANGE" and value[0] <= code <= value[1]:
                return True
            if name == "CATEGORY" and re.match(
                {
                    "CATEGORY_DIGIT": r"\d",
                    "CATEGORY_NOT_DIGIT": r"\D",
                    "CATEGORY_SPACE": r"\s",
                    "CATEGORY_NOT_SPACE": r"\S",
                    "CATEGORY_WORD": r"\w",
                    "CATEGORY_NOT_WORD": r"\W",
                }[str(value)],
                character,
            ):
                return True
        return False

    found = next((c for c in candidates if fits(c) != negated), "")
    if found or negated:
        return found
    return next(
        (
            chr(value if name == "LITERAL" else value[0])
            for (_, value), name in zip(items, tests, strict=True)
            if name in ("LITERAL", "RANGE")
        ),
        "",
    )
