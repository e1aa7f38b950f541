"""Secrets taken out of texts and values, in every spelling in which whoever was sent them may give them back."""

import base64
import json
import re
from collections.abc import Iterable, Mapping
from html import escape
from typing import Any, Final
from urllib.parse import quote, quote_plus

HIDDEN = "[secret]"
# Anything shorter stands in other words too, and protects nothing.
_SHORTEST, _FEWEST_DIGITS = 4, 3
# What is shorter is also a part of longer words and numbers, which mean something else.
_SHORT_DIGITS, _SHORT_WORD = 12, 8
# Where a word or a number begins: behind no letter or digit, or behind one that is a part of an escape.
_ESCAPED = r"(?<=%[0-9A-Fa-f]{2})|(?<=\\[bfnrt])|(?<=\\u[0-9A-Fa-f]{4})"
# No part of a decimal number, of a date, of a telephone number, or of a time's offset.
_NUMBER_BEGINS = rf"(?:{_ESCAPED}|(?<!\d)(?<!\d[.+-])(?<!\b\d/)(?<!\b\d\d/))"
_NUMBER_ENDS = r"(?!\d)(?![.-]\d)(?!/\d{1,2}\b)"
_WORD_BEGINS, _WORD_ENDS = rf"(?:{_ESCAPED}|(?<![^\W_]))", r"(?![^\W_])"


_SCHEME = re.compile(r"\s*(?:basic|bearer|token|api-?key|key|oauth)\s+(\S+)\s*", re.IGNORECASE)


class Redaction:
    """Takes secrets out of what a server says, however it gives them back: a server may echo what it was sent.

    What is short, such as a code or a PIN, is taken out where it stands alone, and not of a word, a number or a date
    that holds the same characters (`is_short`).
    """

    def __init__(self, secrets: Iterable[str] = ()) -> None:
        """Know what must not be seen."""
        spellings = {spelling for secret in secrets for spelling in _spellings(secret)}
        # Longest first, so that no part of a longer one is left standing.
        known = sorted(filter(_is_hidden, spellings), key=len, reverse=True)
        self._known = re.compile("|".join(map(_pattern, known))) if known else None

    def __repr__(self) -> str:
        return "Redaction()"

    def __bool__(self) -> bool:
        return self._known is not None

    def text(self, text: str) -> str:
        """Return a text without them."""
        return self._known.sub(HIDDEN, text) if self._known is not None else text

    def value(self, value: Any) -> Any:
        """Return a JSON value without them, in names and values alike, however deep."""
        if self._known is None or value is None or isinstance(value, bool):
            return value
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, int | float):
            return value if self.text(str(value)) == str(value) else HIDDEN
        if isinstance(value, Mapping):
            return {self.text(name) if isinstance(name, str) else name: self.value(v) for name, v in value.items()}
        if isinstance(value, list | tuple):
            return [self.value(inner) for inner in value]
        return value


def is_short(secret: str) -> bool:
    """Tell whether a secret cannot be hidden well: it is left where it is a part of more, or is not hidden at all."""
    return any(_is_part_of_more(each) or not _is_hidden(each) for each in (secret.strip(), *_behind_scheme(secret)))


def _behind_scheme(secret: str) -> tuple[str, ...]:
    """Return what stands behind the name of a scheme, as in `Bearer …`; nothing where there is none."""
    found = _SCHEME.fullmatch(secret)
    return (found[1],) if found is not None else ()


def _is_hidden(spelling: str) -> bool:
    return len(spelling) >= (_FEWEST_DIGITS if spelling.isdecimal() else _SHORTEST)


def _is_part_of_more(spelling: str) -> bool:
    return len(spelling) < (_SHORT_DIGITS if spelling.isdecimal() else _SHORT_WORD)


def _pattern(spelling: str) -> str:
    if not _is_part_of_more(spelling):
        return re.escape(spelling)
    if spelling.isdecimal():
        return f"{_NUMBER_BEGINS}{spelling}{_NUMBER_ENDS}"
    begins = _WORD_BEGINS if spelling[0].isalnum() else ""
    return f"{begins}{re.escape(spelling)}{_WORD_ENDS if spelling[-1].isalnum() else ''}"


def _spellings(secret: str) -> Iterable[str]:
    raw = secret.encode("utf-8", "surrogatepass")
    yield from (str(secret), secret.strip(), quote(raw, safe=""), quote(raw), quote_plus(raw), escape(secret))
    # As a text inside of JSON that is itself a text.
    yield from (json.dumps(str(secret), ensure_ascii=ascii)[1:-1] for ascii in (True, False))
    yield from _behind_scheme(secret)
    yield from _within_basic(raw)
    for packed in (base64.b64encode(raw).decode(), base64.urlsafe_b64encode(raw).decode(), raw.hex()):
        yield from (packed, packed.rstrip("="))


def _within_basic(raw: bytes) -> Iterable[str]:
    """Yield the user name and password, and the password, that a secret for Basic authorisation holds."""
    try:
        clear = base64.b64decode(raw, validate=True).decode("ascii")
    except ValueError:
        return
    if ":" in clear and clear.isprintable():
        yield from (clear, clear.partition(":")[2])


NOTHING_HIDDEN: Final = Redaction()
"""Takes nothing out: nearly every call has no secrets."""
