"""What a sentence says of several things at once: "both appointments are cancelled" is a claim of each of them.

A plural is read as a rule ("haircuts are booked for 30 minutes"), unless it speaks of what is the caller's own. Such a
sentence is read once more as one about a single thing, and has to be borne out as often as it says.
"""

import re
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import NamedTuple

from switchboard.contract.definitions.definition import Deed
from switchboard.contract.model import Message, UserMessage
from switchboard.conversation.claims.classifier import ClaimReading, ClaimTelling
from switchboard.conversation.claims.facts import WITH_SOMEBODY, Evidence, each_once
from switchboard.conversation.claims.name_words import GIVEN_NAMES
from switchboard.conversation.claims.party_words import KIN, NUMBERS, only_tell_visit
from switchboard.conversation.claims.sentences import ELSEWHERE, NO_RULE, SENT
from switchboard.conversation.claims.taken_words import as_own_visit, own_time
from switchboard.conversation.session import CallSession

_MOST = 4
_BOTH = "both beide beiden ambas ambos entrambi entrambe"
_NUMBERS = {word: n for word, n in NUMBERS.items() if 1 < n <= _MOST} | dict.fromkeys(_BOTH.split(), 2)
# What a caller may have several of; people, rooms and days are none of it.
_EN = r"appointment|booking|reservation|visit|haircut|cut|text|text message|message|e-?mail|confirmation|table"
_WHOSE = r"(?:the |your |my |her |his |their )?"
_MANY = r"(?:two |three |four |\d )?"
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
    rf"(?P<be>are|were|have been)\b{NO_RULE}",
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
    rf"(?P<noun>cita|reserva|turno|corte)s (?:están|quedan|han sido) (?P<done>\w+d[ao])s\b{NO_RULE}",
    re.I,
)
_FRENCH = re.compile(
    r"\b(?:les|vos)(?: (?:deux|trois|quatre))? (?P<noun>rendez-vous|réservation|coupe)s? (?:sont|ont été) "
    rf"(?P<done>\w+ée?)s\b{NO_RULE}",
    re.I,
)
_ITALIAN = re.compile(
    r"\b(?:entrambi gli|entrambe le|tutti gli|tutte le|gli|le|i suoi|le sue)(?: (?:due|tre))? "
    rf"(?:appuntamenti|prenotazioni) sono (?:stat[ie] )?(?P<done>\w+at)[ie]\b{NO_RULE}",
    re.I,
)
_PORTUGUESE = re.compile(
    r"\b(?:os|as|ambos os|ambas as|seus|suas|todos os|todas as)(?: (?:dois|duas|três))? "
    rf"(?P<noun>horário|agendamento|consulta|reserva)s (?:estão|foram) (?P<done>\w+d[ao])s\b{NO_RULE}",
    re.I,
)
# Whoever has done it to each: "cancelé sus dos citas", "j'ai annulé les deux".
_DID_SPANISH = re.compile(
    r"\b(?P<done>cancelé|anulé|cambié|moví|reservé|agendé|confirmé|(?:he|hemos) (?:cancelado|anulado|cambiado|movido"
    r"|reservado|agendado|confirmado)) (?:(?:(?:sus|tus|las|los|ambas|ambos)(?: (?:dos|tres|cuatro))?|dos|tres|cuatro)"
    r" (?:citas|reservas|turnos|mesas|cortes)"
    r"|(?:las|los) (?:dos|tres|cuatro)\b(?! (?:y|menos|de la|en punto))|ambas\b|ambos\b)",
    re.I,
)
_DID_FRENCH = re.compile(
    r"\b(?P<done>(?:j'ai|je vous ai|nous (?:vous )?avons|on (?:vous )?a) (?:bien )?(?:annulé|déplacé|changé|réservé"
    r"|confirmé)) (?:(?:(?:vos|les)(?: (?:deux|trois|quatre))?|deux|trois|quatre) (?:rendez-vous|réservations|coupes"
    r"|tables)|(?:toutes |tous )?les (?:deux|trois"
    r"|quatre)\b(?! heures))",
    re.I,
)
_DID_ITALIAN = re.compile(
    r"\b(?P<done>(?:ho|abbiamo) (?:annullat|cancellat|disdett|spostat|prenotat|confermat))[oaie] (?:(?:entrambi gli"
    r"|entrambe le|tutt[ie] e (?:due|tre) (?:gli|le)|gli|le|i|i suoi|le sue)(?: (?:due|tre))? (?:appuntamenti"
    r"|prenotazioni)|(?:due|tre|quattro) (?:appuntamenti|prenotazioni|tavoli|tagli)"
    r"|entramb[ie]\b|tutt[ie] e (?:due|tre)\b)",
    re.I,
)
_DID_PORTUGUESE = re.compile(
    r"\b(?P<done>cancelei|desmarquei|mudei|remarquei|marquei|agendei|confirmei) (?:(?:as|os|ambas as|ambos os)"
    r"(?: (?:suas|seus))?(?: (?:duas|dois|três))? (?:marcações|consultas|horários|agendamentos|reservas)"
    r"|(?:duas|dois|três|quatro) (?:marcações|consultas|horários|agendamentos|reservas|mesas|cortes)"
    r"|(?:as|os) (?:duas|dois|três)\b|ambas\b|ambos\b)",
    re.I,
)
_DID_GERMAN = re.compile(
    r"\b(?:beide(?: termine)?|(?:(?:ihre|die)(?: (?:beiden|zwei|drei))?|zwei|drei|vier) (?:termine|buchungen"
    r"|reservierungen|tische))(?: für (?:sie|euch|dich))? "
    r"(?P<done>storniert|abgesagt|gebucht|verschoben|verlegt|bestätigt)\b",
    re.I,
)
_DID_ENGLISH = re.compile(
    r"\b(?P<done>booked|cancelled|canceled|moved|rescheduled|confirmed) (?:you )?(?:(?:your|the|all) )?"
    r"(?:two|three|four) (?:appointments|bookings|reservations|tables|haircuts)\b",
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
    (_DID_SPANISH, r"\g<done> su cita"),
    (_DID_FRENCH, r"\g<done> votre rendez-vous"),
    (_DID_ITALIAN, r"\g<done>o il suo appuntamento"),
    (_DID_PORTUGUESE, r"\g<done> a sua marcação"),
    (_DID_GERMAN, r"Ihren Termin \g<done>"),
    (_DID_ENGLISH, r"\g<done> your appointment"),
)
# "The haircut is booked" is said of the caller's, however much it sounds like a rule.
_THE_ONE = re.compile(
    rf"\bthe (?P<noun>haircut|cut|visit|table) (?P<be>is|was|has been)\b(?! (?:\w+ )?[$€£]\s?\d){NO_RULE}", re.I
)
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


_A_SECOND = re.compile(
    r"\b(?:(?P<one>a|una?|une|uma?|einen?|eine|an)(?:other)? (?:second|deuxième|seconde|segund[oa]|second[oa]"
    r"|zweite[nr]?)"
    r" (?P<thing>appointment|booking|reservation|cita|reserva|rendez-vous|réservation|appuntamento|prenotazione"
    r"|marcação"
    r"|consulta|horário|termin|buchung|reservierung)|(?<=\botra )(?P<other>cita|reserva) más)\b",
    re.I,
)
TO_KIN = re.compile(
    r"\b(?:to|an|a|à|para|aan)\s+(?:your|ihren?|ihrer|su|votre|sua|seu|suo|uw)\s+(?:\w+\s+)?"
    rf"{KIN}\b(?!'s)|\b(?:texted|e-?mailed|sent) your {KIN}\b(?!'s)",
    re.I,
)
"""Somebody else who gets a message: "se la mandé a su madre"."""
# How callers say who they are; a name alone answers who it is.
_WHO_CALLS = re.compile(
    r"(?:\b(?i:this is|my name(?:'s| is)|i'm|i am|ich bin|hier ist|mein name ist|ich heiße|soy|me llamo|mi nombre es"
    r"|habla|c'est|je suis|je m'appelle|sono|mi chiamo|sou|meu nome é|ik ben|mijn naam is)\s+(?:(?i:a|o|die"
    r"|der)\s+)?|^\W*)"
    r"(?P<name>[A-ZÀ-ÖØ-Þ][\w'-]+)(?=[\s,.!]|$)"
)
_BARE_NAME = re.compile(r"^\W*(?:[A-ZÀ-ÖØ-Þ][\w'-]+\W*){1,4}$")
_LONGEST_HEARD = 400
_MESSAGES = frozenset({Deed.TEXTED, Deed.MAILED})
# Of these "as well" tells of another one; a text is sent as well as something else is done.
_MORE_THAN_ONE = WITH_SOMEBODY | {Deed.OTHER, Deed.UNNAMED}


class OfOne(NamedTuple):
    """What a sentence says of one of the things that it speaks of, and how often that has to be borne out.

    `is_more` where it says so of something, or somebody, beside what was told of before: "your daughter's as well";
    `is_second` where it says itself that it is not the only one: "a second appointment".
    """

    text: str
    times: int
    is_more: bool = False
    is_second: bool = False


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
    if was_done and not sentence.endswith("?") and _A_SECOND.search(sentence) is not None:
        return OfOne(_A_SECOND.sub(_one_of_them, sentence), 1, is_more=True, is_second=True)
    sentence_of_one, times = _EVERYONE.subn(r"you're \g<done>", sentence, count=1)
    if not times:
        sentence_of_one, times = _EXCLAIMED.subn(r"you're booked \g<rest>", sentence)
    if not times:
        sentence_of_one, times = _STANDS.subn(lambda m: "está reservado." if m["es"] else "Ihr Termin steht.", sentence)
    if times:
        return OfOne(sentence_of_one, 1)
    for several, one in _FORMS:
        several_said = several.search(sentence)
        if several_said is not None:
            return OfOne(several.sub(one, sentence, count=1), _how_many(several_said[0]))
    time = own_time(sentence)
    if time:
        return OfOne(f"you're booked for {time}.", 1)
    own_visit = as_own_visit(sentence)
    if own_visit:
        return OfOne(own_visit, 1)
    sentence_of_one, times = _THE_ONE.subn(r"your \g<noun> \g<be>", sentence, count=1)
    return OfOne(sentence_of_one, 1) if times else None


ONE = OfOne("", 1)
"""What any other sentence says: of one thing, once."""


def without_first(
    bearing: Sequence[Evidence],
    deed: Deed,
    text: str,
    one: OfOne,
    known: Sequence[Evidence],
    told: Sequence[Evidence],
    session: CallSession,
) -> Sequence[Evidence]:
    """Return of what bears out a deed that which may be one more than what was told of before, where that is said.

    Args:
        bearing: What bears it out.
        deed: Which it is.
        text: What is said of it.
        one: How the sentence speaks of it.
        known: What else was done, and found.
        told: What was told of before in the same answer.
        session: The conversation.
    """
    if not one.is_more or len(bearing) != 1:
        return bearing
    if deed in _MESSAGES and TO_KIN.search(text) is not None:
        own = "".join(filter(str.isdigit, session.facts.caller_phone or ""))
        return [item for item in bearing if not own or item.numbers != {own}]
    if deed not in _MORE_THAN_ONE:
        return bearing
    visits = each_once(item for item in known if item.moments and item.deeds & WITH_SOMEBODY)
    if len(visits) == 1 and (one.is_second or _is_callers_own(visits[0], session.history.messages)):
        return []
    return [item for item in bearing if item.is_of_now and item not in told]


def _is_callers_own(item: Evidence, messages: Sequence[Message]) -> bool:
    """Tell whether something is under the name by which the caller has introduced themselves."""
    said = (message.text[:_LONGEST_HEARD] for message in messages if isinstance(message, UserMessage))
    names = {
        match["name"].casefold()
        for text in said
        for match in _WHO_CALLS.finditer(text)
        if match.start("name") != match.start() or _BARE_NAME.match(text) is not None
    }
    return not names.isdisjoint(item.words)


def _one_of_them(match: re.Match[str]) -> str:
    return str(match["other"] or f"{match['one']} {match['thing']}")


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
