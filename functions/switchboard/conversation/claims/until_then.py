"""When a caller is told to come, without a word of what was done: "See you Wednesday!", "Tuesday at three, then.".

Beside what was moved or cancelled it is told, too, what stands ("la del viernes sigue en pie") and what does no more
("ya no es el jueves"). Where that is so it is no part of what the sentence claims to have been done.
"""

import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from functools import lru_cache

from switchboard.contract.definitions.definition import Deed
from switchboard.conversation.claims.company_check import free_times
from switchboard.conversation.claims.entities import Mentions, mentions, readings
from switchboard.conversation.claims.facts import STANDING, Evidence, in_order, services_named
from switchboard.conversation.claims.party_words import only_tell_hours, only_tell_when, without_parties
from switchboard.conversation.claims.people_words import sure_parts
from switchboard.conversation.claims.sentences import clauses_of, tells_of_coming
from switchboard.conversation.claims.statements.statement import SpokenStatement
from switchboard.conversation.claims.told_by_results import without_receiver
from switchboard.conversation.claims.visit_ends import without_end
from switchboard.conversation.guard import Unfounded

_LONGEST = 200
_CHANGES = frozenset({Deed.MOVED, Deed.CANCELLED})
_OPENING = (
    r"(?:(?:and|so|then|well|great|perfect|lovely|okay|ok|alright|right|good|thanks|thank you|excellent"
    r"|wonderful|fine|super"
    r"|und|dann|also|gut|prima|perfekt|danke|vielen dank|y|entonces|gracias|muy bien|perfecto|vale|et"
    r"|alors|merci|parfait"
    r"|très bien|e|allora|grazie|bene|perfetto|então|obrigad[oa]|perfeito|en|dan|goed|bedankt|dank u)\b[\s,.!]*)"
)
_MEETING = re.compile(
    rf"^\W*{_OPENING}{{0,4}}(?:(?:we|i)(?:'ll| will|'re| are| look)?\s+)?(?:see you"
    rf"|(?:looking )?forward to (?:seeing|welcoming)"
    r" you|wir sehen uns|sehen wir uns|(?:wir freuen uns|freue mich) auf|nos vemos|(?:les?|l[oa]s?|te"
    r"|os) esper(?:o|amos)"
    r"|on se voit|(?:on|nous) vous attend\w*|ci vediamo|(?:la|vi) aspett\w+|vemo-nos|nos vemos|esperamos"
    r"|(?:we|ik) zien? (?:u|je)"
    r"|zie (?:u|je))\b(?P<when>[^;?]*)",
    re.I,
)
# The whole sentence, but for a farewell: "A las nueve" tells an hour.
_UNTIL = re.compile(
    rf"^\W*{_OPENING}{{0,4}}(?:bis|hasta|à|a(?! las?\b)|até|tot) (?P<when>[^,;.!]{{1,60}})"
    r"(?:[,;.!]{1,3} ?\w{0,20}(?: \w{1,20}){0,2})? ?[.!]{0,3}$",
    re.I,
)
_IF = re.compile(r"\b(?:provided|assuming|vorausgesetzt|siempre que|à condition|purché|desde que|mits)\b", re.I)
_OPENS = re.compile(rf"^\W*{_OPENING}+", re.I)
# "Até quarta": the days that are numbers elsewhere.
_PORTUGUESE_DAY = re.compile(r"\b(até|na|à)\s+(segunda|quarta|quinta)\b(?!-)", re.I)
_SETTLES = re.compile(
    r"\b(?:then|it is|dann|entonces|alors|donc|allora|quindi|então|dan|dus)\b|^\W*(?:perfect|lovely"
    r"|wonderful|excellent"
    r"|prima|perfekt|super|perfecto|parfait|perfetto|perfeito)\b",
    re.I,
)
_STRETCH = re.compile(r"\b(?:to|till|until|through|bis|hasta|jusqu'à|fino a|até|tot)\b", re.I)
_IT_IS = re.compile(r"\b(?:it is|it's|that's|es)\b", re.I)
# Behind these nothing comes any more that would do it.
_CLOSES = re.compile(
    r"\b(?:(?:good)?bye|see you|have a (?:nice|great|good|lovely)|take care|anything else|something else"
    r"|tschüss|auf wieder\w+"
    r"|schönen? (?:tag|abend|nachmittag)|bis (?:dann|bald)|sonst noch|adiós|que tenga|hasta (?:luego|pronto)|algo más"
    r"|au revoir|bonne (?:journée|soirée)|autre chose|arrivederci|buona (?:giornata|serata)|qualcos'altro"
    r"|tchau|tenha um"
    r"|mais alguma|tot ziens|fijne dag|nog iets)\b",
    re.I,
)
# What a caller has, as it is named beside what stands and what does no more.
_THING = (
    r"(?:appointment|booking|reservation|visit|haircut|table|termin|buchung|reservierung|cita|reserva|corte|mesa"
    r"|rendez-vous|réservation|coupe|appuntament[oi]|prenotazion[ei]|taglio|marcaç(?:ão|ões)|consulta|horário|afspraak)"
)
_WHOSE_SAID = (
    r"(?:(?:(?:y|et|e|and|und|en|pero|mais|ma|mas|but|aber|maar)\s+)?(?:the|your|ihr|der|den|die|su|la|el|las|votre|le"
    r"|l'autre|l'|il suo|la sua|il|l'altro|a sua|o seu|a|o|uw|de)\s*(?:otra\s+|other\s+|andere\s+)?"
    rf"{_THING}|\bla(?= del?\b)|\bcelui|\bcelle|\bquell[oa]|\bthe one)"
)
_WHOSE = re.compile(rf"(?<!\w){_WHOSE_SAID}(?!\w)", re.I)
_STILL = re.compile(
    rf"\b(?:(?:sólo |solo )?(?:aún |todavía )?le quedan?(?:\s+(?:aún|todavía|solo|una|la|su|otra))*(?:\s+{_THING})?"
    r"|siguen?(?: (?:en pie|igual|vigente|reservad[oa]|confirmad[oa]|siendo))?|se mantienen?"
    r"|tien(?:t|nent) toujours|(?:est|reste) (?:bien |toujours )?(?:maintenue?|confirmée?|valable)"
    rf"|(?:il )?vous reste(?:\s+(?:encore|un|une|le|la|votre|toujours))*(?:\s+{_THING})?"
    r"|(?:resta|rimane|è (?:sempre|ancora)) (?:confermat[oa]|valid[oa]|in piedi|fissat[oa])"
    rf"|le (?:resta|rimane)(?:\s+(?:ancora|solo|un|una|il|la))*(?:\s+{_THING})?"
    r"|continua(?: (?:de pé|marcad[oa]|confirmad[oa]|válid[oa]))|mantém-se"
    rf"|(?:fica-lhe|ainda tem)(?:\s+(?:uma?|a|o))*(?:\s+{_THING})?"
    r"|(?:c'est|ce sera|ça reste|è|sarà|resta|é|será|continua a ser) (?:toujours|sempre|ancora|ainda)"
    r"|(?:es|er) (?:ist|bleibt) (?:immer noch|weiterhin|nach wie vor)|(?:is|blijft) nog (?:steeds|altijd)"
    r"|it stays(?= on)|the time (?:stays|remains)(?: at)?|die (?:uhr)?zeit bleibt|la hora sigue siendo"
    r"|l'heure reste|still stands?|stands"
    r"|is still (?:on|booked|there|set|confirmed)|remains (?:booked|confirmed|as it (?:is|was))"
    rf"|(?:you still have|(?:todavía|aún) tiene|sigue teniendo|vous avez (?:toujours|encore)|ha ancora|u heeft nog"
    rf"|(?:sie haben|haben sie) (?:immer noch|weiterhin|noch)(?: immer)?)(?:\s+(?:an?|the|your|one|una?|su|la|el|un"
    rf"|votre|le|il|suo|ihren|den|einen|uw|een))*(?:\s+{_THING})?"
    r"|bleibt es bei|(?:steht|bleibt|gilt|besteht) (?:weiterhin|noch|bestehen|nach wie vor|stehen)"
    r"|staat nog(?: steeds)?|blijft staan)(?!\w)",
    re.I,
)
_NO_MORE = re.compile(
    rf"\b(?:ya no (?:es|está|viene|tiene|l[aeo] esperamos)(?:\s+(?:la|su|ninguna))?(?:\s+(?:{_THING}|nada))?"
    r"|(?:antes |prima )?era"
    rf"|(?:ce n'est|c'est|vous ne venez|on ne vous attend) plus|vous n'avez plus(?:\s+(?:de|votre"
    rf"|le))?(?:\s+(?:{_THING}|rien))?"
    r"|c'était(?: avant)?"
    rf"|non ha più(?:\s+(?:un|il|nessun|l'))?\s*(?:{_THING})?|non (?:è )?più"
    rf"|já não (?:é|está|vem|tem)(?:\s+(?:a|o|nenhuma?))?(?:\s+(?:{_THING}|nada))?|não é mais"
    rf"|não tem mais(?:\s+(?:a|o|nenhuma?))?(?:\s+{_THING})?"
    rf"|(?:it is|it's|that's|you're) no longer(?: on)?|it (?:was|used to be)|you no longer (?:come|have(?:\s+(?:an?"
    rf"|your))?(?:\s+{_THING})?)"
    rf"|(?:sie haben|haben sie) (?:da |dann )?(?:nichts|keinen {_THING}) mehr"
    r"|(?:es |er )?ist nicht mehr|nicht mehr|war(?= (?:am|um|für)\b)|(?:es|er) war|was(?= (?:on|at)\b)"
    r"|(?:het )?is niet meer|niet meer|het was)(?!\w)",
    re.I,
)
_BEHIND = re.compile(r"^(?:sino(?: que)?|mais|ma|mas|but|sondern|maar|pero)\s+", re.I)
_SET_FOR = re.compile(
    r"^\W*(?:(?:listo|perfecto|entonces|pronto),\s+)?(?:queda|fica)\s+(?P<when>(?:para )?(?:el |o "
    r"|a )?[^,;:!?]{3,80})$",
    re.I,
)
_VISIT = re.compile(rf"(?<!\w)(?:{_WHOSE_SAID}|{_THING})(?!\w)", re.I)
_NOW = re.compile(r"\b(?:any ?more|mehr|maintenant|ahora|agora)\b", re.I)
_JOINED = re.compile(
    r"\s(?:and|und|y(?! (?:media|cuarto)\b)|et(?! (?:demie?|quart)\b)|e(?! (?:mezza|meia|un)\b)|en)\s|,\s", re.I
)
_PART_OF_HOUR = re.compile(
    r"^(?:(?:y|et|e)\s+(?:media|cuarto|quince|treinta|cuarenta|demie?|quart|mezza|meia|un quarto|um quarto|trenta"
    r"|trinta)|en (?:pie|punto))\b",
    re.I,
)
_BOTH_ENDS = 2
_FEW_TURNS = 4
_NOTHING_THEN = "nothing is known to be then. Name no day for which nothing is booked."
_LEADS_ON = re.compile(
    r"^\W*(?:(?:listo|perfecto|perfect|parfait|perfetto|perfeito|pronto|entonces|donc|allora|so)\b,?\s*)?"
    r"(?:(?:y|et|e|and|und|en|pero|mais|ma|mas|but|aber|maar)\s+)?",
    re.I,
)


def without_states(statement: SpokenStatement) -> str:
    """Return a sentence without what it says, truly, of when something ends, of what stands and of what does no more.

    Of what stands nothing is left out where nothing was moved or cancelled in the conversation.

    Raises:
        Unfounded: It says that something stands which does not.
    """
    session, now = statement.session, statement.now
    sentence = without_end(without_receiver(statement.sentence, session), session, now)
    if not session.receipts or len(sentence) > _LONGEST or sentence.endswith("?"):
        return sentence
    statement = replace(statement, sentence=sentence)
    if not any(pattern.search(sentence) for pattern in (_STILL, _NO_MORE, _SET_FOR)):
        return sentence
    items = [item for item in statement.known() if item.moments]
    there = [moment for item in items if item.deeds & STANDING for moment in item.moments]
    _hold_wrong_setting(statement, items, there)
    changed = [item for item in items if item.is_receipt and item.deeds & _CHANGES]
    if not changed:
        return sentence
    gone = [moment for item in changed if Deed.CANCELLED in item.deeds for moment in item.moments]
    gone += [moment for moment in statement.sources.left_behind(session, now) if moment not in there]
    left, clauses = list[str](), whole_clauses(sentence)
    while clauses:
        clause, size = clauses[0], 1
        if len(clauses) > 1 and _are_one(clause, clauses[1], now):
            clause, size = f"{clause}{clauses[1]}", 2
        if not _is_so(statement, clause, there, gone):
            left.append(clauses.pop(0))
            continue
        clauses = clauses[size:]
        if clauses:
            clauses[0] = _BEHIND.sub("", clauses[0])
    return "".join(left).strip(" ,;") or "."


def _are_one(clause: str, other: str, now: datetime) -> bool:
    """Tell whether one clause says when what the other tells is: "le queda una cita, el viernes", "mercredi, …"."""
    is_then, is_other_then = bool(_times(clause, now)), bool(_times(other, now))
    return is_then is not is_other_then and only_tell_hours(clause if is_then else other)


def whole_clauses(sentence: str) -> list[str]:
    """Return a sentence's clauses, of which none begins with what belongs to the one before: "y media", "il y a"."""
    whole: list[str] = []
    for clause in clauses_of(sentence):
        if whole and (_PART_OF_HOUR.match(clause) is not None or whole[-1].casefold().endswith("il ")):
            whole[-1] += clause
        else:
            whole.append(clause)
    return whole


def _is_so(statement: SpokenStatement, clause: str, there: Sequence[datetime], gone: Sequence[datetime]) -> bool:
    """Tell whether a clause says no more than, truly, that something stands, or does not any more.

    Raises:
        Unfounded: It says that something stands which does not, or does no more which stands.
    """
    rest, now = _rest(clause), statement.now
    is_pure = only_tell_hours(rest)
    if _STILL.search(clause) is not None and (is_pure or _VISIT.search(clause) is not None):
        if not _times(rest, now) and not (is_pure and _VISIT.search(clause) is not None):
            # "Su corte sigue costando lo mismo".
            return False
        if not _agree(rest, there, now):
            raise _nothing_then(statement, there)
        return is_pure
    if _NO_MORE.search(clause) is None or not is_pure or not _times(rest, now):
        return False
    if not _agree(rest, gone, now) and _agree(rest, there, now):
        raise _nothing_then(statement, there)
    return not gone or _agree(rest, gone, now)


def _rest(clause: str) -> str:
    """Return what a clause says beside what stands, or does no more."""
    for pattern in (_LEADS_ON, _STILL, _NO_MORE, _WHOSE, _NOW):
        clause = pattern.sub(" ", clause, count=1)
    return clause


def _times(text: str, now: datetime) -> list[Mentions]:
    return [one for one in readings(f"at {text}", now) if one.say_when]


def _agree(text: str, moments: Sequence[datetime], now: datetime) -> bool:
    """Tell whether what a text says of when is one of these, or several; where it says nothing, whether any is."""
    whole = _times(text, now)
    if not whole or any(one.agree_with(moment) for one in whole for moment in moments):
        return bool(moments)
    parts = [times for part in _JOINED.split(text) if (times := _times(part, now))]
    return len(parts) > 1 and all(any(one.agree_with(at) for one in times for at in moments) for times in parts)


def _hold_wrong_setting(statement: SpokenStatement, items: Sequence[Evidence], there: Sequence[datetime]) -> None:
    """Hold "Queda el viernes a las cuatro" where something else was booked now, and that was not found free."""
    match, now = _SET_FOR.search(statement.sentence), statement.now
    is_of_now = any(item.is_of_now and item.deeds & STANDING for item in items)
    if match is None or not is_of_now or not only_tell_hours(match["when"]):
        return
    assert now.tzinfo is not None
    times = [one for one in _times(match["when"], now) if one.says_day and one.clocks]
    free = list(free_times(statement.session.history.messages, now.tzinfo))
    is_known = any(one.agree_with(moment) for one in times for moment in there)
    if times and not is_known and not any(stretch.agrees_with(one) for one in times for stretch in free):
        raise _nothing_then(statement, there)


def hold_wrong_move(statement: SpokenStatement) -> None:
    """Hold a sentence that tells of a move, as its deeds say, from when nothing was, or to when nothing is.

    Raises:
        Unfounded: It must not be said.
    """
    # "From three to five people" tells of no time.
    is_move = Deed.MOVED in statement.deeds
    ends = readings(without_parties(statement.sentence), statement.now) if is_move else ()
    if len(ends) < _BOTH_ENDS:
        return
    known = statement.known()
    moved = [moment for item in known if item.is_receipt and Deed.MOVED in item.deeds for moment in item.moments]
    before = statement.sources.left_behind(statement.session, statement.now)
    if not moved or not before:
        return
    begin, end = ends
    is_from = any(begin.agree_with(moment) for moment in (*before, *moved))
    if is_from and any(end.agree_with(moment) for moment in moved):
        return
    # "From four to half past": how long it is.
    if not any(begin.agree_with(moment) for moment in moved) or any(end.agree_with(moment) for moment in before):
        raise _nothing_then(statement, moved)


def _nothing_then(statement: SpokenStatement, there: Sequence[datetime], nothing: str = _NOTHING_THEN) -> Unfounded:
    what = f"nothing is known to be then; what is, is {in_order(there)}."
    return statement.refused(what if there else nothing)


def hold_wrong_goodbye(statement: SpokenStatement) -> None:
    """Hold a goodbye until another time than any at which something is known to be.

    Where nothing is known to be, and appointments are made here, it would tell of one all the same, unless callers
    have said themselves that they come then; where none are made, somebody may come by: then only what was cancelled
    is known not to be.

    Raises:
        Unfounded: It must not be said.
    """
    heard = statement.session.history.last_heard
    when = _goodbye_until(statement.sentence[:_LONGEST], is_answer=heard.rstrip().endswith("?"))
    spoken_times = [one for one in readings(when, statement.now) if one.says_day] if when else []
    if not spoken_times:
        return
    items = list(statement.known())
    there = [moment for item in items if item.deeds & STANDING for moment in item.moments]
    # What an owner's own tool has booked may be told nowhere with its time.
    is_elsewhen = any(item.is_receipt and item.deeds & STANDING and not item.moments for item in items)
    gone = [moment for item in items if Deed.CANCELLED in item.deeds and item.is_receipt for moment in item.moments]
    agrees = any(one.agree_with(moment) for one in spoken_times for moment in there or gone)
    takes_visits = bool(statement.sources.tools_that_do(STANDING))
    if agrees if there else not agrees and (is_elsewhen or not takes_visits):
        return
    if not there and not agrees and _callers_said(statement, spoken_times):
        return
    raise _nothing_then(statement, there, "what was then is cancelled." if agrees else _NOTHING_THEN)


def _callers_said(statement: SpokenStatement, times: Sequence[Mentions]) -> bool:
    """Tell whether a caller has said that they come then, and no tool was asked what there is, or what is free."""
    session, now = statement.session, statement.now
    assert now.tzinfo is not None
    is_asked = not statement.sources.looks_up.isdisjoint(session.tool_context)
    if is_asked or next(free_times(session.history.messages, now.tzinfo), None) is not None:
        return False
    said = (
        mentions(text, now)
        for text in (one[:_LONGEST] for one in statement.heard()[-_FEW_TURNS:])
        if tells_of_coming(text, names_thing=bool(services_named(statement.business, text)))
    )
    return any(one.agree_with_words(other) for other in said for one in times)


def settles_a_time(statement: SpokenStatement) -> bool:
    """Tell whether a sentence says no more than that it will be then, and nothing that is known is."""
    sentence = statement.sentence
    if len(sentence) > _LONGEST or sentence.endswith("?") or _SETTLES.search(sentence) is None:
        return False
    if _STRETCH.search(sentence) is not None:
        # When something is open.
        return False
    rest = _IT_IS.sub(" ", _OPENS.sub("", sentence))
    spoken_times = readings(f"at {rest}", statement.now)
    # A time of day alone answers what time it is.
    if (
        not only_tell_when(rest)
        or len(spoken_times) != 1
        or len(spoken_times[0].clocks) != 1
        or not spoken_times[0].says_day
    ):
        return False
    return not any(
        one.agree_with(moment) for one in spoken_times for item in statement.known() for moment in item.moments
    )


def closes(sentence: str) -> bool:
    """Tell whether a sentence ends what was spoken of: a goodbye, or "anything else?"."""
    return _CLOSES.search(sentence) is not None


@lru_cache(maxsize=1_000)
def _goodbye_until(sentence: str, *, is_answer: bool) -> str:
    """Return until when a sentence bids goodbye; empty where it does not, or may answer how long something is."""
    if sentence.endswith("?") or _IF.search(sentence) is not None:
        return ""
    sure = "".join(sure_parts(_PORTUGUESE_DAY.sub(r"\1 \2-feira", sentence)))
    meeting_times = [match["when"] for match in map(_MEETING.search, (sure, *clauses_of(sure))) if match is not None]
    until = None if is_answer else _UNTIL.search(sure)
    if until is not None and only_tell_when(until["when"]):
        meeting_times.append(until["when"])
    return f"at {meeting_times[0]}" if meeting_times else ""
