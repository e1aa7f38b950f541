"""What an answer's end means where the vendor gives a reason that is not known here."""

import re

from switchboard.contract.model import Ending

# Closing quotation marks and brackets may stand behind the end of a sentence, also the full-width one.
_WHOLE = re.compile(r"[.!?\u2026:;\u3002\uff01\uff1f][\"'\u201d\u2019\xbb)\]*_`\s]*$")
_LIMIT = re.compile(r"length|max|limit|truncat", re.IGNORECASE)


def of_unknown(reason: str, *, has_calls: bool, last_words: str) -> Ending:
    """Return how an answer ended: calls are meant, a sentence that is none was cut off, and a limit always cuts."""
    if _LIMIT.search(reason):
        return Ending.CUT_OFF
    if has_calls:
        return Ending.CALLS
    return Ending.STOPPED if not last_words.strip() or _WHOLE.search(last_words) else Ending.CUT_OFF
