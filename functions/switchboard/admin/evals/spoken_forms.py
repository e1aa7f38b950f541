"""Numbers, addresses and dates as people write and say them, read and written again in the same form."""

import re
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
_LONGEST_MAIL = 500
_TOKEN = re.compile(rf"\d|\b(?:{'|'.join(sorted(_DIGITS, key=len, reverse=True))})\b", re.IGNORECASE)


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


def births_in(text: str, day: date, made: date) -> str:
    """Return a text with another date in place of one, as figures or with the month's name in English or German."""
    year, month, number = f"(?P<y>{day.year})", f"(?P<m>0?{day.month})", f"(?P<d>0?{day.day})"
    english, german = _MONTHS[day.month - 1]
    forms = (
        (rf"(?<!\d){day.isoformat()}(?!\d)", lambda _: made.isoformat()),
        (rf"(?<!\d){number}\.\s?{month}\.\s?{year}(?!\d)", lambda _: f"{made.day}.{made.month}.{made.year}"),
        (rf"(?<!\d){month}/{number}/{year}(?!\d)", lambda _: f"{made.month}/{made.day}/{made.year}"),
        (
            rf"\b{english}\s+{number}(?:st|nd|rd|th)?,?\s+{year}(?!\d)",
            lambda _: f"{_MONTHS[made.month - 1][0]} {made.day}, {made.year}",
        ),
        (
            rf"(?<!\d){number}(?:st|nd|rd|th)?(?:\s+of)?\s+{english},?\s+{year}(?!\d)",
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


def written_as(found: str, by: str) -> str:
    """Return a word in the case in which another one was found."""
    if found.isupper() and len(found) > 1:
        return by.upper()
    return by.lower() if found.islower() else by
