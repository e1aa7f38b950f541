"""Which of the names in a sentence are held against whose name something stands under.

What stands under a caller's name may be for their child, or their dog: "for Biscuit" says whom they have named.
"""

from collections.abc import Collection, Sequence

from switchboard.contract.business.business import Business
from switchboard.contract.model import UserMessage
from switchboard.conversation.claims.facts import Evidence, words_of
from switchboard.conversation.claims.name_words import names_for
from switchboard.conversation.claims.people_words import CompanySaid
from switchboard.conversation.session import CallSession


def names_held(
    names: Collection[str],
    text: str,
    business: Business | None,
    company: CompanySaid,
    known: Sequence[Evidence],
    session: CallSession,
) -> tuple[str, ...]:
    """Return the names that have to stand in what was done: nobody's are those of the house.

    Args:
        names: Those that the text names.
        text: What is about to be said.
        business: Who says it.
        company: Whom of the business's people it names: who is only asked for is nobody.
        known: What was done and found.
        session: The conversation.
    """
    people = business.people if business else ()
    own = [words_of(business.name)] if business else []
    own += [words_of(one.name) for one in people if one.name not in (*company.beside, *company.others)]
    held = [name for name in names if not any(words_of(name) <= words for words in own)]
    if not held or names_for(text).isdisjoint(held):
        return tuple(held)
    customers = frozenset[str]().union(*(item.customers for item in known))
    heard = [words_of(one.text) for one in session.history.messages if isinstance(one, UserMessage)]
    named = frozenset[str]().union(*heard, *(item.noted for item in known))
    free = {name for name in names_for(text) if words_of(name) <= named}
    return tuple(name for name in held if name not in free or not words_of(name).isdisjoint(customers))
