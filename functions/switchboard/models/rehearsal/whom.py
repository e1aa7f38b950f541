"""With whom an appointment is to be: whoever was asked for, also where they are not there any more by now."""

import json
from collections.abc import Sequence

from switchboard.contract.business.business import Business
from switchboard.contract.document import mapping, text
from switchboard.contract.model import Spoken
from switchboard.models.rehearsal.person_named import person_wanted
from switchboard.models.rehearsal.vocabulary import LanguageVocabulary, Word, fold, vocabulary, words_of

_SAID = "with_whom"


class Whom:
    """The person that a caller has asked for; what was said and called for them since tells who that was."""

    __slots__ = ("is_told", "name")

    def __init__(self) -> None:
        """Leave it open."""
        self.name, self.is_told = "", False

    def clear(self) -> None:
        """Leave it open again."""
        self.name, self.is_told = "", False

    def hear(
        self, words: LanguageVocabulary, business: Business | None, said: Sequence[Word], *, is_asked: bool
    ) -> None:
        """Take whom a caller names; one who was asked for it may name them alone, or leave it open."""
        name = person_wanted(words, business, said)
        if is_asked and not name:
            name = _named_alone(business, said)
            if not name and any(words.is_only(one, said) for one in ("yes", "any_person", "any_time")):
                self.clear()
        if name:
            self.is_told = self.is_told and name == self.name
            self.name = name

    def told(self, words: LanguageVocabulary, message: Spoken) -> None:
        """Take whom the caller was told that it would be with, or for whom something was looked up or booked."""
        names = [_told_in(message.text, words.language)]
        for call in message.calls:
            names.append(text(_arguments(call.arguments).get("with_person")))
        for name in filter(None, names):
            self.name, self.is_told = name, True

    def is_gone(self, business: Business | None) -> bool:
        """Tell whether somebody was asked for who is not among the people of the business now."""
        return bool(self.name) and self.name not in _names(business)


def _names(business: Business | None) -> list[str]:
    return [person.name for person in business.people] if business is not None else []


def _named_alone(business: Business | None, said: Sequence[Word]) -> str:
    heard = {word.plain for word in said}
    named = [name for name in _names(business) if heard & {part.plain for part in words_of(fold(name))}]
    return named[0] if len(named) == 1 else ""


def _arguments(arguments: object) -> dict[str, object]:
    if isinstance(arguments, str):
        try:
            arguments = json.loads(arguments)
        except ValueError:
            return {}
    return dict(mapping(arguments))


def _told_in(text_said: str, language: str) -> str:
    """Return the person that the sentence about it names; empty where it was not said."""
    before, _, after = vocabulary(language).phrases[_SAID].partition("{person}")
    _, is_said, rest = text_said.partition(before)
    return rest.partition(after)[0] if is_said else ""
