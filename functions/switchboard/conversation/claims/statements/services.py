"""Which service is meant, or was booked: a sentence that names another kind of work, in whichever language, is held.

"Un tinte" is a house's "Color", "une coupe" its "Haircut": a closed list of the words of a few trades. What no word of
it names is nothing here, and is held against nobody.
"""

import re
from collections.abc import Iterable
from functools import lru_cache

from switchboard.contract.business.business import Business, Service
from switchboard.conversation.claims.facts import WITH_SOMEBODY, Evidence, services_named, words_of
from switchboard.conversation.claims.sentences import NOT_SO, TELLS, clauses_of
from switchboard.conversation.claims.statements.statement import SpokenStatement

# Lines of whom a cut is for, in the list below.
_KIDS, _AUDIENCES = 4, 3
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
# For whom something is done, which is no other work: "for your child", "Ihre Kinder", "de su niña".
_OWN = (
    r"(?:your|his|her|their|my|our|ihr\w{0,2}|dein\w{0,2}|sein\w{0,2}|mein\w{0,2}|su|sus|tu|tus|mi|mis|votre|vos|son|sa"
    r"|ses|mon|ma|mes|suo|sua|suoi|sue|tuo|tua|seu|seus|suas|uw|je|jouw|mijn|zijn|haar)"
)
_FOR = r"(?:for|für|fürs|para|pour|per|voor)"
_THE = r"(?:(?:an?|one|two|the|eine?n?|das|die|den|un|una|el|la|los|las|une|le|les|il|i|um|uma|os?|as?|een|het|de)\s+)"
_AUDIENCE = "|".join(
    sorted(
        {
            word.lstrip("=")
            for line in _WORK_SAID.strip().splitlines()[_KIDS : _KIDS + _AUDIENCES]
            for word in line.split()
        },
        key=len,
        reverse=True,
    )
)
_FOR_WHOM = re.compile(rf"\b(?:{_OWN}\s+(?:[^\W\d_]+\s+)?|{_FOR}\s+{_THE}?)(?:{_AUDIENCE})(?:'s|s'|s)?(?!\w)", re.I)
_WORD = re.compile(r"[^\W\d_]+")
# Whose hair has highlights has colour, as its own description may not say.
_HIGHLIGHTS, _COLOR = 2, 1
# So long is a word that tells one service from others.
_TELLING = 4


@lru_cache(maxsize=1_000)
def _work_in(text: str) -> frozenset[int]:
    """Return which work of a trade a text names, each by a number of its own."""
    words = frozenset(map(str.casefold, _WORD.findall(text)))
    return frozenset(
        number
        for number, (whole, begun) in enumerate(_WORK)
        if not words.isdisjoint(whole) or (begun and any(begin in word for begin in begun for word in words))
    )


def _without_whom(text: str) -> str:
    """Return a text without those for whom something is done there: a child's haircut is a haircut."""
    return _FOR_WHOM.sub(" ", text)


def _work_of(services: Iterable[Service]) -> frozenset[int]:
    """Return which work services may be told as: by their names, and by what is said of them."""
    work = frozenset[int]().union(*(_work_in(f"{service.name} {service.description}") for service in services))
    return work | ({_COLOR} if _HIGHLIGHTS in work else frozenset())


def services_meant(business: Business, sentence: str) -> tuple[str, ...]:
    """Return the services that a sentence names; by what they are called elsewhere, the only one that is just that."""
    named = services_named(business, sentence)
    work = frozenset[int]() if named else _work_in(sentence)
    if not work:
        return named
    meant = [service.name for service in business.services if _work_in(service.name) == work]
    return tuple(meant) if len(meant) == 1 else ()


def services_perhaps(business: Business, text: str) -> tuple[str, ...]:
    """Return the services that a text may mean: those it names, or whose work or name it names in part."""
    named = services_meant(business, text)
    if named:
        return named
    work, words = _work_in(text), {word for word in words_of(text) if len(word) >= _TELLING}
    return tuple(
        service.name
        for service in business.services
        if _work_in(service.name) & work or not words.isdisjoint(words_of(service.name))
    )


def hold_wrong_service(statement: SpokenStatement) -> None:
    """Hold a sentence that tells of an appointment for other work than any that is known.

    Raises:
        Unfounded: It must not be said.
    """
    if statement.deeds.isdisjoint(WITH_SOMEBODY) or not _work_in(statement.sentence):
        return
    parts = [part for part in clauses_of(statement.sentence) if TELLS.search(part) and not NOT_SO.search(part)]
    offered = _work_of(statement.business.services)
    said = frozenset[int]().union(*map(_work_in, map(_without_whom, parts))) & offered
    if not said:
        return
    items = [item for item in statement.known() if item.moments and not item.deeds.isdisjoint(WITH_SOMEBODY)]
    each = [_booked(statement.business, item) for item in items]
    # What nobody has a word for may be called anything.
    if not each or not all(_work_of(services) for services in each):
        return
    work = _work_of(service for services in each for service in services) | _noted(items)
    if not said <= work:
        names = sorted({service.name for services in each for service in services})
        raise statement.refused(f"the service is {' and '.join(names)}.")


def _booked(business: Business, item: Evidence) -> list[Service]:
    """Return the services that stand in what was booked or found; not "Cut" where it is "Kids' cut"."""
    named = [service for service in business.services if words_of(service.name) <= item.words]
    longest = max((len(words_of(service.name)) for service in named), default=0)
    return [service for service in named if len(words_of(service.name)) == longest]


def _noted(items: Iterable[Evidence]) -> frozenset[int]:
    return _work_in(" ".join(sorted(frozenset().union(*(item.noted for item in items)))))
