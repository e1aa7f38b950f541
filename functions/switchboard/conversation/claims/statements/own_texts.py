"""What a business's own texts say otherwise than its list of services, its opening hours and its address.

A model tells callers whatever it was given last, so that of two answers to one question either may be told. Only what
is surely another one is found, by the readings that hold a model's sentences: one sum of one service, a day on which it
is closed, hours that no day has, another house.
"""

import re
from collections.abc import Iterator
from datetime import datetime

from switchboard.contract.business.business import Business
from switchboard.contract.python.dataclass import dataclass
from switchboard.conversation.claims.statements.money.prices import written_otherwise
from switchboard.conversation.claims.statements.opening_hours import closed_then, hours_otherwise
from switchboard.conversation.claims.statements.statement import LONGEST_STATEMENT

_LONGEST_TEXT = 4_000
_SENTENCE = re.compile(r"(?:[^\n.!?]|[.!?](?=\S)){1,400}[.!?]?")
# Where a house says that it stands, and a number beside what streets are called.
_LOCATED = re.compile(
    r"\b(?:address|located|find us|we(?:'re| are) (?:at|on)|visit us|come to|adresse|finden (?:sie )?uns|wir sind"
    r"|dirección|encuentr\w+|estamos en|nous trouve\w*|nous sommes|indirizzo|trova\w*|siamo (?:in|al)|endereço"
    r"|encontra\w*|estamos (?:na|no|em)|adres|vindt? u? ?ons|wij zitten)\b",
    re.I,
)
_KIND = (
    r"(?:streets?|st\.|avenues?|ave|roads?|rd|lanes?|drive|boulevard|blvd|square|row"
    r"|[^\W\d_]{0,20}(?:stra(?:ß|ss)e|str\.|gasse|weg|platz|allee|hof|damm|ring|ufer|straat|laan|plein|gracht)"
    r"|calle|avenida|plaza|paseo|rue|place|via|viale|piazza|corso|rua|travessa|praça)"
)
_WORD = r"[^\W\d_]{2,20}"
_HOUSE = re.compile(
    rf"\b(\d{{1,5}}[a-z]?),?\s(?:{_WORD}[\s-]){{0,3}}{_KIND}(?!\w)"
    rf"|(?<!\w){_KIND}(?:\s{_WORD}){{0,4}},?\s(?:n[º°.]\s?)?(\d{{1,5}}[a-z]?)\b",
    re.I,
)
_KINDS = re.compile(_KIND, re.I)
_NAMED = re.compile(
    r"[^\W\d_.]+\.?(?:\s(?:[A-ZÀ-ÖØ-Þ][^\W\d_]*|de|del?|la|los|las|des|du|les?|di|della|dei|da|do|das|dos)){0,4},?"
    r"\s(?:n[º°.]\s?)?\d{1,5}[a-z]?"
)
_NAME = re.compile(r"[^\W\d_]{4,}")
_NUMBER = re.compile(r"\d{1,5}[a-z]?\b", re.I)


@dataclass(frozen=True, slots=True)
class ToldOtherwise:
    """A sentence, and what the business has entered instead, as half a sentence."""

    sentence: str
    entered: str


def told_otherwise(business: Business, text: str, now: datetime, question: str = "") -> Iterator[ToldOtherwise]:
    """Yield the sentences of a text that say something else than the business's own entries.

    Args:
        business: What was entered.
        text: Its first 4,000 characters are read, which takes some ten milliseconds.
        now: Local to the business.
        question: What the text answers, if it is the answer to one.
    """
    for match in _SENTENCE.finditer(text[:_LONGEST_TEXT]):
        sentence = " ".join(match[0].split())
        if not sentence or len(sentence) > LONGEST_STATEMENT:
            continue
        price = written_otherwise(business, sentence, question)
        if price:
            yield ToldOtherwise(sentence, f"the price is {price}")
        elif closed := closed_then(business, sentence, now):
            yield ToldOtherwise(sentence, closed)
        elif hours := hours_otherwise(business, sentence, now, question[:LONGEST_STATEMENT]):
            yield ToldOtherwise(sentence, hours)
        elif _is_other_house(business.address, sentence):
            yield ToldOtherwise(sentence, f"the address is {business.address}")


def _is_other_house(address: str, sentence: str) -> bool:
    """Tell whether a sentence says that the house stands in a street, by a number that its address has not got."""
    own, said = own_houses(address), houses_in(sentence) if _LOCATED.search(sentence) is not None else frozenset()
    return bool(own and said) and said.isdisjoint(own)


def own_houses(address: str) -> frozenset[str]:
    """Return every number in an address: one of them is its house's."""
    return frozenset(match[0].casefold() for match in _NUMBER.finditer(address))


def houses_in(text: str, own: str = "") -> frozenset[str]:
    """Return the numbers of houses in streets that a text names; with an address, those of its street, or of ours."""
    # "Street parking is free after 5" names no house.
    matches = [one for one in _HOUSE.finditer(text) if one[1] or _NAMED.fullmatch(one[0]) is not None]
    if own and _LOCATED.search(text) is None:
        names = [word for word in _NAME.findall(own.split(",")[0]) if _KINDS.fullmatch(word) is None]
        matches = [one for one in matches if any(word.casefold() in one[0].casefold() for word in names)]
    return frozenset((match[1] or match[2]).casefold() for match in matches)
