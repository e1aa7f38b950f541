"""Words for the ear: what a model or an owner wrote for the eye, without its marks, bullets and link addresses.

It works on pieces as they are streamed. A piece may end in the middle of a mark, so that what may still become one is
held until a blank comes: never more than a word, or a link, or a row of a table. Ordinary words are never held.
"""

import html
import re
from collections.abc import Callable, Collection

from switchboard.catalog.offer.offer import Offer
from switchboard.contract.business.languages import language_of
from switchboard.conversation.guard import SpeechGuard
from switchboard.conversation.session import CallSession

_LINK_WORDS = {
    "en": "the website",
    "de": "die Webseite",
    "es": "la página web",
    "fr": "le site web",
    "it": "il sito web",
    "pt": "o site",
    "nl": "de website",
}
# What is longer than this is held no more, and what is longer than that is no word of any language.
_MOST_HELD = 600
_LONGEST_WORD = 1_000

# Full-width and typographic relatives included.
_MARKS = "*\uff0a\u2217\ufe61\u2731#\uff03`\uff40"
_BULLETS = "\u2022\u2023\u25e6\u25cf\u25aa\u25cb\u25a0\u00b7\u2043"
# Invisible, and good for nothing but to hide a mark or an address.
_HIDDEN = "\u200b\u2060\ufeff\xad"
_SPECIAL = re.compile(
    rf"[\n\\/_~|<>&\[\]{re.escape(_MARKS)}{_BULLETS}{_HIDDEN}]|www\.|mailto:|tel:|sms:", re.IGNORECASE
)
_NOT_HIDDEN = str.maketrans("", "", _HIDDEN)
# Words that nothing can become but longer words, and the beginnings of addresses.
_ORDINARY = re.compile(
    r"[\"'(\u201c\u201e\u2018\u00bf\u00a1]*[^\W_]+(?:['\u2019][^\W_]+)*[.,;:!?\u2026)\"'\u201d\u2019]*"
    r"|[.,;:!?\u2026)\"'\u201d\u2019]*"
)
_OPENINGS = "\"'(\u201c\u201e\u2018\u00bf\u00a1"
_SCHEMES = ("http:", "https:", "www.", "ftp:", "mailto:", "tel:", "sms:")
_MAY_BECOME = {"!"} | {scheme[:n] for scheme in _SCHEMES for n in range(1, len(scheme) + 1)}
# So much of a word is kept, to tell what it becomes.
_WORD_KEPT = 64
_FIRST_WORD = re.compile(r"\S+")
_SPACES = re.compile(r"\s+")
# Each of the following has one of these in it.
_MAY_OPEN = re.compile(r"[\[<|]")
_OPEN_LINK = re.compile(r"!?\[[^\[\]\n]{0,200}(?:\](?:\([^()\n]{0,400})?)?$")
_OPEN_TAG = re.compile(r"<[a-zA-Z/!][^<>\n]{0,200}$")
_OPEN_ROW = re.compile(r"(?:^|\n)[ \t]*\|[^\n]*$")

_TAG_NAMES = (
    "a|abbr|b|big|blockquote|br|center|code|del|div|dd|dl|dt|em|font|h[1-6]|hr|i|img|ins|kbd|li|mark|ol|p|pre|q|s|samp|"
    "script|small|span|strike|strong|style|sub|sup|svg|table|tbody|td|tfoot|th|thead|tr|tt|u|ul|var|"
    "speak|break|prosody|emphasis|say-as|voice|phoneme|audio|lang|w"
)
_TAG = re.compile(rf"</?(?:{_TAG_NAMES})(?:[\s/][^<>]{{0,300}})?>|<!--[^<>]{{0,300}}>", re.IGNORECASE)
_LINK = re.compile(r"!?\[([^\[\]]{0,300})\]\((?:[^()\s]|\([^()\s]*\))*(?:\s+[\"'(][^()\n]{0,200})?\)")
_REFERENCE = re.compile(r"!?\[([^\[\]]{1,300})\]\[[^\[\]]{0,100}\]")
_AUTOLINK = re.compile(r"<((?:[a-z][a-z0-9+.-]{1,20}:|www\.)[^<>\s]+)>", re.IGNORECASE)
_WRITTEN_TO = re.compile(r"\b(?:mailto|tel|sms):(?=\S)", re.IGNORECASE)
_ADDRESS = re.compile(
    r"(?:(?<![a-z0-9+.-])[a-z0-9+.-]*://|(?<![a-z0-9])www\.)[^\s<>\"\u201c\u201d\u00ab\u00bb]*"
    r"|(?<![@.-])(?<![^\W_])(?:[\w-]{1,63}\.){1,8}[a-z]{2,24}(?::\d{1,5})?"
    r"(?:/|[?#](?=[\w%=&]))[^\s<>\"\u201c\u201d\u00ab\u00bb]*",
    re.IGNORECASE,
)
_TRAILING = ".,;:!?\u2026'\u2019)]}*_`"
_RULE = re.compile(
    r"[ \t]*(?:(?:-[ \t]*){3,}|(?:\*[ \t]*){3,}|(?:_[ \t]*){3,}|={3,}[ \t]*|`{3,}\w*[ \t]*|~{3,}\w*[ \t]*)"
)
_ROW_RULE = re.compile(r"(?=[^|]*\|)[ \t|:+-]+")
_AT_LINE = re.compile(rf"[ \t]*(?:>+[ \t]*)*(?:(?:#{{1,6}}|[-+*{_BULLETS}\u2013\u2014]|\[[ xX]\])(?:[ \t]+|$))*")
_NUMBER = re.compile(r"[ \t]*\d{1,3}[.)][ \t]")
_UNDERLINE = re.compile(r"(?<![^\W_])_+|_+(?![^\W_])")
_ESCAPED = re.compile(r"\\(?=[^\w\s]|_)|\\$")
# A middle dot stands between letters in Catalan.
_REMOVED = str.maketrans("", "", _MARKS + "|" + _BULLETS.replace("\u00b7", ""))
# What a mark that is left out would have parted is one.
_UNMARKED = str.maketrans("", "", _MARKS + _BULLETS + _HIDDEN + "|~_\\")
_GROWN = re.compile(r"(?<=:/)/|(?<![a-z0-9])www\.", re.IGNORECASE)
_BLANKS = re.compile(r"[ \t]{2,}")
_NEEDS_STOP = re.compile(r"[\w)\]%\u20ac$\"'\u201d\u2019\u00bb]")


class PlainSpeech:
    """Makes one answer plain, piece by piece."""

    def __init__(self, language: str = "en") -> None:
        """Say in `language` where a link was."""
        self._link = _LINK_WORDS.get(language_of(language), _LINK_WORDS["en"])
        self._held = ""
        # Of the line that is being read: whether nothing of it was given out yet, what stands between it and the line
        # before, and whether it is an item of a list or a heading; and whether the line before was.
        self._is_at_line, self._break = True, ""
        self._is_item = self._was_item = False
        # The last character that was given out, blanks not counted.
        self._last = ""
        self._is_in_address = False
        # The end of all that was given out.
        self._given = ""
        # What was given out of the word that is being read.
        self._word = ""

    def feed(self, piece: str) -> str:
        """Take a piece and return what of it, and of what was held, can be said now."""
        if self._is_in_address:
            # Of an address that was too long to be held.
            blank = _SPACES.search(piece)
            if blank is None:
                return ""
            piece, self._is_in_address = piece[blank.start() :], False
        text = self._held + piece
        end = self._whole(text)
        self._held = text[end:]
        if end == len(text) > _MOST_HELD and not text[-1].isspace():
            self._is_in_address = _ADDRESS.search(text[-_MOST_HELD:].split()[-1]) is not None
        return self._apart(self._plain(text[:end]))

    def rest(self) -> str:
        """Return what is left at the end."""
        text, self._held = self._held, ""
        return self._apart(self._plain(text))

    def _apart(self, text: str) -> str:
        """Return what is given out, without an address that came about as the marks within it were left out."""
        before = self._given
        if "/" not in text and "." not in text:
            # With one of these each of them ends.
            self._given = (before + text)[-_WORD_KEPT:]
            return text
        parted = _GROWN.sub(lambda match: f"{match[0][:-1]} {match[0][-1]}", before + text)
        self._given = parted[-_WORD_KEPT:]
        return parted[len(before) :]

    def _whole(self, text: str) -> int:
        """Return how much of a text can be judged now: without a half word, link, tag or row at its end."""
        blank = _last_blank(text)
        begins = blank.end() if blank else 0
        looked_at = max(0, begins - _MOST_HELD), begins
        for opened in (_OPEN_LINK, _OPEN_TAG, _OPEN_ROW) if _MAY_OPEN.search(text, *looked_at) else ():
            match = opened.search(text, *looked_at)
            if match:
                return match.start() if len(text) - match.start() <= _MOST_HELD else len(text)
        word = text[begins:] if blank else self._word + text
        is_first = "\n" in blank[0] if blank else self._is_at_line and not self._word
        is_number = is_first and word[:1].isdigit()
        is_ordinary = _ORDINARY.fullmatch(word) and word.lstrip(_OPENINGS).lower() not in _MAY_BECOME
        if (is_ordinary and not is_number) or len(text) - begins > _MOST_HELD:
            return len(text)
        return blank.start() if blank and is_first else begins

    def _plain(self, text: str) -> str:
        if not text:
            return ""
        first = _FIRST_WORD.match(text) if self._word else None
        address = _address_in(self._word + first[0][:_LONGEST_WORD]) if first else None
        if first and address and address.start() < len(self._word):
            # It has turned out to be an address when its beginning had been said.
            text = f" {self._link}{_trailing(first[0])}{text[first.end() :]}"
        before, self._word = self._word, ""
        words = text.split()
        if words and not text[-1].isspace():
            is_new = len(words) > 1 or text[0].isspace()
            self._word = (words[-1] if is_new else before + words[-1])[-_WORD_KEPT:]
        return self._said(text, before[-1:] if before[-1:].isalnum() else "")

    def _said(self, text: str, before: str) -> str:
        if self._is_at_line or _SPECIAL.search(text):
            lines = self._without_links(text).split("\n")
            text = "".join(self._line(line, "" if n else before, is_new=n > 0) for n, line in enumerate(lines))
        self._last = text.rstrip()[-1:] or self._last
        return text

    def _without_links(self, text: str) -> str:
        text = _AUTOLINK.sub(r"\1", text.translate(_NOT_HIDDEN))
        text = html.unescape(_TAG.sub(_broken, text)) if "<" in text or "&" in text else text
        text = _REFERENCE.sub(r"\1", _LINK.sub(self._labelled, text)) if "[" in text else text
        if "/" not in text and "www." not in text.lower() and ":" not in text:
            return text
        return "".join(self._without_address(word) for word in re.split(r"(\s+)", text))

    def _without_address(self, word: str) -> str:
        if len(word) > _LONGEST_WORD:
            return self._link if "://" in word or word.lower().startswith("www.") else word
        word = _WRITTEN_TO.sub("", word)
        if _ADDRESS.search(word) is None and _address_in(word) is not None:
            word = _unmarked(word)
        return _ADDRESS.sub(self._named, word)

    def _labelled(self, link: re.Match[str]) -> str:
        return link[1] if link[1].strip() else self._link

    def _named(self, address: re.Match[str]) -> str:
        return self._link + _trailing(address[0])

    def _line(self, line: str, before: str, *, is_new: bool) -> str:
        """Return a line, or a piece of one, as it is said, behind what parts it from the line before."""
        if is_new:
            self._was_item = self._is_item or (self._was_item and self._is_at_line)
            self._is_item, self._is_at_line = False, True
            self._break = f"{self._break}\n"[:2]
        if not self._is_at_line:
            text = _marks(before + line)[len(before) :]
            self._last = text.rstrip()[-1:] or self._last
            return text
        if _RULE.fullmatch(line) or _ROW_RULE.fullmatch(line):
            return ""
        marker = _AT_LINE.match(line)
        begins = marker.end() if marker and marker[0].strip() else 0
        is_row = line.lstrip().startswith("|")
        self._is_item |= bool(begins) or is_row or _NUMBER.match(line) is not None
        text = _marks(_row(line) if is_row else line[begins:])
        # A bullet may have stood behind a mark.
        hidden = _AT_LINE.match(text)
        text = text[hidden.end() :] if hidden and hidden[0].strip() else text
        if begins or self._break:
            text = text.lstrip(" \t")
        if not text.strip():
            return text
        between, self._break, self._is_at_line = self._break, "", False
        # What one sees as lines of their own would be heard as one sentence.
        if (self._is_item or self._was_item) and _NEEDS_STOP.fullmatch(self._last):
            between = f".{between or ' '}"
        self._was_item = False
        self._last = text.rstrip()[-1:] or self._last
        return between + text


def plain(text: str, language: str = "en") -> str:
    """Return a whole text as it is said."""
    speech = PlainSpeech(language)
    return speech.feed(text) + speech.rest()


def spoken_plainly(guard: Callable[[CallSession, Offer], SpeechGuard]) -> Callable[[CallSession, Offer], SpeechGuard]:
    """Return what makes guards that are fed plain words where the caller listens: what is guarded is what is heard."""

    def made(session: CallSession, offer: Offer) -> SpeechGuard:
        inner = guard(session, offer)
        if not session.facts.channel.is_spoken:
            return inner
        return _PlainGuard(inner, session.language or "en")

    return made


class _PlainGuard:
    """A guard behind plain words."""

    def __init__(self, inner: SpeechGuard, language: str) -> None:
        self._inner, self._speech = inner, PlainSpeech(language)

    @property
    def has_left_out(self) -> bool:
        return self._inner.has_left_out

    def feed(self, text: str) -> str:
        ready = self._speech.feed(text)
        return self._inner.feed(ready) if ready else ""

    def rest(self, calls: Collection[str] = ()) -> str:
        ready = self._speech.rest()
        return (self._inner.feed(ready) if ready else "") + self._inner.rest(calls)


def _last_blank(text: str) -> re.Match[str] | None:
    """Return the last blanks of a text."""
    start = len(text.rstrip())
    if start == len(text):
        start = max(text.rfind(" "), text.rfind("\n"), text.rfind("\t"))
        if start < 0:
            return None
        while start and text[start - 1].isspace():
            start -= 1
    return _SPACES.match(text, start)


def _trailing(address: str) -> str:
    """Return what stands behind an address and is no part of it."""
    return address[len(address.rstrip(_TRAILING)) :]


def _row(line: str) -> str:
    return ", ".join(cell.strip() for cell in line.strip(" \t|").split("|"))


def _broken(tag: re.Match[str]) -> str:
    name = tag[0].strip("</> \t").lower()
    return "\n" if name.startswith(("br", "p", "li", "div", "tr", "h1", "h2", "h3", "h4", "h5", "h6")) else ""


def _unmarked(word: str) -> str:
    return _TAG.sub("", word).translate(_UNMARKED)


def _address_in(word: str) -> re.Match[str] | None:
    """Return the address that a word holds or becomes once its marks are left out."""
    return _ADDRESS.search(word) or _ADDRESS.search(_unmarked(word))


def _marks(line: str) -> str:
    """Return a line without the marks in it."""
    if _SPECIAL.search(line) is None:
        return line
    text = _UNDERLINE.sub("", _ESCAPED.sub("", line)).replace("~~", "").translate(_REMOVED)
    return _BLANKS.sub(" ", text)
