"""How the work on a text grows with its length: adversarial texts, and a measure that a busy machine does not upset."""

import re
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any, NoReturn

SIZES = (2_000, 4_000, 8_000, 16_000)
MOST_PER_DOUBLING = 2.6
# What takes less of a processor at the greatest size holds nobody up, whatever its growth; noise is most of it.
FLOOR_S = 0.02
_REPEATS = 5
_TOO_LONG_S = 20.0

Family = Callable[[int], str]


def _of(piece: str, begin: str = "", end: str = "") -> Family:
    return lambda size: begin + (piece * (size // len(piece) + 1))[: max(0, size - len(begin) - len(end))] + end


FAMILIES: dict[str, Family] = {
    "one letter": _of("a"),
    "one letter, then a mark": _of("a", end="!"),
    "blanks": _of(" "),
    "blanks within words": _of(" ", "a", "a"),
    "line ends": _of("\n"),
    "carriage returns": _of("\r\n"),
    "tabs and blanks": _of("\t "),
    "digits": _of("1"),
    "digits and blanks": _of("1 "),
    "a number without end": _of("1", "+", "x"),
    "full stops": _of("."),
    "commas and blanks": _of(", "),
    "hyphens": _of("-"),
    "apostrophes": _of("a'"),
    "quotation marks": _of('"'),
    "backslashes": _of("\\", '"'),
    "opening brackets": _of("["),
    "opening braces": _of("{{"),
    "variables begun": _of("{{ "),
    "variables": _of("{{a}} "),
    "opening tags": _of("<"),
    "tags begun": _of("<a "),
    "at signs": _of("a@"),
    "labels of a host": _of("a.", "a@"),
    "slashes": _of("/"),
    "percent signs": _of("%2"),
    "a claim again and again": _of("booked and "),
    "from and to": _of("from ten to "),
    "names": _of("For Anna Berg "),
    "days and times": _of("on Monday at 10:30 "),
    "roles": _of("system\n"),
    "asterisks": _of("**a"),
    "fences": _of("```"),
    "combining marks": _of("e\u0301"),
    "wide characters": _of("\U0001f600"),
    "hidden characters": _of("\u200b"),
    "ligatures that grow": _of("\ufdfa"),
    "one sentence of letters and blanks": _of("the slot is free "),
    "capitals": _of("Ab"),
    "equals signs": _of("= "),
}
"""Texts by what they are made of, each as long as it is asked for."""


def growth_of(work: Callable[[str], Any], family: Family, cap: int | None = None) -> str:
    """Return how the work on a family grows too fast; empty where it does not.

    Args:
        work: Is done with a text; what it raises is as good as an answer.
        family: Makes the texts.
        cap: The greatest length that ever comes here, where something before it sees to that.
    """
    sizes = [size for size in SIZES if cap is None or size <= cap] or [cap or 0]
    took: dict[int, float] = {}
    for size in sizes:
        took[size] = _took(work, family(size), repeats=1)
        if took[size] > _TOO_LONG_S:
            return f"{size:,} characters take {took[size]:.1f} s"
    if took[sizes[-1]] < FLOOR_S:
        return ""
    if cap is not None and cap < SIZES[-1]:
        took[sizes[-1]] = _took(work, family(sizes[-1]), _REPEATS)
        least = took[sizes[-1]]
        return "" if least < 5 * FLOOR_S else f"{sizes[-1]:,} characters take {least * 1e3:.0f} ms"
    for size in sizes:
        took[size] = min(took[size], _took(work, family(size), _REPEATS))
    for small, large in zip(sizes, sizes[1:], strict=False):
        # The smaller of a pair has to be measurable as well.
        if took[large] >= FLOOR_S and took[large] > MOST_PER_DOUBLING * max(took[small], FLOOR_S / 4):
            return f"{small:,} characters take {took[small] * 1e3:.1f} ms, {large:,} {took[large] * 1e3:.1f} ms"
    return ""


def _took(work: Callable[[str], Any], text: str, repeats: int) -> float:
    """Return the processor time of the quickest of several runs; what does not end is broken off."""
    least = float("inf")
    for _ in range(repeats):
        started = time.thread_time()
        try:
            with _limited():
                work(text)
        except _TooLong:
            return time.thread_time() - started + _TOO_LONG_S
        except (ValueError, TypeError, LookupError, ArithmeticError, RecursionError):
            pass
        except Exception as error:
            # A refusal of ours, in whatever words.
            if not type(error).__module__.startswith(("switchboard.", "configuration", "starlette.")):
                raise
        least = min(least, time.thread_time() - started)
    return least


class _TooLong(BaseException):
    """The work did not end."""


@contextmanager
def _limited() -> Iterator[None]:
    def end(number: int, frame: FrameType | None) -> NoReturn:
        raise _TooLong

    before = signal.signal(signal.SIGVTALRM, end)
    # Of this process's own time: other programs on the machine do not count.
    signal.setitimer(signal.ITIMER_VIRTUAL, _TOO_LONG_S)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


def families_of(pattern: "re.Pattern[str]") -> dict[str, Family]:
    """Return the texts that a pattern itself suggests: what each of its repetitions repeats, behind what leads to it."""
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
                    found[f"{inner!r} behind {before!r}"] = _of(inner, before, "\x00")
                    found[f"{before + inner!r}"] = _of(before + inner, "", "\x00")
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
            if name == "CATEGORY" and re.match({
                "CATEGORY_DIGIT": r"\d", "CATEGORY_NOT_DIGIT": r"\D", "CATEGORY_SPACE": r"\s",
                "CATEGORY_NOT_SPACE": r"\S", "CATEGORY_WORD": r"\w", "CATEGORY_NOT_WORD": r"\W",
            }[str(value)], character):
                return True
        return False

    found = next((c for c in candidates if fits(c) != negated), "")
    if found or negated:
        return found
    return next((chr(value if name == "LITERAL" else value[0]) for (_, value), name in zip(items, tests, strict=True)
                 if name in ("LITERAL", "RANGE")), "")
