"""Names as they are compared: what people type or say is seldom spelt as it was entered."""

import unicodedata


def folded(text: str) -> str:
    """Return a name as it is compared where its marks tell: in whatever case, composed or not, on one line."""
    return " ".join(unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold()).split())


def letters(text: str) -> str:
    """Return a name as it is told from others: what is heard has no accents, marks or capitals of its own."""
    return "".join(filter(str.isalnum, unicodedata.normalize("NFKD", text).casefold()))


def visible_text(text: str) -> str:
    """Return what can be seen of a text, composed: without what turns its direction or joins its letters."""
    return "".join(c for c in unicodedata.normalize("NFKC", text) if unicodedata.category(c) != "Cf")
