"""What is said to be the price of what was just booked, or of a service on the list: it is that of the receipt or list.

Only what is surely wrong is held: one sum, of one thing, without a word that makes it another sum, such as a deposit's.
"""

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import NamedTuple

from switchboard.contract.business.business import Business
from switchboard.contract.model import ToolMessage, UserMessage
from switchboard.conversation.claims.entities import amounts_in, amounts_in_data
from switchboard.conversation.claims.facts import services_named, texts_in
from switchboard.conversation.claims.number_words import sums_said
from switchboard.conversation.guard import Unfounded
from switchboard.conversation.session import CallSession

_LONGEST = 300
_PIECE, _OVERLAP = 1_400, 100
_TAX = re.compile(
    r"\b(?:plus|zzgl\.?|zuzüglich|más|before|ohne|hors|sin)\s+(?:sales\s+)?(?:tax(?:es)?|mwst\.?|iva|tva)\b", re.I
)
# It is then perhaps another sum than the price, or not said for sure.
_OTHER_SUM = re.compile(
    r"\b(?:deposits?|fees?|tips?|gratuity|total|altogether|each|half|off|discount\w*|more|less|from|starts?|starting"
    r"|up to|between|about|around|no-show|late|cancel\w*|gift|voucher|sav(?:e|es|ing)|per|extra|plus|additional"
    r"|member\w*"
    r"|students?|seniors?|kids?|child(?:ren)?|with tax|including|instead|not|if|would|was|used to|charge[ds]?|hold"
    r"|owe|due|paid|refund\w*|card|left|remaining|balance"
    r"|anzahlung|gebühr\w*|trinkgeld|insgesamt|zusammen|gesamt\w*|je|jeweils|pro|halb\w*|hälfte|rabatt\w*|mehr|weniger|ab"
    r"|bis|zwischen|etwa|ungefähr|rund|storn\w*|ausfall\w*|gutschein\w*|aufpreis|zuzüglich|inklusive|statt|nicht"
    r"|kein\w*|wenn|falls|wäre\w*|würde\w*|hätte\w*|rest\w*|karte"
    r"|depósito|señal|propina|cada|mitad|descuento|más|menos|desde|hasta|entre|unos|recargo|persona|cancel\w*|no|si|sería"
    r"|costaría|incluid\w*|tarjeta|resto"
    r"|acompte|frais|pourboire|chacun\w*|moitié|remise|réduction|moins|partir|jusqu'à|environ|supplément|personne|annul\w*"
    r"|pas|serait|coûterait|carte|reste)\b|n't\b",
    re.I,
)
_ITS_PRICE = re.compile(
    r"\b(?:that(?:'s| is|'ll be| will be| comes to)|it(?:'s| is|'ll be| will be| costs| comes to)|the price is"
    r"|das (?:macht|kostet|sind|ist)|es kostet|der preis ist|son|es|cuesta|sale|el precio es|ça fait"
    r"|cela (?:fait|coûte)|c'est|ça coûte|le prix est)\s+(?:(?:just|only|then|dann|nur|de)\s+)?(?:[$€£]\s?\d|\w+)",
    re.I,
)
_LIST_PRICE = re.compile(
    r"\b(?:is|costs?|comes to|runs|kostet|cuesta|vale|coûte|est à|macht)\s+(?:just |only |nur )?(?:[$€£]\s?\d|\w+)",
    re.I,
)
# "From $48" and "$48+" say no one price.
_ONE_PRICE = re.compile(r"[^\w+-]*\d[\d.,]{0,10}[^\w+-]*(?:[^\W\d_]{2,8}[^\w+-]*)?|[A-Za-z]{3}\s?\d[\d.,]{0,10}")


class _Priced(NamedTuple):
    service: str
    amounts: frozenset[str]
    price: str
    is_of_now: bool


def hold_wrong_price(business: Business | None, session: CallSession, sentence: str, *, is_booked: bool) -> None:
    """Hold a sentence that says another price than the receipt, or than the business's list.

    Args:
        business: Whose list it is.
        session: The conversation, with what its calls came to.
        sentence: What is about to be said, in plain marks.
        is_booked: Whether it says that something was booked or moved.

    Raises:
        Unfounded: It must not be said.
    """
    amount = _one_sum(sentence)
    if not amount or business is None:
        return
    right = _booked_price(business, session, sentence, amount, is_booked=is_booked)
    right = right or _list_price(business, session, sentence, amount)
    if right:
        raise Unfounded(
            sentence,
            f"You were about to say: {sentence!r}. Do not say it, and the caller has not heard it: the price is "
            f"{right}.",
        )


def _one_sum(sentence: str) -> str:
    """Return the one sum that a sentence names as a price, where nothing in it makes it another; empty elsewhere."""
    if len(sentence) > _LONGEST or sentence.endswith("?"):
        return ""
    plain = _TAX.sub("", sentence)
    said = sums_said(plain)
    amounts = amounts_in(plain) | {str(one) for one in said if one is not None}
    if len(amounts) != 1 or None in said or _OTHER_SUM.search(plain) is not None:
        return ""
    return next(iter(amounts))


def _booked_price(business: Business, session: CallSession, sentence: str, amount: str, *, is_booked: bool) -> str:
    """Return the price of the one thing that was booked, where a sentence gives it another."""
    booked = _booked(session)
    if len(booked) != 1:
        return ""
    one = booked[0]
    is_of_it = is_booked or (one.is_of_now and _ITS_PRICE.search(sentence) is not None)
    others = [name for name in services_named(business, sentence) if name.casefold() != one.service.casefold()]
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
            found.append(_Priced(str(data.get("service") or ""), _amounts_of(price), price, is_now))
    return found


def _list_price(business: Business, session: CallSession, sentence: str, amount: str) -> str:
    """Return the price of the one service that a sentence names, where it gives it one that stands nowhere."""
    if _LIST_PRICE.search(sentence) is None:
        return ""
    named = services_named(business, sentence)
    listed = [service for service in business.services if service.name in named and service.price]
    if len(named) != 1 or len(listed) != 1:
        return ""
    prices = _amounts_of(listed[0].price)
    if len(prices) != 1 or amount in prices:
        return ""
    # What stands elsewhere in the business's own words may be the price for some; another service's is not.
    others = _pieces(
        repr(replace(business, services=tuple(replace(service, price="") for service in business.services)))
    )
    if amount in _amounts_told(session) or any(amount in amounts_in(piece) for piece in others):
        return ""
    return listed[0].price


def _amounts_of(price: str) -> frozenset[str]:
    return amounts_in_data(price) if _ONE_PRICE.fullmatch(price.strip()) else frozenset()


def _amounts_told(session: CallSession) -> frozenset[str]:
    """Return every sum that callers and results of this conversation have named."""
    texts = list[str]()
    for message in session.history.messages:
        if isinstance(message, UserMessage):
            texts.append(message.text)
        elif isinstance(message, ToolMessage):
            failure = message.response.failure
            texts += [*texts_in(message.response.data), failure.message if failure is not None else ""]
    pieces = [piece for text in texts for piece in _pieces(text)]
    said = (sum_said for piece in pieces for sum_said in sums_said(piece) if sum_said is not None)
    return frozenset().union(*map(amounts_in_data, pieces), map(str, said)) if pieces else frozenset()


def _pieces(text: str) -> list[str]:
    """Return a text in pieces that are read in no time, each with the end of the one before."""
    return [" ".join(text[at : at + _PIECE + _OVERLAP].split()) for at in range(0, len(text), _PIECE)]
