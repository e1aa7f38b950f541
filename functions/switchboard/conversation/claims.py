"""Which words of a sentence claim that something was done.

The words stand in the tools' definitions (`claims`), in every language that a tool knows: a caller may be answered in
another language than the business's own. What makes them no claim stands in `openness`.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from switchboard.conversation.openness import Clauses

# Typographic marks, as models write them, by those that everything here is written with.
QUOTES = str.maketrans("\u2019\u2018\u201c\u201d", "''\"\"")
# They may stand between the words of a claim and change nothing.
_FILLERS = frozenset(
    [
        "now",
        "already",
        "just",
        "all",
        "successfully",
        "officially",
        "also",
        "both",
        "again",
        "then",
        "so",
        "jetzt",
        "nun",
        "schon",
        "bereits",
        "soeben",
        "gerade",
        "auch",
        "erfolgreich",
        "hiermit",
        "eben",
        "ya",
        "ahora",
        "también",
        "correctamente",
        "bien",
        "déjà",
        "maintenant",
        "aussi",
        "correctement",
    ]
)
_BETWEEN = rf"[\s*_]+(?:(?:{'|'.join(sorted(_FILLERS))})[\s*_]+)?"
_PLAIN = QUOTES | dict.fromkeys(map(ord, "*_"))
_FILLERS_BEGUN = frozenset(word[:n] for word in _FILLERS for n in range(1, len(word)))
_WORD = re.compile(r"(?<![^\W_])[^\W_]+")


@dataclass(frozen=True, slots=True)
class Claim:
    """Something said to have been done: its name, such as `booked`, and the words that said it.

    Attributes:
        clause: Which clause of the sentence it stands in.
    """

    name: str
    words: str
    clause: int = 0


class Vocabulary:
    """The claims that the tools of an offer know."""

    def __init__(self, claims: Iterable[Mapping[str, Mapping[str, Sequence[str]]]]) -> None:
        """Gather the words of all languages; equal words may belong to several claims."""
        self._names: dict[str, set[str]] = {}
        # By their first words: most words of a sentence begin no claim, and are told by one look.
        self._phrases: dict[str, set[str]] = {}
        for of_tool in claims:
            for name, by_language in of_tool.items():
                for phrase in (phrase for phrases in by_language.values() for phrase in phrases):
                    self._names.setdefault(_key(phrase), set()).add(name)
                    spoken = " ".join(phrase.translate(QUOTES).casefold().split())
                    first = _WORD.search(spoken)
                    if first is not None:
                        self._phrases.setdefault(first[0], set()).add(spoken[first.start() :])
        self._beginnings = frozenset(phrase[:n] for phrase in self._names for n in range(1, len(phrase) + 1))
        self._firsts_begun = frozenset(word[:n] for word in self._phrases for n in range(1, len(word) + 1))
        # Made when a word is first heard: all of them at once would hold everybody up.
        self._patterns: dict[str, re.Pattern[str]] = {}

    @property
    def is_empty(self) -> bool:
        """Whether nothing can be claimed."""
        return not self._names

    def first(self, text: str, start: int = 0) -> int | None:
        """Return where the first words of a claim begin in a text, whatever is said about them; None without any."""
        position, is_claim = self.scan(text, start)
        while not is_claim and position < len(text):
            position, is_claim = self.scan(text, position + 1)
        return position if is_claim else None

    def scan(self, text: str, start: int = 0) -> tuple[int, bool]:
        """Return where, from `start` on, words of a claim begin, and whether they are all there.

        Where they are not, the text ends with what could be their beginning; the text's length if nothing could.
        """
        for match in _WORD.finditer(text, start):
            word, is_last = match[0].casefold(), match.end() == len(text)
            if word not in (self._firsts_begun if is_last else self._phrases):
                continue
            if self._at(text, match.start(), word):
                return match.start(), True
            if self._is_beginning(text[match.start() :]):
                return match.start(), False
        return len(text), False

    def _at(self, text: str, start: int, word: str) -> re.Match[str] | None:
        """Return the longest words of a claim that begin there, with this word."""
        pattern = self._patterns.get(word)
        if pattern is None and word in self._phrases:
            pattern = self._patterns[word] = _pattern(self._phrases[word])
        return pattern.match(text, start) if pattern is not None else None

    def _all_in(self, text: str) -> Iterator[re.Match[str]]:
        """Yield the words of claims in a text, one behind the other."""
        end = 0
        for match in _WORD.finditer(text):
            if match.start() >= end and (found := self._at(text, match.start(), match[0].casefold())) is not None:
                end = found.end()
                yield found

    def _is_beginning(self, tail: str) -> bool:
        key = _key(tail)
        if tail[-1].isspace():
            return f"{key} " in self._beginnings
        if key in self._beginnings:
            return True
        # Half a filler: "you are no" goes on as "you are now booked".
        earlier, _, last = key.rpartition(" ")
        return last in _FILLERS_BEGUN and f"{earlier} " in self._beginnings

    def made_in(self, sentence: str) -> tuple[Claim, ...]:
        """Return what a sentence claims to have been done, without what it denies, asks, promises or supposes."""
        clauses = Clauses(sentence.translate(QUOTES))
        found = []
        for position, clause in enumerate(clauses.texts):
            for match in self._all_in(clause):
                if not clauses.is_open(position, match.start(), match.end()):
                    names = self._names[_key(match[0])]
                    found += [Claim(name, match[0], position) for name in sorted(names)]
        return tuple(found)


def _key(text: str) -> str:
    """Return how a claim's words are known: without fillers, emphasis and typography, in lower case."""
    first, *rest = text.translate(_PLAIN).casefold().split() or [""]
    return " ".join([first, *(word for word in rest if word not in _FILLERS)]) if rest else first


def _pattern(phrases: Iterable[str]) -> re.Pattern[str]:
    """Return what finds any of the phrases, the longest one where several begin."""
    spoken = (_BETWEEN.join(map(_word, phrase.split(" "))) for phrase in sorted(phrases, key=len, reverse=True))
    return re.compile(rf"(?:{'|'.join(spoken)})(?![^\W_])", re.I)


def _word(word: str) -> str:
    return re.escape(word).replace("'", "['\u2019]")
