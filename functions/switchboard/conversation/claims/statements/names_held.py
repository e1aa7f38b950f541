"""Which of the names in a sentence are held against whose name something stands under.

What stands under a caller's name may be for their child, or their dog: "for Biscuit" says whom they have named.
"""

from collections.abc import Collection, Sequence

from switchboard.conversation.claims.facts import Evidence, words_of
from switchboard.conversation.claims.name_words import names_for
from switchboard.conversation.claims.people_words import CompanySaid
from switchboard.conversation.claims.statements.statement import SpokenStatement


def names_held(
    statement: SpokenStatement, names: Collection[str], company: CompanySaid, known: Sequence[Evidence]
) -> tuple[str, ...]:
    """Return the names that have to stand in what was done: nobody's are those of the house.

    Args:
        statement: What is about to be said, or a part of it.
        names: Those that it names.
        company: Whom of the business's people it names: who is only asked for is nobody.
        known: What was done and found.
    """
    business, text = statement.business, statement.sentence
    own = [words_of(business.name)]
    own += [words_of(one.name) for one in business.people if one.name not in (*company.beside, *company.others)]
    held = [name for name in names if not any(words_of(name) <= words for words in own)]
    if not held or names_for(text).isdisjoint(held):
        return tuple(held)
    customers = frozenset[str]().union(*(item.customers for item in known))
    named = frozenset[str]().union(*map(words_of, statement.heard()), *(item.noted for item in known))
    free = {name for name in names_for(text) if words_of(name) <= named}
    return tuple(name for name in held if name not in free or not words_of(name).isdisjoint(customers))
