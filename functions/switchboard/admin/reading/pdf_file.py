"""A PDF, page by page, by pypdf; pages without text are named with what is on them instead."""

import io
from typing import Any

from switchboard.admin.reading.extract import DAMAGE, Extract, NotReadable

MOST_PAGES = 300
# Fonts that do not say which letters their pictures are give signs of this kind.
_LEAST_LETTERS = 0.5
_DAMAGED = "It is damaged, or no whole PDF. Open it in a viewer, and save or print it as a new PDF."


def read_pdf(content: bytes) -> Extract:
    """Return what a PDF says.

    Raises:
        NotReadable: It is locked, damaged, too long, or says nothing.
    """
    from pypdf import PdfReader
    from pypdf.errors import PyPdfError

    try:
        reader = PdfReader(io.BytesIO(content))
        if reader.is_encrypted and not reader.decrypt(""):
            raise NotReadable("It is locked with a password. Save it without one.")
        count = len(reader.pages)
    except NotReadable:
        raise
    except (*DAMAGE, PyPdfError):
        raise NotReadable(_DAMAGED) from None
    if count > MOST_PAGES:
        raise NotReadable(f"It has {count:,} pages, and at most {MOST_PAGES} are read. Cut it into several files.")
    extract, pictures = Extract(title=_title(reader)), 0
    for number in range(1, count + 1):
        problem = _page(extract, reader, number)
        pictures += "picture" in problem
        if problem:
            extract.unread.append(f"page {number} {problem}")
    if not extract.pieces and pictures:
        raise NotReadable(
            f"It has no text: {'its page is a picture' if count == 1 else f'its {count} pages are pictures'}, as a "
            "scanner makes them. Have the text recognised (OCR), or type what matters into a document."
        )
    if not extract.pieces:
        what = "; ".join(extract.unread[:5]) or "it has no pages"
        raise NotReadable(f"It has no text that can be read: {what}.")
    return extract


def _page(extract: Extract, reader: Any, number: int) -> str:
    """Take a page in, or return what is wrong with it, as the rest of a sentence about it."""
    from pypdf.errors import PyPdfError

    try:
        page = reader.pages[number - 1]
        text = page.extract_text() or ""
    except NotReadable:
        raise
    except (*DAMAGE, PyPdfError):
        # Damage can show anywhere in somebody else's reader; the other pages are as good as before.
        return "is damaged"
    words = "".join(text.split())
    if words and sum(c.isalnum() for c in words) < _LEAST_LETTERS * len(words) and "\ufffd" in words:
        return "has a font that does not tell its letters"
    before = len(extract.pieces)
    extract.add(f"page {number}", text)
    if len(extract.pieces) > before:
        return ""
    return "is a picture without text" if _has_picture(page) else "is empty"


def _has_picture(page: Any) -> bool:
    from pypdf.errors import PyPdfError

    try:
        resources: Any = page.get("/Resources")
        inside = resources.get_object().get("/XObject") if resources else None
        things = (one.get_object() for one in (inside.get_object() if inside else {}).values())
        return any(thing.get("/Subtype") in ("/Image", "/Form") for thing in things)
    except (*DAMAGE, PyPdfError):
        # Whatever cannot be looked at is no picture that anybody could name.
        return False


def _title(reader: Any) -> str:
    from pypdf.errors import PyPdfError

    try:
        return str((reader.metadata and reader.metadata.title) or "")
    except (*DAMAGE, PyPdfError):
        # A title is welcome, and never worth more than the text.
        return ""
