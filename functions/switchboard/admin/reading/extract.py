"""What is read out of a file or a page: its pieces, each with its place, and what could not be read.

Used where documents are taken apart, in a process of its own: nothing here may need more than Python brings.
"""

import re
import struct
import unicodedata
import zipfile
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import asdict, field

from switchboard.contract.json import JsonObject
from switchboard.contract.python.dataclass import dataclass

MOST_CHARACTERS = 100_000
"""What is kept of one source; all that a business knows is read together when a caller asks."""
MOST_PIECES, LONGEST_PIECE, LONGEST_PLACE = 500, 20_000, 200
MOST_REMARKS, LONGEST_REMARK = 400, 300

DAMAGE = (
    *(
        ArithmeticError,
        AssertionError,
        AttributeError,
        EOFError,
        LookupError,
        OSError,
        RuntimeError,
        TypeError,
        ValueError,
    ),
    *(struct.error, zipfile.BadZipFile, zlib.error),
)
"""What libraries that read a form of file raise where one is damaged, beside errors of their own."""

_TOO_MUCH = (
    f"It says more than the {MOST_CHARACTERS:,} characters that are kept of one source. Take out what callers do not "
    "ask about, or cut it into several files."
)
_AT_ONCE = 65_536
_HEADING = re.compile(r"#{1,6}[ \t]+(?P<words>\S[^\n]*)")
_BLANK_LINES = re.compile(r"\n(?:[ \t]*\n)+")
_LINE_ENDS = re.compile(r"\r\n|[\r\u2028\u2029]")
# Joiners belong to scripts and emoji.
_SEEN, _UNSEEN = frozenset("\n\t\u200c\u200d"), frozenset({"Cc", "Cf", "Cs", "Cn", "Co"})


class NotReadable(Exception):
    """Nothing of a source can be kept; the text is a sentence about it, which says what would work."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of a source: `place` is where it stands, such as `page 2`, or empty where there is one place alone."""

    place: str
    text: str


@dataclass(slots=True)
class Extract:
    """What was read.

    Attributes:
        title: What the source calls itself; empty where it does not.
        pieces: In the source's order.
        unread: A sentence for each part that could not be read, such as "page 4 is a picture without text".
        notes: What else its owner should know.
    """

    title: str = ""
    pieces: list[Piece] = field(default_factory=list)
    unread: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def add(self, place: str, text: str) -> None:
        """Take a stretch in, cut into several where it is long; one that says nothing is left out.

        Raises:
            NotReadable: It is more than is kept of a source.
        """
        if _says_too_much(text):
            raise NotReadable(_TOO_MUCH)
        words = readable(text)
        if not words:
            return
        for number, stretch in enumerate(_stretches(words)):
            shown = readable(" ".join(place.split()))[:LONGEST_PLACE].strip()
            self.pieces.append(
                Piece(f"{shown[: LONGEST_PLACE - 12]}, continued" if number and shown else shown, stretch)
            )
        if sum(len(piece.text) for piece in self.pieces) > MOST_CHARACTERS:
            raise NotReadable(_TOO_MUCH)
        if len(self.pieces) > MOST_PIECES:
            raise NotReadable(f"It has more than {MOST_PIECES} parts. Cut it into several files.")

    def to_json(self) -> JsonObject:
        """Return it as JSON, within the bounds of what is kept."""
        shown = asdict(self)
        for name in ("unread", "notes"):
            remarks = [" ".join(readable(one).split())[:LONGEST_REMARK] for one in shown[name]]
            left_out = len(remarks) - MOST_REMARKS
            shown[name] = remarks[:MOST_REMARKS] + ([f"and {left_out} more"] if left_out > 0 else [])
        shown["title"] = " ".join(readable(self.title).split())[:200].strip()
        return shown


def readable(text: str) -> str:
    """Return a text without what nobody sees and without what no store takes, its blank lines joined."""
    lines = _LINE_ENDS.sub("\n", text)
    seen = "".join(c for c in lines if c in _SEEN or unicodedata.category(c) not in _UNSEEN)
    return _BLANK_LINES.sub("\n\n", seen).strip()


def by_heading(extract: Extract, markdown: str) -> None:
    """Add a text of Markdown, cut before each heading, which names the place of what follows it.

    Raises:
        NotReadable: It is more than is kept of a source.
    """
    place, lines = "", list[str]()
    for line in markdown.split("\n"):
        heading = _HEADING.fullmatch(line.strip())
        if heading:
            extract.add(place, "\n".join(lines))
            place, lines = heading["words"].strip().rstrip("#").strip(), []
        lines.append(line)
    extract.add(place, "\n".join(lines))


def decoded(content: bytes, charsets: Iterable[str]) -> tuple[str, str]:
    """Return the text of some bytes, and the charset that they are in: the first that fits all of them.

    Args:
        content: The bytes.
        charsets: What is claimed of them, the most trustworthy first; names of none are passed over.

    Raises:
        NotReadable: They are no text.
    """
    marks = ((b"\xef\xbb\xbf", "utf-8-sig"), (b"\xff\xfe", "utf-16"), (b"\xfe\xff", "utf-16"))
    marked = [name for mark, name in marks if content.startswith(mark)]
    for charset in (*marked, *charsets, "utf-8", "cp1252"):
        try:
            text = content.decode(charset)
        except (LookupError, ValueError):
            continue
        if "\0" not in text:
            return text, charset
    raise NotReadable("It is no text that can be read. Save it as a PDF, as .docx, or as plain text in UTF-8.")


def _says_too_much(text: str) -> bool:
    """Tell of a long text whether its letters and digits alone are too many, as soon as they are."""
    told = 0
    for start in range(0, len(text) if len(text) > MOST_CHARACTERS else 0, _AT_ONCE):
        told += sum(map(str.isalnum, text[start : start + _AT_ONCE]))
        if told > MOST_CHARACTERS:
            return True
    return False


def _stretches(text: str) -> Iterator[str]:
    while len(text) > LONGEST_PIECE:
        end = max(text.rfind("\n", 0, LONGEST_PIECE), text.rfind(" ", 0, LONGEST_PIECE))
        end = end if end > 0 else LONGEST_PIECE
        yield text[:end].rstrip()
        text = text[end:].lstrip()
    if text:
        yield text
