"""What a sentence says of several things at once: "both appointments are cancelled" is a claim of each of them.

A plural is read as a rule ("haircuts are booked for 30 minutes"), unless it speaks of what is the caller's own. Such a
sentence is read once more as one about a single thing, and has to be borne out as often as it says.
"""

import re
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import NamedTuple

from switchboard.contract.definitions.definition import Deed
from switchboard.conversation.claims.classifier import ClaimReading, ClaimTelling
from switchboard.conversation.claims.name_words import GIVEN_NAMES
from switchboard.conversation.claims.party_words import KIN, NUMBERS, only_tell_visit
from switchboard.conversation.claims.sentences import ELSEWHERE, SENT
from switchboard.conversation.claims.taken_words import own_time
from switchboard.conversation.claims.time_words import HOUR_WORDS, MONTHS, SHORT_WEEKDAYS, WEEKDAYS

_NUMBERS = {
    word: number
    for number, words in {
        2: "both two beide beiden zwei ambas ambos dos deux entrambi entrambe due dois duas twee",
        3: "three drei tres trois tre três drie",
        4: "four vier cuatro quatre quattro quatro",
    }.items()
    for word in words.split()
}
# What a caller may have several of; people, rooms and days are none of it.
_EN = r"appointment|booking|reservation|visit|haircut|cut|text|text message|message|e-?mail|confirmation|table"
_WHOSE = r"(?:the |your |my |her |his |their )?"
_MANY = r"(?:two |three |four |\d )?"
# How long something takes, what is usual and what is free of charge are told of everybody's.
_NO_RULE = (
    r"(?!.{0,40}\b(?:for \d|for groups|usually|always|only|never|minutes|free of charge|until|if|unless|when|after|via"
    r"|by e-?mail|by text|by phone|par|après|si|quand|dopo|quando|tramite|per|por|después|cuando|depois|sms|minuti"
    r"|minutos)\b)"
)
_DONE_TO_THEM = r"cancelled|canceled|moved|confirmed|sent|reserved|rescheduled"

PLANTED = 0.97
"""So sure a reading is of what may have been put somewhere to be repeated."""

AND = re.compile(
    r"\s(?:and|und|y(?! (?:media|cuarto)\b)|et(?! (?:demie?|quart)\b)|e(?! (?:mezza|meia|un quarto)\b)|en)\s|,\s", re.I
)
"""What joins two things, or two deeds."""
# So sure a clause has to be that claims another deed than the sentence seems to: behind such a word, and elsewhere.
_JOINED, _APART = 0.65, 0.9
# What stands by itself behind it, and tells more.
_ENDS_APART = re.compile(r"(?:;|\s[-\u2013\u2014])\s*$")


def _of_one(match: re.Match[str]) -> str:
    verb = {"are": "is", "were": "was", "have been": "has been", "'re": "is"}[match["be"].lower()]
    return f"your {match['noun']} {verb}"


_EACH = re.compile(
    rf"\b(?:both (?:of )?{_WHOSE}{_MANY}|all (?:of )?{_WHOSE}{_MANY}|(?:the|your) {_MANY})(?P<noun>{_EN})s "
    rf"(?P<be>are|were|have been)\b{_NO_RULE}",
    re.I,
)
_ALL_OF_THEM = re.compile(
    r"\b(?:both|both of (?:them|those|these)|all of them|they(?:'re| are) (?:both|all)) ?(?:are|have been|were)? "
    rf"(?P<done>{_DONE_TO_THEM})\b",
    re.I,
)
_DONE_BOTH = re.compile(r"\b(?P<done>booked|cancelled|canceled|moved|reserved|sent) (?:you )?both\b(?! of us)", re.I)
_SPANISH = re.compile(
    r"\b(?:las|los|sus|ambas|ambos|todas las|todos los)(?: (?:dos|tres|cuatro))? "
    rf"(?P<noun>cita|reserva|turno|corte)s (?:están|quedan|han sido) (?P<done>\w+d[ao])s\b{_NO_RULE}",
    re.I,
)
_FRENCH = re.compile(
    r"\b(?:les|vos)(?: (?:deux|trois|quatre))? (?P<noun>rendez-vous|réservation|coupe)s? (?:sont|ont été) "
    rf"(?P<done>\w+ée?)s\b{_NO_RULE}",
    re.I,
)
_ITALIAN = re.compile(
    r"\b(?:entrambi gli|entrambe le|tutti gli|tutte le|gli|le|i suoi|le sue)(?: (?:due|tre))? "
    rf"(?:appuntamenti|prenotazioni) sono (?:stat[ie] )?(?P<done>\w+at)[ie]\b{_NO_RULE}",
    re.I,
)
_PORTUGUESE = re.compile(
    r"\b(?:os|as|ambos os|ambas as|seus|suas|todos os|todas as)(?: (?:dois|duas|três))? "
    rf"(?P<noun>horário|agendamento|consulta|reserva)s (?:estão|foram) (?P<done>\w+d[ao])s\b{_NO_RULE}",
    re.I,
)
# How a language speaks of several, and how the same is said of one.
_FORMS: tuple[tuple[re.Pattern[str], str | Callable[[re.Match[str]], str]], ...] = (
    (_EACH, _of_one),
    (_ALL_OF_THEM, r"it is \g<done>"),
    (_DONE_BOTH, r"\g<done> it"),
    (_SPANISH, r"su \g<noun> está \g<done>"),
    (_FRENCH, r"votre \g<noun> est \g<done>"),
    (_ITALIAN, r"il suo appuntamento è \g<done>o"),
    (_PORTUGUESE, r"o seu \g<noun> está \g<done>"),
)
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
        re.compile(rf"\b{the} (?P<thing>(?:{nouns})\b{_SO_MANY} (?:{verbs}))(?= (?:{_THEN})){_NO_RULE}", re.I),
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
# "The haircut is booked" is said of the caller's, however much it sounds like a rule.
_THE_ONE = re.compile(rf"\bthe (?P<noun>haircut|cut|visit|table) (?P<be>is|was|has been)\b{_NO_RULE}", re.I)
# A text may be written in several parts.
_SENT = re.compile(r"\b(?:texts|messages|e-?mails|confirmations)\b", re.I)
_COUNTED = re.compile(
    rf"\b(?P<number>{'|'.join(_NUMBERS)}|[2-9])\b(?!\s*(?:o'clock|uhr|am|pm|a\.m|p\.m|minutes?|hours?|:))", re.I
)
_EVERYONE = re.compile(
    r"\b(?:everyone|everybody)(?:'s| is) (?P<done>in|down|all set|set|booked(?: in)?|sorted|confirmed)"
    r"(?=\s*(?:[.,!]|$))",
    re.I,
)
# What is only exclaimed is told of whoever hears it.
_EXCLAIMED = re.compile(
    r"^(?:(?:and|okay|ok|great|perfect|right|boom|all|it's|that's|done),? )*(?:locked in|slotted in|squeezed in"
    r"|pencil?led in|secured|got you in|signed,? (?:and )?sealed(?:,? (?:and )?delivered)?|booked (?=under ))"
    r"(?P<rest>\b[^,;?]{0,40})$",
    re.I,
)
_STANDS = re.compile(r"^\W*(?P<es>anotad[oa]|apuntad[oa]|agendad[oa])\W*$|^steht\W*$", re.I)
_TOO = (
    r"\b(?:too|as well|also|likewise|auch|ebenfalls|también|aussi|également|anche|também|ook|eveneens)\b"
    r"(?! (?:as|als)\b)"
)
_ALSO = re.compile(_TOO, re.I)
_ONE_MORE = re.compile(
    rf"\b(?:your|ihren?|dein\w*|su|tu|votre|ton|ta|su[ao]|seu|uw|je|jouw)\s+(?:\w+\s+)?{KIN}(?:'s|s)?\b"
    r"|\b(?:the (?:second|third|other|next)|de[rn] (?:zweiten?|anderen?)|die (?:zweite|andere)|la (?:segunda|otra)"
    r"|(?:le|la) (?:deuxième|second|seconde)|l'autre|(?:il|la) second[oa]|l'altr[oa]|[oa] (?:segund|outr)[oa]"
    r"|de (?:tweede|andere)) (?P<thing>\w+)",
    re.I,
)
_SPOKEN_TO = re.compile(r"^[A-ZÀ-ÖØ-Þ]\w+,|, [A-ZÀ-ÖØ-Þ]\w+(?=[.!,]|$)")
_CAPITAL = re.compile(r"\b[A-ZÀ-ÖØ-Þ]\w+")
_LEFT_OUT = re.compile(rf"^(?:and|oh and) |,? {_TOO}", re.I)
_SECOND = re.compile(r"\bthe (?:second|third|other|next) (?:one|appointment|booking|reservation)\b", re.I)


class OfOne(NamedTuple):
    """What a sentence says of one of the things that it speaks of, and how often that has to be borne out.

    `is_more` where it says so of something, or somebody, beside what was told of before: "your daughter's as well".
    """

    text: str
    times: int
    is_more: bool = False


@lru_cache(maxsize=1_000)
def said_of_one(sentence: str, people: frozenset[str] = frozenset(), *, was_done: bool = False) -> OfOne | None:
    """Return what a sentence about a caller's own things says of each; None where it speaks of none such.

    Args:
        sentence: In plain marks.
        people: The words of the names of the business's people, who are busy where a caller is booked.
        was_done: Whether anything was done in this conversation: else "the second one" is a time that was offered.
    """
    if not sentence.endswith("?") and _is_one_more(sentence, people, was_done=was_done):
        return OfOne(_SECOND.sub("your appointment", _LEFT_OUT.sub("", sentence)), 1, is_more=True)
    sentence_of_one, times = _EVERYONE.subn(r"you're \g<done>", sentence, count=1)
    if not times:
        sentence_of_one, times = _EXCLAIMED.subn(r"you're booked \g<rest>", sentence)
    if not times:
        sentence_of_one, times = _STANDS.subn(lambda m: "está reservado." if m["es"] else "Ihr Termin steht.", sentence)
    if times:
        return OfOne(sentence_of_one, 1)
    for several, one in _FORMS:
        sentence_of_one, times = several.subn(one, sentence, count=1)
        if times:
            return OfOne(sentence_of_one, _how_many(sentence))
    time = own_time(sentence)
    if time:
        return OfOne(f"you're booked for {time}.", 1)
    # "The table is free on Friday" tells of nobody's.
    for the_visit, own_visit in _THE_VISIT if ELSEWHERE.search(sentence) is None else ():
        sentence_of_one, times = the_visit.subn(own_visit, sentence, count=1)
        if times:
            return OfOne(sentence_of_one, 1)
    sentence_of_one, times = _THE_ONE.subn(r"your \g<noun> \g<be>", sentence, count=1)
    return OfOne(sentence_of_one, 1) if times else None


def _is_one_more(sentence: str, people: frozenset[str], *, was_done: bool) -> bool:
    if _ALSO.search(sentence) is None:
        return False
    more = _ONE_MORE.search(sentence)
    if more is not None:
        # "The next chair is booked too" tells of others', where nothing was done for the caller.
        return was_done or more["thing"] is None
    # Who is spoken to is nobody else: "You are confirmed too, Anna."
    names = (word[0].casefold() for word in _CAPITAL.finditer(_SPOKEN_TO.sub(" ", sentence)))
    return any(name in GIVEN_NAMES and name not in people for name in names)


def _how_many(sentence: str) -> int:
    """Return as many as a sentence says, or two; of messages one will do."""
    match = _COUNTED.search(sentence)
    number = match["number"].lower() if match is not None else ""
    if not number:
        return 1 if _SENT.search(sentence) else 2
    return _NUMBERS.get(number) or int(number)


def without_contents(
    claims: Sequence[tuple[Deed, ...]], by_clause: Sequence[ClaimReading]
) -> Sequence[tuple[Deed, ...]]:
    """Return what is claimed but for what only stands in a message: "the message is taken: a haircut on Friday at ten".

    What a clause of its own claims is none of it.
    """
    told_deeds = {deed for reading in by_clause for claim in reading.claims for deed in claim}
    messages = [r for r in by_clause if r.claims == ((Deed.PASSED_ON,),) and r.certainty >= PLANTED]
    if len(by_clause) < 2 or not messages:
        return claims
    return [
        (Deed.PASSED_ON,),
        *(claim for claim in claims if not told_deeds.isdisjoint(claim) and Deed.PASSED_ON not in claim),
    ]


def claimed_beside(
    reading: ClaimReading, clauses: Sequence[str], by_clause: Sequence[ClaimReading]
) -> list[tuple[Deed, ...]]:
    """Return what clauses claim beyond their sentence: of two deeds in one breath one is easily overheard."""
    is_message = Deed.PASSED_ON in reading.deeds
    # Of several deeds that the whole may mean, one clause means one, and another one another.
    deeds = [one.deeds for one in by_clause if one.claims]
    is_divided = any(one.isdisjoint(other) for one in deeds for other in deeds)
    told = {deed for claim in reading.claims for deed in claim if len(claim) == 1 or not is_divided}
    more = set[tuple[Deed, ...]]()
    for at, (text, one) in enumerate(zip(clauses, by_clause, strict=False)):
        is_joined = AND.match(f" {text}") is not None
        follows = clauses[at + 1] if at + 1 < len(clauses) else ""
        is_apart = _ENDS_APART.search(clauses[at - 1] if at else text) is not None or (
            at == 0 and AND.match(f" {follows}") is not None
        )
        if is_message and one.claims == ((Deed.MAILED,),) and SENT.search(text) is None:
            continue
        if is_joined or is_apart:
            certain = [claim for claim in one.claims if one.certainty >= (_JOINED if is_joined else _APART)]
            more |= {claim for claim in certain if len(claim) == 1 and told.isdisjoint(claim)}
            more |= {claim for claim in certain if one.certainty >= _APART and reading.deeds.isdisjoint(claim)}
    return sorted(claim for claim in more if Deed.UNNAMED not in claim)


def about(deed: Deed, sentence: str, clauses: Sequence[str], by_clause: Sequence[ClaimReading]) -> str:
    """Return what a sentence says of one deed: without the clauses that speak of another, or of what is not done."""
    own = [deed in reading.deeds for reading in by_clause]
    if not any(own):
        return sentence
    elsewhere = [ELSEWHERE.search(clause) is not None for clause in clauses]
    if not all(there for there, is_own in zip(elsewhere, own, strict=True) if is_own):
        own = [is_own and not there for there, is_own in zip(elsewhere, own, strict=True)]
    return "".join(
        clause
        for clause, reading, there, is_own in zip(clauses, by_clause, elsewhere, own, strict=True)
        if is_own or (not reading.claims and not there and _is_plain(clause, reading))
    )


def _is_plain(clause: str, reading: ClaimReading) -> bool:
    """Tell whether a clause says nothing of its own: what it tells of when and for how many belongs to the others."""
    return reading.telling is ClaimTelling.PLAIN or ("?" not in clause and only_tell_visit(clause))
