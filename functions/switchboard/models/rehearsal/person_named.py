"""Which of the people that a caller can be put through to they have named."""

from collections.abc import Sequence

from switchboard.contract.business.business import Business
from switchboard.models.rehearsal.vocabulary import LanguageVocabulary, Word


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
