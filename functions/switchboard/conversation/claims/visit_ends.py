"""When a visit ends: "so you're done by quarter to five" is worked out from a result, and held where none has it."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta, tzinfo
from typing import TypeAlias

from switchboard.contract.model import ToolMessage
from switchboard.conversation.claims.entities import Mentions, mentions
from switchboard.conversation.claims.facts import STANDING, ends_in, in_order, moment_in, services_named, stretches_in
from switchboard.conversation.claims.party_words import only_tell_when
from switchboard.conversation.claims.sentences import ELSEWHERE, NOT_SO
from switchboard.conversation.claims.statements.statement import SpokenStatement
from switchboard.conversation.session import CallSession

Stretch: TypeAlias = tuple[datetime, datetime]

_LEADS = r"(?:,\s*)?(?:\b(?:so|and|then|which means|also|und|dann|damit|así que|y|entonces|donc|et|alors)\s+){0,2}"
_ENDS_AT = re.compile(
    rf"{_LEADS}(?:\b(?:you|we|it|that)(?:'re|'s|'ll be|'d be| are| is| will be| would be| should be)\s+"
    r"(?:all\s+|back\s+|both\s+)?(?:out(?: of (?:here|there))?|done"
    r"|finished|through|over|ready|free again|on your way)"
    r"|\b(?:it |that |which )?(?:ends|finishes|lasts|runs|goes)(?=\s+(?:at|by|until|till|to)\b)"
    r"|\b(?:er |es |der termin |das )?(?:endet|dauert|geht)(?=\s+(?:um|gegen|bis)\b)"
    r"|\b(?:termina(?:rá|remos)?|acaba(?:rá)?|dura(?:rá)?|sale|saldrá|estará (?:list[oa]|libre))"
    r"(?=\s+(?:a|sobre|hacia|hasta|às|até)\b)"
    r"|\b(?:finisce|finirà|termina|dura|sarà (?:pront|liber)[oa])(?=\s+(?:alle|verso|fino)\b)"
    r"|\bvous (?:serez|êtes|aurez|sortirez)(?:\s+(?:donc|alors))?(?:\s+(?:prête?|libre|sortie?|terminé|fini))?"
    r"(?=\s+(?:à|vers)\b)"
    r"|\b(?:ça |il |cela )?(?:se termine|finit|termine|dure)(?=\s+(?:à|vers|jusqu'à)\b))"
    r"(?P<when>\s+[^,;!?]{1,60})",
    re.I,
)
_DONE_BY = re.compile(
    rf"{_LEADS}\b(?:sie\s+(?:sind|wären)|(?:sind|wären)\s+sie)\s+(?:dann\s+|also\s+|damit\s+)?"
    r"(?P<when>(?:um|gegen|bis|spätestens|ca)\b[^,;!?]{1,50}?)\s+(?:fertig|durch|draußen|wieder frei|wieder draußen)\b",
    re.I,
)
_BY = re.compile(
    r"^\s*(?:(?:by|at|around|about|until|till|to|um|gegen|bis|spätestens|ca|circa|sobre|hacia|hasta|fino|verso|até|a|à|vers|jusqu'à)"
    r"(?:\s+|\b(?='))){1,3}",
    re.I,
)
_ASKED_BEHIND = re.compile(r"(?<=\d)\. [^.;!?]{1,80}\?$")
_LESS = re.compile(r"\b(?:menos|moins(?: le)?|forty|quarante)\b", re.I)
# That something lasts until then, or is over then, and when that is.
_TILL = r"(?:bis|until|till|hasta|jusqu'(?:à|au)|fino|até|tot)"
_LASTS = re.compile(
    r"\b(?:(?:ends|finishes|is over|will end|will finish)\s+(?:at|by|around|about)"
    r"|(?:lasts|runs|goes|will last|will run)\s+(?:\w+\s+){0,2}?(?:until|till|to|up to)"
    r"|(?:be|are|'re|is|'s|'ll be)\s+(?:all\s+|both\s+)?(?:done|finished|out(?: of (?:here|there))?|through)\s+"
    r"(?:at|by|around|about)"
    r"|endet\s+(?:\w+\s+){0,3}?(?:um|gegen)|(?:dauert|geht|läuft|reicht)\s+(?:\w+\s+){0,3}?bis"
    r"|(?:termina(?:rá)?|acaba(?:rá)?|finaliza(?:rá)?)\s+(?:a|sobre|hacia|às|alle)|(?:dura(?:rá)?|va|vai)\s+(?:hasta|até)"
    r"|(?:vous (?:sortirez|terminerez|serez (?:prête?|libre))|se termine(?:ra)?|finit|finira|termine)\s+(?:à|vers)"
    r"|(?:dure(?:ra)?|va)\s+jusqu'(?:à|au)"
    r"|(?:finisce|finirà|terminerà)\s+(?:alle|all'|verso)|(?:dura|durerà|va)\s+fino)"
    r"(?P<when>\s+[^,;!?]{1,60})",
    re.I,
)
_DONE_THEN = re.compile(
    r"\bsind\s+(?:sie\s+)?(?:dann\s+|also\s+|damit\s+)?(?P<when>(?:um|gegen|bis|spätestens)\b[^,;!?]{1,40}?)\s+"
    r"(?:fertig|durch|draußen)\b",
    re.I,
)
# "Ihr Tisch ist bis neun Uhr reserviert": until when it is the caller's, and no time at which it is.
_KEPT = re.compile(
    r"\b(?:your|su|tu|votre|il suo|la sua|a sua|o seu)\s+\w+\s+(?:is|est|está|queda|è|fica)\s+"
    r"(?:booked|reserved|yours|réservée?|reservad[oa]|prenotat[oa]|marcad[oa])\s+"
    r"(?P<when>(?:until|till|hasta|jusqu'à|fino|até)\s[^,;!?]{1,40})",
    re.I,
)
_HAD = re.compile(
    r"\b(?:(?:it|that)(?:'s| is)\s+(?:booked|reserved|yours)(?:,\s+[\w'-]{1,30},)?"
    r"|(?:you(?:'ll| will)? have|tiene|tendrá|vous (?:avez|aurez)|sie haben|haben sie)\s+"
    r"(?:the|your|it|den|ihren|la|su|el|votre)(?:\s+(?!an?\b)\w+)?)\s+"
    r"(?P<when>(?:until|till|bis|hasta|jusqu'à)\s[^,;!?]{1,40})",
    re.I,
)
_KEPT_GERMAN = re.compile(
    r"\b(?:ihre?|deine?)\s+\w+\s+(?:ist|bleibt)\s+(?:[^,;!?]{1,40}\s)?(?P<when>bis\s[^,;!?]{1,30}?)\s+"
    r"(?:reserviert|gebucht)\b",
    re.I,
)
# From when until when: the first is read at the end of what stands before the second.
_SPAN = re.compile(
    r"(?P<one>(?:^|[,;]|\b(?:von|from|between|de|des|du|dalle|das|van|um|at|a las|à|alle|às|om)\b)[^,;!?]{1,60}?)\s*,?"
    r"\s*"
    rf"(?:\b(?:{_TILL}|to|al?|à|alle|às)(?!\w)|(?:(?<=\d)|(?<=\s))[-\u2013](?=\s|\d))\s*(?P<other>[^,;!?]{{1,40}})",
    re.I,
)
_TELL_ENDS = (_LASTS, _DONE_THEN, _KEPT, _HAD, _KEPT_GERMAN)
_AROUND = re.compile(
    r"\b(?:by|at the latest|spätestens|around|about|roughly|approximately|gegen|etwa|ungefähr|circa|ca|sobre|hacia"
    r"|aproximadamente|vers|environ|verso"
    r"|por volta)\b",
    re.I,
)
_COUNTED = re.compile(
    r"^\W*[\w.,:-]+\s*(?:people|persons?|guests?|adults?|kids|minutes?|min|hours?|days?|weeks?|months?|years?"
    r"|personen|leuten?|gästen?|minuten|stunden?|tagen?|wochen?|monaten?|jahren?|personas|minutos|semanas?|mes(?:es)?|años?"
    r"|personnes|couverts|semaines?|mois|ans|persone|minuti|settimane|mesi|pessoas|euros?|dollars?|%|€|\$)",
    re.I,
)
_NEARLY = range(-15, 16, 5)
_FROM = re.compile(r"[,;]|\b(?:von|from|between|de|des|du|dalle|das|van|um|at|à|alle|às|om)\b", re.I)
VISIT = re.compile(
    r"\b(?:appointment|visit|haircut|cut|colou?r|booking|reservation|table|treatment|session|termin|besuch|haarschnitt"
    r"|schnitt|färbung|behandlung|buchung|reservierung|tisch|sitzung|cita|visita|corte|reserva|mesa|turno|sesión"
    r"|rendez-vous|visite|coupe|réservation|table|séance|couleur|appuntamento|taglio|prenotazione|tavolo|seduta"
    r"|marcação|agendamento|horário|consulta|sessão|afspraak|boeking|tafel)\b",
    re.I,
)
"""What a caller comes for, as it is called."""
IT = re.compile(
    r"^\W*(?:(?:and|so|then|und|dann|also|y|entonces|et|donc|alors|e|quindi|então)\s+)*"
    r"(?:it|that|this|which|you|er|es|das|der|sie|dann|eso|esto|ça|cela|il|elle|vous|isso)?(?:'ll|'d)?(?:\s+(?:will|would))?"
    r"(?:\s+(?:then|dann|also))?\s*$",
    re.I,
)
"""What stands for a visit before what is told of it: a pronoun, or nothing."""
_JOINS = re.compile(r"[,;:.\u2013]\s|\s-\s|\s(?:and|und|y|et|e|so)\s", re.I)
_NOTHING_SAID = Mentions()
# Behind its verb, or in a range, an hour is told without what else leads to it.
_AS_AN_HOUR = ("at {}", "{} h", "a las {}", "alle {}", "às {}", "om {} uur")
_LONGEST_ENDING = 400


def without_end(sentence: str, session: CallSession, now: datetime) -> str:
    """Return a sentence without what it says, truly, of when something that a tool has told of ends."""
    for pattern in (_ENDS_AT, _DONE_BY):
        for match in pattern.finditer(sentence):
            if _is_an_end(match["when"], session, now):
                return f"{sentence[: match.start()]}{sentence[match.end() :]}".strip(" ,") or "."
    for match in (*_KEPT.finditer(sentence), *_HAD.finditer(sentence), *_KEPT_GERMAN.finditer(sentence)):
        if _is_an_end(match["when"], session, now):
            return f"{sentence[: match.start('when')].rstrip()}{sentence[match.end('when') :]}"
    spans = [span for span in _SPAN.finditer(sentence) if only_tell_when(_LESS.sub(" ", span["other"]))]
    stretches = _stretches_told(session, now) if spans else []
    for span in spans if stretches else ():
        begin, end = _begin_of(span, now), _clock_of(_BY.sub("", span["other"]), now)
        if begin is None or end is None:
            continue
        if any(begin.agree_with(at) and end.agree_with(to) for at, to in stretches):
            return f"{sentence[: span.end('one')]}{sentence[span.end() :]}"
    return sentence


def _stretches_told(session: CallSession, now: datetime) -> list[Stretch]:
    """Return from when until when something is that results have told of."""
    assert now.tzinfo is not None
    latest = [one for data in session.tool_context.values() for one in stretches_in(data, now.tzinfo)]
    # What was told of an earlier one counts as long as that stands.
    there = {str(receipt.words.get("when")) for receipt in session.standing}
    answers = (one.response.data for one in session.history.messages if isinstance(one, ToolMessage))
    earlier = (one for data in answers for one in stretches_in(data or {}, now.tzinfo))
    latest += _offered(session, now.tzinfo)
    starts = {moment for text in there if (moment := moment_in(text, now.tzinfo)) is not None}
    return list(dict.fromkeys([*latest, *(one for one in earlier if one[0] in starts)]))


def _offered(session: CallSession, zone: tzinfo) -> list[Stretch]:
    """Return from when until when what is offered would be: a time that a look-up of this turn was asked for."""
    offered = list[Stretch]()
    for message in session.history.this_turn:
        data = (message.response.data or {}) if isinstance(message, ToolMessage) else {}
        begin, length = moment_in(str(data.get("asked")), zone), data.get("durationMinutes")
        if begin is not None and data.get("available") is True and isinstance(length, int):
            offered.append((begin, begin + timedelta(minutes=length)))
    return offered


def _is_an_end(when: str, session: CallSession, now: datetime) -> bool:
    assert now.tzinfo is not None
    rest = _BY.sub("", when)
    said = mentions(f"at {rest.rstrip('. ')}", now)
    if len(said.clocks) != 1 or not only_tell_when(_LESS.sub(" ", rest)):
        return False
    ends = [moment for data in session.tool_context.values() for moment in ends_in(data, now.tzinfo)]
    ends += [end for _, end in _stretches_told(session, now)]
    return any(_is_then(said, moment, when) for moment in ends)


def hold_wrong_end(statement: SpokenStatement) -> None:
    """Hold a sentence that says another end of what is known to be booked than results have told of it.

    Raises:
        Unfounded: It must not be said.
    """
    session, now = statement.session, statement.now
    # Behind "4:30." no sentence ends, and a question may follow.
    sentence = _ASKED_BEHIND.sub(".", statement.sentence)
    statement = replace(statement, sentence=sentence)
    is_booked = not STANDING.isdisjoint(statement.deeds)
    if sentence.endswith("?") or NOT_SO.search(sentence) is not None or len(sentence) > _LONGEST_ENDING:
        return
    is_visit = is_booked or VISIT.search(sentence) is not None or bool(services_named(statement.business, sentence))
    spans = list(_SPAN.finditer(sentence)) if is_visit and ELSEWHERE.search(sentence) is None else []
    ends = list(_ends_told(statement))
    if not spans and not ends:
        return
    stretches = _stretches_told(session, now)
    told = [(end, stretches) for end in ends]
    for span in spans if stretches else ():
        begin = _begin_of(span, now)
        told.append((span["other"], [one for one in stretches if begin is not None and begin.agree_with(one[0])]))
    for end, possible in told:
        if not possible:
            continue
        said = _clock_of(_BY.sub("", end), now)
        if said is not None and not any(_is_then(said, at, sentence) for _, at in possible):
            _hold_end(statement, possible)


def _is_then(said: Mentions, at: datetime, sentence: str) -> bool:
    """Tell whether a moment is when it is said to be; "around" a quarter of an hour to either side."""
    off = _NEARLY if _AROUND.search(sentence) is not None else (0,)
    return any(said.agree_with(at + timedelta(minutes=minutes)) for minutes in off)


def _hold_end(statement: SpokenStatement, possible: Sequence[Stretch]) -> None:
    items = [item for item in statement.known() if item.deeds & STANDING and item.moments]
    right = {end for start, end in possible if any(start in item.moments for item in items)}
    # What a tool has told of an earlier one may have been told over by now.
    done = {moment for item in items if item.is_receipt for moment in item.moments}
    if items and (not right or len(right) < len(done)):
        return
    what = "what is booked ends" if items else "what was looked up would end"
    raise statement.refused(f"{what} {in_order(right or {end for _, end in possible})}.")


def _ends_told(statement: SpokenStatement) -> Iterator[str]:
    """Yield when a sentence says that a visit ends; "it" is one where something was done in this turn."""
    sentence, session = statement.sentence, statement.session
    is_now = statement.was_done_now() or bool(_offered(session, statement.now.tzinfo or UTC))
    for match in (found for pattern in _TELL_ENDS for found in pattern.finditer(sentence)):
        before = sentence[: match.start()]
        clause = before[max((m.end() for m in _JOINS.finditer(before)), default=0) :]
        # "… and lasts until seven" is said of what stands before it.
        text = (clause if clause.strip() else before) + match[0]
        is_visit = VISIT.search(text) is not None or bool(services_named(statement.business, text))
        is_it = is_now and (clause.strip() or not before.strip()) and IT.search(clause) is not None
        if (is_visit or is_it) and ELSEWHERE.search(clause) is None:
            yield match["when"]


def _begin_of(span: re.Match[str], now: datetime) -> Mentions | None:
    return _clock_of(_FROM.split(span["one"])[-1], now)


def _clock_of(words: str, now: datetime) -> Mentions | None:
    """Return the one time of day that words tell; None where they tell none, or several, or how many or how long."""
    if _COUNTED.search(words) is not None:
        return None
    for text in _AS_AN_HOUR:
        said = mentions(text.format(words.strip()), now)
        if said.clocks:
            return replace(_NOTHING_SAID, clocks=said.clocks) if len(said.clocks) == 1 else None
    return None
