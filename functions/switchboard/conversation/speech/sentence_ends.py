"""Where a sentence ends that is spoken piece by piece: not behind "Dr.", "z. B." or an initial."""

import re
from typing import Final

_ABBREVIATIONS = """
mr ms mrs dr st sr sra dra jr prof mme mlle dott sig hr fr herr nr no nº tel bzw ca ej ex bijv evtl inkl vs approx
"""
# Looked for behind the dot, and so at none of the letters in between. A single letter is an initial, or half of one of
# those of two words: "z. B.", "p. m.", "M. Dupont".
_NO_END = "".join(rf"(?<!\b{word}\.)" for word in _ABBREVIATIONS.split()) + r"(?<!\b[^\W\d_]\.)(?<!\d\.)"
_MARKS = "[\"')*_\u201c\u201d\u00bb]*"
# Of several marks the last one ends it: to begin at each of them would take the square of their number.
SENTENCE_END: Final = re.compile(rf"\.{_NO_END}{_MARKS}\s|[!?\u2026\u3002]{_MARKS}\s|\n", re.I)
"""The end of a sentence and the blank behind it."""
_LONGEST_END = 200


def last_end(text: str, limit: int | None = None) -> int:
    """Return where what can be said in whole sentences ends, before the blank; 0 where none is whole.

    Args:
        text: As far as it is known.
        limit: How much may be said.
    """
    upto = len(text) if limit is None else limit
    # The last sentence is short enough to be found from behind; if not, the whole is read.
    for start in (max(0, upto - _LONGEST_END), 0):
        ends = [match.end() - 1 for match in SENTENCE_END.finditer(text, start, upto)]
        if ends:
            return ends[-1]
    return 0
