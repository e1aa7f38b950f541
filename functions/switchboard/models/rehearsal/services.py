"""What a business offers, recognised in what people call it."""

import re
from collections.abc import Sequence

from switchboard.contract.business.business import Service
from switchboard.models.rehearsal.vocabulary import LanguageVocabulary, fold

_LEAST, _TELLING = 4, 5
# Of a long name most is said for all of it: "a blow dry" for "Wash and blow-dry".
_MANY, _MOST_OF_IT = 2, 0.6


class Services:
    """The services of a business."""

    def __init__(self, services: Sequence[Service], words: LanguageVocabulary) -> None:
        """Know them by their names, by words like those, and less surely by what is written of them."""
        self.all, self._words = services, words
        self.words = frozenset(word for service in services for word in re.findall(r"\w+", service.name))

    def named(self, text: str) -> list[str]:
        """Return the names of the services that a text speaks of, the surest first."""
        said = self._groups(text)
        joined = "".join(re.findall(r"\w+", fold(text)))
        found: list[tuple[float, str]] = []
        for service in self.all:
            own = self._groups(service.name)
            much = sum(self._speaks(word, said) for word in own) / (len(own) or 1)
            if "".join(re.findall(r"\w+", fold(service.name))) in joined:
                much = 1.5
            if len(own) > _MANY and much >= _MOST_OF_IT:
                much = max(much, 1.0)
            # "Kids' cut" says more than "Haircut" where both are spoken of.
            found.append((much + 0.1 * len(own) if much >= 1 else much, service.name))
        whole = [(much, name) for much, name in found if much >= 1]
        if whole:
            best = max(much for much, _ in whole)
            kept = [(much, name) for much, name in whole if much == best or not self._is_within(name, whole)]
            return [name for _, name in sorted(kept, key=lambda pair: -pair[0])]
        partly = [name for much, name in found if much >= 0.5]
        return partly if len(partly) == 1 else self._described(said)

    def is_sure(self, text: str) -> bool:
        """Tell whether a text calls a service by its own name."""
        said, joined = self._groups(text), "".join(re.findall(r"\w+", fold(text)))
        names = [(self._groups(s.name), "".join(re.findall(r"\w+", fold(s.name)))) for s in self.all]
        return any(name in joined or all(self._speaks(word, said) for word in own) for own, name in names if own)

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

    def _described(self, said: frozenset[str]) -> list[str]:
        """Return the one service in whose description something telling is spoken of."""
        silent = frozenset(self._words.telling(self._words.words(" ".join(said))))
        telling = [word for word in said if len(word) >= _TELLING and word in silent]
        found = [s.name for s in self.all if any(self._speaks(word, self._groups(s.description)) for word in telling)]
        return found if len(found) == 1 else []

    def _groups(self, text: str) -> frozenset[str]:
        found = []
        for word in re.findall(r"[\w']+", fold(text)):
            word = word.strip("'").removesuffix("'s")
            if word and (len(word) >= 3 or word in self._words.alike):
                found.append(self._words.alike.get(word, word))
        silent = frozenset({"and", "und", "the", "der", "die", "das", "for"})
        return frozenset(found) - silent

    def _speaks(self, word: str, said: frozenset[str]) -> bool:
        if word in said:
            return True
        stem = word[: max(_LEAST, len(word) - 2)]
        return len(word) >= _LEAST and any(
            other.startswith(stem) or (len(other) >= _TELLING and word.startswith(other)) for other in said
        )
