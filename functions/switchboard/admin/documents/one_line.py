"""Words that stand in one line, such as names and topics: what nobody can see in them could mislead who reads them."""

import re

# Control characters and what breaks a line; then what turns the order of the characters around it.
_UNSEEN = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]")
SENTENCE = "{} must be one line without control characters; write it anew rather than pasting it."
"""What is said of a field that is none."""


def is_one_line(text: str) -> bool:
    """Tell whether a text has neither control characters, line breaks nor marks that turn the reading direction."""
    return _UNSEEN.search(text) is None


def one_line(text: str) -> str:
    """Return a text on one line, without what `is_one_line` refuses, for a place where a line break would be harm."""
    return " ".join(_UNSEEN.sub(" ", text).split())
