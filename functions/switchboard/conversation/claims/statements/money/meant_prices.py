"""What the one thing costs of which a conversation speaks: "it's $40" is told of what was looked up, or booked.

Held is a sum that neither the list gives to that, or to what the sentence or the caller names beside it, nor anybody
has told; a total that what was booked does not come to; and the price of one caller told of another.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import combinations, combinations_with_replacement
from typing import NamedTuple

from switchboard.contract.business.business import Service
from switchboard.contract.model import ToolMessage, UserMessage
from switchboard.conversation.claims.facts import words_of
from switchboard.conversation.claims.number_words import amounts_in, sums_said
from switchboard.conversation.claims.party_words import NUMBERS
from switchboard.conversation.claims.sentences import clauses_of
from switchboard.conversation.claims.statements.money.prices import (
    OTHER_SUM,
    TAX,
    amounts_of,
    least_of,
    sums_told_elsewhere,
)
from switchboard.conversation.claims.statements.services import services_perhaps
from switchboard.conversation.claims.statements.statement import SpokenStatement
from switchboard.conversation.guard import HeldFact, HeldSubject

# How a price is told that is not yet paid, and how the sum of several is.
_WOULD = re.compile(r"\b(?:would|wären?|würden?|serían?|serait|sarebbe|seria|zou)\b|(?<=\w)'d\b", re.I)
_TOTAL = re.compile(
    r"\b(?:in total|total|altogether|in all|all together|together|for (?:both|the two|all(?: of)?)|comes? to"
    r"|insgesamt|zusammen|gesamt|für (?:beide|alle|die beiden)|en total|en conjunto|por (?:los|las) (?:dos|tres)"
    r"|(?:los|las) dos juntos?|juntos|au total|en tout|ensemble|pour les deux|in tutto|per (?:tutti|entrambi)"
    r"|ao todo|para os dois|in totaal|samen)\b",
    re.I,
)
_YOURS = re.compile(
    r"\b(?:you|yours|your|ihre?r?|ihnen|sie|usted|suy[oa]|su|vous|le vôtre|la vôtre|votre|lei|suo|seu|u|uw)\b", re.I
)
_WITH = re.compile(r"\b(?:with|mit|con|avec|com|met) (?:an? |eine?[mnr]? |una? |une? |uma? |een )", re.I)
_WORDS = re.compile(r"[^\W\d_]+")
_AND = re.compile(r",?\s(?:and|und|y|et|e|en)\s|,\s|;\s", re.I)
_MOST_TOGETHER, _MOST_PARTS = 6, 5


class _Booked(NamedTuple):
    service: Service
    customer: str
    amounts: frozenset[str]


def hold_price_of_another(statement: SpokenStatement) -> None:
    """Hold a sum that is told of what was looked up, or booked, and is the price of something else or of nothing.

    Raises:
        Unfounded: It must not be said.
    """
    sentence = _WOULD.sub(" ", TAX.sub("", statement.sentence))
    sums = amounts_in(sentence) | {str(one) for one in sums_said(sentence) if one is not None}
    if not sums or None in sums_said(sentence):
        return
    _hold_price_of_each(statement)
    rest, is_total = _TOTAL.sub(" ", sentence), _TOTAL.search(sentence) is not None or _is_of_several(statement)
    if OTHER_SUM.search(rest) is not None:
        return
    meant = _meant(statement)
    if not meant:
        return
    known = _known_sums(statement, meant, is_total=is_total)
    if known is None or sums <= known | sums_told_elsewhere(statement.business, statement.session):
        return
    one = meant[0] if len(meant) == 1 else None
    fact = HeldFact(HeldSubject.PRICE, service=one.name, price=one.price) if one else HeldFact(HeldSubject.PRICE)
    told = "; ".join(f"{service.name}: {service.price}" for service in meant)
    raise statement.refused(f"what it costs is: {told}.", fact)


def _meant(statement: SpokenStatement) -> list[Service]:
    """Return the services of which a sentence may tell, each with a price; none where it is not known of which."""
    names = services_perhaps(statement.business, statement.sentence)
    told = {one.service.name: one.service for one in _booked(statement)}
    priced = [told.get(one.name, one) for one in statement.business.services if one.name in names and one.price]
    return priced if names else _spoken_of(statement)


def _spoken_of(statement: SpokenStatement) -> list[Service]:
    """Return what was booked, or looked up last, and what the caller has named last beside it, if it has a price."""
    business = statement.business
    names = {one.service.name for one in _booked(statement)}
    heard, looked = "", ""
    for message in statement.session.history.messages:
        data = message.response.data if isinstance(message, ToolMessage) else None
        if isinstance(data, Mapping) and isinstance(data.get("service"), str):
            looked = data["service"]
        heard = message.text if isinstance(message, UserMessage) else heard
    names |= {looked, *services_perhaps(business, heard)} if names or looked else set()
    told = {one.service.name: one.service for one in _booked(statement)}
    return [told.get(one.name, one) for one in business.services if one.name in names and one.price]


def _booked(statement: SpokenStatement) -> list[_Booked]:
    """Return what was booked, or moved, in this conversation and has a price: for one of those who come."""
    services = {service.name.casefold(): service for service in statement.business.services if service.price}
    found = list[_Booked]()
    for receipt in statement.session.standing:
        service = services.get(str(receipt.words.get("what") or "").split(": ")[-1].casefold())
        data = statement.session.tool_context.get(receipt.tool)
        if service is not None and isinstance(data, Mapping) and data.get("service") == service.name:
            # What the result says is newer than the list.
            service = replace(service, price=str(data.get("price") or service.price))
        size = receipt.words.get("partySize")
        if service is not None and not (isinstance(size, int) and size > 1):
            found.append(_Booked(service, str(receipt.words.get("for") or ""), amounts_of(service.price)))
    return found


def _known_sums(statement: SpokenStatement, meant: Sequence[Service], *, is_total: bool) -> frozenset[str] | None:
    """Return what these may cost, one or several of them; None where no one sum is known."""
    prices = [amounts_of(service.price) for service in meant]
    if not all(len(amounts) == 1 for amounts in prices):
        leasts = [least_of(service.price) for service in meant]
        sums = amounts_in(statement.sentence) | {str(one) for one in sums_said(statement.sentence) if one is not None}
        # Of "from $135" nobody knows more than that it is no less.
        if len(meant) == 1 and leasts[0] is not None and all(float(one) < leasts[0] for one in sums):
            return frozenset()
        return None
    each = [float(next(iter(amounts))) for amounts in prices]
    there = _booked(statement)
    booked = [float(next(iter(one.amounts))) for one in there if len(one.amounts) == 1]
    if is_total and len(booked) > 1 and {service.name for service in meant} <= {one.service.name for one in there}:
        return _written(map(sum, _some_of(booked)))
    if _WITH.search(statement.sentence) is not None:
        # "With a beard trim it would be $70": beside what is spoken of anyhow.
        beside = (next(iter(amounts_of(one.price)), "0") for one in _spoken_of(statement))
        each += map(float, beside)
        is_total = True
    most = _MOST_TOGETHER if is_total or _counts_in(statement.sentence) else 1
    return _written(
        sum(some) for count in range(1, most + 1) for some in combinations_with_replacement(each[:_MOST_PARTS], count)
    )


def _some_of(prices: Sequence[float]) -> Iterable[tuple[float, ...]]:
    return (some for count in range(1, len(prices) + 1) for some in combinations(prices[:_MOST_TOGETHER], count))


def _written(sums: Iterable[float]) -> frozenset[str]:
    return frozenset(f"{one:.2f}".removesuffix(".00") for one in sums)


def _counts_in(sentence: str) -> bool:
    return any(NUMBERS.get(word.casefold(), 0) > 1 for word in _WORDS.findall(sentence))


def _hold_price_of_each(statement: SpokenStatement) -> None:
    """Hold that the appointment of one of several costs what another's does."""
    booked = [one for one in _booked(statement) if len(one.amounts) == 1 and one.customer]
    if len(booked) < 2:
        return
    parts = [part for clause in clauses_of(statement.sentence) for part in _AND.split(clause)]
    named = {one.customer for one in booked if any(_names(part, one.customer) for part in parts)}
    if _is_of_several(statement):
        return
    for part in parts:
        sums = amounts_in(part) | {str(one) for one in sums_said(part) if one is not None}
        of_part = [one for one in booked if _names(part, one.customer)]
        if not of_part and named and _YOURS.search(part) is not None:
            of_part = [one for one in booked if one.customer not in named]
        if len(sums) == len(of_part) == 1 and OTHER_SUM.search(part) is None and not sums <= of_part[0].amounts:
            one = of_part[0]
            raise statement.refused(f"the price of {one.customer}'s {one.service.name} is {one.service.price}.")


def _is_of_several(statement: SpokenStatement) -> bool:
    """Tell whether one sum is told of several for whom something was booked: "that's $56 for Mia and Leo"."""
    sentence, customers = statement.sentence, {one.customer for one in _booked(statement)}
    named = [one for one in customers if one and _names(sentence, one)]
    priced = [part for part in _AND.split(sentence) if amounts_in(part) or sums_said(part)]
    of_caller = len(named) < len(customers) and _YOURS.search(sentence) is not None
    return len(priced) == 1 and len(named) + of_caller > 1


def _names(part: str, customer: str) -> bool:
    """Tell whether a part of a sentence names a customer by the first of their names."""
    words = {word.removesuffix("s") for word in words_of(part)} | words_of(part)
    return customer.split()[0].casefold() in words
