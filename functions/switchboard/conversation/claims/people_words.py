"""Which of a business's people a sentence names: with whom something is, and who is said to be free."""

import re
from dataclasses import dataclass
from functools import lru_cache

from switchboard.contract.business import Business

_WITH = r"(?:with|mit|bei|con|avec|chez|met|bij|com)\s+(?:(?:mr|mrs|ms|herrn?|frau|sra?|mme)\.?\s+)?"
# Whoever is named behind these is not who it is with.
_BEFORE = ("not", "with")
_NOT_THEM = (
    r"(?:\bnot\s+with|\binstead\s+of|\brather\s+than|\bnicht\s+(?:bei|mit)|\bstatt|\banstelle\s+von|\bno\s+con"
    r"|\ben\s+(?:lugar|vez)\s+de|\bpas\s+avec|\bau\s+lieu\s+de|\binvece\s+di|\bin\s+plaats\s+van)\s+"
)
_FREE = re.compile(
    r"\b(?:free|available|an? opening|openings|room|slots?|frei|freie[nrs]?|verfügbar|zeit|libres?|disponibles?|hueco"
    r"|tiempo|temps|tempo|tijd|(?<=has )time|(?<=have )time"
    r"|liber[aoi]|disponibil[ei]|vrij|beschikbaar|livres?|disponíve(?:l|is))\b"
    r"|\b(?:can|could|kann|könnte|puede|podría|peut|pourrait|può|kan)\b[^.;?!]{0,20}\b(?:see|take|do|fit|nehmen|machen"
    r"|atender\w*|ver\w*|prendre|voir|prendere|helpen)\b",
    re.I,
)
_NOT_SURE = re.compile(
    r"\b(?:not|no|never|isn't|doesn't|can't|cannot|hasn't|nicht|kein\w*|nie|ne|n'\w+|pas|niet|geen|não|non|nadie"
    r"|if|whether|when|check|find out|to see|let me|ob|wann|wenn|falls|schaue?n?|sehe?n?|prüfe?n?|cuándo|cuando|miro"
    r"|mirar|compruebo|comprobar|quand|regarde\w*|vérifi\w*|quando|shall|soll)\b",
    re.I,
)
# What is done, or a second clause in which it may be.
_MORE = re.compile(
    r"[,;:]|\b(?:and|und|y|et|so|also|all set|done|moved|cancelled)\b|\w*(?:book|reserv|réserv|confirm|schedul|gebucht"
    r"|eingetragen|notier|bestätigt|verschoben|verlegt|agendad|apuntad|anotad|cambiad|noté|déplacé|prenotat|geboekt)",
    re.I,
)


@dataclass(frozen=True, slots=True)
class PeopleSaid:
    """Whom a sentence names of a business's people.

    Attributes:
        beside: Those with whom it says that something is.
        others: Those whom it names in other ways.
    """

    beside: tuple[str, ...] = ()
    others: tuple[str, ...] = ()


NOBODY_SAID = PeopleSaid()


def people_said(business: Business | None, sentence: str) -> PeopleSaid:
    """Return whom a sentence names, by whole names or by a first name that only one of them has."""
    if business is None or not business.people:
        return NOBODY_SAID
    pattern, names = _called(tuple(person.name for person in business.people))
    beside, others = list[str](), list[str]()
    for match in pattern.finditer(sentence):
        name = names[int(match.lastindex or 1) - len(_BEFORE) - 1]
        if match["not"] is None:
            (others if match["with"] is None else beside).append(name)
    return PeopleSaid(tuple(dict.fromkeys(beside)), tuple(name for name in dict.fromkeys(others) if name not in beside))


def said_to_be_free(business: Business | None, sentence: str) -> tuple[str, ...]:
    """Return of whom a sentence says for sure that they are free; of nobody in a question or a "let me see"."""
    if business is None or not business.people or sentence.rstrip().endswith("?"):
        return ()
    if _FREE.search(sentence) is None or _NOT_SURE.search(sentence) is not None:
        return ()
    said = people_said(business, sentence)
    return (*said.beside, *said.others)


def offers_somebody(business: Business | None, sentence: str) -> bool:
    """Tell whether a sentence says no more than that somebody is free: nothing in it is done, nor beside it."""
    return _MORE.search(sentence) is None and bool(said_to_be_free(business, sentence))


@lru_cache(maxsize=500)
def _called(names: tuple[str, ...]) -> tuple[re.Pattern[str], tuple[str, ...]]:
    """Return what finds people by what they are called, a group for each, and their whole names in that order."""
    firsts = [name.split()[0] for name in names]
    # Whole names before first names that are part of them.
    called = {name: name for name in names}
    called |= {first: name for first, name in zip(firsts, names, strict=True) if firsts.count(first) == 1}
    order = sorted(called, key=len, reverse=True)
    each = "|".join(f"({re.escape(word)})" for word in order)
    pattern = rf"(?<!\w)(?:(?P<not>(?i:{_NOT_THEM}))|(?P<with>(?i:{_WITH})))?(?:{each})(?!\w)"
    return re.compile(pattern), tuple(called[word] for word in order)
