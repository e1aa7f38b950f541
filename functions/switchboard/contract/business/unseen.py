"""What nobody sees of a text, and what only joins the letters of a script or the parts of an emoji.

What nobody sees could say something else to whoever reads the characters than to whoever reads the page: it is refused
where somebody enters a name, and taken out where a model fills in what is kept, shown, texted or mailed.
"""

import re
import unicodedata

from switchboard.contract.caller.outside_id import DRAWN_AS_NOTHING

_HIDDEN = frozenset({"Cc", "Cf", "Co", "Cs", "Zl", "Zp"})
# Format characters that are drawn: signs that stand over the Arabic, Syriac or Kaithi numbers after them.
_DRAWN = frozenset(map(chr, (*range(0x0600, 0x0606), 0x06DD, 0x070F, 0x0890, 0x0891, 0x08E2, 0x110BD, 0x110CD)))
_JOINERS = "\u200c\u200d"
# Behind it a consonant takes another form, also where a word ends: Malayalam's chillu letters were spelt so.
_VIRAMA = 9
# What chooses how the character before it is drawn; alone, or one behind the other, they only carry what nobody sees.
_SELECTORS = frozenset(map(chr, (*range(0x180B, 0x180E), 0x180F, *range(0xFE00, 0xFE10), *range(0xE0100, 0xE01F0))))
# They put a sign where it belongs between words that are written from right to left and others; elsewhere they hide.
_TURNING, _TO_THE_LEFT = "\u200e\u200f\u061c", frozenset({"R", "AL"})
_KEYCAP = "\u20e3"
# Letters by their category that are signs, such as the one of an information: it is an emoji by a selector.
_LETTERLIKE = re.compile("[\u2100-\u214f]")
_AS_TEXT_OR_EMOJI = "\ufe0e\ufe0f"
# Latin letters join nothing and have one form each.
_JOINED = frozenset({"Lo", "Lm", "Mn", "Mc", "So", "Sm", "Sk", "Po", "Pd"})
# The flags of England, Scotland and Wales, the only ones that are spelt in characters that nobody sees by themselves.
_SPELT = "|".join("".join(chr(0xE0000 + ord(c)) for c in name) for name in ("gbeng", "gbsct", "gbwls"))
_SPELT_FLAG = re.compile(f"\U0001f3f4(?:{_SPELT})\U000e007f")
# All that may be hidden; line ends and tabs of texts are not.
_SUSPECT = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u034f\u0600-\u0605\u061c\u06dd\u070f\u0890\u0891\u08e2\u115f\u1160\u17b4\u17b5"
    "\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f\u2800\u3164\ud800-\uf8ff\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb"
    "\U000110bd\U000110cd\U00013430-\U0001345f\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U0010ffff]"
)
_LINE_ENDS = re.compile("\r\n|[\r\x0b\x0c\x85\u2028\u2029]")
_BREAKS = re.compile("[\n\t]+")
# What was between characters that are taken out may be hidden without them.
_PASSES = 4


def hidden_at(text: str) -> int | None:
    """Return where the first character stands that nobody sees and that could say something else; None without one.

    What only joins letters of a script or parts of an emoji, or chooses how one is drawn, is there for being seen.
    """
    if text.isascii() and text.isprintable():
        return None
    context = _Around(text)
    return next((at for at in range(len(text)) if context.hides(at)), None)


def is_of_none(character: str) -> bool:
    """Tell whether a character by itself shows nothing, and is no blank."""
    return unicodedata.category(character) in _HIDDEN and character not in _DRAWN and not character.isspace()


def may_hide(text: str) -> bool:
    """Tell whether a text holds a character that may be hidden; what joins letters or parts of an emoji may be, too."""
    return _SUSPECT.search(text) is not None


def seen(text: str) -> str:
    """Return a text without what nobody sees of it; its lines end alike, and tabs stay."""
    if (text.isascii() and text.isprintable()) or not may_hide(text):
        return text
    text = _LINE_ENDS.sub("\n", text)
    for _ in range(_PASSES):
        context = _Around(text)
        hidden = {match.start() for match in _SUSPECT.finditer(text) if context.hides(match.start())}
        if not hidden:
            return text
        text = "".join(character for at, character in enumerate(text) if at not in hidden)
    return _SUSPECT.sub("", text)


def seen_on_one_line(text: str) -> str:
    """Return the same on one line: a blank stands where it had line ends and tabs."""
    lines = _BREAKS.split(seen(text))
    return text if len(lines) == 1 and lines[0] == text else " ".join(filter(None, map(str.strip, lines)))


class _Around:
    """A text, with what is asked of all of it found out once."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._turns: bool | None = None
        self._flags: frozenset[int] | None = None

    def hides(self, at: int) -> bool:
        """Tell whether what stands somewhere in the text is hidden."""
        text = self._text
        character = text[at]
        before, after = text[at - 1 : at], text[at + 1 : at + 2]
        if character in _JOINERS:
            if character == _JOINERS[1] and _is_shaped(before):
                return False
            is_before = before in _SELECTORS or _is_joined(before)
            return not (is_before and (_is_joined(after) or (character == _JOINERS[0] and after.isspace())))
        if character in _SELECTORS:
            is_chosen = _is_joined(before) and before not in _SELECTORS
            is_sign = character in _AS_TEXT_OR_EMOJI and _LETTERLIKE.fullmatch(before) is not None
            return not (is_chosen or is_sign) and after != _KEYCAP
        if character in _TURNING:
            return not self._is_turned()
        if character in DRAWN_AS_NOTHING:
            return True
        if "\U000e0020" <= character <= "\U000e007f":
            return at not in self._spelt()
        return unicodedata.category(character) in _HIDDEN and character not in _DRAWN

    def _is_turned(self) -> bool:
        if self._turns is None:
            letters = (c for c in self._text if c not in _TURNING)
            self._turns = any(unicodedata.bidirectional(c) in _TO_THE_LEFT for c in letters)
        return self._turns

    def _spelt(self) -> frozenset[int]:
        if self._flags is None:
            flags = _SPELT_FLAG.finditer(self._text)
            self._flags = frozenset(at for flag in flags for at in range(*flag.span()))
        return self._flags


def _is_shaped(character: str) -> bool:
    # What joins is seen in these by themselves, whatever follows: an Arabic letter keeps the form of a word's middle.
    if character == "":
        return False
    is_arabic = unicodedata.category(character) == "Lo" and unicodedata.bidirectional(character) == "AL"
    return is_arabic or unicodedata.combining(character) == _VIRAMA


def _is_joined(character: str) -> bool:
    # The signs of keycaps, © and the like are ASCII or Latin, and become emoji by a selector alone.
    return character != "" and not character.isascii() and unicodedata.category(character) in _JOINED
