"""What the rehearsal knows of a language: patterns of what people say, and its phrases (`words/<language>.toml`)."""

import re
import tomllib
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from functools import cache, lru_cache
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from switchboard.contract.business.business import Service
from switchboard.contract.python.dataclass import dataclass

_FOLDER = Path(__file__).with_name("words")
_WORD = re.compile(r"[\w'*|@]+")
# So many words may stand between two of a pattern, and so many of an utterance are looked at.
_GAP, _MOST_WORDS = 3, 80
# A longer word tells no more than one of these letters.
_TELLING = 8
_ANYBODY = "@"
# What is said in set phrases, with nothing in between.
_SET = ("bye", "thanks", "hello", "stop")
_CLEARER = ("cancel", "move", "mine", "message", "person")

_LEAST, _SERVICE_TOLD = 4, 5
_JOINING = frozenset({"and", "und", "the", "der", "die", "das", "for"})
# Of a long name most is said for all of it: "a blow dry" for "Wash and blow-dry".
_MANY, _MOST_OF_IT = 2, 0.6


class Word(NamedTuple):
    """A word as it is compared, and as it was written."""

    plain: str
    written: str
    is_first: bool = False

    @property
    def is_name(self) -> bool:
        """Whether it is written as names are, and not because it begins a sentence."""
        return (
            self.written[:1].isupper() and not self.is_first and self.plain not in ("i", "i'm", "sie", "ihr", "ihnen")
        )


# The same few hundred words, of days, services and topics, are held against whatever is said.
@lru_cache(maxsize=4096)
def fold(text: str) -> str:
    """Return a text without case and accents, apostrophes all alike."""
    plain = unicodedata.normalize("NFKD", text.replace("\u2019", "'").casefold())
    return "".join(character for character in plain if not unicodedata.combining(character))


# Of a conversation all that was said is read again with every answer.
@lru_cache(maxsize=2048)
def words_of(text: str) -> Sequence[Word]:
    """Return the words of a text."""
    text = unicodedata.normalize("NFC", text.replace("\u2019", "'"))
    words_found = [m[0].strip("'*|@") for m in _WORD.finditer(text)]
    return tuple(Word(fold(word), word, at == 0) for at, word in enumerate(words_found[:_MOST_WORDS]) if word)


@lru_cache(maxsize=2048)
def beginning(text: str) -> str:
    """Return as much of what somebody said as is read: the same words that `words_of` looks at."""
    last = next(islice(_WORD.finditer(text), _MOST_WORDS - 1, None), None)
    return text if last is None else text[: last.end()]


class _PatternStep:
    """The words of which one stands at a place of a pattern."""

    def __init__(self, text: str) -> None:
        either = text.split("|")
        self._whole = frozenset(word for word in either if not word.endswith("*"))
        self._begun = tuple(word[:-1] for word in either if word.endswith("*"))
        self._is_anybody = _ANYBODY in either
        self._spoken = (*(f" {word} " for word in self._whole), *(f" {begun}" for begun in self._begun))

    def may_be_in(self, spoken: str) -> bool:
        """Tell whether a word of these may be among those of a text, in which each stands between spaces."""
        return self._is_anybody or any(part in spoken for part in self._spoken)

    def fits(self, word: Word) -> bool:
        plain = word.plain
        return plain in self._whole or plain.startswith(self._begun) or (self._is_anybody and word.is_name)


class Pattern:
    """Words in their order."""

    def __init__(self, text: str) -> None:
        """Read one as it is written in the files of the languages."""
        self._first, *self._next = [_PatternStep(step) for step in _WORD.findall(fold(text))]

    def may_fit(self, spoken: str) -> bool:
        """Tell in a moment whether there is anything in a text to hold it against; see `likeness`."""
        return self._first.may_be_in(spoken)

    def likeness(self, words: Sequence[Word], gap: int = _GAP) -> int:
        """Return how much of what was said it accounts for, by letters; 0 where it does not fit."""
        fits = self._first.fits
        return max((self._from(words, start, gap) for start, word in enumerate(words) if fits(word)), default=0)

    def _from(self, words: Sequence[Word], start: int, gap: int) -> int:
        total, at = min(len(words[start].plain), _TELLING), start + 1
        for step in self._next:
            here = next((n for n in range(at, min(at + gap + 1, len(words))) if step.fits(words[n])), None)
            if here is None:
                return 0
            total += min(len(words[here].plain), _TELLING)
            at = here + 1
        return total


def patterns(text: str) -> list[Pattern]:
    """Return the patterns of a text that lists them between commas."""
    return [Pattern(part) for part in text.split(",") if part.strip()]


def likeness(among: Iterable[Pattern], words: Sequence[Word], gap: int = _GAP) -> int:
    """Return the likeness of the pattern that fits best."""
    spoken = f" {' '.join(word.plain for word in words)} "
    return max((pattern.likeness(words, gap) for pattern in among if pattern.may_fit(spoken)), default=0)


@dataclass(frozen=True, slots=True)
class Topic:
    """Something that people ask about: how it is recognised, and the words in which a business writes of it."""

    name: str
    hear: Sequence[Pattern]
    ask: str


@dataclass(frozen=True, slots=True)
class LanguageVocabulary:
    """One language.

    Attributes:
        language: Its tag.
        goals: What somebody may want, in the order in which equal likeness decides.
        topics: What somebody may ask about.
        reading: Lists of patterns and words that reading needs, by their names.
        alike: Words that stand for each other, each with the name of its group.
        phrases: What is said, by name.
        examples: Questions that can be asked.
    """

    language: str
    goals: Mapping[str, Sequence[Pattern]]
    topics: Sequence[Topic]
    reading: Mapping[str, str]
    alike: Mapping[str, str]
    phrases: Mapping[str, str]
    examples: Mapping[str, str]

    def words(self, text: str) -> Sequence[Word]:
        """Return the words of a text, French articles apart from what they stand before."""
        return words_of(
            re.sub(r"\b([ldjnsmtc]|qu)['\u2019](?=\w)", r"\1 ", text, flags=re.I) if self.language == "fr" else text
        )

    def goal(self, words: Sequence[Word]) -> tuple[str, int]:
        """Return what somebody wants, and how much of what they said tells it; an empty name where nothing does."""
        return _goal(self.language, tuple(words))

    def topics_in(self, words: Sequence[Word]) -> list[Topic]:
        """Return what is asked about, what is told most clearly first."""
        return list(_topics_in(self.language, tuple(words)))

    def is_in(self, name: str, words: Sequence[Word]) -> bool:
        """Tell whether what was said has a pattern of one of the lists for reading."""
        return _is_in(self.language, name, tuple(words))

    def is_only(self, name: str, words: Sequence[Word]) -> bool:
        """Tell whether what was said is one of a list and no more than those say: every word of it is in the list."""
        known = _words_listed(self.language, name)
        return self.is_in(name, words) and all(word.plain in known for word in words)

    def is_listed(self, name: str, word: str) -> bool:
        """Tell whether a word is one of a list for reading."""
        return word in _words_listed(self.language, name)

    def telling(self, words: Sequence[Word]) -> list[str]:
        """Return the words that tell what is spoken of."""
        silent = _words_listed(self.language, "stop_words")
        return [word.plain for word in words if word.plain not in silent and len(word.plain) > 1]

    def say(self, name: str, **values: str) -> str:
        """Return a phrase."""
        return self.phrases[name].format(**values)


@cache
def vocabulary(language: str) -> LanguageVocabulary:
    """Return what is known of a language, one that `spoken` returned."""
    data = tomllib.loads((_FOLDER / f"{language}.toml").read_text(encoding="utf-8"))
    return LanguageVocabulary(
        language,
        {name: patterns(text) for name, text in data["goals"].items()},
        [Topic(name, patterns(entry["hear"]), entry["ask"]) for name, entry in data["topics"].items()],
        data["reading"],
        {fold(word): name for name, text in data["alike"].items() for word in text.split()},
        data["phrases"],
        data["examples"],
    )


@lru_cache(maxsize=2048)
def _goal(language: str, words: Sequence[Word]) -> tuple[str, int]:
    goals = vocabulary(language).goals
    by_goal = {name: likeness(among, words, 0 if name in _SET else _GAP) for name, among in goals.items()}
    if any(by_goal[name] for name in _CLEARER):
        # Whoever moves or cancels an appointment speaks of one as well.
        by_goal["book"] = 0
    if by_goal["message"] >= _TELLING:
        # What is to be told to somebody may sound like a question of its own.
        by_goal["ask"] = 0
    if by_goal["bye"]:
        by_goal["thanks"] = by_goal["hello"] = 0
    best = max(by_goal, key=lambda name: by_goal[name])
    return (best, by_goal[best]) if by_goal[best] else ("", 0)


@lru_cache(maxsize=2048)
def _topics_in(language: str, words: Sequence[Word]) -> Sequence[Topic]:
    by_topic = [(likeness(topic.hear, words), topic) for topic in vocabulary(language).topics]
    return [topic for much, topic in sorted(by_topic, key=lambda pair: -pair[0]) if much]


@lru_cache(maxsize=4096)
def _is_in(language: str, name: str, words: Sequence[Word]) -> bool:
    return likeness(_listed(language, name), words) > 0


@lru_cache(maxsize=4096)
def _groups(language: str, text: str) -> frozenset[str]:
    """Return the words of a text that tell something, each by the name of those that stand for it."""
    alike, groups = vocabulary(language).alike, list[str]()
    for word in re.findall(r"[\w']+", fold(text)):
        word = word.strip("'").removesuffix("'s")
        if word and (len(word) >= 3 or word in alike):
            groups.append(alike.get(word, word))
    return frozenset(groups) - _JOINING


@cache
def _listed(language: str, name: str) -> Sequence[Pattern]:
    return patterns(vocabulary(language).reading[name])


@cache
def _words_listed(language: str, name: str) -> frozenset[str]:
    return frozenset(re.split(r"[\s,]+", fold(vocabulary(language).reading[name]))) - {""}


@lru_cache(maxsize=64)
def services_of(services: Sequence[Service], language: str) -> "Services":
    """Return what is known of a business's services in a language; the same as long as they are the same."""
    return Services(services, vocabulary(language))


@lru_cache(maxsize=4096)
def _named(services: "Services", text: str) -> Sequence[str]:
    return services.found_in(text)


@lru_cache(maxsize=4096)
def _is_sure(services: "Services", text: str) -> bool:
    return services.calls_one(text)


class Services:
    """The services of a business."""

    def __init__(self, services: Sequence[Service], words: LanguageVocabulary) -> None:
        """Know them by their names, by words like those, and less surely by what is written of them."""
        self.all, self._words = services, words
        self.words = frozenset(word for service in services for word in re.findall(r"\w+", service.name))

    def named(self, text: str) -> Sequence[str]:
        """Return the names of the services that a text speaks of, the surest first."""
        return _named(self, text)

    def found_in(self, text: str) -> Sequence[str]:
        """Find them anew; see `named`."""
        groups = self._groups(text)
        joined = "".join(re.findall(r"\w+", fold(text)))
        scored: list[tuple[float, str]] = []
        for service in self.all:
            own = self._groups(service.name)
            much = sum(self._speaks(word, groups) for word in own) / (len(own) or 1)
            if "".join(re.findall(r"\w+", fold(service.name))) in joined:
                much = 1.5
            if len(own) > _MANY and much >= _MOST_OF_IT:
                much = max(much, 1.0)
            # "Kids' cut" says more than "Haircut" where both are spoken of.
            scored.append((much + 0.1 * len(own) if much >= 1 else much, service.name))
        whole = [(much, name) for much, name in scored if much >= 1]
        if whole:
            best = max(much for much, _ in whole)
            closest = [(much, name) for much, name in whole if much == best or not self._is_within(name, whole)]
            return [name for _, name in sorted(closest, key=lambda pair: -pair[0])]
        partly = [name for much, name in scored if much >= 0.5]
        return partly if len(partly) == 1 else self._described(groups)

    def is_sure(self, text: str) -> bool:
        """Tell whether a text calls a service by its own name."""
        return _is_sure(self, text)

    def calls_one(self, text: str) -> bool:
        """Find it out anew; see `is_sure`."""
        groups, joined = self._groups(text), "".join(re.findall(r"\w+", fold(text)))
        names = [(self._groups(s.name), "".join(re.findall(r"\w+", fold(s.name)))) for s in self.all]
        return any(name in joined or all(self._speaks(word, groups) for word in own) for own, name in names if own)

    def is_mere(self, text: str) -> bool:
        """Tell whether a text tells no more than the name of a service."""
        telling = frozenset(self._words.telling(self._words.words(text)))
        names = frozenset().union(*(self._groups(service.name) for service in self.all)) if self.all else frozenset()
        return bool(telling) and all(self._groups(word) <= names or self._speaks(word, names) for word in telling)

    def get(self, name: str) -> Service | None:
        """Return a service by its name."""
        return next((service for service in self.all if service.name == name), None)

    def _is_within(self, name: str, others: Sequence[tuple[float, str]]) -> bool:
        own = self._groups(name)
        return any(other != name and own < self._groups(other) for _, other in others)

    def _described(self, groups: frozenset[str]) -> list[str]:
        """Return the one service in whose description something telling is spoken of."""
        silent = frozenset(self._words.telling(self._words.words(" ".join(groups))))
        telling = [word for word in groups if len(word) >= _SERVICE_TOLD and word in silent]
        names = [s.name for s in self.all if any(self._speaks(word, self._groups(s.description)) for word in telling)]
        return names if len(names) == 1 else []

    def _groups(self, text: str) -> frozenset[str]:
        return _groups(self._words.language, text)

    def _speaks(self, word: str, groups: frozenset[str]) -> bool:
        if word in groups:
            return True
        stem = word[: max(_LEAST, len(word) - 2)]
        return len(word) >= _LEAST and any(
            other.startswith(stem) or (len(other) >= _SERVICE_TOLD and word.startswith(other)) for other in groups
        )


@lru_cache(maxsize=2048)
def phrase_asked(language: str, spoken: str) -> str:
    """Return the name of the phrase that something said ended with."""
    end = " ".join(spoken.split())
    for name, phrase, beginning_of in _asking(language):
        if (beginning_of and beginning_of in end[-260:]) if "{" in phrase else end.endswith(phrase):
            return name
    return ""


@cache
def _asking(language: str) -> Sequence[tuple[str, str, str]]:
    """Return the phrases that ask for something: the name of each, its text, and what of that is always the same."""
    return [
        (name, phrase, phrase.partition("{")[0].strip())
        for name, phrase in vocabulary(language).phrases.items()
        if name.startswith(("ask_", "offer_", "no_match"))
    ]
