"""The letters by which a name is told from others."""

import unicodedata


def letters(text: str) -> str:
    """Return a name as it is told from others: what is heard has no accents, marks or capitals of its own."""
    return "".join(filter(str.isalnum, unicodedata.normalize("NFKD", text).casefold()))
