"""Texts on which careless code takes the square of their length; each family makes them as long as is asked for."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

Family = Callable[[int], str]


def made_of(piece: str, begin: str = "", end: str = "") -> Family:
    """Return what makes texts that repeat a piece, between a beginning and an end."""
    return cache(lambda size: begin + (piece * (size // len(piece) + 1))[: max(0, size - len(begin) - len(end))] + end)


FAMILIES: dict[str, Family] = {
    "one letter": made_of("a"),
    "one letter, then a mark": made_of("a", end="!"),
    "blanks": made_of(" "),
    "blanks within words": made_of(" ", "a", "a"),
    "line ends": made_of("\n"),
    "carriage returns": made_of("\r\n"),
    "tabs and blanks": made_of("\t "),
    "digits": made_of("1"),
    "digits and blanks": made_of("1 "),
    "a number without end": made_of("1", "+", "x"),
    "full stops": made_of("."),
    "commas and blanks": made_of(", "),
    "hyphens": made_of("-"),
    "apostrophes": made_of("a'"),
    "quotation marks": made_of('"'),
    "backslashes": made_of("\\", '"'),
    "opening brackets": made_of("["),
    "opening braces": made_of("{{"),
    "variables begun": made_of("{{ "),
    "variables": made_of("{{a}} "),
    "opening tags": made_of("<"),
    "tags begun": made_of("<a "),
    "at signs": made_of("a@"),
    "labels of a host": made_of("a.", "a@"),
    "slashes": made_of("/"),
    "percent signs": made_of("%2"),
    "a claim again and again": made_of("booked and "),
    "from and to": made_of("from ten to "),
    "names": made_of("For Anna Berg "),
    "days and times": made_of("on Monday at 10:30 "),
    "roles": made_of("system\n"),
    "asterisks": made_of("**a"),
    "fences": made_of("```"),
    "combining marks": made_of("e\u0301"),
    "wide characters": made_of("\U0001f600"),
    "hidden characters": made_of("\u200b"),
    "ligatures that grow": made_of("\ufdfa"),
    "one sentence of letters and blanks": made_of("the slot is free "),
    "capitals": made_of("Ab"),
    "equals signs": made_of("= "),
}
"""Texts by what they are made of, each as long as it is asked for."""
