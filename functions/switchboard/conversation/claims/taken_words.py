"""Which sentences say no more than that a time is somebody else's, as in "that time is taken", "leider schon vergeben".

Such a sentence sounds like one about something that was done for the caller, and claims nothing. Some of its words mean
either: they are read so only where a tool has just said that the time is not to be had.
"""

import re
from collections.abc import Iterable, Mapping, Sequence

from switchboard.contract.definitions.definition import Deed
from switchboard.contract.error import ErrorType
from switchboard.contract.model import Message, ToolMessage
from switchboard.conversation.claims.fact_sources import Sources
from switchboard.conversation.claims.facts import words_of
from switchboard.conversation.claims.party_words import NUMBERS, only_tell_when
from switchboard.conversation.claims.sentences import ELSEWHERE, NO_RULE, clauses_of
from switchboard.conversation.claims.time_words import HOUR_WORDS, MONTHS, SHORT_WEEKDAYS, WEEKDAYS

_LONGEST = 200
# So few words beside it belong to it: "and to you", "by yourself".
_FEW_WORDS = 5
_TAKES_A_TIME = frozenset({Deed.BOOKED, Deed.MOVED, Deed.ENTERED})
_REGRET = (
    r"(?:i'm (?:so |very |really )?(?:sorry|afraid)|(?:so |very )?sorry|unfortunately|i see|i'm told"
    r"|(?:es )?tut mir (?:sehr )?leid|leider|lo siento|lamentablemente|(?:je suis )?désolée?|malheureusement"
    r"|mi dispiace|purtroppo|desculpe|sinto muito|infelizmente|het spijt me|helaas)"
)
_LEADS = re.compile(
    rf"^\W*(?:(?:{_REGRET}|(?:it )?(?:looks|seems) (?:like|as if|that)"
    r"|(?:ich sehe|es sieht so aus),? (?:dass|als)|parece que|il semble que|sembra che|het lijkt erop dat"
    r"|oh|ah|ach|hm+|okay|ok|well|and|but|no|und|aber|nein|pero|mais|ma|mas|maar|y|et|e|en)\b"
    r"[\s,.:!-]*(?:(?:that|dass)(?=\s(?:time|slot|one|hour|der|die)\b)\s)?){1,4}",
    re.I,
)
_TAIL = re.compile(rf"(?:[\s,-]+(?:{_REGRET}|though|then|dann|aber|though))?[\s.!,;:-]*$", re.I)
_ALREADY = r"(?:already|just|now|schon|bereits|gerade|eben|soeben|leider|inzwischen|ya|déjà|già|ormai|já|al|reeds|net)"
_BE = (
    r"(?:'s|(?:\s+|^)(?:is|was|has(?: \w+)? been|has|are|ist|sind|wurde|wird|está|ha sido|est|a été|è|è stat[oa]"
    r"|foi|werd))"
)
# By whom: never by, nor for, whoever hears it.
_OTHERS = (
    r"(?:some(?:body|one)(?: else)?|another (?:customer|caller|client|guest|patient|party)|others"
    r"|jemand(?:em|en)?(?: ander(?:er|es|em|s))?|ander(?:en|e|s)|ein(?:em|en)? anderen? (?:gast|kunde?n?|anrufer)"
    r"|alguien(?: más)?|otr[oa] (?:persona|cliente)|quelqu'un(?: d'autre)?|une? autre (?:personne|client)"
    r"|qualcun(?:o| altro|'altro)|un'altra persona|un altro cliente"
    r"|alguém|outr[oa] (?:pessoa|cliente)|iemand(?: anders)?)"
)
_BY = rf"(?:\s+(?:by|von|durch|an|por|par|da|door|aan)\s+{_OTHERS})"
# What is so said is not the caller's, whenever it is said.
_TAKEN = r"(?:taken|vergeben|belegt|besetzt|ocupad[oa]|prise?|occupée?|occupat[oa]|bezet|vergeven)"
# These may as well be said of what was done for the caller.
_GONE = r"(?:gone|weg|fort)"
_BOOKED = (
    r"(?:booked|reserved|snapped up|gebucht|reserviert|reservad[oa]|tomad[oa]|réservée?|prenotat[oa]|pres[oa]"
    r"|marcad[oa]|geboekt|gereserveerd)"
)
# Without such a word "ten o'clock is booked" may be told of the caller's own.
_BEFORE_NOW = re.compile(r"\b(?:already|schon|bereits|ya|déjà|già|ormai|já|al|reeds)\b", re.I)
_IS_TAKEN = re.compile(
    rf"(?:(?:\s+(?P<early>ya|já|al|already|déjà))?{_BE}|\s+(?P<fresh>vient d'être|acaba de ser))\s+"
    rf"(?P<already>(?:{_ALREADY}\s+){{0,2}})"
    rf"(?:(?P<taken>{_TAKEN})|(?P<gone>{_GONE})|(?P<booked>{_BOOKED}))(?P<by>{_BY})?$"
    rf"|{_BE}\s+(?:{_ALREADY}\s+){{0,2}}(?P<them>(?:von|door)\s+{_OTHERS}\s+)(?:{_TAKEN}|{_BOOKED})$",
    re.I,
)
_THEY_TOOK = re.compile(
    rf"^{_OTHERS}\s*(?:'s|\s(?:has|have|got|hat|ha|a|heeft|pegou|reservou))?\s+(?:{_ALREADY}\s+)?"
    rf"(?:(?:taken|booked|reserved|grabbed|got|snapped up|took|réservé|pris|reservado|cogido|tomado|ocupado|prenotato"
    rf"|preso)\s+(?P<what>[^,;:?]{{1,60}})"
    r"|(?:acaba de (?:reservar|tomar|coger)|vient de (?:réserver|prendre))\s+(?P<just>[^,;:?]{1,60})"
    rf"|(?P<first>[^,;:?]{{1,60}}?)\s+(?:{_ALREADY}\s+)?(?:gebucht|reserviert|genommen|bekommen|geboekt|gereserveerd"
    r"|genomen))$",
    re.I,
)
# "Leider ist 10 Uhr schon vergeben": the verb stands before what it is said of.
_INVERTED = re.compile(
    rf"^(?P<be>ist|is|wurde|est)\s+(?P<what>[^,;:?]{{1,60}}?)\s+(?P<rest>(?:{_ALREADY}\s+){{0,2}}\w+)$", re.I
)
# "Est déjà pris à 15 h 30", of whoever is asked for.
_THEN_BEHIND = re.compile(
    rf"^(?P<be>is|est|está|è|é)\s+(?P<rest>(?:{_ALREADY}\s+){{0,2}}{_TAKEN})\s+(?P<what>[^,;:?]{{1,60}})$", re.I
)
_OWN = re.compile(
    r"(?:'s|\s(?:is|are|was|has been))\s+(?:(?:now|all|already|just)\s+)?(?:booked|reserved|taken|held|kept|blocked)\s+"
    r"(?:for|by)\s+you(?:\s+now)?$"
    r"|\s(?:ist|wurde)\s+(?:(?:jetzt|nun|schon|hiermit)\s+)?(?:für|von)\s+(?:sie|ihnen|dich|dir)\s+"
    r"(?:gebucht|reserviert|belegt|eingetragen|vorgemerkt|geblockt)$",
    re.I,
)
_THINGS_SAID = """
that this it the one ones time times slot hour spot appointment place which there at clock
der die das dieser diese dieses es da termin zeit uhrzeit zeitpunkt platz um am
esa ese eso esta este la el las los hora horario turno hueco cita
cette ce cet c la le l heure créneau horaire rendez vous place
quell quello quella quest questo questa l il lo orario ora appuntamento posto
esse essa este esta o a as os horário vaga marcação
dit dat deze die het tijd tijdstip plek afspraak
"""
_THINGS = frozenset(_THINGS_SAID.split())
# Such a word alone may stand for anything: "it's taken" for a message.
_PRONOUNS_SAID = """
it that this which there es das der die diese dieses da c ce eso esa ese quello questo isso dat dit
"""
_PRONOUNS = frozenset(_PRONOUNS_SAID.split())
_WORD = re.compile(r"[^\W\d_]+")
# When something is: on a day, or at an hour.
_DAY = "|".join(
    [
        *("today", "tomorrow", "tonight", "heute", "morgen", "übermorgen", "hoy", "mañana", "pasado mañana"),
        *("aujourd'hui", "demain", "après-demain"),
        *sorted({*WEEKDAYS, *SHORT_WEEKDAYS, *MONTHS}, key=len, reverse=True),
    ]
)
_THEN = (
    r"(?:(?:on|for|am|für|el|para(?: el)?|le|pour(?: le)?|this|next|nächsten|diesen|este|ce) )?"
    rf"(?:(?:{_DAY})(?!\w)|(?:the )?\d{{1,2}}(?:st|nd|rd|th|\.|\s(?:de )?(?:{_DAY})))"
    r"|(?:at|um|a las?|à) (?:\d|half|quarter|halb|viertel|noon|midday|(?:"
    rf"{'|'.join(sorted({*HOUR_WORDS, *NUMBERS}, key=len, reverse=True))})(?!\w))"
)
_WE_ARE = r"(?:your |you |ihre |die |las |los |les )?"
_SO_MANY = rf"(?: (?:for|für|para|pour) {_WE_ARE}\w+(?: (?:people|personen|personas|personnes))?)?"
# "The table for five is on Friday" tells of the caller's own, as "your table" does.
_THE_VISIT: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (
        re.compile(rf"\b{the} (?P<thing>(?:{nouns})\b{_SO_MANY} (?:{verbs}))(?= (?:{_THEN})){NO_RULE}", re.I),
        rf"{own} \g<thing>",
    )
    for the, nouns, verbs, own in (
        ("the", "haircut|cut|visit|table|appointment|booking|reservation|colou?r", "is", "your"),
        ("der", "haarschnitt|schnitt|tisch|termin|besuch", "ist|steht", "Ihr"),
        ("die", "reservierung|buchung|färbung", "ist|steht", "Ihre"),
        ("(?:la|el)", "mesa|cita|corte|reserva|turno|visita|color", "es|está|queda", "su"),
        ("(?:la|le)", "table|coupe|visite|rendez-vous|réservation|couleur", "est", "votre"),
    )
)
_VISITS_SAID = """
haircut cut visit table appointment booking reservation color colour haarschnitt schnitt tisch termin besuch
reservierung buchung färbung mesa cita corte reserva turno visita coupe visite rendez réservation couleur
"""
_VISITS = frozenset(_VISITS_SAID.split())


def without_taken(sentence: str, *, is_refused: bool) -> str | None:
    """Return a sentence without the clauses that say only that a time is somebody else's; None where none does.

    Args:
        sentence: In plain marks.
        is_refused: Whether a tool has just said that a time is not to be had.
    """
    if len(sentence) > _LONGEST:
        return None
    if _says_it(sentence, is_refused=is_refused):
        return ""
    clauses = clauses_of(sentence)
    left = [clause for clause in clauses if not _says_it(clause, is_refused=is_refused)]
    if len(left) == len(clauses):
        return None
    rest = "".join(clause for clause in left if _LEADS.sub("", clause).strip())
    return None if 0 < len(rest.split()) <= _FEW_WORDS else rest


def own_time(sentence: str) -> str:
    """Return which time a sentence says is the hearer's own: "ten is booked for you"; empty where it says none."""
    text = _LEADS.sub("", _TAIL.sub("", sentence[:_LONGEST])).strip()
    match = _OWN.search(text)
    time = text[: match.start()] if match is not None else ""
    return time if _is_a_time(time) else ""


def as_own_visit(sentence: str) -> str:
    """Return a sentence that tells when "the table" is, as one of "your table"; empty where it tells of none."""
    # "The table is free on Friday" tells of nobody's.
    is_told = not words_of(sentence).isdisjoint(_VISITS) and ELSEWHERE.search(sentence) is None
    for the_visit, own_visit in _THE_VISIT if is_told else ():
        sentence_of_own, times = the_visit.subn(own_visit, sentence, count=1)
        if times:
            return sentence_of_own
    return ""


def is_refused_now(messages: Iterable[Message], sources: Sources) -> bool:
    """Tell whether of these, a turn's, the last call about a time came to this: it is not to be had."""
    refused = False
    for response in (m.response for m in messages if isinstance(m, ToolMessage) and _is_about_a_time(m, sources)):
        is_busy = isinstance(response.data, Mapping) and response.data.get("available") is False
        refused = is_busy or (response.failure is not None and response.failure.type is ErrorType.CONFLICT)
    return refused


def _is_about_a_time(message: ToolMessage, sources: Sources) -> bool:
    data = message.response.data
    return sources.does(message.name, _TAKES_A_TIME) or (isinstance(data, Mapping) and "available" in data)


def _says_it(clause: str, *, is_refused: bool) -> bool:
    """Tell whether a clause says nothing else."""
    text = _LEADS.sub("", _TAIL.sub("", clause)).strip()
    inverted = _THEN_BEHIND.match(text) or _INVERTED.match(text)
    if inverted is not None:
        text = f"{inverted['what']} {inverted['be']} {inverted['rest']}"
    match = _IS_TAKEN.search(text)
    if match is not None:
        before_now = match["early"] or match["fresh"] or _BEFORE_NOW.search(match["already"] or "")
        what = text[: match.start()]
        if not is_refused and (not match["taken"] or _PRONOUNS.issuperset(_WORD.findall(what.casefold()))):
            return False
        is_sure = match["taken"] or match["gone"] or match["by"] or match["them"] or before_now
        return bool(is_sure) and _is_a_time(what)
    took = _THEY_TOOK.match(text) if is_refused else None
    return took is not None and _is_a_time(took["what"] or took["just"] or took["first"])


def _is_a_time(words: str) -> bool:
    """Tell whether words name a time, or what stands for one, and nothing of anybody's."""
    others: Sequence[str] = [word for word in _WORD.findall(words) if word.casefold() not in _THINGS]
    return bool(words.strip()) and only_tell_when(" ".join(others))
