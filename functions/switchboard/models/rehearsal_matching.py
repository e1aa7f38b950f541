"""Which example of the tools' guides is meant by what a caller said."""

import json
import re
import unicodedata
from collections import Counter
from collections.abc import Container, Iterable
from dataclasses import dataclass
from math import log

from switchboard.contract.json import JsonObject

_WORD = re.compile(r"\w+")
_EXAMPLE = re.compile(r"\*\*(?P<said>[^*]+)\*\*\s*```json\s*(?P<arguments>\{(?:(?!```).)*?\})\s*```", re.S)
# Below this a likeness is chance.
_LEAST = 0.34
_SUGGESTED = 3


@dataclass(frozen=True, slots=True)
class Example:
    """What a caller may say, and the call that answers it; one that only looks something up may be suggested."""

    tool: str
    said: str
    arguments: JsonObject
    is_reading: bool = True


def examples_in(tool: str, guide: str, is_reading: bool = True) -> list[Example]:
    """Return the examples of a guide: a sentence in bold, and the JSON block that follows it."""
    found = ((" ".join(m["said"].split()), json.loads(m["arguments"])) for m in _EXAMPLE.finditer(guide))
    return [Example(tool, said, arguments, is_reading) for said, arguments in found]


class Matching:
    """Finds the example most like a sentence; rare words count for more."""

    def __init__(self, examples: Iterable[Example]) -> None:
        """Weigh the words of all examples."""
        self._examples = [(example, _words(example.said)) for example in examples]
        counts = Counter(word for _, words in self._examples for word in words)
        total = len(self._examples) or 1
        self._weights = {word: log(1 + total / count) for word, count in counts.items()}
        self._unknown = log(1 + total)

    def best(self, sentence: str, offered: Container[str]) -> Example | None:
        """Return the example of an offered tool that is most like a sentence; None when none is."""
        said = _words(sentence)
        best, likeness = None, _LEAST
        for example, words in self._examples:
            if example.tool not in offered:
                continue
            found = self._weight(said & words) / (self._weight(words) or 1)
            # What else was said (a name, a number) speaks against an example only a little.
            found -= 0.1 * self._weight(said - words) / (self._weight(said) or 1)
            if found > likeness:
                best, likeness = example, found
        return best

    def suggestions(self, offered: Container[str]) -> list[str]:
        """Return a few things that can be said, each of another tool."""
        found: dict[str, str] = {}
        for example, _ in self._examples:
            if example.tool in offered and example.is_reading:
                found.setdefault(example.tool, f'"{example.said}"')
        return list(found.values())[:_SUGGESTED]

    def _weight(self, words: Iterable[str]) -> float:
        return sum(self._weights.get(word, self._unknown) for word in words)


def _words(text: str) -> frozenset[str]:
    plain = unicodedata.normalize("NFKD", text.casefold())
    # Without endings that a caller may use or not.
    return frozenset(
        w.removesuffix("s") or w for w in _WORD.findall("".join(c for c in plain if not unicodedata.combining(c)))
    )
