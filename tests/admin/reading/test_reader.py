"""What is read out of files and pages, and what is said of those of which nothing can be."""

import json
from functools import cache

import pytest

from switchboard.admin.reading import extract as extract_module
from switchboard.admin.reading import reader
from switchboard.admin.reading.extract import MOST_CHARACTERS, Extract, NotReadable
from tests.admin.reading.made_files import PICTURE, locked_pdf, long_pdf, packed, pdf, recursive_pdf, word

PAGE = """<!doctype html><html><head><title>Linden Street Hair</title></head><body><nav><a href="/">Home</a></nav>
<main><h1>Prices</h1><p>A haircut costs 40 euros and takes half an hour, whatever the length of your hair is.</p>
<h2>Hours</h2><p>We are there from nine in the morning to six in the evening, and never on Mondays.</p>
<iframe src="https://maps.example.com"></iframe></main></body></html>"""
OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"


def read(name: str, content: bytes, kind: str = "", charset: str = "") -> Extract:
    return reader.read(name, kind, charset, content)


@pytest.mark.requirement("004-730")
def test_a_pdf_is_read_page_by_page():
    """Each page is a piece; what has no text is named with what it has."""
    extract = read("price list.pdf", pdf("Haircut 40 euros\nBeard trim 15 euros", PICTURE, "", "We take cards."))
    assert [(piece.place, piece.text) for piece in extract.pieces] == [
        ("page 1", "Haircut 40 euros\nBeard trim 15 euros"),
        ("page 4", "We take cards."),
    ]
    assert extract.unread == ["page 2 is a picture without text", "page 3 is empty"]


@pytest.mark.requirement("004-730")
def test_a_word_document_is_cut_at_its_headings():
    """Tables are told row by row."""
    extract = read("prices.docx", word())
    assert [piece.place for piece in extract.pieces] == ["", "Prices", "When we are there"]
    assert "Haircut | 40 euros\nBeard trim | 15 euros" in extract.pieces[1].text


@pytest.mark.requirement("004-730")
def test_a_page_is_read_without_its_menus():
    """And what it shows of others is named as not read."""
    extract = read("", PAGE.encode(), "html", "utf-8")
    assert [piece.place for piece in extract.pieces] == ["Prices", "Hours"]
    assert "40 euros" in extract.pieces[0].text
    assert "Home" not in json.dumps(extract.to_json())
    assert extract.unread == ["1 frame of another page in it"]


def test_a_charset_that_is_claimed_wrongly_is_found_out():
    """And told, so that its owner looks at the umlauts."""
    page = PAGE.replace("haircut", "Färbung").encode("latin-1")
    extract = read("", page, "html", "utf-8")
    assert "Färbung" in extract.pieces[0].text
    assert extract.notes == ["It says that it is written in utf-8, and was read as cp1252."]
    assert read("a.txt", "Färbung".encode("utf-16")).pieces[0].text == "Färbung"


def test_a_file_is_read_as_what_it_is_whatever_it_is_called():
    """With a note, for its owner may have taken another file than was meant."""
    extract = read("prices.docx", pdf("Haircut 40 euros"))
    assert extract.pieces[0].place == "page 1"
    assert extract.notes == ["It is named .docx and is a PDF; it was read as what it is."]
    assert read("PRICES.PDF", pdf("Haircut 40 euros")).notes == []


@cache
def refusals() -> dict[str, tuple[bytes, str]]:
    """Return files of which nothing can be kept, and words of what is said."""
    return {
        "pictures": (pdf(PICTURE, PICTURE), "its 2 pages are pictures"),
        "one picture": (pdf(PICTURE), "its page is a picture"),
        "nothing on it": (pdf(""), "page 1 is empty"),
        "locked": (locked_pdf(), "locked with a password"),
        "too many pages": (long_pdf(301), "It has 301 pages, and at most 300 are read"),
        "pages in a circle": (recursive_pdf(), "damaged"),
        "half a PDF": (pdf("Haircut")[:80], "damaged"),
        "no PDF": (b"%PDF-1.7 and nothing else", "damaged"),
        "too long": (("word " * 25_000).encode(), "more than the 100,000 characters"),
        "bomb": (packed("word/document.xml", b"0" * 80_000_000), "unpacks to 76 MB"),
        "no document": (packed("word/document.xml", b"<nothing/>"), "damaged"),
        "half an archive": (word()[:900], "damaged"),
        "spreadsheet": (packed("xl/workbook.xml", b""), "spreadsheet"),
        "presentation": (packed("ppt/slides.xml", b""), "presentation"),
        "archive": (packed("a.txt", b"a"), "archive"),
        "old Word": (OLE + b"\0" * 99, "old form of Office"),
        "locked Word": (OLE + "EncryptedPackage".encode("utf-16-le"), "locked with a password"),
        "photo": (b"\xff\xd8\xff\xe0" + b"\0" * 99, "It is a picture"),
        "rich text": (b"{\\rtf1 Haircut}", "RTF"),
        "bytes": (bytes(range(256)), "no text that can be read"),
        "nothing": (b" \n ", "nothing in it"),
        "made by scripts": (
            b"<!doctype html><html><body><script>go()</script></body></html>",
            "scripts in the browser",
        ),
        "endless page": (b"<!doctype html>" + b"<p>more</p>" * 400_000, "4 MB long"),
    }


@pytest.mark.requirement("004-731")
@pytest.mark.parametrize("name", refusals())
def test_what_cannot_be_read_is_refused_with_what_would_work(name: str):
    """In one sentence for each."""
    content, words = refusals()[name]
    with pytest.raises(NotReadable, match=words):
        read("file", content)


def test_what_is_kept_has_bounds():
    """Long pieces are cut between words, and what nobody sees is left out."""
    extract = Extract()
    extract.add("Prices\u202e", "word " * 5_000 + "\0\x1b end")
    assert [piece.place for piece in extract.pieces] == ["Prices", "Prices, continued"]
    assert all(len(piece.text) <= 20_000 for piece in extract.pieces)
    assert extract.pieces[-1].text.endswith("word  end")
    with pytest.raises(NotReadable):
        extract.add("", "x" * MOST_CHARACTERS)


@pytest.mark.requirement("004-995")
def test_a_part_of_a_page_is_read_as_one_unless_its_name_says_text():
    """Tags without words were counted as what it says."""
    with pytest.raises(NotReadable, match="says nothing that can be read"):
        read("", b"<div>" * 30_000)
    part = " \n<DIV class='x'><h1>Prices</h1><p>A haircut costs 40 euros and half an hour, for all.</p></DIV>"
    assert "<" not in "".join(piece.text for piece in read("part.html", part.encode()).pieces)
    assert read("notes.md", b"<div align=center> Opening hours").pieces[0].text == "<div align=center> Opening hours"


@pytest.mark.requirement("004-995")
def test_a_text_that_says_too_much_is_refused_before_all_of_it_is_looked_at(monkeypatch):
    """It took as long as the text was long."""
    looked_at = []
    monkeypatch.setattr(extract_module, "readable", lambda text: looked_at.append(text) or text)
    with pytest.raises(NotReadable, match="100,000 characters"):
        read("long.txt", b"words of a long text " * 400_000)
    assert looked_at == []
    # What nobody sees is not counted.
    monkeypatch.undo()
    assert read("pale.txt", ("\u200b" * 200_000 + "Hello").encode()).pieces[0].text == "Hello"
