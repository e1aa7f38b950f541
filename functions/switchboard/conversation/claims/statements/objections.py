"""What of a sentence is not so, where the time that it tells is: whose name, with whom, or which service."""

from collections.abc import Iterator, Sequence
from datetime import datetime

from switchboard.contract.business.business import Business
from switchboard.conversation.claims.entities import readings
from switchboard.conversation.claims.facts import Evidence, services_named, words_of
from switchboard.conversation.claims.people_words import people_said
from switchboard.conversation.claims.statements.names_held import names_held
from switchboard.conversation.session import CallSession


def objection(
    business: Business | None, session: CallSession, sentence: str, alike: Sequence[Evidence], now: datetime
) -> str:
    """Return what a sentence says wrongly of what was done, for the model; empty where that is when, or not known.

    Args:
        business: Whose people and services may be named.
        session: The conversation.
        sentence: What was about to be said, in plain marks.
        alike: What was done of its kind.
        now: Local.
    """
    said = readings(sentence, now)
    then = [item for item in alike if any(one.agree_with(moment) for one in said for moment in item.moments)]
    each = [list(_wrong_in(business, session, sentence, item, alike, now)) for item in then]
    if not each or not all(each):
        return ""
    return f"what was done is not {' and not '.join(each[0])}"


def _wrong_in(
    business: Business | None,
    session: CallSession,
    sentence: str,
    item: Evidence,
    alike: Sequence[Evidence],
    now: datetime,
) -> Iterator[str]:
    company = people_said(business, sentence)
    named = (name for one in readings(sentence, now) for name in one.names)
    for name in names_held(tuple(dict.fromkeys(named)), sentence, business, company, alike, session):
        if not words_of(name) <= item.words:
            yield f"for {name}, nor under that name"
    for name in (*company.beside, *company.strangers):
        if not words_of(name) <= item.people:
            yield f"with {name}"
    for service in services_named(business, sentence):
        if not words_of(service) <= item.words:
            yield f"a {service}"
