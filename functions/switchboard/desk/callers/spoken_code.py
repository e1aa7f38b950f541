"""A code of digits out of what a speech recogniser, a keyboard or a model makes of it."""

import re
import unicodedata

_ENGLISH = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")
_GERMAN = ("null", "eins", "zwei", "drei", "vier", "fünf", "sechs", "sieben", "acht", "neun")
_OTHERS = {"oh": "0", "o": "0", "nought": "0", "zwo": "2", "fuenf": "5"}
_DIGITS = {word: str(n) for words in (_ENGLISH, _GERMAN) for n, word in enumerate(words)} | _OTHERS
_REPEATED = {"double": 2, "doppel": 2, "triple": 3, "dreifach": 3}
_TOKEN = re.compile(r"\d|[^\W\d_]+")


def digits_in(text: str) -> str:
    """Return the digits that a text holds, in order: figures of any script, and words in English or German.

    "1 2 3", "123", "one two three", "eins zwo drei" and "my code is 1-2-3" all are "123"; "double four" is "44". Other
    words count for nothing.
    """
    found, times = [], 1
    for token in _TOKEN.findall(unicodedata.normalize("NFC", unicodedata.normalize("NFKC", text)).casefold()):
        if token in _REPEATED:
            times = _REPEATED[token]
            continue
        digit = str(unicodedata.digit(token)) if token.isdigit() else _DIGITS.get(token, "")
        found.append(digit * times)
        times = 1
    return "".join(found)
