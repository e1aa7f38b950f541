"""Figures that belong to somebody, as they are written and said: codes, cards, accounts, policies, telephones.

Said are digits one by one, doubled ("double five"), and in pairs ("twenty-two", "zweiundzwanzig").
"""

import re
from collections.abc import Callable, Iterator

_ENGLISH = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")
_GERMAN = ("null", "eins", "zwei", "drei", "vier", "fünf", "sechs", "sieben", "acht", "neun")
_TEENS = (
    ("ten", "eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen"),
    ("zehn", "elf", "zwölf", "dreizehn", "vierzehn", "fünfzehn", "sechzehn", "siebzehn", "achtzehn", "neunzehn"),
)
_TENS = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
_ZEHNER = ("zwanzig", "dreißig", "vierzig", "fünfzig", "sechzig", "siebzig", "achtzig", "neunzig")
_TIMES = {"double": 2, "triple": 3, "doppelt": 2, "doppel": 2, "zweimal": 2, "dreimal": 3}
_FEWEST, _MOST = 6, 150
# A date in groups is none of these.
_DATE = re.compile(r"(?:19|20)\d\d[ -]\d{1,2}[ -]\d{1,2}|\d{1,2}[ -]\d{1,2}[ -](?:19|20)\d\d")
_WRITTEN = re.compile(r"(?<![\w.:/$€£+-])[A-Z]{0,3}\d{2,}(?:[ -]\d{2,}){0,10}(?![\w:/]|[.,]\d)")


def _words() -> dict[str, str]:
    words = {word: str(digit) for row in (_ENGLISH, _GERMAN) for digit, word in enumerate(row)}
    words |= {"oh": "0", "o": "0", "zwo": "2", "fuenf": "5"}
    words |= {word: str(10 + at) for row in _TEENS for at, word in enumerate(row)}
    for at, (ten, zehner) in enumerate(zip(_TENS, _ZEHNER, strict=True), start=2):
        words |= {ten: f"{at}0", zehner: f"{at}0"}
        words |= {f"{ten} {unit}": f"{at}{digit}" for digit, unit in enumerate(_ENGLISH) if digit}
        words |= {f"{unit.removesuffix('s') if digit == 1 else unit}und{zehner}": f"{at}{digit}"
                  for digit, unit in enumerate(_GERMAN) if digit}  # fmt: skip
    return words


_WORDS = _words()
_SORTED = "|".join(re.escape(word).replace(r"\ ", r"[\s-]+") for word in sorted(_WORDS, key=len, reverse=True))
_TOKEN = rf"(?:(?:{'|'.join(_TIMES)})[\s-]+)?(?:\d|(?:{_SORTED})(?![^\W_]))"
_PART = re.compile(rf"(?:(?P<times>{'|'.join(_TIMES)})[\s-]+)?(?:(?P<digit>\d)|(?P<word>{_SORTED})(?![^\W_]))", re.I)
_RUN = re.compile(rf"(?<![^\W_]){_TOKEN}(?:[\s,\-]{{0,3}}{_TOKEN}){{3,40}}(?![^\W_])", re.IGNORECASE)


def said_in(text: str) -> Iterator[str]:
    """Yield the digits of each number that is said in words, where it is long enough to be somebody's."""
    yield from (digits for run in _RUN.findall(text) if (digits := _digits_said(run)) is not None)


def written_in(text: str) -> Iterator[str]:
    """Yield the digits of each number that is written, likewise; dates, times and amounts are none."""
    for found in _WRITTEN.findall(text):
        digits = re.sub(r"\D", "", found)
        if len(digits) >= _FEWEST and not _DATE.fullmatch(found):
            yield digits


def with_said(text: str, instead: Callable[[str], str | None]) -> str:
    """Return a text with other digits, said one by one, where `instead` has any for those that are said there."""

    def as_said(match: re.Match[str]) -> str:
        digits = _digits_said(match[0])
        by = instead(digits) if digits is not None else None
        if by is None:
            return match[0]
        words = [part["word"].casefold() for part in _PART.finditer(match[0]) if part["word"]]
        is_german = any(word in _GERMAN or "und" in word for word in words)
        return " ".join((_GERMAN if is_german else _ENGLISH)[int(digit)] for digit in by)

    return _RUN.sub(as_said, text)


def with_written(text: str, digits: str, by: str) -> str:
    """Return a text with other digits in place of some, however they are grouped there; nobody's number is longer."""
    if not digits.isdecimal() or len(digits) > _MOST:
        return text
    pattern = r"(?<!\d)" + "[ -]?".join(digits) + r"(?!\d)"

    def in_place(match: re.Match[str]) -> str:
        rest = iter(by)
        return re.sub(r"\d", lambda _: next(rest), match[0])

    return re.sub(pattern, in_place, text)


def _digits_said(run: str) -> str | None:
    """Return the digits of what was said; None where it is too short, or rather a time or a year."""
    digits, single, parts = "", 0, list(_PART.finditer(run))
    if not any(part["word"] for part in parts):
        return None
    for part in parts:
        value = part["digit"] or _WORDS[re.sub(r"[\s-]+", " ", part["word"].casefold())]
        single += len(value) == 1
        digits += value * _TIMES.get((part["times"] or "").casefold(), 1)
    return digits if len(digits) >= _FEWEST and 2 * single >= len(parts) else None
