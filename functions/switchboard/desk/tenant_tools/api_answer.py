"""What an owner's service answered, as a value that a model can read: JSON as it is, anything else as text; bounded."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import orjson

from switchboard.desk.knowledge.untrusted_text import quoted

TEXT_CHARACTERS = 6_000
MOST_ENTRIES = 100
"""The most that is shown of a list or an object."""
_NAME_CHARACTERS = 200
_MOST_VALUES = 2_000
_DEEPEST = 8
_CHARSETS = {"utf-8", "us-ascii", "iso-8859-1", "iso-8859-15", "windows-1252", "utf-16"}
_CHARSET = re.compile(r"charset\s*=\s*[\"']?([\w-]+)", re.IGNORECASE)
_BINARY = re.compile(r"(?:image|audio|video|font)/|application/(?:octet-stream|pdf|zip|gzip)", re.IGNORECASE)
_STORABLE = 2**63


def read_answer(headers: Mapping[str, str], body: bytes) -> Any:
    """Return a body as a JSON value, or as text where it is none; None where it is empty."""
    if not body.strip():
        return None
    kind = headers.get("Content-Type") or headers.get("content-type") or ""
    try:
        return orjson.loads(body.removeprefix(b"\xef\xbb\xbf"))
    except orjson.JSONDecodeError:
        pass
    if _BINARY.match(kind) or b"\0" in body[:1_000]:
        return f"(a file of {len(body)} bytes, {kind.partition(';')[0].strip()[:60] or 'of an unknown kind'})"
    named = _CHARSET.search(kind)
    # Of the many codecs that Python knows, some take far more time or room than their input would suggest.
    charset = named[1].lower() if named and named[1].lower() in _CHARSETS else "utf-8"
    return body.decode(charset, "replace").removeprefix("\ufeff").strip()


@dataclass(slots=True)
class Bounds:
    """Cuts a value down to what may be stored and shown, without what must be hidden.

    Attributes:
        hide: Takes secrets out of a text; asked before the text is cut, so that no half of one is left.
        is_cut: Whether anything was left out.
    """

    hide: Callable[[str], str] = str
    is_cut: bool = False
    _left: int = _MOST_VALUES

    def within(self, value: Any, depth: int = 0) -> Any:
        """Return a JSON value within the bounds of depth, number of entries and length of texts."""
        self._left -= 1
        if isinstance(value, str):
            return self._text(value, TEXT_CHARACTERS)
        if isinstance(value, int | float) and not isinstance(value, bool):
            return self._number(value)
        if isinstance(value, dict | list) and depth >= _DEEPEST:
            self.is_cut = True
            return "…"
        if isinstance(value, dict):
            entries = self._entries(list(value.items()))
            return {self._text(str(n), _NAME_CHARACTERS): self.within(inner, depth + 1) for n, inner in entries}
        if isinstance(value, list):
            return [self.within(inner, depth + 1) for inner in self._entries(value)]
        return value

    def _entries(self, entries: list[Any]) -> list[Any]:
        most = min(MOST_ENTRIES, max(self._left, 0))
        self.is_cut = self.is_cut or len(entries) > most
        return entries[:most]

    def _number(self, value: int | float) -> int | float | str:
        shown = self.hide(str(value))
        is_storable = isinstance(value, float) or abs(value) < _STORABLE
        return value if is_storable and shown == str(value) else shown

    def _text(self, text: str, most: int) -> str:
        text = self.hide(text)
        if len(text) > most:
            self.is_cut = True
            text = text[: most - 1] + "…"
        return quoted(text)
