"""Which service was booked: a sentence that names another kind of work, in whichever language, is held."""

from collections.abc import Iterable

from switchboard.contract.business.business import Business, Service
from switchboard.conversation.claims.facts import WITH_SOMEBODY, Evidence, words_of
from switchboard.conversation.claims.sentences import NOT_SO, TELLS, clauses_of
from switchboard.conversation.claims.statements.statement import SpokenStatement
from switchboard.conversation.claims.statements.trade_words import without_whom, work_in, work_of


def hold_wrong_service(statement: SpokenStatement) -> None:
    """Hold a sentence that tells of an appointment for other work than any that is known.

    Raises:
        Unfounded: It must not be said.
    """
    if statement.deeds.isdisjoint(WITH_SOMEBODY) or not work_in(statement.sentence):
        return
    parts = [part for part in clauses_of(statement.sentence) if TELLS.search(part) and not NOT_SO.search(part)]
    offered = work_of(statement.business.services)
    said = frozenset[int]().union(*map(work_in, map(without_whom, parts))) & offered
    if not said:
        return
    items = [item for item in statement.known() if item.moments and not item.deeds.isdisjoint(WITH_SOMEBODY)]
    each = [_booked(statement.business, item) for item in items]
    # What nobody has a word for may be called anything.
    if not each or not all(work_of(services) for services in each):
        return
    work = work_of(service for services in each for service in services) | _noted(items)
    if not said <= work:
        names = sorted({service.name for services in each for service in services})
        raise statement.refused(f"the service is {' and '.join(names)}.")


def _booked(business: Business, item: Evidence) -> list[Service]:
    """Return the services that stand in what was booked or found; not "Cut" where it is "Kids' cut"."""
    named = [service for service in business.services if words_of(service.name) <= item.words]
    longest = max((len(words_of(service.name)) for service in named), default=0)
    return [service for service in named if len(words_of(service.name)) == longest]


def _noted(items: Iterable[Evidence]) -> frozenset[int]:
    return work_in(" ".join(sorted(frozenset().union(*(item.noted for item in items)))))
