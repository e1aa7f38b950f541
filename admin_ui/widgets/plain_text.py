"""Text that somebody else wrote, shown as it is: nothing in it is taken for Markdown."""

from __future__ import annotations

import re

_MARKS = re.compile(r"([\\`*_{}\[\]()#+\-.!|<>~$:])")


def plain(text: object) -> str:
    """Return Markdown that reads exactly as the text does."""
    return _MARKS.sub(r"\\\1", str(text))


def lines(text: object) -> str:
    """Return Markdown that reads as the text does and keeps its line breaks."""
    return plain(text).replace("\n", "  \n")


def shortened(text: str, longest: int) -> str:
    """Return the text, or its beginning up to the last word that fits."""
    if len(text) <= longest:
        return text
    beginning = text[:longest]
    return (beginning.rpartition(" ")[0] or beginning) + " …"


def sentence(text: str) -> str:
    """Return the text with a capital letter and a full stop, as Markdown; names such as googleCalendar stay."""
    text = text.strip()
    first = text.partition(" ")[0]
    ending = "" if text.endswith((".", "!", "?")) else "."
    return plain((text[:1].upper() + text[1:] if first.islower() else text) + ending) if text else ""
