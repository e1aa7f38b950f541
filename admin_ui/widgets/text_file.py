"""Files of text that people put in: read as what they are, or refused with what would help."""

from __future__ import annotations

import codecs
import re
from pathlib import PurePath

LONGEST_MB = 1
"""What is longer is no text that anybody is answered from."""

ENDINGS = ("txt", "md")
_HEADING = re.compile(r"\A\s*#{1,6}[ \t]+(\S[^\n]*)")


class NotText(Exception):
    """The file cannot be read as text; the message says what would help."""


def read(content: bytes) -> str:
    """Return the text of a file, with plain line breaks.

    Raises:
        NotText: It is too long, empty, or no text.
    """
    if len(content) > LONGEST_MB * 1_048_576:
        raise NotText("This file is too long. Cut it into several.")
    # What Windows calls Unicode.
    is_wide = content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    try:
        text = content.decode("utf-16" if is_wide else "utf-8-sig")
    except UnicodeDecodeError:
        raise NotText("This file is no text in UTF-8. Save it as plain text in UTF-8, and try again.") from None
    if "\0" in text:
        raise NotText("This file is no text. Save what it says as plain text, and try again.")
    text = text.replace("\r\n", "\n").replace("\r", "\n").strip()
    if not text:
        raise NotText("There is nothing in this file.")
    return text


def title(name: str, text: str) -> str:
    """Return what a file may be called: its first heading, else its name."""
    heading = _HEADING.match(text)
    if heading:
        return heading[1].strip().rstrip("#").strip()
    return " ".join(re.split(r"[\s_-]+", PurePath(name).stem)).strip()
