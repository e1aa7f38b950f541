"""Ids as they come in from outside, of conversations, calls, messages and callers: read in one way on every channel.

An id that shows nothing names nobody's conversation. Were it taken for one, all who send such an id would meet in it,
with what it has established about its caller.
"""

import unicodedata
from typing import Final

_SHOW_NOTHING: Final = frozenset({"Cc", "Cf", "Cn", "Co", "Cs", "Zl", "Zp", "Zs"})
DRAWN_AS_NOTHING: Final = frozenset(
    map(
        chr,
        (
            *(0x034F, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x2800, 0x3164, 0xFFA0),
            *(*range(0x180B, 0x1810), *range(0xFE00, 0xFE10), *range(0xE0100, 0xE01F0)),
        ),
    )
)
"""Letters, marks and symbols by their category, which are drawn as nothing all the same: fillers and selectors."""


def outside_id(text: str) -> str:
    """Return the id that a text names, without what nobody sees before and behind it; empty where it names none."""
    if text.isascii() and text.isprintable():
        return text.strip()
    begins, ends = 0, len(text)
    while begins < ends and not _is_seen(text[begins]):
        begins += 1
    while ends > begins and not _is_seen(text[ends - 1]):
        ends -= 1
    return text[begins:ends]


def is_blank(text: str) -> bool:
    """Tell whether nobody sees anything of a text, which is then no turn, no message and no id."""
    return not outside_id(text)


def _is_seen(character: str) -> bool:
    return unicodedata.category(character) not in _SHOW_NOTHING and character not in DRAWN_AS_NOTHING
