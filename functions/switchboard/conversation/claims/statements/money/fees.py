"""What is charged beside a price, or taken off it: a fee, a deposit, what no-shows pay, a discount, half, or nothing.

Such a sum is told where a result or the business has told it. A price that is said to be another by how much, without a
sum, is told where their words say so, too.
"""

import re
from collections.abc import Iterable
from itertools import combinations

from switchboard.conversation.claims.facts import STANDING
from switchboard.conversation.claims.number_words import amounts_in, number_behind, sums_said
from switchboard.conversation.claims.sentences import DENIED
from switchboard.conversation.claims.statements.money.prices import listed_amounts, sums_in_results, sums_named
from switchboard.conversation.claims.statements.services import services_meant
from switchboard.conversation.claims.statements.statement import IN_CASE, SpokenStatement
from switchboard.conversation.guard import HeldFact, HeldSubject

_FEE = re.compile(
    r"\b(?:(?:booking |cancellation |change |moving )?(?:fees?|surcharge|penalty)|(?:we(?:'ll)?|will) charge you"
    r"|(?:no-show|cancellation|late|booking) charge|deposits?|down ?payment|prepayment|retainer"
    r"|se cobran?|(?:un )?(?:cargo|recargo)|comisión|(?:le|te|les) (?:cobr(?:amos|aremos|ará|an|o))|depósito|señal"
    r"|anticipo|tarifa de (?:cancelación|anulación)|frais|supplément|pénalité|acompte|arrhes"
    r"|\w*gebühr\w*|aufpreis|zuschlag|berechnen (?:wir )?(?:ihnen)?|\w*anzahlung|kaution|vorauszahlung"
    r"|supplemento|penale|addebit\w+|caparra|acconto|taxa|multa|cobramos|sinal|adiantamento"
    r"|\w*kosten(?= (?:van|voor|bedragen|zijn))|toeslag|brengen we|aanbetaling|vooruitbetaling|borg)\b",
    re.I,
)
# What somebody pays who does not come, or cancels late, is a fee without its name.
_NO_SHOW = re.compile(
    r"\b(?:no[- ]?shows?|(?:if|when) you (?:do not|don't|fail to|cancel|miss|are late|no-show)"
    r"|(?:who(?:ever)?|anyone who) (?:does not|doesn't|do not|don't|fails to|cancels|misses)|late cancell?ations?"
    r"|wer (?:nicht|zu spät|kurzfristig)|wenn sie (?:nicht|absagen|stornieren)|nichterscheinen|kurzfristige absagen?"
    r"|(?:quien|si) no (?:se presenta|viene|acude|aparece)|si (?:cancela|anula|falta)|las ausencias|no presentarse"
    r"|(?:qui|si vous) ne (?:vous présentez|venez|viens|vient|se présente) pas|si vous annulez|en cas d'absence"
    r"|(?:chi|se) non (?:si presenta|viene)|se (?:annulla|disdice)|(?:quem|se) não (?:comparece|comparecer|vier|vem)"
    r"|se (?:cancelar|desmarcar|faltar)|wie niet (?:komt|verschijnt)|als u (?:niet komt|annuleert|afzegt))(?!\w)",
    re.I,
)
_DISCOUNT = re.compile(
    r"(?:%|percent|dollars?|bucks|[$€£]\s?\d[\d.,]{0,9})\s+off\b|\b(?:discount|rebate|descuento|rebaja|remise|réduction"
    r"|\w*rabatt|nachlass|ermäßigung|sconto|desconto|korting)\b",
    re.I,
)
_PERCENT = r"\s?(?:%|per ?cent|prozent|por ciento|pour cent|per ?cento|por cento|procent)"
_PERCENT_SAID = re.compile(rf"(?<![^\W_])([^\W_]{{1,20}}){_PERCENT}", re.I)
_HALF_SAID = re.compile(r"\b(?:half|halb\w*|hälfte|mitad|moitié|metà|metade|helft|halve|50 ?%)(?!\w)", re.I)
_AT_HALF = re.compile(
    r"\b(?:(?:at|for) half(?: the)?(?: usual| normal| regular)? price|half[- ]price(?:d)?|half off"
    r"|(?:zum|für den) halben preis|(?:a|por la) mitad (?:de|del) precio|à moitié prix|(?:a|per) metà prezzo"
    r"|(?:por|a) metade do preço|voor de helft(?: van de prijs)?|(?:voor|tegen) de halve prijs)(?!\w)",
    re.I,
)
_TWICE = re.compile(
    r"\b(?:twice (?:that|as much|the price|the usual|of that)|(?:cost\w*|pay|is|are) (?:double|twice|triple)"
    r"|double (?:that|the price)|three times (?:that|as much|the price)|(?:das )?doppelte|doppelt so viel|das dreifache"
    r"|(?:el|vale) doble|(?:el|vale) triple|le double|deux fois plus(?: cher)?|le triple|il doppio|il triplo|o dobro"
    r"|o triplo|het dubbele|dubbel zoveel|twee keer zoveel)(?!\w)",
    re.I,
)
_TWICE_SAID = re.compile(
    r"\b(?:twice|double|triple|three times|doppel\w*|dreifach\w*|doble|triple|deux fois|doppio|triplo|dobro|dubbel\w*"
    r"|twee keer)(?!\w)",
    re.I,
)
_FREE = re.compile(
    r"\b(?:free of charge|at no (?:cost|charge)|on the house|complimentary|kostenlos|gratis|umsonst|kostenfrei"
    r"|gratuite?s?|gratuitement|sin (?:costo|coste|cargo)|offerte?|gratuit[oa]s?|grátis|de graça)(?!\w)",
    re.I,
)
# "That is free" tells of a time, unless something was just said to be booked.
_THAT_IS_FREE = re.compile(
    r"\b(?:that|it|this|which)(?:'s| is| will be) (?:all |completely |entirely )?free(?=\s*(?:[.,;!]|$))", re.I
)
_FREE_SAID = re.compile(rf"(?<![\w-])free(?![\w-])|{_FREE.pattern}", re.I)
_BOOKED = re.compile(
    r"\b(?:booked|reserved|confirmed|gebucht|reserviert|bestätigt|reservad[oa]|confirmad[oa]|réservée?|confirmée?"
    r"|prenotat[oa]|confermat[oa]|marcad[oa]|geboekt|gereserveerd|bevestigd)(?!\w)",
    re.I,
)
_PRICE = HeldFact(HeldSubject.PRICE)
_MOST_PARTS = 8


def hold_untold_fee(statement: SpokenStatement) -> None:
    """Hold a fee or a discount of which neither a result nor the business has told, and what makes of a price another.

    Raises:
        Unfounded: It must not be said.
    """
    sentence = statement.sentence
    if not statement.session.history.messages:
        return
    rest = _NO_SHOW.sub(" ", sentence)
    is_fee = rest != sentence or _FEE.search(sentence) is not None or _DISCOUNT.search(sentence) is not None
    is_share = any(pattern.search(sentence) is not None for pattern in (_AT_HALF, _TWICE, _FREE, _THAT_IS_FREE))
    # Who does not come is no denial of what they pay.
    if not (is_fee or is_share) or DENIED.search(rest) is not None or IN_CASE.search(rest) is not None:
        return
    if is_fee:
        _hold_untold_sum(statement)
    if is_share:
        _hold_untold_share(statement)


def _hold_untold_sum(statement: SpokenStatement) -> None:
    sentence = statement.sentence
    sums = amounts_in(sentence) | {str(one) for one in sums_said(sentence) if one is not None}
    percents = _percents_in(sentence)
    if not sums and not percents:
        return
    told, listed = list(statement.told()), listed_amounts(statement.business)
    known = sums_named(told) | listed | sums_in_results(statement.session)
    if any(_HALF_SAID.search(text) is not None for text in told):
        known |= {f"{float(amount) / 2:g}" for amount in listed}
    shares = frozenset[str]().union(*map(_percents_in, told))
    if not _are_reckoned(sums, known, shares) or percents - shares:
        raise statement.refused("nobody has told of that fee or discount. Promise none, and tell of none.", _PRICE)


def _hold_untold_share(statement: SpokenStatement) -> None:
    """Hold that something costs half, or twice, or nothing, where no text and no result speaks of any such."""
    sentence, business = statement.sentence, statement.business
    for pattern, told in ((_AT_HALF, _HALF_SAID), (_TWICE, _TWICE_SAID)):
        if pattern.search(sentence) is not None and not any(told.search(text) for text in statement.told()):
            raise statement.refused(
                "nobody has told of such a price. Say the one of the list, or of the results.", _PRICE
            )
    is_booked = not STANDING.isdisjoint(statement.deeds) or _BOOKED.search(sentence) is not None
    is_free = _FREE.search(sentence) is not None or (is_booked and _THAT_IS_FREE.search(sentence) is not None)
    if not is_free:
        return
    meant = set(services_meant(business, sentence))
    if not meant and is_booked:
        context = statement.session.tool_context
        meant = {str((context.get(receipt.tool) or {}).get("service")) for receipt in statement.session.standing}
    priced = [one for one in business.services if one.name in meant and sums_named([one.price]) - {"0"}]
    if len(meant) == len(priced) == 1 and not any(_FREE_SAID.search(text) for text in statement.told()):
        fact = HeldFact(HeldSubject.PRICE, service=priced[0].name, price=priced[0].price)
        raise statement.refused(f"it is not free; the price is {fact.price}.", fact)


def _are_reckoned(sums: Iterable[str], known: Iterable[str], shares: Iterable[str]) -> bool:
    """Tell whether sums are known ones, told shares of these or what is left then, or add up from others here."""
    parts = set(map(float, known))
    of_whole = [float(share) / 100 for share in shares]
    parts |= {round(part * share, 2) for whole in of_whole for share in (whole, 1 - whole) for part in parts}
    wanted = {float(one) for one in sums}
    sound = wanted & parts
    for _ in wanted:
        few = sorted(sound)[:_MOST_PARTS]
        sound |= wanted & {sum(some) for count in (2, 3) for some in combinations(few, count)}
    return wanted == sound


def _percents_in(text: str) -> frozenset[str]:
    said = (match[1] for match in _PERCENT_SAID.finditer(text))
    numbers = (word if word.isdigit() else number_behind(f"{word}.", 0) for word in said)
    return frozenset(str(number) for number in numbers if number is not None)
