"""What is said of numbers that cost extra to call, to whoever reads them in what the business sends or is sent."""

from collections.abc import Sequence

from switchboard.contract.business.business import Business
from switchboard.contract.business.languages import language_of
from switchboard.contract.business.own_addresses import own_numbers
from switchboard.desk.contact.phone import costly_numbers

_COSTLY = {
    "en": "Careful, calling this number costs extra: {numbers}",
    "de": "Vorsicht, Anrufe bei dieser Nummer kosten extra: {numbers}",
    "es": "Atención, llamar a este número tiene un coste adicional: {numbers}",
    "fr": "Attention, appeler ce numéro est surtaxé : {numbers}",
    "it": "Attenzione, chiamare questo numero ha un costo aggiuntivo: {numbers}",
    "pt": "Atenção, ligar para este número tem um custo adicional: {numbers}",
    "nl": "Let op, bellen naar dit nummer kost extra: {numbers}",
}


def costs_extra(business: Business, numbers: Sequence[str]) -> str:
    """Return one line that warns of such numbers, in a business's language; empty where there are none."""
    return _words(business).format(numbers=", ".join(numbers)) + "\n" if numbers else ""


def warned(business: Business, text: str, beside: str = "") -> str:
    """Return a text with a line in front that warns of the numbers in it that cost extra to call.

    A text or an e-mail of the business's is believed. The business's own numbers are not warned of, and nobody is
    warned twice.

    Args:
        business: Whose account sends it.
        text: What a model or a caller has worded.
        beside: What is read with it, such as its subject.
    """
    own = {business.phone, *own_numbers(business).values()}
    found = dict.fromkeys(costly_numbers(beside, business) + costly_numbers(text, business))
    costly = [number for number in found if number not in own]
    begins = _words(business).partition("{")[0]
    told = (costly_numbers(line, business) for line in text.splitlines() if line.startswith(begins))
    if not costly or any(set(costly) <= set(numbers) for numbers in told):
        return text
    # In front, where nothing is cut off.
    return costs_extra(business, costly) + text


def _words(business: Business) -> str:
    return _COSTLY.get(language_of(business.language), _COSTLY["en"])
