"""Languages as they are told apart: `de`, `de-AT` and `DE_ch` are spoken to in the same words."""

import re
from typing import Final

HOUSE_LANGUAGES: Final = ("en", "de", "es", "fr", "it", "pt", "nl")
"""Those in which the house asks, bridges waits, and says goodbye."""
LOCALES: Final = {
    "en": "en-US",
    "de": "de-DE",
    "fr": "fr-FR",
    "es": "es-ES",
    "it": "it-IT",
    "nl": "nl-NL",
    "pt": "pt-PT",
}
"""By which of its countries a voice speaks each of them, where none is named."""
_PARTS = re.compile("[-_]")


def language_of(tag: str) -> str:
    """Return the language of a tag (RFC 5646) in small letters, without its country or script."""
    return _PARTS.split(tag.strip(), 1)[0].casefold()


def spoken_with(own: str, callers: str) -> str:
    """Return in which language somebody is spoken to: as they speak themselves, spelt as the house's own if it is that.

    `callers` is empty where they have shown no other than `own`.
    """
    return own if not callers or language_of(callers) == language_of(own) else callers
