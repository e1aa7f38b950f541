"""Words that stand in one line, such as names and topics: what nobody can see in them could mislead who reads them."""

import re

from switchboard.contract.business.unseen import hidden_at, seen

# Control characters and what breaks a line; then what turns the order of the characters around it.
_UNSEEN = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]")
SENTENCE = "{} must be one line without control characters; write it anew rather than pasting it."
"""What is said of a field that is none."""
_SHOWN = 20


def is_one_line(text: str) -> bool:
    """Tell whether a text has neither control characters, line breaks nor marks that turn the reading direction."""
    return _UNSEEN.search(text) is None


def one_line(text: str) -> str:
    """Return a text on one line, with nothing in it that nobody sees, for a place where that would be harm."""
    return seen(" ".join(_UNSEEN.sub(" ", text).split()))


def hidden_place(text: str) -> str:
    """Return where a line holds what nobody sees, as the end of a sentence; empty where it holds nothing."""
    at = hidden_at(text)
    if at is None:
        return ""
    before = text[:at].split()
    return f'after "{before[-1][-_SHOWN:]}"' if before else "at its beginning"
