"""Prices that the list gives from one sum to another: "£48 to £62" is told as that, and as no one sum of it.

Which it will be nobody knows before: a single sum is right where a result, the business or the caller has named it.
"""

import re
from collections.abc import Collection, Iterable

from switchboard.conversation.claims.number_words import amounts_in, plain_amount, ranges_said, sums_said
from switchboard.conversation.claims.party_words import NUMBERS

_SUM = r"\d{1,7}(?:[.,]\d{1,3})?"
_TO = r"(?:to|and|or|until|bis|und|a|à|y|e|et|al|até|tot|en|-|\u2013)"
_LISTED = re.compile(rf"[^\d]{{0,40}}({_SUM})[^\d]{{0,12}}?\s*{_TO}\s*[^\d]{{0,6}}?({_SUM})[^\d]{{0,40}}", re.I)
_SAID = re.compile(rf"(?<![\d.,:])({_SUM})\s?[$€£]?\s*{_TO}\s*[$€£]?\s?({_SUM})(?![\d:])", re.I)
# How the least, the most, or something in between is told.
_LEAST = re.compile(
    r"\b(?:from|starts?|starting|at least|minimum|or more|upwards|ab|mindestens|beginnt|desde|al menos|mínimo|à partir"
    r"|au moins|minimum|a partire|da|almeno|minimo|a partir|pelo menos|vanaf|minstens)\b",
    re.I,
)
_MOST = re.compile(
    r"\b(?:up to|at most|maximum|no more than|bis zu|höchstens|maximal|hasta|como mucho|máximo|jusqu'à|au plus|fino a"
    r"|al massimo|até|no máximo|tot|hoogstens|maximaal)(?!\w)",
    re.I,
)
_ABOUT = re.compile(
    r"\b(?:about|around|roughly|usually|mostly|typically|average|say|etwa|ungefähr|rund|meist(?:ens)?|unos|más o menos"
    r"|normalmente|suele|environ|autour|circa|in genere|cerca|ongeveer|meestal)\b",
    re.I,
)
_WORDS = re.compile(r"[^\W\d_]+")
LIMITS = re.compile(
    rf"{_LEAST.pattern}|{_MOST.pattern}|{_ABOUT.pattern}"
    r"|\b(?:between|zwischen|bis|entre|tra|fra|tussen|partir|up to)\b",
    re.I,
)
"""What is said with a price that begins, ends or lies somewhere, and makes no other sum of it."""


def listed_range(price: str) -> tuple[float, float] | None:
    """Return the least and the most that a price on a list may be; None for any other price."""
    match = _LISTED.fullmatch(price.strip())
    if match is None:
        return None
    least, most = (float(plain_amount(one)) for one in match.groups())
    return (least, most) if least < most else None


def sums_of(sentence: str) -> frozenset[str]:
    """Return the sums that a sentence names, those of a range that names its currency once among them."""
    said = sums_said(sentence)
    found = amounts_in(sentence) | {str(one) for one in said if one is not None}
    if not found and not said:
        return frozenset()
    ranges = [tuple(map(plain_amount, match.groups())) for match in _SAID.finditer(sentence)]
    ranges += [(str(low), str(high)) for low, high in ranges_said(sentence)]
    if None in said and not ranges:
        return frozenset()
    return found.union(*ranges)


def without_ranges(text: str) -> str:
    """Return a text without its sums that are the ends of a range."""
    return _SAID.sub(" ", text)


def is_out_of_range(sentence: str, limits: tuple[float, float], told: Collection[str]) -> bool:
    """Tell whether a sentence gives what costs from one sum to another a price that nobody has told.

    Args:
        sentence: In plain marks; of one thing.
        limits: The least and the most that it costs.
        told: The sums that somebody has told.
    """
    sums = sums_of(sentence)
    if not sums or sums <= frozenset(told) or len(sums) > 2:
        return False
    counts = {1, *(NUMBERS[word] for word in map(str.casefold, _WORDS.findall(sentence)) if word in NUMBERS)}
    return not any(_fits(sentence, sums, (limits[0] * count, limits[1] * count)) for count in counts)


def _fits(sentence: str, sums: Iterable[str], limits: tuple[float, float]) -> bool:
    said = sorted(map(float, sums))
    if len(said) == 2:
        return tuple(said) == limits
    if said[0] == limits[0] and _LEAST.search(sentence) is not None:
        return True
    if said[0] == limits[1] and _MOST.search(sentence) is not None:
        return True
    return limits[0] <= said[0] <= limits[1] and _ABOUT.search(sentence) is not None
