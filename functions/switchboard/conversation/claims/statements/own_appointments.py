"""That a caller has nothing, or so many appointments: what was looked up and done here says how many there are.

Of a stretch of days, "this week", "im November", "le mois prochain", only what lies in it counts.
"""

import re
from datetime import date, timedelta

from switchboard.conversation.claims.entities import readings
from switchboard.conversation.claims.facts import in_order
from switchboard.conversation.claims.party_words import NUMBERS
from switchboard.conversation.claims.people_marks import marked
from switchboard.conversation.claims.sentences import clauses_of
from switchboard.conversation.claims.statements.services import services_meant
from switchboard.conversation.claims.statements.statement import IN_CASE, SpokenStatement
from switchboard.conversation.claims.time_words import MONTHS

_WEEK = r"(?:week|woche|semana|semaine|settimana)"
_MONTH = r"(?:month|monat|mes|mois|mese|mês|maand)"
_THIS = r"(?:this|diese[nrm]?|est[ae]|ce|cette|quest[oa]|dez[ea]|deze)"
_NEXT = (
    r"(?:next|nächste[nrm]?|kommende[nrm]?|próxim[oa]|prochaine?|prossim[oa]|volgende|komende|que viene|que vem"
    r"|qui vient)"
)
_OF = r"(?:in|im|en|de|em|à|during|for|für|para|pour|per|voor|a|ad|au mois de|this|next|diesen)"
_SAID = re.compile(
    rf"\b(?:(?P<this_week>{_THIS} {_WEEK})|(?P<next_week>{_NEXT} {_WEEK}|{_WEEK} {_NEXT})"
    rf"|(?P<this_month>{_THIS} {_MONTH})|(?P<next_month>{_NEXT} {_MONTH}|{_MONTH} {_NEXT})"
    rf"|{_OF} (?P<month>{'|'.join(sorted(MONTHS, key=len, reverse=True))}))(?!\w)",
    re.I,
)
# Of other stretches, and of what lies on one side of a day, it is not known which days they are.
_OTHER = re.compile(
    r"\b(?:week-?ends?|wochenende|fin de semana|fine settimana|fim de semana|weeks?|wochen?|semanas?|semaines?"
    r"|settiman[ae]|weken|months?|monate?|mes(?:es)?|mois|mes[ei]|mês|maand(?:en)?|years?|jahr\w*|años?|ann(?:ée|o|i)s?"
    r"|anos?|jaar|before|until|till|after|since|from|earlier|later|vor|bis|nach|seit|ab|früher|später|antes|hasta"
    r"|después|desde|avant|jusqu\w*|après|depuis|prima|fino|dopo|até|depois|eerder|later|tot|vanaf|past|vergangen\w*)"
    r"\b",
    re.I,
)
_WEEK_DAYS, _MONTHS_A_YEAR = 7, 12
_THING = (
    r"(?:appointments?|bookings?|reservations?|termine?|buchung(?:en)?|reservierung(?:en)?|citas?|reservas?|turnos?"
    r"|rendez-vous|réservations?|appuntament[oi]|prenotazion[ei]|marcaç(?:ão|ões)|consultas?|afspra(?:ak|ken))"
)
TELLS_OF_NONE = re.compile(
    rf"\b(?:(?:you (?:do not|don't) have|(?:i|we) (?:do not|don't|cannot|can't|couldn't) (?:see|find)) any? {_THING}"
    rf"|(?:you have|i see) no {_THING}"
    r"|(?:you(?:'ve got| have| 've)|i(?: can)? see|there(?:'s| is)) nothing (?:booked|scheduled|reserved|planned"
    r"|coming up|on the books)"
    r"|(?:sie haben|ich sehe|es ist)(?: [^\W\d_]+){0,2} nichts (?:gebucht|reserviert|vereinbart|eingetragen|geplant)"
    r"|no (?:tiene|veo|hay) nada (?:reservado|agendado|programado|apuntado|pendiente)"
    r"|(?:n'avez|ne vois|n'y a) rien (?:de )?(?:réservé|prévu|noté)"
    r"|non ha (?:niente|nulla) (?:di )?prenotato|não tem nada marcado|u heeft niets geboekt"
    rf"|(?:sie haben|sehe ich|ich sehe|ich finde|finde ich) (?:[^\W\d_]+ ){{0,4}}keinen? {_THING}"
    rf"|no (?:tiene|veo|encuentro|me (?:aparece|sale|figura)|le (?:aparece|veo)) (?:ninguna? )?{_THING}"
    rf"|(?:n'avez|ne vois|ne trouve) (?:aucune?|pas (?:de|d'un)) ?{_THING}"
    rf"|non (?:ha|vedo|trovo|risulta) (?:nessun |alcun |nessuna )?{_THING}"
    rf"|(?:não (?:tem|vejo|encontro)) (?:nenhuma? |qualquer )?{_THING}"
    rf"|(?:(?:no(?: hay| tengo)?(?: ninguna?)?|keinen?|aucune?|pas de|nessuna?|nenhuma?|geen) {_THING}|nothing|nada"
    rf"|rien"
    r"|nichts|niente|niets) (?:under|in|a|à|auf|em|op) (?:your|su|votre|ihren|suo|seu|uw) (?:name|nombre|nom"
    r"|namen|nome|naam)"
    rf"|(?:u heeft|ik zie|ik vind|heeft u) (?:[^\W\d_]+ ){{0,3}}geen {_THING})(?!\w)"
    # Those that could still be made are no one's, and a fee is no visit.
    r"(?!\s+(?:left|fees?|charges?|deposits?|free|available|open|frei|libres?|disponibles?|liber[oi]|disponibil[ei]"
    r"|livres?|dispon\w+|vrij|beschikbaar))",
    re.I,
)
# Another one, or one no more, is none of those that stand.
_OTHER_ONE = re.compile(
    r"\b(?:other|another|more|else|further|besides|apart|except|außer|salvo"
    r"|sauf|tranne|além|behalve|weiter\w*|ander\w*|sonst|mehr|otr[oa]s?|más|ya no|autres?|plus|altr[oi]"
    r"|più|outr[oa]s?|mais|já não|verder|meer|nog)\b",
    re.I,
)
_PART_OF_DAY = re.compile(
    r"\b(?:morning|afternoon|evening|noon|(?:vor|nach)?mittags?|(?:vor|nach)mittags?|abends?|tarde|noche|por la mañana"
    r"|matin|après-midi|soir|mattin[ao]|pomeriggio|sera|manhã|noite|ochtend|middag|avond)\b",
    re.I,
)
_MOST = 4
_FEW = {word: count for word, count in NUMBERS.items() if 1 < count <= _MOST}
_SO_MANY = re.compile(
    rf"\b(?:you have|you've got|i see|sie haben|ich sehe|tiene|le veo|veo|vous avez|je vois|ha|vedo|tem|vejo|u heeft"
    rf"|ik zie) (?P<count>{'|'.join(_FEW)}) {_THING}(?!\w)",
    re.I,
)


def hold_wrong_count(statement: SpokenStatement) -> None:
    """Hold a sentence that says that there is no appointment where one is known, or more than are.

    Raises:
        Unfounded: It must not be said.
    """
    sentence = statement.sentence
    telling = [clause for clause in clauses_of(sentence) if TELLS_OF_NONE.search(clause) or _SO_MANY.search(clause)]
    for clause in telling:
        none, several = TELLS_OF_NONE.search(clause), _SO_MANY.search(clause)
        # "Vous n'avez pas de rendez-vous en janvier" is read as two.
        whole = sentence if len(telling) == 1 else clause
        if (
            _OTHER_ONE.search(clause)
            or IN_CASE.search(clause)
            or _has_other_period(whole)
            or _is_narrowed(statement, clause)
        ):
            continue
        items = statement.standing()
        ways = readings(clause, statement.now)
        if not items or any(one.names for one in ways):
            continue
        there = [moment for item in items for moment in item.moments if moment >= statement.now]
        there = [moment for moment in there if any(one.agree_with(moment) for one in ways)]
        periods = _periods_in(whole, statement.now.date())
        there = [one for one in there if all(first <= one.date() <= last for first, last in periods)]
        is_more = several is not None and _FEW[several["count"].lower()] > len(items)
        if (none is not None and there) or (is_more and not any(item.party for item in items if item.party != 1)):
            told = in_order(moment for item in items for moment in item.moments)
            raise statement.refused(f"what is known is {told}.")


def _is_narrowed(statement: SpokenStatement, clause: str) -> bool:
    """Tell whether a clause speaks of appointments with somebody, for something, or at a time of the day alone."""
    business = statement.business
    return bool(
        marked(business, clause).names or services_meant(business, clause) or _PART_OF_DAY.search(clause) is not None
    )


def _has_other_period(text: str) -> bool:
    """Tell whether a text restricts what it says to days that are not known, beside what `_periods_in` returns."""
    return _OTHER.search(_SAID.sub(" ", text)) is not None


def _periods_in(text: str, today: date) -> list[tuple[date, date]]:
    """Return the first and the last day of each stretch that a text names; a month is the coming one of its name."""
    found = list[tuple[date, date]]()
    for match in _SAID.finditer(text):
        if match.lastgroup in ("this_week", "next_week"):
            monday = today - timedelta(days=today.weekday())
            monday += timedelta(days=_WEEK_DAYS if match.lastgroup == "next_week" else 0)
            found.append((monday, monday + timedelta(days=_WEEK_DAYS - 1)))
            continue
        month = MONTHS[match["month"].lower()] if match["month"] else today.month
        year = today.year + (month < today.month)
        if match.lastgroup == "next_month":
            year, month = _month_after(year, month)
        next_year, next_month = _month_after(year, month)
        found.append((date(year, month, 1), date(next_year, next_month, 1) - timedelta(days=1)))
    return found


def _month_after(year: int, month: int) -> tuple[int, int]:
    return (year + 1, 1) if month == _MONTHS_A_YEAR else (year, month + 1)
