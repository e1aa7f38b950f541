"""Names as they are compared: what people type or say is seldom spelt as it was entered."""

import unicodedata


def folded(text: str) -> str:
    """Return a name as it is compared where its marks tell: in whatever case, composed or not, on one line."""
    return " ".join(unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold()).split())


def letters(text: str) -> str:
    """Return a name as it is told from others: what is heard has no accents, marks or capitals of its own."""
    return "".join(filter(str.isalnum, unicodedata.normalize("NFKD", text).casefold()))
