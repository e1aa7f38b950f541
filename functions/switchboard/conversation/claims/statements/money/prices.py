"""What is said to be a price: that of the receipt, or of the list, or one that somebody has told.

Only what is surely wrong is held: one sum, of one thing, without a word that makes it another sum, such as a deposit's.
"""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from switchboard.contract.business.business import Business, Service
from switchboard.contract.model import ToolMessage, UserMessage
from switchboard.conversation.claims.facts import STANDING, texts_in
from switchboard.conversation.claims.number_words import (
    amounts_in,
    amounts_in_data,
    number_behind,
    plain_amount,
    sums_said,
)
from switchboard.conversation.claims.party_words import NUMBERS
from switchboard.conversation.claims.statements.money.price_ranges import (
    LIMITS,
    is_out_of_range,
    listed_range,
    sums_of,
    without_ranges,
)
from switchboard.conversation.claims.statements.services import services_meant
from switchboard.conversation.claims.statements.statement import LONGEST_STATEMENT, SpokenStatement, pieces_of
from switchboard.conversation.guard import HeldFact, HeldSubject
from switchboard.conversation.session import CallSession

TAX = re.compile(
    r"\b(?:plus|zzgl\.?|zuzüglich|más|before|ohne|hors|sin|più|mais|exclusief)\s+(?:sales\s+)?(?:tax(?:es)?|mwst\.?"
    r"|iva|tva|btw)\b",
    re.I,
)
# It is then perhaps another sum than the price, or not said for sure.
OTHER_SUM = re.compile(
    r"\b(?:deposits?|fees?|tips?|gratuity|total|altogether|each|half|off|discount\w*|more|less|from|starts?|starting"
    r"|up to|between|about|around|no-show|late|cancel\w*|gift|voucher|sav(?:e|es|ing)|per|extra|plus|additional"
    r"|member\w*"
    r"|students?|seniors?|kids?|child(?:ren)?|with tax|including|instead|not|if|would|was|used to|charge[ds]?|hold"
    r"|owe|due|paid|refund\w*|card|left|remaining|balance"
    r"|anzahlung|gebühr\w*|trinkgeld|insgesamt|zusammen|gesamt\w*|je|jeweils|pro|halb\w*|hälfte|rabatt\w*|mehr"
    r"|weniger|ab"
    r"|bis|zwischen|etwa|ungefähr|rund|storn\w*|ausfall\w*|gutschein\w*|aufpreis|zuzüglich|inklusive|statt|nicht"
    r"|kein\w*|wenn|falls|wäre\w*|würde\w*|hätte\w*|rest\w*|karte"
    r"|depósito|señal|propina|cada|mitad|descuento|más|menos|desde|hasta|entre|unos|recargo|persona|cancel\w*|no|si"
    r"|sería"
    r"|costaría|incluid\w*|tarjeta|resto"
    r"|acompte|frais|pourboire|chacun\w*|moitié|remise|réduction|moins|partir|jusqu'à|environ|supplément|personne"
    r"|annul\w*"
    r"|pas|serait|coûterait|carte|reste"
    r"|acconto|caparra|mancia|totale|ciascun\w*|metà|sconto|più|meno|circa|supplemento|sarebbe|costerebbe|non|tessera"
    r"|sinal|gorjeta|metade|desconto|mais|cerca|seria|custaria|não|cartão|pessoa"
    r"|aanbetaling|fooi|totaal|helft|korting|meer|minder|vanaf|tussen|ongeveer|zou|niet|geen|pp)\b|n't\b",
    re.I,
)
_ITS_PRICE = re.compile(
    r"\b(?:that(?:'s| is|'ll be| will be| comes to)|it(?:'s| is|'ll be| will be| costs| comes to)|the price is"
    r"|das (?:macht|kostet|sind|ist)|es kostet|der preis ist|son|es|cuesta|sale|el precio es|ça fait"
    r"|cela (?:fait|coûte)|c'est|ça coûte|le prix est|sono|costa|fanno|viene|il prezzo è|são|custa|o preço é|fica"
    r"|dat (?:is|kost|wordt)|het kost)\s+(?:(?:just|only|then|dann|nur|de|em|a)\s+)?(?:[$€£]\s?\d|\w+)",
    re.I,
)
# What only prices are told with, so that a number behind it needs no currency.
_COSTS = re.compile(
    r"\b(?:costs?|kostet|kosten|cuestan?|(?:le )?salen? (?:en|a|por)|coûte(?:nt)?|revient à|reviennent à|costa|costano"
    r"|viene(?= \w+ (?:euro|dollar))|custam?|comptez|sai por|fica em|kost)\s+(?:(?:just|only|nur|solo|sólo|seulement"
    r"|apenas"
    r"|maar|slechts|a|en|em|por)\s+)?",
    re.I,
)
_LIST_PRICE = re.compile(
    r"\b(?:is|are|costs?|comes? to|runs?|kostet|kosten|cuestan?|valen?|coûtent|coûte|(?:est|sont) à|macht|son|es"
    r"|salen? (?:en|a|por)|están? en|revient à|reviennent à|comptez|costa|costano|viene|vengono|sono|è|custam?|fica"
    r"|ficam|são|é|kost|zijn)\s+(?:just |only |nur |a |em )?(?:[$€£]\s?\d|\w+)",
    re.I,
)
# As a list is written: "Haircut: $40", "Haircut (40 EUR)".
_BESIDE_NAME = re.compile(
    r"\w\s?[:(\u2013\u2014-]\s?(?:[$€£]\s?\d|\d[\d.,]{0,9}\s?(?:[$€£]|eur\b|euros?\b|dollars?\b))", re.I
)
_HOW_MUCH = re.compile(
    r"\b(?:how much|what do(?:es)?\b[^?]{0,80}\bcost|prices?|rates?|kostet|kosten|preise?|cuánto|cuesta|precios?"
    r"|combien|coûte|prix|tarifs?|quanto|costa|prezz[io]|custa|preços?|hoeveel|kost|prijs|prijzen)\b",
    re.I,
)
# "From $48" and "$48+" say no one price.
_ONE_PRICE = re.compile(r"[^\w+-]*\d[\d.,]{0,10}[^\w+-]*(?:[^\W\d_]{2,8}[^\w+-]*)?|[A-Za-z]{3}\s?\d[\d.,]{0,10}")
_LEAST = re.compile(r"^\W*(?:from|ab|desde|à partir de|a partire da|da|a partir de|vanaf)\s|\+\s*$", re.I)
# A list may name no currency; hours, dates and ids are no sums.
_ALONE = re.compile(r"(?<![\w:.,/-])\d{1,5}(?:[.,]\d{1,2})?(?![\w:/-]|[.,]\d)")
_SUMS = re.compile(r"\d{1,7}(?:[.,]\d{1,3})*")
_WORDS = re.compile(r"[^\W\d_]+")
# What a number counts that is no money; "amountDue" and "total" are.
_KEY_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+")
_NO_MONEY_SAID = """
id ids minutes minute mins min hours hour days day weeks week months month years year seconds second size count
quantity qty number position page limit offset index version age capacity seats guests people persons lat lng lon
latitude longitude distance miles km duration length zip phone turn attempts retries left available places
"""
_NO_MONEY = frozenset(_NO_MONEY_SAID.split())
_IN_CENTS = frozenset({"cents", "minor"})
_CENTS = 100
_MOST_TOGETHER = 12
# So long is an answer that is a sum and little else.
_FEW_WORDS = 4


class _Priced(NamedTuple):
    service: str
    amounts: frozenset[str]
    price: str
    is_of_now: bool


def hold_wrong_price(statement: SpokenStatement) -> None:
    """Hold a sentence that says another price than the receipt, or the list, or a sum that nobody has told.

    Raises:
        Unfounded: It must not be said.
    """
    business, session, sentence = statement.business, statement.session, statement.sentence
    limits = _range_meant(statement)
    if limits is not None and is_out_of_range(sentence, limits[0], _told_singly(business, session)):
        raise statement.refused(
            f"the price is {limits[1]}, and nobody has told one sum of it.", _fact(statement, limits[1])
        )
    amount = _one_sum(sentence)
    if not amount:
        return
    is_booked = not STANDING.isdisjoint(statement.deeds)
    right = _booked_price(business, session, sentence, amount, is_booked=is_booked)
    right = right or _list_price(business, session, sentence, amount)
    if right:
        raise statement.refused(f"the price is {right}.", _fact(statement, right))
    if _COSTS.search(sentence) is None or services_meant(business, sentence) or not session.history.messages:
        return
    known = (*listed_amounts(business), *_amounts_told(session), *sums_named(statement.told()))
    if not _is_made_of(amount, known):
        why = "no result and no list says that price. Look it up, or say that you do not know."
        raise statement.refused(why, HeldFact(HeldSubject.PRICE))


def _fact(statement: SpokenStatement, price: str) -> HeldFact:
    """Return what costs that, where it is the one service that the sentence names or that was booked."""
    meant = {*services_meant(statement.business, statement.sentence)} or {
        one.service for one in _booked(statement.session)
    }
    names = [
        service.name for service in statement.business.services if service.name in meant and service.price == price
    ]
    return (
        HeldFact(HeldSubject.PRICE, service=names[0], price=price) if len(names) == 1 else HeldFact(HeldSubject.PRICE)
    )


def _range_meant(statement: SpokenStatement) -> tuple[tuple[float, float], str] | None:
    """Return from which sum to which the one thing costs that a sentence prices, and how the list words it."""
    business, sentence = statement.business, statement.sentence
    if not sums_of(sentence) or OTHER_SUM.search(LIMITS.sub(" ", TAX.sub("", sentence))) is not None:
        return None
    meant = services_meant(business, sentence)
    is_priced = _LIST_PRICE.search(sentence) is not None or _ITS_PRICE.search(sentence) is not None
    prices = [service.price for service in business.services if service.name in meant]
    if not meant:
        booked = _booked(statement.session)
        is_booked = not STANDING.isdisjoint(statement.deeds) or is_priced
        prices = [one.price for one in booked] if is_booked else []
    elif not is_priced and _COSTS.search(sentence) is None:
        return None
    limits = listed_range(prices[0]) if len(prices) == 1 else None
    return (limits, prices[0]) if limits is not None else None


def sums_told_elsewhere(business: Business, session: CallSession) -> frozenset[str]:
    """Return the sums that callers, results, and the business outside of its list of prices have named."""
    return _amounts_told(session).union(*map(amounts_in, _beside_prices(business)))


def _told_singly(business: Business, session: CallSession) -> frozenset[str]:
    """Return the same without what was only told as one end of a range."""
    told = sums_named(map(without_ranges, _pieces_told(session))) | sums_in_results(session)
    return told.union(*(amounts_in(without_ranges(piece)) for piece in _beside_prices(business)))


def _beside_prices(business: Business) -> list[str]:
    services = tuple(replace(service, price="") for service in business.services)
    return pieces_of(repr(replace(business, services=services)))


def _one_sum(sentence: str) -> str:
    """Return the one sum that a sentence names as a price, where nothing in it makes it another; empty elsewhere."""
    if len(sentence) > LONGEST_STATEMENT or sentence.endswith("?"):
        return ""
    plain = TAX.sub("", sentence)
    said = sums_said(plain)
    amounts = amounts_in(plain) | {str(one) for one in said if one is not None}
    if not amounts and not said:
        match = _COSTS.search(plain)
        number = number_behind(plain, match.end()) if match is not None else None
        amounts = frozenset({str(number)}) if number is not None else frozenset()
    if len(amounts) != 1 or None in said or OTHER_SUM.search(plain) is not None:
        return ""
    return next(iter(amounts))


def _booked_price(business: Business, session: CallSession, sentence: str, amount: str, *, is_booked: bool) -> str:
    """Return the price of the one thing that was booked, where a sentence gives it another."""
    booked = _booked(session)
    if len(booked) != 1:
        return ""
    one = booked[0]
    is_of_it = is_booked or (one.is_of_now and _ITS_PRICE.search(sentence) is not None)
    others = [name for name in services_meant(business, sentence) if name.casefold() != one.service.casefold()]
    if not is_of_it or others or len(one.amounts) != 1 or amount in one.amounts:
        return ""
    # "That's $30" may answer what else was looked up, or asked.
    is_elsewhere = not is_booked and amount in _amounts_told(session)
    return "" if is_elsewhere else one.price


def _booked(session: CallSession) -> list[_Priced]:
    found = list[_Priced]()
    for receipt in session.standing:
        data = session.tool_context.get(receipt.tool)
        price = data.get("price") if isinstance(data, Mapping) else None
        size = receipt.words.get("partySize")
        if isinstance(price, str) and isinstance(data, Mapping) and not (isinstance(size, int) and size > 1):
            is_now = receipt.turn == session.facts.turn
            found.append(_Priced(str(data.get("service") or ""), amounts_of(price), price, is_now))
    return found


def _list_price(business: Business, session: CallSession, sentence: str, amount: str) -> str:
    """Return the price of the one service that a sentence names, where it gives it one that stands nowhere."""
    if _LIST_PRICE.search(sentence) is None:
        return ""
    price = _listed_otherwise(business, services_meant(business, sentence), amount, sentence)
    # What stands elsewhere in the business's own words may be the price for some; another service's is not.
    return price if price and amount not in sums_told_elsewhere(business, session) else ""


def written_otherwise(business: Business, sentence: str, question: str = "") -> str:
    """Return the listed price of the one service to which a written sentence gives another, empty where it gives none.

    Args:
        business: Whose list it is.
        sentence: At most `LONGEST_STATEMENT` characters.
        question: What it answers, where it names nothing itself.
    """
    amount, meant = _one_sum(sentence), services_meant(business, sentence)
    is_asked = not meant and len(question) <= LONGEST_STATEMENT and _HOW_MUCH.search(question) is not None
    if is_asked and (_ITS_PRICE.search(sentence) is not None or len(sentence.split()) <= _FEW_WORDS):
        meant = services_meant(business, question)
    elif _LIST_PRICE.search(sentence) is None and _BESIDE_NAME.search(sentence) is None:
        return ""
    if not amount:
        return ""
    price = _listed_otherwise(business, meant, amount, sentence)
    beside = frozenset[str]().union(*map(amounts_in, _beside_prices(business)))
    return price if price and amount not in beside else ""


def _listed_otherwise(business: Business, meant: Collection[str], amount: str, sentence: str) -> str:
    listed = [service for service in business.services if service.name in meant and service.price]
    is_one = len(meant) == 1 == len(listed)
    return listed[0].price if is_one and _is_wrong_for(listed[0], amount, sentence) else ""


def listed_amounts(business: Business) -> frozenset[str]:
    """Return the sums that stand in a business's list of prices."""
    return frozenset().union(*(amounts_in_data(service.price) for service in business.services))


def _is_wrong_for(service: Service, amount: str, sentence: str) -> bool:
    """Tell whether a service, or so many, costs another sum; where its price begins somewhere, not so much."""
    prices = amounts_of(service.price)
    if len(prices) == 1:
        counts = {1, *(NUMBERS[word] for word in map(str.casefold, _WORDS.findall(sentence)) if word in NUMBERS)}
        return not any(float(amount) == float(one) * count for one in prices for count in counts)
    least = least_of(service.price)
    return least is not None and float(amount) < least


def least_of(price: str) -> float | None:
    """Return where a price on a list begins, "from $135"; None for any other price."""
    least = _SUMS.findall(price) if _LEAST.search(price) is not None else []
    return float(plain_amount(least[0])) if len(least) == 1 else None


def _is_made_of(amount: str, known: Iterable[str]) -> bool:
    """Tell whether a sum is one that is known, or so many of it."""
    return any(float(amount) in [float(one) * count for count in range(1, _MOST_TOGETHER + 1)] for one in set(known))


def amounts_of(price: str) -> frozenset[str]:
    """Return the one sum of a price on a list; none where it may be several."""
    return amounts_in_data(price) if _ONE_PRICE.fullmatch(price.strip()) else frozenset()


def _amounts_told(session: CallSession) -> frozenset[str]:
    """Return every sum that callers and results of this conversation have named."""
    return sums_named(_pieces_told(session)) | sums_in_results(session)


def _pieces_told(session: CallSession) -> list[str]:
    texts = list[str]()
    for message in session.history.messages:
        if isinstance(message, UserMessage):
            texts.append(message.text)
        elif isinstance(message, ToolMessage):
            failure = message.response.failure
            texts += [*texts_in(message.response.data), failure.message if failure is not None else ""]
    return [piece for text in texts for piece in pieces_of(text)]


def sums_named(pieces: Iterable[str]) -> frozenset[str]:
    """Return every sum that texts name, in digits with or without a currency, or in words with one."""
    found = frozenset[str]()
    for piece in pieces:
        said = (str(one) for one in sums_said(piece) if one is not None)
        found |= amounts_in_data(piece) | frozenset(said) | frozenset(map(plain_amount, _ALONE.findall(piece)))
    return found


def sums_in_results(session: CallSession) -> frozenset[str]:
    """Return the numbers in what calls came to that may be sums of money, as `plain_amount` writes them."""
    responses = (message.response for message in session.history.messages if isinstance(message, ToolMessage))
    return frozenset(one for response in responses for one in _sums_in(response.data))


def _sums_in(data: Any) -> Iterator[str]:
    rows: list[tuple[str, Any]] = [("", data)]
    while rows:
        key, value = rows.pop()
        if isinstance(value, Mapping):
            rows += [(str(name), inner) for name, inner in value.items()]
        elif isinstance(value, Sequence) and not isinstance(value, str):
            rows += [(key, inner) for inner in value]
        elif isinstance(value, int | float) and not isinstance(value, bool):
            words = frozenset(map(str.lower, _KEY_WORD.findall(key)))
            if words.isdisjoint(_NO_MONEY):
                yield plain_amount(f"{value / _CENTS if words & _IN_CENTS else value:.2f}")
