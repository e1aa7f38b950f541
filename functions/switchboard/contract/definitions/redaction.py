"""Secrets taken out of texts and values, in every spelling in which whoever was sent them may give them back."""

import base64
import json
import re
from collections.abc import Iterable, Mapping
from html import escape
from typing import Any
from urllib.parse import quote, quote_plus

HIDDEN = "[secret]"
# Anything shorter stands in other words too, and protects nothing.
_SHORTEST, _FEWEST_DIGITS = 4, 3
# Digits alone are also a part of longer ones, which mean something else.
_SHORT_DIGITS = 12


class Redaction:
    """Takes secrets out of what a server says, however it gives them back: a server may echo what it was sent.

    Short digits, such as a code or a PIN, are taken out where they stand alone.
    """

    def __init__(self, secrets: Iterable[str] = ()) -> None:
        """Know what must not be seen."""
        spellings = {spelling for secret in secrets for spelling in _spellings(secret)}
        # Longest first, so that no part of a longer one is left standing.
        known = sorted(
            (s for s in spellings if len(s) >= (_FEWEST_DIGITS if s.isdecimal() else _SHORTEST)), key=len, reverse=True
        )
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


def _pattern(spelling: str) -> str:
    if spelling.isdecimal() and len(spelling) < _SHORT_DIGITS:
        return rf"(?<!\d){spelling}(?!\d)"
    return re.escape(spelling)


def _spellings(secret: str) -> Iterable[str]:
    raw = secret.encode("utf-8", "surrogatepass")
    yield from (str(secret), secret.strip(), quote(raw, safe=""), quote(raw), quote_plus(raw), escape(secret))
    # As a text inside of JSON that is itself a text.
    yield from (json.dumps(str(secret), ensure_ascii=ascii)[1:-1] for ascii in (True, False))
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
