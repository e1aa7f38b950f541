"""Numbers, addresses and dates as people write and say them, read and written again in the same form."""

import re
from collections.abc import Iterator
from contextlib import suppress
from datetime import date

_ENGLISH = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")
_GERMAN = ("null", "eins", "zwei", "drei", "vier", "fünf", "sechs", "sieben", "acht", "neun")
_ALSO_SAID = {"oh": "0", "o": "0", "zwo": "2", "fuenf": "5"}
_DIGITS = {word: str(digit) for words in (_ENGLISH, _GERMAN) for digit, word in enumerate(words)} | _ALSO_SAID
_MONTHS = (
    ("January", "Januar"),
    ("February", "Februar"),
    ("March", "März"),
    ("April", "April"),
    ("May", "Mai"),
    ("June", "Juni"),
    ("July", "Juli"),
    ("August", "August"),
    ("September", "September"),
    ("October", "Oktober"),
    ("November", "November"),
    ("December", "Dezember"),
)
_TENS = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
_TEENS = ("ten", "eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen")
_ORDINALS = (
    *("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth", "eleventh"),
    *("twelfth", "thirteenth", "fourteenth", "fifteenth", "sixteenth", "seventeenth", "eighteenth", "nineteenth"),
    *("twentieth", *(f"twenty-{unit}" for unit in ("first", "second", "third", "fourth", "fifth", "sixth", "seventh"))),
    *("twenty-eighth", "twenty-ninth", "thirtieth", "thirty-first"),
)
_TWENTIETH, _TWO_FIGURES, _TWO_DIGITS, _CENTURY_TURNS = 19, 10, 2, 30
_LONGEST_MAIL = 500
_TOKEN = re.compile(rf"\d|\b(?:{'|'.join(sorted(_DIGITS, key=len, reverse=True))})\b", re.IGNORECASE)
_MONTH_NUMBERS = {name.casefold(): at for at, names in enumerate(_MONTHS, start=1) for name in names}
_MONTH_SAID = rf"(?P<m>{'|'.join(sorted(_MONTH_NUMBERS, key=len, reverse=True))})"
_ORDINAL_SAID = "|".join(sorted(_ORDINALS, key=len, reverse=True)).replace("-", r"[\s-]")
_DAY_SAID = rf"(?P<d>\d{{1,2}}|{_ORDINAL_SAID})"
_DAY_SAID += r"(?:st|nd|rd|th|\.)?"
_YEAR_SAID = (
    rf"(?P<y>(?:19|20)\d\d|(?:nineteen|twenty|two\s+thousand(?:\s+and)?)\s+(?:(?:oh|o)[\s-])?"
    rf"(?:(?:{'|'.join(_TENS)})(?:[\s-]?(?:{'|'.join(_ENGLISH[1:])}))?|{'|'.join([*_TEENS, *_ENGLISH[1:]])}))(?!\w)"
)
_SAID_DATES = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        r"(?<!\d)(?P<y>\d{4})-(?P<m>\d{2})-(?P<d>\d{2})(?!\d)",
        r"(?<![\d.])(?P<d>\d{1,2})\.\s?(?P<m>\d{1,2})\.\s?(?P<y>(?:19|20)\d\d|\d\d)(?!\d)",
        r"(?<![\d/])(?P<m>\d{1,2})(?P<slash>/)(?P<d>\d{1,2})/(?P<y>(?:19|20)\d\d|\d\d)(?![\d/])",
        rf"\b{_MONTH_SAID}\s+(?:the\s+)?{_DAY_SAID},?\s+{_YEAR_SAID}",
        rf"(?<!\w){_DAY_SAID}(?:\s+of)?\s+{_MONTH_SAID},?\s+{_YEAR_SAID}",
    )
)


def spoken_number(national: str) -> str:
    """Return a pattern of a number that is said digit by digit, in words or mixed with figures."""
    words: dict[str, list[str]] = {}
    for word, digit in _DIGITS.items():
        words.setdefault(digit, []).append(word)
    tokens = [rf"(?:{digit}|\b(?:{'|'.join(words[digit])})\b)" for digit in national]
    return r"(?<!\d)" + r"[\s,.\-]*".join(tokens) + r"(?!\d)"


def with_digits_of(found: str, country: str, national: str) -> str:
    """Return a number in the form in which another one was found: its figures in place of that one's.

    Where it has more figures, or fewer, it is written without anything between them.
    """
    tokens = list(_TOKEN.finditer(found))
    for digits in (national, f"0{national}", country + national, f"00{country}{national}", f"011{country}{national}"):
        is_abroad = found.lstrip("( ").startswith(("+", "00", "011"))
        if len(digits) == len(tokens) and (is_abroad is (digits not in (national, f"0{national}"))):
            return _in_place(found, tokens, digits)
    if found.startswith("+"):
        return f"+{country}{national}"
    if found.startswith("00"):
        return f"00{country}{national}"
    if len(tokens) == len(country + national) and country:
        return _in_place(found, tokens, country + national)
    return f"0{national}" if found.lstrip("( ").startswith("0") else national


def _in_place(found: str, tokens: list[re.Match[str]], digits: str) -> str:
    parts, at = [], 0
    for match, digit in zip(tokens, digits, strict=True):
        parts += [found[at : match.start()], _like(match[0], digit)]
        at = match.end()
    return "".join([*parts, found[at:]])


def _like(token: str, digit: str) -> str:
    if token.isdigit():
        return digit
    is_german = token.casefold() in (*_GERMAN, "zwo", "fuenf")
    return written_as(token, (_GERMAN if is_german else _ENGLISH)[int(digit)])


def mail_pattern(mail: str) -> re.Pattern[str]:
    """Return a pattern of an address, as it is written and as it is said: grace dot okafor at mail dot example."""
    local, _, host = mail[:_LONGEST_MAIL].partition("@")

    def spoken(part: str) -> str:
        return re.escape(part).replace(r"\.", r"(?:\.|\s+(?:dot|punkt|point)\s+)")

    between = r"(?:@|\s+(?:at|ät|klammeraffe)\s+)"
    return re.compile(rf"(?<![\w.]){spoken(local)}{between}{spoken(host)}(?!\w)", re.IGNORECASE)


def letter_by_letter(name: str) -> str:
    """Return a pattern of a word that is spelled: m u l l e r, M-U-L-L-E-R."""
    return r"[\s.\-]{1,3}".join(map(re.escape, name))


def births_said(text: str, *, is_day_first: bool) -> Iterator[date]:
    """Yield each whole date that is named in a text in a form of `births_in`.

    Args:
        text: What was said or written.
        is_day_first: Whether 3/5/1984 is in May, and not in March.
    """
    for pattern in _SAID_DATES:
        for match in pattern.finditer(text):
            month, number = match["m"].casefold(), match["d"].casefold()
            if "slash" in pattern.groupindex and is_day_first:
                month, number = number, month
            month_at = int(month) if month.isdigit() else _MONTH_NUMBERS[month]
            number_at = int(number) if number.isdigit() else _ORDINALS.index(re.sub(r"\s+", "-", number)) + 1
            with suppress(ValueError):
                yield date(_year_said(match["y"]), month_at, number_at)


def births_in(text: str, day: date, made: date) -> str:
    """Return a text with another date in place of one, as figures or with the month's name in English or German."""
    year, month, number = f"(?P<y>{day.year})", f"(?P<m>0?{day.month})", f"(?P<d>0?{day.day})"
    short = f"(?P<y>{day.year}|{day.year % 100:02})"
    ordinal = _ORDINALS[day.day - 1].replace("-", r"[\s-]")
    called, said = f"(?:{number}(?:st|nd|rd|th)?|{ordinal})", f"(?:{year}|{_spoken_year(day.year)})"
    english, german = _MONTHS[day.month - 1]
    forms = (
        (rf"(?<!\d){day.isoformat()}(?!\d)", lambda _: made.isoformat()),
        (rf"(?<![\d.]){number}\.\s?{month}\.\s?{short}(?!\d)", lambda _: f"{made.day}.{made.month}.{made.year}"),
        (rf"(?<![\d/]){month}/{number}/{short}(?![\d/])", lambda _: f"{made.month}/{made.day}/{made.year}"),
        (rf"(?<![\d/]){number}/{month}/{short}(?![\d/])", lambda _: f"{made.day}/{made.month}/{made.year}"),
        (
            rf"\b{english}\s+(?:the\s+)?{called},?\s+{said}(?!\w)",
            lambda _: f"{_MONTHS[made.month - 1][0]} {made.day}, {made.year}",
        ),
        (
            rf"(?<!\w){called}(?:\s+of)?\s+{english},?\s+{said}(?!\w)",
            lambda _: f"{made.day} {_MONTHS[made.month - 1][0]} {made.year}",
        ),
        (
            rf"(?<!\d){number}\.?\s+{german},?\s+{year}(?!\d)",
            lambda _: f"{made.day}. {_MONTHS[made.month - 1][1]} {made.year}",
        ),
    )
    for pattern, write in forms:
        text = re.sub(pattern, write, text, flags=re.IGNORECASE)
    return text


def _spoken_year(year: int) -> str:
    """Return a pattern of a year as it is said in English: nineteen eighty-four, two thousand and five."""
    century, rest = divmod(year, 100)
    units = ("", *_ENGLISH[1:], *_TEENS)
    unit = units[rest % 10]
    low = units[rest] if rest < len(units) else _TENS[rest // 10 - 2] + (r"[\s-]?" + unit if unit else "")
    if century == _TWENTIETH:
        zero = r"(?:oh|o)[\s-]" if 0 < rest < _TWO_FIGURES else ""
        return rf"nineteen\s+{zero}{low or 'hundred'}"
    thousand = r"two\s+thousand" + (rf"(?:\s+and)?\s+{low}" if low else "")
    return rf"(?:{thousand}|twenty[\s-]{low or 'hundred'})"


def _year_said(text: str) -> int:
    if text.isdigit():
        # Nobody who calls is born in a year to come.
        return int(text) if len(text) > _TWO_DIGITS else int(text) + (2000 if int(text) < _CENTURY_TURNS else 1900)
    return next(year for year in range(1900, 2100) if re.fullmatch(_spoken_year(year), text, re.IGNORECASE))


def written_as(found: str, by: str) -> str:
    """Return a word in the case in which another one was found."""
    if found.isupper() and len(found) > 1:
        return by.upper()
    return by.lower() if found.islower() else by
