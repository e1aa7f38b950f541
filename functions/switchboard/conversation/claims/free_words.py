"""Which sentences say no more than that a time is free: "bei Marcus ist frei", "we have a table for five".

Such a sentence sounds like one about something that was booked, and claims nothing. A time in it must have been found
free. Where no word says that it is free, only somebody who has something, or that there is something, is an offer: "we
have a table", and not "tiene cita", or "the table is on Friday", which tell of what was booked.
"""

import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from typing import NamedTuple

from switchboard.contract.business.business import Business
from switchboard.contract.definitions.definition import Deed
from switchboard.contract.model import Message
from switchboard.conversation.claims.company_check import free_times, people_free
from switchboard.conversation.claims.entities import Mentions, readings
from switchboard.conversation.claims.facts import STANDING, services_named, words_of
from switchboard.conversation.claims.party_words import only_tell_hours, only_tell_when, without_parties
from switchboard.conversation.claims.people_marks import MARKS, TITLE, marked
from switchboard.conversation.claims.people_words import WITH_WORDS
from switchboard.conversation.claims.sentences import clauses_of, tells
from switchboard.conversation.claims.statements.chosen_times import asks_for_details
from switchboard.conversation.claims.statements.room_left import ROOM_FOR, count_of
from switchboard.conversation.claims.statements.statement import LONGEST_STATEMENT, SpokenStatement
from switchboard.conversation.claims.until_then import closes

_LONGEST = 200
_MOST_LISTED = 8
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
bonne nouvelle buenas noticias buone notizie good news
evening afternoon morning abends nachmittags vormittags abend nachmittag vormittag tarde noche soir après-midi matin
dreizehn vierzehn fünfzehn sechzehn siebzehn achtzehn neunzehn zwanzig dreißig vierzig fünfundvierzig
trece catorce quince dieciséis diecisiete dieciocho diecinueve veinte treinta cuarenta del de
treize quatorze quinze seize dix-sept dix-huit dix-neuf vingt trente quarante quarante-cinq du
"""
_FREE, _HAVE, _THINGS = (frozenset(said.split()) for said in (_FREE_SAID, _HAVE_SAID, _THINGS_SAID))
_FILLS = frozenset(_FILLS_SAID.split())
_KNOWN = _FREE | _HAVE | _THINGS | _FILLS
# That somebody can be seen then is that there is room.
_CAN_SEE = re.compile(
    r"\b(?:(?:on|nous) (?:peut|pourrait|pouvons|pourrions) vous (?:prendre|recevoir|accueillir|coiffer)"
    r"|(?:l[aoe]s? )?pod(?:emos|ríamos) (?:atender|recibir)(?:l[aoe]s?)?|l[aoe]s? (?:atendería|recibiría|peinaría"
    r"|vería)"
    r"|poss(?:iamo|o) (?:ricever|accoglier|prender)(?:la|vi|ti)|(?:la|vi) possiamo (?:ricevere|accogliere|prendere)"
    r"|pod(?:emos|eríamos) (?:atendê|recebê)-l[oa]s?|we (?:can|could) (?:see|take|fit|squeeze) you(?: in)?)(?!\w)",
    re.I,
)
_ROOM = " hay sitio "
# Of what is read back the hour needs no word before it: "viernes, dos y media".
_HOUR_ALONE = re.compile(
    r"(?<=,) (?=[^\W\d_]+ (?:(?P<es>(?:y|menos) (?:media|cuarto))|(?P<it>e mezza|e un quarto)|(?P<pt>e meia))\b)", re.I
)
# It is offered to whoever hears it; "haben Sie" is no offer.
_FOR_YOU = re.compile(
    r"\b(?:for|für|para|pour)\s+(?:you|sie|dich|euch|ihnen|usted|ustedes|ti|vosotros|vous|toi)\b(?!\s+(?:reser|book"
    r"|gebucht|réserv))",
    re.I,
)
_SPOKEN_TO = re.compile(rf"(?:^|,\s*){TITLE}(?-i:[A-ZÀ-ÖØ-Þ])[\w'-]+(?=\s*(?:[,.!]|$))", re.I)
# Who offers has it, or says that there is some; whoever listens has what was booked.
_OFFERS = re.compile(
    r"\b(?:i|we)\s+(?:\w+\s+)?(?:have|can|could|would)\b|\b(?:i|we)'ve\b"
    r"|\bthere(?:'s\b|\s+(?:\w+\s+)?(?:is|are|would|could)\b)|\b(?:is|are)\s+there\b|\b(?:would|could)\b"
    r"|\b(?:hab|habe|hätt|hätte)\s+ich\b|\b(?:haben|hätten)\s+wir\b|\bich\s+(?:\w+\s+)?(?:habe?|hätte?)\b"
    r"|\bwir\s+(?:\w+\s+)?(?:haben|hätten)\b|\b(?:gibt|gibt's|gäbe|wäre|wären)\b"
    r"|\b(?:hay|habría|sería|tendría)\b|\btengo\b|\btenemos\s+(?!cita)"
    r"|\bquedan?\s+(?:\w+\s+)?(?:un[oa]?s?|otr[oa]|algo|mesas?|sitios?|lugar)\b"
    r"|\bj'ai\s+(?!rendez)|\b(?:nous\s+avons|on\s+a)\s+(?!rendez)|\by\s+a\b|\bil\s+(?:\w+\s+)?reste\b"
    r"|\b(?:aurais|aurions|serait)\b|\bist\b[^.;?!]{0,60}\bplatz\b",
    re.I,
)
# "Ein Tisch um drei geht"; "der Termin passt" is one that was made.
_SUITS = re.compile(r"\b(?:works?|geht|ginge|passt|klappt)\b", re.I)
_ANY = re.compile(
    r"\b(?:an?|eine?[nmr]?)\s+(?:appointment|table|place|seat|spot|time|termin|tisch|platz|uhrzeit)\b", re.I
)
# What was found is one of several; a certain one is somebody's.
_CERTAIN = re.compile(
    r"\b(?:the|der|den|dem|die|el|la|los|las|les?)\s+"
    r"(?:appointments?|tables?|places?|seats?|spots?|slots?|times?|room|termine?n?|tische?|platz|plätze|uhrzeit|stuhl"
    r"|citas?|mesas?|sitios?|lugar|turnos?|horarios?|huecos?|rendez-vous|horaire|heure|créneaux?)\b",
    re.I,
)
# These are free times, and words for what was booked as well: "the slot is on Friday".
_SLOTS = frozenset({"slot", "slots", "spot", "spots", "hueco", "huecos", "créneau", "créneaux"})
_WORD = re.compile(r"[^\W\d_]+(?:['-][^\W\d_]+)*")


class Doubtful(NamedTuple):
    """A sentence as it came, as it is read, and what it may claim; and whether it only settles when it is to be.

    What `lacks_details` names a chosen time, and is said in front of a question for a name or a number, too.
    """

    sentence: str
    plain: str
    deeds: tuple[Deed, ...]
    is_settled: bool = False
    lacks_details: bool = False

    def goes_on_before(self, sentence: str, *, is_asked: bool) -> bool:
        """Tell whether it goes on in the sentence behind it; `is_asked` where that asks whether it is right."""
        if self.is_settled:
            return not closes(sentence)
        is_lacking = self.lacks_details and not closes(sentence) and asks_for_details(sentence)
        return is_lacking or (is_asked and STANDING.issuperset(self.deeds))

    def goes_on_in(self, plain: str, claims: Sequence[object]) -> bool:
        """Tell whether a sentence only lists more of what is read back: "A nome Anna Costa."."""
        is_listed = len(plain.split()) <= _MOST_LISTED and not plain.endswith("?") and not claims
        if self.lacks_details and asks_for_details(plain):
            return False
        return is_listed and not self.is_settled and not tells(plain) and not closes(plain)

    def with_more(self, sentence: str, plain: str) -> "Doubtful":
        """Return it with what else is read back."""
        return self._replace(sentence=f"{self.sentence}{sentence}", plain=f"{self.plain} {plain}")


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
    if business is not None and business.takes_parties:
        sentence = ROOM_FOR.sub(lambda match: match["room"] if count_of(match["n"]) else match[0], sentence)
    named = MARKS.sub("", marked(business, _CAN_SEE.sub(_ROOM, _SPOKEN_TO.sub("", sentence))).text)
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


def was_found_free(sentence: str, messages: Sequence[Message], now: datetime) -> bool:
    """Tell whether what a sentence reads back is a time that a look-up has found free.

    Args:
        sentence: In plain marks.
        messages: The conversation, with what its look-ups came to.
        now: Local.
    """
    spelt = _HOUR_ALONE.sub(lambda m: " a las " if m["es"] else " alle " if m["it"] else " às ", sentence[:_LONGEST])
    return _is_found(spelt, messages, now)


def _says_it(clause: str, messages: Sequence[Message], now: datetime) -> bool:
    """Tell whether a clause says nothing else."""
    # "A table for five" says what there is, and for how many.
    told = frozenset(word.casefold() for word in _WORD.findall(clause))
    if not _are_known(_words_of(clause)) or told.isdisjoint(_HAVE):
        return False
    is_certain = _CERTAIN.search(clause) is not None
    if not told.isdisjoint(_FREE - _SLOTS if is_certain else _FREE):
        return _is_found(clause, messages, now, or_no_hour=True)
    is_offered = _OFFERS.search(clause) is not None or (_SUITS.search(clause) and _ANY.search(clause)) is not None
    return is_offered and not is_certain and not told.isdisjoint(_THINGS) and _is_found(clause, messages, now)


def _only_fills(clause: str) -> bool:
    return _are_known(_words_of(clause))


def _words_of(clause: str) -> list[str]:
    return [word.casefold() for word in _WORD.findall(without_parties(_FOR_YOU.sub(" ", clause)))]


def _are_known(words: Sequence[str]) -> bool:
    return all(word in _KNOWN or only_tell_when(word) for word in words)


def _is_found(clause: str, messages: Sequence[Message], now: datetime, *, or_no_hour: bool = False) -> bool:
    """Tell whether a look-up has found free what a clause names; with `or_no_hour` also where it names no hour."""
    assert now.tzinfo is not None
    times = list(free_times(messages, now.tzinfo))
    said = [mentioned for mentioned in readings(without_parties(clause), now) if mentioned.say_when]
    if or_no_hour and not any(mentioned.clocks or mentioned.elsewhere for mentioned in said):
        return True
    return any(
        all(any(stretch.agrees_with(one) for stretch in times for one in ways) for ways in _each_hour(mentioned))
        for mentioned in said
    )


def _each_hour(mentioned: Mentions) -> list[list[Mentions]]:
    """Return each hour that is named, on each of the days: "at two or at three on Friday" is free at both."""
    days = [replace(mentioned, weekdays=frozenset({day})) for day in mentioned.weekdays] or [mentioned]
    return [[replace(day, clocks=(clock,)) for day in days] for clock in mentioned.clocks] or [[day] for day in days]


def only_offers(statement: SpokenStatement) -> bool:
    """Tell whether a sentence says no more than when, and with whom, and a look-up of this turn has found just that.

    Where something was agreed to, or done, in this turn, a bare time is no offer.
    """
    business, session, sentence, now = statement.business, statement.session, statement.sentence, statement.now
    assert now.tzinfo is not None
    if session.agreed or statement.was_done_now() or len(sentence) > LONGEST_STATEMENT or tells(sentence):
        return False
    named = marked(business, sentence)
    rest = MARKS.sub(" ", named.text)
    if not only_tell_hours(WITH_WORDS.sub(" ", rest)):
        return False
    messages, names = session.history.this_turn, named.named(named.text)
    if not names:
        return was_found_free(rest, messages, now)
    free = list(people_free(messages, now.tzinfo))
    said = [one for one in readings(rest, now) if one.clocks and one.says_day]
    return bool(said) and all(
        any(words_of(name) <= words_of(one.person) and one.agrees_with(at) for one in free for at in said)
        for name in names
    )
