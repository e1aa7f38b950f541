"""Takes one document apart, in a process of its own: what is in it may be made to harm whoever reads it.

Started by `reading_process.py`, with little memory and little time, and none of the deployment's secrets. On standard
input come a line of JSON, `{name, kind, charset}`, and the document; on standard output goes `Extract` as JSON, or
`{"refused": sentence}`.
"""

import io
import json
import re
import sys
import zipfile

from switchboard.admin.reading.extract import Extract, NotReadable, by_heading, decoded
from switchboard.contract.json import JsonObject

MEMORY_BYTES = 640 * 1_024 * 1_024
CPU_S = 12
_BEGINNING = 1_024
_PICTURES = (b"\xff\xd8\xff", b"\x89PNG", b"GIF8", b"II*\0", b"MM\0*", b"BM")
# How a part of a page begins that was saved without the rest.
_MARKUP = re.compile(
    rb"[\xef\xbb\xbf \t\r\n]*+"
    rb"<(?:head|body|meta|title|main|article|section|header|nav|div|span|p|h[1-6]|ul|ol|table)[\s/>]",
    re.IGNORECASE,
)
_WORDS = {"pdf": "a PDF", "docx": "a Word document", "html": "a web page", "text": "plain text"}
_ENDINGS = {"pdf": "pdf", "docx": "docx", "html": "html", "htm": "html", "txt": "text", "md": "text", "csv": "text"}


def kind_of(content: bytes) -> str:
    """Return what a file is by what is in it: `pdf`, `docx`, `html` or `text`.

    Raises:
        NotReadable: It is something that is not read.
    """
    beginning = content[:_BEGINNING]
    if b"%PDF-" in beginning:
        return "pdf"
    if beginning.startswith(b"PK"):
        return _packed(content)
    if beginning.startswith(b"\xd0\xcf\x11\xe0"):
        if "EncryptedPackage".encode("utf-16-le") in content:
            raise NotReadable("It is locked with a password. Save it without one.")
        raise NotReadable("It is in the old form of Office (.doc, .xls). Save it as .docx, or as a PDF.")
    if beginning.startswith(_PICTURES) or (beginning[:4] == b"RIFF" and beginning[8:12] == b"WEBP"):
        raise NotReadable(
            "It is a picture, and the words in a picture are not read. Type them, or use a file with text."
        )
    if beginning.startswith(b"{\\rtf"):
        raise NotReadable("It is an RTF file. Save it as .docx, or as a PDF.")
    start = beginning.lstrip(b"\xef\xbb\xbf \t\r\n").lower()
    return "html" if start.startswith((b"<!doctype html", b"<html")) else "text"


def read(name: str, kind: str, charset: str, content: bytes) -> Extract:
    """Return what a document says; `kind` is what it is said to be, where what is in it does not tell: `html`.

    Raises:
        NotReadable: Nothing of it can be kept.
    """
    if not content.strip():
        raise NotReadable("There is nothing in it.")
    actual = kind_of(content)
    actual = kind if kind and actual == "text" else actual
    ending = name.rpartition(".")[2].lower() if "." in name else ""
    if actual == "text" and _ENDINGS.get(ending, "html") == "html" and _MARKUP.match(content):
        actual = "html"
    if actual == "pdf":
        from switchboard.admin.reading.pdf_file import read_pdf

        extract = read_pdf(content)
    elif actual == "docx":
        from switchboard.admin.reading.word_file import read_word

        extract = read_word(content)
    elif actual == "html":
        from switchboard.admin.reading.web_page import read_page

        extract = read_page(content, charset)
    else:
        extract = Extract()
        by_heading(extract, decoded(content, [charset] if charset else [])[0])
        if not extract.pieces:
            raise NotReadable("There is nothing in it.")
    if not kind and _ENDINGS.get(ending, actual) != actual:
        extract.notes.append(f"It is named .{ending} and is {_WORDS[actual]}; it was read as what it is.")
    return extract


def _packed(content: bytes) -> str:
    try:
        names = zipfile.ZipFile(io.BytesIO(content)).namelist()
    except (zipfile.BadZipFile, ValueError, OSError, NotImplementedError):
        raise NotReadable(
            "It is damaged: it was not saved or sent whole. Take it from where it came from again."
        ) from None
    if "word/document.xml" in names:
        return "docx"
    if any(name.startswith("xl/") for name in names):
        raise NotReadable("It is a spreadsheet. Save it as CSV and put it into a collection, or save it as a PDF.")
    if any(name.startswith("ppt/") for name in names):
        raise NotReadable("It is a presentation. Save it as a PDF.")
    raise NotReadable("It is an archive, or a document of another kind. Save what it says as .docx, or as a PDF.")


def _answer(header: JsonObject, content: bytes) -> JsonObject:
    try:
        return read(header["name"], header["kind"], header["charset"], content).to_json()
    except NotReadable as error:
        return {"refused": str(error)}
    except (MemoryError, RecursionError):
        return {"refused": "It needs more memory to be read than any document of text. Save its text as a new file."}


def _hold_bounds() -> None:
    import resource

    for what, most in ((resource.RLIMIT_AS, MEMORY_BYTES), (resource.RLIMIT_CPU, CPU_S), (resource.RLIMIT_CORE, 0)):
        try:
            resource.setrlimit(what, (most, most))
        except (ValueError, OSError):
            # Not every system lets it be bounded; who started this ends it in time all the same.
            continue


def main() -> None:
    """Read what comes in, and say what it says."""
    _hold_bounds()
    header = json.loads(sys.stdin.buffer.readline())
    answer = _answer(header, sys.stdin.buffer.read())
    sys.stdout.buffer.write(json.dumps(answer).encode())


if __name__ == "__main__":
    main()
