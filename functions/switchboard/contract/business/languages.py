"""Languages as they are told apart: `de`, `de-AT` and `DE_ch` are spoken to in the same words."""

import re

_PARTS = re.compile("[-_]")


def language_of(tag: str) -> str:
    """Return the language of a tag (RFC 5646) in small letters, without its country or script."""
    return _PARTS.split(tag.strip(), 1)[0].casefold()
