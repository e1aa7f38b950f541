"""Which sentences say no more than that a time is free: "bei Marcus ist frei", "we have a table for five".

Such a sentence sounds like one about something that was booked, and claims nothing. Where no word says that it is free,
it is an offer only of what was found free: "I have a table for you" may else be one that was booked.
"""

import re
from collections.abc import Sequence
from datetime import datetime

from switchboard.contract.business.business import Business
from switchboard.contract.model import Message
from switchboard.conversation.claims.company_check import free_times
from switchboard.conversation.claims.entities import readings
from switchboard.conversation.claims.facts import services_named
from switchboard.conversation.claims.party_words import only_tell_when, without_parties
from switchboard.conversation.claims.people_marks import MARKS, TITLE, marked
from switchboard.conversation.claims.sentences import clauses_of

_LONGEST = 200
# So few words beside it belong to it: "and to you", "by yourself".
_FEW_WORDS = 4
_FREE_SAID = """
free available open opening openings slot slots gap spot availability
frei freie freien freier freies verfügbar zeit lücke lücken luft
libre libres disponible disponibles hueco huecos disponibilidad
créneau créneaux disponibilité disponibilités
"""
_HAVE_SAID = """
have has i've we've got there's there is are it's be would could can works work
habe hab haben hat hätte hätten hätt wäre wären ist sind gibt gibt's gäbe geht ginge passt klappt
tengo tenemos tiene tienen tendría tendríamos hay habría queda quedan está están sería
ai j'ai a avons avez aurais aurions y reste serait est sont
"""
_THINGS_SAID = """
appointment appointments table tables place seat seats something one time times spots room
termin termine terminen tisch tische platz plätze uhrzeit etwas was stuhl
cita citas mesa mesas sitio sitios lugar turno turnos algo horario
rendez-vous table tables place places quelque chose horaire heure
"""
_FILLS_SAID = """
i we us our with yes yeah sure okay ok great good perfect alright well indeed actually still just now here then so that
any some more left
ich wir man uns bei mit ja jawohl gern gerne klar natürlich gut prima super perfekt also tatsächlich noch auch gerade da
den dem dort hier es das diese dieser ein eine einen einem einer kein
nosotros con sí si claro bien perfecto todavía aún también aquí ahí eso esa ese un una unos unas otro otra
je nous on il avec chez oui bien sûr parfait encore aussi là ici c'est ce cet cette un une des autre
evening afternoon morning abends nachmittags vormittags abend nachmittag vormittag tarde noche soir après-midi matin
dreizehn vierzehn fünfzehn sechzehn siebzehn achtzehn neunzehn zwanzig dreißig vierzig fünfundvierzig
trece catorce quince dieciséis diecisiete dieciocho diecinueve veinte treinta cuarenta del de
treize quatorze quinze seize dix-sept dix-huit dix-neuf vingt trente quarante quarante-cinq du
"""
_FREE, _HAVE, _THINGS = (frozenset(said.split()) for said in (_FREE_SAID, _HAVE_SAID, _THINGS_SAID))
_FILLS = frozenset(_FILLS_SAID.split())
_KNOWN = _FREE | _HAVE | _THINGS | _FILLS
# It is offered to whoever hears it; "haben Sie" is no offer.
_FOR_YOU = re.compile(
    r"\b(?:for|für|para|pour)\s+(?:you|sie|dich|euch|ihnen|usted|ustedes|ti|vosotros|vous|toi)\b(?!\s+(?:reser|book|gebucht|réserv))",
    re.I,
)
_SPOKEN_TO = re.compile(rf"(?:^|,\s*){TITLE}(?-i:[A-ZÀ-ÖØ-Þ])[\w'-]+(?=\s*(?:[,.!]|$))", re.I)
_WORD = re.compile(r"[^\W\d_]+(?:['-][^\W\d_]+)*")


def without_free(business: Business | None, messages: Sequence[Message], sentence: str, now: datetime) -> str | None:
    """Return a sentence without the clauses that say only that a time is free; None where none does.

    Args:
        business: Whose people and services may be named.
        messages: The conversation, with what its look-ups came to.
        sentence: In plain marks.
        now: Local.
    """
    if len(sentence) > _LONGEST or sentence.endswith("?"):
        return None
    named = MARKS.sub("", marked(business, _SPOKEN_TO.sub("", sentence)).text)
    for service in services_named(business, named):
        for spelt in (service, service.lower(), service.capitalize()):
            named = named.replace(spelt, " ")
    if _says_it(named, messages, now):
        return ""
    clauses = clauses_of(named)
    left = [clause for clause in clauses if not _says_it(clause, messages, now)]
    if len(left) == len(clauses):
        return None
    rest = "".join(clause for clause in left if not _only_fills(clause))
    return None if 0 < len(rest.split()) <= _FEW_WORDS else rest


def _says_it(clause: str, messages: Sequence[Message], now: datetime) -> bool:
    """Tell whether a clause says nothing else."""
    # "A table for five" says what there is, and for how many.
    told = frozenset(word.casefold() for word in _WORD.findall(clause))
    if not _are_known(_words_of(clause)) or told.isdisjoint(_HAVE):
        return False
    if not told.isdisjoint(_FREE):
        return True
    return not told.isdisjoint(_THINGS) and _is_found(clause, messages, now)


def _only_fills(clause: str) -> bool:
    return _are_known(_words_of(clause))


def _words_of(clause: str) -> list[str]:
    return [word.casefold() for word in _WORD.findall(without_parties(_FOR_YOU.sub(" ", clause)))]


def _are_known(words: Sequence[str]) -> bool:
    return all(word in _KNOWN or only_tell_when(word) for word in words)


def _is_found(clause: str, messages: Sequence[Message], now: datetime) -> bool:
    """Tell whether a look-up of this conversation has found free what a clause names."""
    assert now.tzinfo is not None
    times = list(free_times(messages, now.tzinfo))
    said = [mentioned for mentioned in readings(without_parties(clause), now) if mentioned.say_when]
    return any(stretch.agrees_with(mentioned) for stretch in times for mentioned in said)
