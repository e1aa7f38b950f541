"""Whom of a business's people a caller means: by the whole name or a part of it, whatever stands before it.

People are asked for as "Dr. Reid", "Frau Dr. Reid", "la doctora Reid" or "nurse Kim", however the business wrote them:
a title tells nothing of who it is.
"""

import re
from collections.abc import Collection, Sequence

from switchboard.contract.business.names import letters
from switchboard.contract.business.resources import Resource

# As `letters` leaves them, in seven languages: how people are addressed, and what those are who care for others.
_TITLES_SAID = """
mr mrs ms miss mx dr doctor doc prof professor sir madam madame maam nurse sister brother vet
herr herrn frau fraulein doktor doktorin professorin schwester pfleger med dent dipl
senor senora senorita sr sra srta dra doctora profesor profesora enfermera enfermero dona
m monsieur mme mlle mademoiselle docteur docteure docteresse professeur infirmier infirmiere maitre
signor signore signora signorina sig ra dott ssa dottor dottore dottoressa professore professoressa
infermiere infermiera
senhor senhora doutor doutora professora enfermeiro enfermeira
dhr mw mevr meneer mijnheer mevrouw dokter zuster broeder
"""
_TITLES = frozenset(_TITLES_SAID.split())
# What stands before a title: it is part of a name as well, so that it is left out of the front alone.
_BEFORE_TITLES = frozenset(
    {
        *("the", "our", "my", "der", "die", "das", "den", "dem", "unser", "unsere", "el", "la", "los", "las"),
        *("il", "lo", "le", "les", "o", "a", "os", "as", "de", "het"),
    }
)
# "Don" is a name where it is written as one.
_SMALL = frozenset({"don"})
_WORD = re.compile(r"[^\s.,;:()/\[\]\u2019']+")
# Where somebody works who is entered more than once: "Dr. Ben Okafor (Lakeside)".
_BESIDE = re.compile(r"\([^()]*\)")
_LONGEST = 120


def is_title(word: str) -> bool:
    """Tell whether a word is a title, such as "Dr."."""
    return letters(word) in _TITLES


def named_alone(name: str) -> list[str]:
    """Return the words of a name as they are compared, without the titles that lead it; its last word always stays."""
    said = _WORD.findall(name[:_LONGEST])
    words = [(word, key) for word in said if (key := letters(word))]
    while len(words) > 1 and (words[0][1] in _TITLES | _BEFORE_TITLES or words[0][0] in _SMALL):
        del words[0]
    return [key for _, key in words]


def those_called(people: Sequence[Resource], name: str, able: Collection[Resource] | None = None) -> list[Resource]:
    """Return whom a name may mean: by the whole name, or else all who have what was said of it in theirs.

    Args:
        people: The business's.
        name: As a caller says it, or a person's id.
        able: Those who do what is asked for; where some of them fit too, nobody else is meant. A whole name or an id
            means nobody whose name is longer, whatever they do, but for where they work. None: that is open.
    """
    whole, heard = letters(name), "".join(named_alone(name))
    if not whole:
        return []
    exact = [one for one in people if letters(one.name) == whole or one.id == name.strip()]
    alike = [one for one in people if "".join(named_alone(one.name)) == heard]
    elsewhere = [one for one in people if "".join(named_alone(_BESIDE.sub(" ", one.name[:_LONGEST]))) == heard]
    found = [fitting for fitting in (exact, alike, elsewhere) if fitting]
    if not found:
        found = [[one for one in people if {*named_alone(name)} <= _words(one.name)]]
    for fitting in found if able is not None else ():
        if doing := [one for one in fitting if any(one is other for other in able or ())]:
            return doing
    return found[0]


def _words(name: str) -> set[str]:
    # As it is written, and with what stands between points apart.
    return {*map(letters, name.split()), *map(letters, _WORD.findall(name))}
