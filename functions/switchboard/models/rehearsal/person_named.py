"""Whom a caller has named: of the people they can be put through to, and of those who do what is booked."""

from collections.abc import Sequence

from switchboard.contract.business.business import Business
from switchboard.contract.business.people_names import is_title
from switchboard.models.rehearsal.vocabulary import LanguageVocabulary, Word, fold, words_of

# A name stands among so many words behind "with", and "not" among so many before it.
_NAMED_WITHIN, _NOT_WITHIN = 3, 2


def person_named(words: LanguageVocabulary, business: Business | None, said: Sequence[Word]) -> str:
    """Return the id of the one whom a caller has named by words of it or of its label that no other has; or empty."""
    rules = [rule for rule in business.escalation_rules if rule.action == "transfer"] if business is not None else []
    told = {
        rule.id.strip() or f"transfer-{n}": set(words.telling(words.words(f"{rule.label} {rule.id.replace('-', ' ')}")))
        for n, rule in enumerate(rules, 1)
    }
    heard = set(words.telling(said))
    own = {
        id: len(heard & names - {name for other, others in told.items() if other != id for name in others})
        for id, names in told.items()
    }
    most = max(own.values(), default=0)
    named = [id for id, count in own.items() if most and count == most]
    return named[0] if len(named) == 1 and len(told) > 1 else ""


def names_person(words: LanguageVocabulary, business: Business | None, said: Sequence[Word]) -> bool:
    """Tell whether a caller has named somebody to be put through to, or said that anybody will do."""
    is_anybody = any(words.is_only(name, said) for name in ("yes", "any_time"))
    return is_anybody or bool(person_named(words, business, said))


def person_wanted(words: LanguageVocabulary, business: Business | None, said: Sequence[Word]) -> str:
    """Return with which person of a business an appointment is to be, by name; empty where nobody was named.

    The name stands behind "with" or the like, perhaps with an article or title between them; whoever is not wanted, or
    shares what was said of their name with another, is not meant.
    """
    people = [person.name for person in business.people] if business is not None else []
    for at, word in enumerate(said):
        is_ruled_out = any(words.is_listed("not_with", before.plain) for before in said[max(0, at - _NOT_WITHIN) : at])
        if not words.is_listed("with", word.plain) or is_ruled_out:
            continue
        behind = {after.plain for after in said[at + 1 : at + 1 + _NAMED_WITHIN] if not is_title(after.plain)}
        told = {name: len(behind & {part.plain for part in words_of(fold(name))}) for name in people}
        most = max(told.values(), default=0)
        named = [name for name, count in told.items() if most and count == most]
        if len(named) == 1:
            return named[0]
    return ""
