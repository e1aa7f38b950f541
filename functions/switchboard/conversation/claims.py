"""Which words of a sentence claim that something was done, and which only speak about it.

The words stand in the tools' definitions (`claims`); how people deny, ask, promise and suppose is a matter of the
language and stands here.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

# Languages of which something is known; English is understood everywhere, since models fall back to it.
_EVERYWHERE = "en"

# Before the claim, in its own clause: it is denied, asked for, promised, supposed or someone else's.
_OPENLY_NOT = {
    "en": re.compile(
        r"\b(?:not|never|no|nothing|none|nobody|without|cannot|can|could|would|will|shall|should|may|might|must|to|if|"
        r"once|when|whether|until|unless|before|after|want|need|like|try|trying|let|going|please|unable|fail\w*|get|"
        r"getting|be|being|fully|how|what|which|who|do|does|did)\b|n't\b|'ll\b|\b(?:time|slot|hour|morning|afternoon|evening|\w+day)\b.*\balready\s*$",
        re.I,
    ),
    "de": re.compile(
        r"\b(?:nicht|nichts|nie|niemals|kein\w*|ohne|kann|können|könnte\w*|würde\w*|werde|werden|wird|soll|sollen|"
        r"sollte\w*|möchte\w*|will|wollen|wenn|falls|sobald|bevor|bis|ob|zu|damit|lassen|lass|bitte|darf|dürfte|wie|"
        r"welche\w*|wer|wann)\b",
        re.I,
    ),
}
# After the claim, in its own clause.
_OPENLY_NOT_AFTER = {
    "en": re.compile(r"\b(?:yet\?|nothing|nobody|out|up)\b", re.I),
    "de": re.compile(r"\b(?:nicht|nichts|kein\w*|werden|wird|niemand)\b", re.I),
}
# Said before a claim without making it any less one.
_ASSURANCES = re.compile(
    r"\b(?:(?:can|happy to|glad to|pleased to|able to|like to|want to) (?:confirm|say|tell you|report|let you know)"
    r"(?: that)?|no (?:problem|worries)|not to worry|(?:don't|do not) worry|managed to get|was able to|were able to|"
    r"kann (?:ihnen |dir )?(?:bestätigen|sagen|mitteilen)|kein problem|keine sorge)\b",
    re.I,
)
_CLAUSES = re.compile(r"[,;:\u2013\u2014!?.\u2026]+\s+|\s+[-\u2013\u2014]\s+|\s+(?:but|and so|so|aber|und)\s+", re.I)
# Typographic marks, as models write them, by those that everything here is written with.
QUOTES = str.maketrans("\u2019\u2018\u201c\u201d", "''\"\"")


@dataclass(frozen=True, slots=True)
class Claim:
    """Something said to have been done: its name, such as `booked`, and the words that said it."""

    name: str
    words: str


class Vocabulary:
    """The claims that the tools of an offer know, in one language and in English."""

    def __init__(self, claims: Iterable[Mapping[str, Mapping[str, Sequence[str]]]], language: str) -> None:
        """Gather the words; equal words may belong to several claims."""
        self.language = language.partition("-")[0].lower()
        self._names: dict[str, set[str]] = {}
        for of_tool in claims:
            for name, by_language in of_tool.items():
                for spoken in {self.language, _EVERYWHERE}:
                    for phrase in by_language.get(spoken, ()):
                        self._names.setdefault(_plain(phrase), set()).add(name)
        alternatives = sorted(map(_pattern, self._names), key=len, reverse=True)
        self._any = re.compile(rf"(?<!\w)(?:{'|'.join(alternatives)})(?!\w)", re.I) if alternatives else None
        self._beginnings = frozenset(phrase[:n] for phrase in self._names for n in range(1, len(phrase) + 1))
        self._most_words = max((phrase.count(" ") + 1 for phrase in self._names), default=0)

    @property
    def is_empty(self) -> bool:
        """Whether nothing can be claimed."""
        return self._any is None

    def first(self, text: str, start: int = 0) -> int | None:
        """Return where the first words of a claim begin in a text, whatever is said about them; None without any."""
        found = self._any.search(text, start) if self._any is not None else None
        return found.start() if found else None

    def may_begin(self, text: str) -> int:
        """Return from where the end of a text could be the beginning of a claim's words; its length if nowhere."""
        if self._any is None:
            return len(text)
        start = len(text)
        at = len(text)
        for _ in range(self._most_words):
            blank = max(text.rfind(" ", 0, at), text.rfind("\n", 0, at))
            tail = text[blank + 1 :]
            if tail and _plain(tail, strip=False) in self._beginnings:
                start = blank + 1
            if blank < 0:
                break
            at = blank
        return start

    def made_in(self, sentence: str) -> tuple[Claim, ...]:
        """Return what a sentence claims to have been done, without what it denies, asks, promises or supposes."""
        if self._any is None:
            return ()
        text = _ASSURANCES.sub(lambda match: " " * len(match[0]), sentence.translate(QUOTES))
        asks = text.rstrip(" \"'").endswith("?")
        clauses = list(_clauses(text))
        found = []
        for position, clause in enumerate(clauses):
            # Of a question only its last clause asks: "You are booked, is that all right?" claims.
            if asks and position == len(clauses) - 1:
                continue
            for match in self._any.finditer(clause):
                if not self._is_open(clause[: match.start()], clause[match.end() :]):
                    names = self._names[_plain(match[0])]
                    found += [Claim(name, match[0]) for name in sorted(names)]
        return tuple(found)

    def _is_open(self, before: str, after: str) -> bool:
        for spoken in (self.language, _EVERYWHERE):
            if spoken in _OPENLY_NOT and (
                _OPENLY_NOT[spoken].search(before) or _OPENLY_NOT_AFTER[spoken].search(after)
            ):
                return True
        return False


@lru_cache(maxsize=2_000)
def _pattern(phrase: str) -> str:
    return r"\s+".join(re.escape(word).replace("'", "['\u2019]") for word in phrase.split(" "))


def _plain(text: str, *, strip: bool = True) -> str:
    words = text.translate(QUOTES).casefold()
    return " ".join(words.split()) if strip else re.sub(r"\s+", " ", words)


def _clauses(text: str) -> Iterable[str]:
    start = 0
    for match in _CLAUSES.finditer(text):
        yield text[start : match.end()]
        start = match.end()
    if text[start:].strip():
        yield text[start:]
