"""What others' words say about what was asked for: that it is not there, which is an answer and no failure."""

import re
from typing import Final

_NOT_THERE: Final = re.compile(
    r"(?:\b|_)not[ _-]?found\b|\bno such\b|\bdoes(?: not|n't) exist\b"
    r"|\bunknown (?:id|record|order|item|customer)\b|(?:status|code|http|error)\W{0,4}404\b",
    re.IGNORECASE,
)
# What a server or an app itself is made of; that it lacks some of that is its own failure.
_PARTS: Final = r"(?:host(?:name)?|file|directory|module|table|relation|command|column|function)s?"
_LACKED: Final = re.compile(
    rf"\bno such {_PARTS}\b"
    rf"|(?:\b|_){_PARTS}(?:\s+(?:[\"'`][^\"'`]{{1,80}}[\"'`]|[\w./\\-]{{1,80}})(?:\([^)]{{0,80}}\))?)?(?:\s+(?:is|was))?"
    r"(?:[\s_:-]{0,3}not[ _-]?found\b|\s+does(?: not|n't) exist\b)",
    re.IGNORECASE,
)
_LOOKED_AT: Final = 400


def says_not_found(words: str) -> bool:
    """Tell whether an error, in the words of whoever was asked, means that there is nothing of the kind."""
    return _NOT_THERE.search(_LACKED.sub(" ", words[:_LOOKED_AT])) is not None
