"""Files as owners have them, and as nobody should: PDFs, Word documents, and what only looks like them."""

import io
import zipfile
from collections.abc import Sequence

PICTURE = None
"""Stands for a page of a PDF that is a picture."""


def pdf(*pages: str | None, before: bytes = b"") -> bytes:
    """Return a PDF with these pages: a text in lines, nothing, or a picture."""
    kids = " ".join(f"{3 + 2 * n} 0 R" for n in range(len(pages)))
    bodies = [b"<</Type/Catalog/Pages 2 0 R>>", f"<</Type/Pages/Kids[{kids}]/Count {len(pages)}>>".encode()]
    picture, font = 3 + 2 * len(pages), 4 + 2 * len(pages)
    for n, page in enumerate(pages):
        inside = f"/XObject<</P {picture} 0 R>>" if page is PICTURE else f"/Font<</F {font} 0 R>>"
        bodies.append(
            f"<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]/Resources<<{inside}>>/Contents {4 + 2 * n} 0 R>>".encode()
        )
        lines = [line.replace("(", "\\(").replace(")", "\\)") for line in (page or "").split("\n")]
        words = (
            b"BT /F 12 Tf 50 750 Td " + " 0 -14 Td ".join(f"({line}) Tj" for line in lines).encode("latin-1") + b" ET"
        )
        bodies.append(_stream(b"", b"/P Do" if page is PICTURE else words if page else b""))
    bodies.append(
        _stream(b"/Type/XObject/Subtype/Image/Width 1/Height 1/ColorSpace/DeviceGray/BitsPerComponent 8", b"\xff")
    )
    bodies.append(b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>")
    return _joined(bodies, before)


def _stream(entries: bytes, content: bytes) -> bytes:
    return b"<<" + entries + b"/Length %d>>\nstream\n" % len(content) + content + b"\nendstream"


def _joined(bodies: Sequence[bytes], before: bytes) -> bytes:
    whole, places = bytearray(before + b"%PDF-1.7\n"), list[int]()
    for number, body in enumerate(bodies, 1):
        places.append(len(whole))
        whole += b"%d 0 obj\n" % number + body + b"\nendobj\n"
    start = len(whole)
    whole += b"xref\n0 %d\n0000000000 65535 f \n" % (len(bodies) + 1)
    whole += b"".join(b"%010d 00000 n \n" % place for place in places)
    whole += b"trailer<</Size %d/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF" % (len(bodies) + 1, start)
    return bytes(whole)


def recursive_pdf() -> bytes:
    """Return a PDF whose tree of pages holds itself."""
    return _joined([b"<</Type/Catalog/Pages 2 0 R>>", b"<</Type/Pages/Kids[2 0 R]/Count 3>>"], b"")


def locked_pdf() -> bytes:
    """Return a PDF that needs a password."""
    from pypdf import PdfReader, PdfWriter

    writer = PdfWriter(clone_from=PdfReader(io.BytesIO(pdf("Secret prices"))))
    writer.encrypt("hairdresser", algorithm="AES-256")
    return _written(writer)


def long_pdf(pages: int) -> bytes:
    """Return a PDF of so many pages."""
    return pdf(*["One line"] * pages)


def _written(writer: object) -> bytes:
    target = io.BytesIO()
    writer.write(target)  # type: ignore[attr-defined]
    return target.getvalue()


def word() -> bytes:
    """Return a Word document with two headings and a table."""
    from docx import Document

    document = Document()
    document.add_paragraph("Linden Street Hair, 2027.")
    document.add_heading("Prices", 1)
    table = document.add_table(2, 2)
    for row, cells in enumerate((("Haircut", "40 euros"), ("Beard trim", "15 euros"))):
        for column, text in enumerate(cells):
            table.cell(row, column).text = text
    document.add_heading("When we are there", 2)
    document.add_paragraph("From nine to six, and not on Mondays.")
    target = io.BytesIO()
    document.save(target)
    return target.getvalue()


def packed(name: str, content: bytes) -> bytes:
    """Return an archive with one member."""
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(name, content)
    return target.getvalue()
