"""A document of Word (.docx), cut at its headings, by python-docx; pictures and boxes are named as not read."""

import io
import zipfile
from collections.abc import Iterator
from typing import Any

from switchboard.admin.reading.extract import DAMAGE, Extract, NotReadable, by_heading

MOST_UNPACKED, MOST_MEMBERS = 60 * 1024 * 1024, 3_000
_TEXT_BOX = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}txbxContent"
_FOOTNOTES = "/footnotes"
_DAMAGED = "It is damaged, or no whole Word document. Open it in Word, and save it as a new .docx."


def read_word(content: bytes) -> Extract:
    """Return what a Word document says.

    Raises:
        NotReadable: It is damaged, unpacks to more than any document, or says nothing.
    """
    _hold_bounds(content)
    from docx import Document
    from docx.exceptions import PythonDocxError
    from docx.opc.exceptions import OpcError
    from lxml.etree import LxmlError

    try:
        document = Document(io.BytesIO(content))
        markdown = "\n\n".join(_blocks(document))
        title = str(document.core_properties.title or "")
        extract = Extract(title=title, unread=_left_out(document))
    except (*DAMAGE, OpcError, PythonDocxError, LxmlError):
        # What is wrong with a damaged part shows in many ways, none of which its owner could act on.
        raise NotReadable(_DAMAGED) from None
    by_heading(extract, markdown)
    if not extract.pieces:
        raise NotReadable(f"It has no text{f': {extract.unread[0]}' if extract.unread else ''}.")
    return extract


def _hold_bounds(content: bytes) -> None:
    try:
        members = zipfile.ZipFile(io.BytesIO(content)).infolist()
    except (zipfile.BadZipFile, ValueError, OSError, NotImplementedError):
        raise NotReadable(_DAMAGED) from None
    unpacked = sum(member.file_size for member in members)
    if unpacked > MOST_UNPACKED or len(members) > MOST_MEMBERS:
        raise NotReadable(
            f"It unpacks to {unpacked // 1_048_576:,} MB in {len(members):,} parts, which no document of text does. "
            "Take out the pictures, or save its text as a new file."
        )
    if any(member.flag_bits & 1 for member in members):
        raise NotReadable("It is locked with a password. Save it without one.")


def _blocks(document: Any) -> Iterator[str]:
    """Yield paragraphs, headings as Markdown, and tables row by row."""
    for block in document.iter_inner_content():
        if hasattr(block, "rows"):
            yield "\n".join(_rows(block))
            continue
        words, style = " ".join(block.text.split()), str(getattr(block.style, "name", "") or "").lower()
        if not words:
            continue
        if style == "title" or style.startswith("heading"):
            level = style.removeprefix("heading").strip()
            yield f"{'#' * (int(level) if level.isdecimal() and 0 < int(level) < 7 else 1)} {words}"
        else:
            yield f"- {words}" if style.startswith("list") else words


def _rows(table: Any) -> Iterator[str]:
    for row in table.rows:
        # A cell that spans several columns is told once.
        cells = {id(cell._tc): " ".join(cell.text.split()) for cell in row.cells}
        words = " | ".join(text for text in cells.values() if text)
        if words:
            yield words


def _left_out(document: Any) -> list[str]:
    pictures = len(document.inline_shapes)
    boxes = sum(1 for _ in document.element.body.iter(_TEXT_BOX))
    notes = any(relation.reltype.endswith(_FOOTNOTES) for relation in document.part.rels.values())
    shown = [f"{_counted(pictures, 'picture')} in it"] if pictures else []
    shown += [f"{_counted(boxes, 'text box', 'text boxes')} in it"] if boxes else []
    return shown + (["its footnotes"] if notes else [])


def _counted(count: int, one: str, more: str = "") -> str:
    return f"{count} {one if count == 1 else more or one + 's'}"
