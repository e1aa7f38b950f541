"""That a time is free, or taken: only what was looked up in this conversation is told so, and as it was found."""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from datetime import date, datetime, timedelta, tzinfo
from typing import Any, NamedTuple

from switchboard.contract.document import items
from switchboard.contract.error import ErrorType
from switchboard.contract.model import Message, Spoken, ToolMessage
from switchboard.conversation.claims.company_check import free_times, people_free
from switchboard.conversation.claims.entities import Mentions, readings
from switchboard.conversation.claims.facts import moment_in, services_named, words_of
from switchboard.conversation.claims.free_words import was_found_free
from switchboard.conversation.claims.party_words import without_parties
from switchboard.conversation.claims.people_marks import MARKS, marked
from switchboard.conversation.claims.people_words import LOOKING
from switchboard.conversation.claims.sentences import DENIED
from switchboard.conversation.claims.statements.room_left import ROOM_FOR, count_of
from switchboard.conversation.claims.statements.statement import IN_CASE, LONGEST_STATEMENT, SpokenStatement, with_days
from switchboard.conversation.claims.until_then import whole_clauses
from switchboard.conversation.guard import HeldFact, HeldSubject

_IS = (
    r"(?:is|are|'s|be|would be|sind|ist|wäre|está[n]?|estaría|queda[n]?|sigue|est|sont|serait|reste|è|sono|sarebbe|é"
    r"|são|seria|fica|zijn|is)"
)
_MORE = (
    r"(?:also|still|just|now|open|auch|noch|ja|también|todavía|aún|aussi|encore|bien|toujours|anche|ancora|também"
    r"|ainda|ook|nog)"
)
_FREE_WORD = (
    r"(?:free(?! of charge)|available|frei|verfügbar|libres?|disponibles?|liber[oaie]|disponibil[ei]|livres?"
    r"|disponíve(?:l|is)|vrij|beschikbaar)"
)
_ROOM = (
    r"(?:room|(?:an? )?(?:opening|slot|gap|spot)s?|(?:einen )?(?:platz|termin)(?= (?:frei|am|um))"
    r"|(?:et)?was(?= frei)|(?:un |algún )?hueco"
    r"|sitio|lugar|(?:de la |une )?place|(?:un )?créneau|(?:un )?posto|(?:uma )?vagas?|(?:een )?plek(?:je)?)"
)
_SOONEST = (
    r"(?:(?<!your )(?:next|first|earliest|soonest) (?:(?:free|available|open) (?:\w+ )?(?:slot|time|appointment|spot"
    r"|gap|date)|opening|slot|vacancy)\b[^.;?!]{0,30}? (?:is|would be)"
    r"|(?:next|first|earliest|soonest)(?: \w+)? (?:i|we) (?:can offer|could offer|have|can do)\b[^.;?!]{0,20}?"
    r" (?:is|would be)"
    r"|(?:nächste|früheste|erste)[rns]? (?:freie|verfügbare)[rns]? [^\W\d_]+ (?:ist|wäre)"
    r"|(?:próxim[ao]|primer[ao]?) (?:hueco|(?:hora|cita|turno|horario) (?:libre|disponible)) (?:es|está|sería)"
    r"|(?:prochaine?|premi(?:er|ère)) (?:(?:créneau|place|disponibilité)(?: (?:libre|disponible))?"
    r"|(?:rendez-vous|horaire) (?:libre|disponible)) (?:est|serait)"
    r"|(?:prossim[oa]|prim[oa]) (?:posto|orario|appuntamento|buco) (?:liber[oa]|disponibile) (?:è|sarebbe)"
    r"|(?:próxim[oa]|primeir[oa]) (?:vaga|horário (?:livre|disponível)) (?:é|seria|fica)"
    r"|(?:eerstvolgende|eerste) (?:vrije|beschikbare) [^\W\d_]+ (?:is|zou))"
)
_FREE = re.compile(
    r"\b(?:ist|sind|is|zijn)\b[^.;?!]{0,60} (?:ganzen|hele) [^\W\d_]{3,10} (?:noch |nog )?(?:frei|vrij)(?!\w)"
    rf"|\b{_SOONEST}(?!\w)|\b{_IS}\s+(?:{_MORE}\s+){{0,2}}{_FREE_WORD}(?!\w)|'s\s+(?:{_MORE}\s+)?{_FREE_WORD}(?!\w)"
    rf"|\b(?:there(?:'s| is| are)|(?:i|we)(?:'ve| have)(?: got)?|es gibt|(?:haben|hätten) wir|wir (?:haben|hätten)"
    rf"|(?:habe|hätte) ich|ich (?:habe|hätte)|hay|tenemos|tengo|il y a|nous avons|on a|j'ai|c'è|ci sono|abbiamo|ho|há"
    rf"|temos|tenho|er is|we hebben|ik heb)\s+(?:{_MORE}\s+){{0,2}}{_ROOM}(?!\w)"
    r"|\b(?:solo|sólo|solamente) quedan? (?=a las?\b)|\b(?:il )?ne reste que\b"
    r"|\bthe only one (?:free|available)\b|\bl[ae] (?:única|seule|unica) (?:libre|libera|disponible|disponibile)\b"
    r"|\b(?:has|have) (?:still |also )?(?:room|space)\b|\b(?:ist|wäre)\b[^.;?!]{0,60}\bplatz(?!\w)"
    r"|\bplatz\b[^.;?!]{0,40}\b(?:gibt es|haben wir|ist)(?!\w)"
    r"|(?<=[\w.]) (?:is|are) (?:also |still )?open(?: as well| too)?[.,!]*\s*$",
    re.I,
)
_TAKEN_WORD = (
    r"(?:taken|full|fully booked|booked (?:up|out|solid)|all booked(?: up)?|belegt|besetzt|vergeben|voll|ausgebucht"
    r"|ocupad[oa]s?|llen[oa]s?|complet[oa]?s?|prise?s?|complets?|occupat[oaie]|pien[oa]|al completo|cheio|lotad[oa]"
    r"|esgotad[oa]|bezet|vol|volgeboekt)"
)
_TAKEN = re.compile(
    rf"(?<!\bno )(?<!\bnão )(?<!\bnon )\b(?:{_IS}|we're|wir|estamos|sommes|siamo|wij)\s+(?:(?:already|all|completely"
    rf"|now|unfortunately|schon|bereits|leider|alles|komplett|ya|todo|toda"
    rf"|completamente|déjà|tout|entièrement|già|tutto|ormai|já|tudo|al|helaas|helemaal"
    rf"|zit)\s+){{0,3}}{_TAKEN_WORD}(?!\w)"
    rf"|'s\s+(?:(?:already|all|completely)\s+)?{_TAKEN_WORD}\b|\bya (?:está )?(?:todo )?{_TAKEN_WORD}(?!\w)"
    r"|\b(?:ist|sind)\s+(?:am|um|heute|morgen|übermorgen)\b[^.,;?!]{0,40}\s(?:belegt|besetzt|vergeben|voll|ausgebucht)(?!\w)"
    rf"|\b(?:ist|sind)\s+(?:schon\s+|bereits\s+)?alles\s+{_TAKEN_WORD}\b|\bzit\s+(?:al\s+)?(?:helemaal\s+)?vol\b"
    rf"|\b{_IS}\s+(?:not|niet|nicht(?: mehr)?|pas)\s+{_FREE_WORD}(?!\w)|\bn'est (?:plus|pas) {_FREE_WORD}(?!\w)"
    rf"|\b(?:no|non|não)\s+{_IS}\s+{_FREE_WORD}(?!\w)|\b(?:isn't|aren't) {_FREE_WORD}\b"
    r"|\bno (?:(?:nos |me )?(?:queda|hay)n?|tenemos|tengo) (?:nada|(?:ningún )?(?:hueco|sitio|lugar)|ninguna hora)"
    r"|\bn'(?:y a|avons|ai) (?:plus|pas) (?:de place|de créneau|rien)|\bplus (?:de place|rien) (?=\w+di\b)"
    r"|\b(?:nichts|kein(?:en)? (?:termin|platz)) (?:mehr )?frei|\bnon c'è (?:più )?(?:posto|nulla|niente)"
    r"|\bnão há (?:mais )?vagas?|\bgeen plek(?: meer)?\b"
    r"|\b(?:we|i) (?:have|'ve got) (?:nothing|no (?:openings?|room|slots?))\b|\bthere(?:'s| is) (?:nothing|no room)\b",
    re.I,
)
_SOONEST_SAID = re.compile(_SOONEST, re.I)
# That somebody else was quicker, without a word of when.
_JUST_TAKEN = re.compile(
    r"\b(?:(?:someone|somebody|another (?:caller|customer|client|guest))(?: else)?(?:'s| has)? (?:just |already ){1,2}"
    r"(?:took|taken|booked|grabbed|snapped up|got) (?:it|that|this|the)\b"
    r"|(?:that|this|the) (?:slot|time|spot|appointment|one)(?:'s| is| was| has)(?: been)? just(?: been)? (?:taken"
    r"|booked|snapped up|gone)"
    r"|(?:hat|wurde|ist) (?:mir |uns )?(?:gerade|eben|soeben) (?:[^\W\d_]+ ){0,3}(?:genommen|vergeben|gebucht"
    r"|weggeschnappt)"
    r"|(?:alguien|otra persona|otro cliente) (?:acaba de|ya ha|ha|se ha) (?:coger|tomar|reservar|cogido|tomado"
    r"|reservado)|(?:se )?acaban? de (?:ocupar|reservar) (?:esa|ese|la|el)"
    r"|(?:quelqu'un|un autre client) (?:vient de|a(?: déjà| juste)?) (?:prendre|réserver|pris|réservé)"
    r"|qualcuno ha (?:appena|già) (?:preso|prenotato)|alguém (?:acabou de|já) (?:marcar|reservar|pegar|marcou|reservou)"
    r"|iemand heeft (?:[^\W\d_]+ ){0,4}(?:net|zojuist|al) (?:[^\W\d_]+ ){0,2}(?:genomen|geboekt|gereserveerd))(?!\w)",
    re.I,
)
_ALL_DAY = re.compile(
    r"\b(?:all day|the (?:whole|entire) day|(?:all|the whole) (?:morning|afternoon)|ganztägig|den ganzen (?:tag"
    r"|vormittag|nachmittag)|todo el (?:día|[^\W\d_]+)|toda la (?:mañana|tarde)|toute la (?:journée|matinée)|tout"
    r" l'après-midi|tutt[oa] (?:il giorno|la (?:mattina|giornata))|o dia (?:todo|inteiro)|todo o dia|de hele"
    r" (?:dag|ochtend|middag))(?!\w)",
    re.I,
)
_LONG = timedelta(hours=3)
# "Would be free" is politely said of what is.
_MAY_BE = re.compile(
    rf"{DENIED.pattern}|\b(?:could|can|may|might|always|könnte\w*|kann|können|immer|podría\w*|puede|siempre|peut"
    r"|pourrait|toujours|può|potrebbe|pode|poderia|kan|zou)\b",
    re.I,
)
_ONLY = re.compile(
    r"\b(?:only|única|unica|nur|solo|sólo|solamente|únicamente|seule?|seulement|ne reste que|soltanto|só|somente"
    r"|apenas|alleen"
    r"|slechts)\b",
    re.I,
)
# What else may be free on a day, and whoever listens.
_NO_TIME = re.compile(
    r"\b(?:cancel\w*|stornier\w*|absag\w*|anul\w*|annul\w*|disdi\w*|desmarc\w*|museum|musée|museo|parking|park\w*|wi-?fi|consultation|charge|entry|delivery|coffee|street|salon|shop|studio|store|office"
    r"|doors?|restaurant|we're open|beratung|eintritt|aparcamiento|consulta|parking|conseil|parcheggio|consulenza"
    r"|estacionamento|gratis|kostenlos|you're|you are|are you|usted|vous êtes|sind sie|lei è|você está|u bent"
    r"|for you)\b",
    re.I,
)
# "Nothing before Friday" and "full except half past four" tell of the rest.
_ONE_SIDE = re.compile(
    r"\b(?:before|until|till|after|between|except|besides|apart from|bis|nach|zwischen|außer|antes|hasta|después|entre"
    r"|salvo|excepto|avant|jusqu\w*|après|sauf|prima|fino|dopo|tranne|até|depois|exceto|tussen|behalve)\b|\bvor \w",
    re.I,
)
_DAY = timedelta(days=1)
_MOST_DAYS = 60
_ANYBODY = "anybody"


class _FreeLookUp(NamedTuple):
    """What a look-up of free times was about: days, or one moment of them, and whether it was free."""

    days: frozenset[date]
    moment: datetime | None
    is_free: bool

    def covers(self, said: Mentions) -> bool:
        if self.moment is not None:
            return said.agree_with(self.moment)
        days = (datetime(day.year, day.month, day.day) for day in self.days)
        return any(_on_day(said).agree_with(moment.replace(tzinfo=None)) for moment in days)


def hold_wrong_vacancy(statement: SpokenStatement) -> None:
    """Hold a sentence that tells that a time is free, or is not, which nothing here has found so.

    Raises:
        Unfounded: It must not be said.
    """
    sentence, messages = statement.sentence, statement.session.history.messages
    _hold_taken_by_somebody(statement)
    if len(sentence) > LONGEST_STATEMENT or (_FREE.search(sentence) is None and _TAKEN.search(sentence) is None):
        return
    if _is_told_elsewhere(statement):
        return
    clauses, day, before = whole_clauses(with_days(_without_counts(statement, sentence))), None, ""
    for number, clause in enumerate(clauses):
        if before and not any(one.say_when for one in readings(clause, statement.now)):
            # "Vendredi à quinze heures, c'est libre."
            clause = f"{before}{clause}"
        before = clause if _FREE.search(clause) is None and _TAKEN.search(clause) is None else ""
        is_asked = sentence.endswith("?") and number == len(clauses) - 1
        said = [one for one in readings(without_parties(clause), statement.now) if one.say_when]
        day = next((one for one in said if one.says_day), day)
        if (
            not said
            or is_asked
            or "¿" in clause
            or IN_CASE.search(clause)
            or LOOKING.search(clause)
            or _NO_TIME.search(clause)
        ):
            continue
        said = [one if one.says_day or day is None else _at_hours(day, one) for one in said]
        if services_named(statement.business, clause) and not any(one.clocks for one in said):
            # "The patch test on Friday is free."
            continue
        names = marked(statement.business, clause)
        if _TAKEN.search(clause) is not None:
            is_of_a_part = _ONE_SIDE.search(clause) is not None
            why = "" if is_of_a_part else _untruly_taken(statement, messages, said, is_of_one=bool(names.names))
        elif _FREE.search(clause) is not None and _MAY_BE.search(_SOONEST_SAID.sub(" ", clause)) is None:
            why = _untruly_free(statement, messages, clause, said)
        else:
            continue
        if why:
            raise statement.refused(why, HeldFact(HeldSubject.FREE))


def _hold_taken_by_somebody(statement: SpokenStatement) -> None:
    sentence, messages = statement.sentence, statement.session.history.messages
    if len(sentence) > LONGEST_STATEMENT or sentence.endswith("?") or _JUST_TAKEN.search(sentence) is None:
        return
    if IN_CASE.search(sentence) is not None or DENIED.search(sentence) is not None or _is_told_elsewhere(statement):
        return
    assert statement.now.tzinfo is not None
    if not _conflicts(messages) and all(one.is_free for one in _looked_up(messages, statement.now.tzinfo)):
        why = "no look-up of this conversation has found that taken. Look it up."
        raise statement.refused(why, HeldFact(HeldSubject.FREE))


def _without_counts(statement: SpokenStatement, sentence: str) -> str:
    """Return a sentence in which "room for four" names no hour, where something is for several."""
    if not statement.business.takes_parties:
        return sentence
    return ROOM_FOR.sub(lambda match: match["room"] if count_of(match["n"]) else match[0], sentence)


def _is_told_elsewhere(statement: SpokenStatement) -> bool:
    """Tell whether something other than the house's own look-up of free times may have told what is free."""
    if not statement.session.history.messages or statement.sources.asks & statement.session.tool_context.keys():
        return True
    answers = (message for message in statement.session.history.messages if isinstance(message, ToolMessage))
    return any("events" in (message.response.data or {}) for message in answers)


def _untruly_free(
    statement: SpokenStatement, messages: Sequence[Message], clause: str, said: Sequence[Mentions]
) -> str:
    """Return why a time is not told as free, for the model; empty where it may be."""
    assert statement.now.tzinfo is not None
    names = marked(statement.business, clause)
    is_only = _ONLY.search(clause) is not None
    if _ALL_DAY.search(clause) is not None and not _is_long_free(statement, messages, names.named(names.text), said):
        return "only single times were looked up. Say which, as the results above say."
    if names.names:
        others = {
            one.person for one in people_free(messages, statement.now.tzinfo) for at in said if one.agrees_with(at)
        }
        said_of = [words_of(name) for name in names.named(names.text)]
        left = {one for one in others - {_ANYBODY} if not any(words <= words_of(one) for words in said_of)}
        return f"{' and '.join(sorted(left))} can be had then, too." if is_only and left else ""
    if any(not message.response.meta.get("alternatives") for message in _conflicts(messages)):
        # What there is instead it has told in words.
        return ""
    free = list(free_times(messages, statement.now.tzinfo))
    text = MARKS.sub("", names.text)
    is_found = was_found_free(text, messages, statement.now) or any(
        stretch.agrees_with(one) for stretch in free for one in said
    )
    if not is_found:
        return "" if _is_own(statement, said) else "no look-up of this conversation has found that free. Look it up."
    rows = [stretch for stretch in free if any(_on_day(one).agree_with(stretch.first) for one in said)]
    is_more = any(stretch.first != stretch.last for stretch in rows)
    return "there are other times, too, as the results above say." if is_only and is_more else ""


def _is_long_free(
    statement: SpokenStatement, messages: Sequence[Message], names: Collection[str], said: Sequence[Mentions]
) -> bool:
    """Tell whether some hours on end were found free on a day that is said, of whoever is named."""
    assert statement.now.tzinfo is not None
    zone = statement.now.tzinfo
    runs = [one for one in people_free(messages, zone) if any(words_of(name) <= words_of(one.person) for name in names)]
    runs = runs if names else list(free_times(messages, zone))
    return any(one.last - one.first >= _LONG and any(_on_day(at).agree_with(one.first) for at in said) for one in runs)


def _untruly_taken(
    statement: SpokenStatement, messages: Sequence[Message], said: Sequence[Mentions], *, is_of_one: bool
) -> str:
    """Return why a time is not told as taken, for the model; empty where it may be.

    `is_of_one` of the people: then it may be, as soon as anything was looked up, or the house says so itself.
    """
    assert statement.now.tzinfo is not None
    zone = statement.now.tzinfo
    if _conflicts(messages) or _is_own(statement, said) or _is_closed(statement, said):
        return ""
    all_looked = list(_looked_up(messages, zone))
    if is_of_one and (all_looked or any(_TAKEN.search(text) is not None for text in statement.told())):
        return ""
    looked = [one for one in all_looked if any(one.covers(at) for at in said)]
    if any(not one.is_free for one in looked):
        return ""
    if not looked:
        return "no look-up of this conversation has found that taken. Look it up."
    if any(stretch.agrees_with(one) for stretch in free_times(messages, zone) for one in said):
        return "it was found free; say what the results above say."
    return ""


def _conflicts(messages: Iterable[Message]) -> list[ToolMessage]:
    """Return the refusals of a time that is not to be had."""
    answers = (message for message in messages if isinstance(message, ToolMessage))
    failures = ((message, message.response.failure) for message in answers)
    return [message for message, failure in failures if failure is not None and failure.type is ErrorType.CONFLICT]


def _is_own(statement: SpokenStatement, said: Sequence[Mentions]) -> bool:
    """Tell whether something of the caller's is then, or was before it was moved or cancelled."""
    moments = [moment for item in statement.known() for moment in item.moments]
    moments += statement.sources.left_behind(statement.session, statement.now)
    return any(one.agree_with(moment) for one in said for moment in moments)


def _is_closed(statement: SpokenStatement, said: Sequence[Mentions]) -> bool:
    """Tell whether the business is closed then, on the next day that is meant."""
    hours = statement.business.working_hours
    if not hours.is_known:
        return False
    first = statement.now.replace(hour=0, minute=0, second=0, microsecond=0)
    for one in said:
        days = (first + _DAY * count for count in range(_MOST_DAYS))
        day = next((day for day in days if _on_day(one).agree_with(day)), first)
        openings = [
            range(opening.opens.hour * 60 + opening.opens.minute, opening.closes.hour * 60 + opening.closes.minute)
            for opening in hours.on(day.date())
        ]
        if not openings:
            return True
        if any(not any(minute in stretch for minute in clock for stretch in openings) for clock in one.clocks):
            return True
    return False


def _looked_up(messages: Iterable[Message], zone: tzinfo) -> Iterator[_FreeLookUp]:
    arguments: dict[str, Mapping[str, Any]] = {}
    for message in messages:
        if isinstance(message, Spoken):
            arguments |= {call.call_id: call.arguments_object for call in message.calls}
        if not isinstance(message, ToolMessage):
            continue
        data = message.response.data
        if not isinstance(data, Mapping) or not data.keys() & {"available", "free", "openTimes"}:
            continue
        asked = arguments.get(message.call_id, {})
        is_stretch = bool(asked.get("until") or asked.get("soonest") or data.get("free"))
        moment = _asked_moment(data.get("asked") or (None if is_stretch else asked.get("date")), zone)
        is_free = data.get("available") is not False
        yield _FreeLookUp(frozenset(_days(data, asked)), moment, is_free)


def _days(data: Mapping[str, Any], asked: Mapping[str, Any]) -> Iterator[date]:
    rows = [_day(row.get("date")) for row in items(data.get("free")) if isinstance(row, Mapping)]
    conflicts = [row for row in items(data.get("conflicts")) if isinstance(row, Mapping)]
    known = [day for day in (*rows, *(_day(row.get("start")) for row in conflicts)) if day is not None]
    begin, until = _day(asked.get("date")), _day(asked.get("until"))
    last = max([day for day in (begin, until, *(known if asked.get("soonest") else ())) if day], default=None)
    yield from known
    if begin is not None and last is not None:
        yield from (begin + _DAY * count for count in range(min((last - begin).days, _MOST_DAYS) + 1))


def _day(text: Any) -> date | None:
    try:
        return date.fromisoformat(str(text)[:10])
    except ValueError:
        return None


def _asked_moment(text: Any, zone: tzinfo) -> datetime | None:
    """Return the one time that was asked for; None where that is a whole day."""
    is_time = isinstance(text, str) and "T" in text and "T00:00" not in text
    return moment_in(text, zone) if is_time else None


def _on_day(said: Mentions) -> Mentions:
    return _at_hours(said, Mentions())


def _at_hours(day: Mentions, hours: Mentions) -> Mentions:
    return Mentions(
        clocks=hours.clocks,
        elsewhere=hours.elsewhere,
        weekdays=day.weekdays,
        month_days=day.month_days,
        days=day.days,
        days_of_month=day.days_of_month,
    )
