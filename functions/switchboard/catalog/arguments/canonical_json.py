"""The one spelling of arguments, quickly: most are spelt canonically as soon as they are sorted."""

import orjson

from switchboard.contract.call import canonical
from switchboard.contract.json import JsonObject

PLAIN_KINDS = frozenset({str, int, bool, type(None)})
"""Values that have one spelling in JSON; a number with a fraction may have several."""


def spelling(arguments: JsonObject) -> str:
    """Return `canonical` of arguments."""
    if PLAIN_KINDS.issuperset(map(type, arguments.values())):
        try:
            text = orjson.dumps(arguments, None, orjson.OPT_SORT_KEYS).decode()
        except TypeError:
            # Half of a character, or a number of more than 64 bits.
            return canonical(arguments)
        if is_canonical(text):
            return text
    return canonical(arguments)


def is_canonical(text: str) -> bool:
    """Tell whether compact JSON with sorted keys and without fractions is canonical as it is; false when in doubt."""
    # Plain ASCII without escapes, and single blanks between words.
    return text.isascii() and "\\" not in text and "\x7f" not in text and (" " not in text or not _has_odd_blanks(text))


def _has_odd_blanks(text: str) -> bool:
    return "  " in text or '" ' in text or ' "' in text
