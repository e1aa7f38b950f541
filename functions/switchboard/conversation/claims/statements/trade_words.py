"""What services are called in the languages of callers: "un tinte" is a house's "Color", "une coupe" its "Haircut".

A closed list of the words of a few trades. What no word of it names is nothing here, and is held against nobody.
"""

import re
from collections.abc import Iterable
from functools import lru_cache

from switchboard.contract.business.business import Business, Service
from switchboard.conversation.claims.facts import services_named

# A line each: a trade's work by how its words begin, and whole words behind a mark.
_WORK_SAID = """
=cut =cuts =cutting haircut =trim =trims =corte =cortes =cortar haarschnitt =schnitt =coupe =coupes =taglio \
knipbeurt =knippen
=color =colors =colour =colours =dye =tint =tinte =tintes =coloración =coloration =couleur =teinture =farbe färbung \
=färben haarfarbe =colore =tinta =coloração kleuring =kleur
=highlights =highlight =balayage =mechas =mèches =meches strähn =madeixas =luzes
=beard =barba =barbe bartschnitt bartpflege barttrimm =baard
=kid =kids =child =children =niño =niña =niños =niñas =infantil =enfant =enfants kinder =bambino =bambini =bambina \
=criança =crianças
=men =man =caballero =hombre =homme =hommes herren =uomo =homem =heren
=women =woman =ladies =dama =mujer =femme =femmes damen =donna =mulher =dames
=wash =shampoo =lavado =shampooing =waschen =lavaggio =lavagem =wassen
=blow =blowout =secado =brushing föhn =piega =escova
massage =masaje =masajes massagg massagem
manic manuc manik =nails =uñas =ongles nägel =unghie =unhas =nagels
pedic pédic pedik
=facial =facials gesichtsbehandlung =soin =viso
=wax =waxing depil épil ceretta enthaarung =harsen
"""
_WORK = tuple(
    (
        frozenset(word[1:] for word in line.split() if word.startswith("=")),
        tuple(word for word in line.split() if not word.startswith("=")),
    )
    for line in _WORK_SAID.strip().splitlines()
)
_WORD = re.compile(r"[^\W\d_]+")
# Whose hair has highlights has colour, as its own description may not say.
_HIGHLIGHTS, _COLOR = 2, 1


@lru_cache(maxsize=1_000)
def work_in(text: str) -> frozenset[int]:
    """Return which work of a trade a text names, each by a number of its own."""
    words = frozenset(map(str.casefold, _WORD.findall(text)))
    return frozenset(
        number
        for number, (whole, begun) in enumerate(_WORK)
        if not words.isdisjoint(whole) or (begun and any(begin in word for begin in begun for word in words))
    )


def work_of(services: Iterable[Service]) -> frozenset[int]:
    """Return which work services may be told as: by their names, and by what is said of them."""
    work = frozenset[int]().union(*(work_in(f"{service.name} {service.description}") for service in services))
    return work | ({_COLOR} if _HIGHLIGHTS in work else frozenset())


def services_meant(business: Business, sentence: str) -> tuple[str, ...]:
    """Return the services that a sentence names; by what they are called elsewhere, the only one that is just that."""
    named = services_named(business, sentence)
    work = frozenset[int]() if named else work_in(sentence)
    if not work:
        return named
    meant = [service.name for service in business.services if work_in(service.name) == work]
    return tuple(meant) if len(meant) == 1 else ()
