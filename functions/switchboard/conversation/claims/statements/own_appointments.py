"""That a caller has nothing, or so many appointments: what was looked up and done here says how many there are."""

import re

from switchboard.conversation.claims.entities import readings
from switchboard.conversation.claims.facts import STANDING, each_once
from switchboard.conversation.claims.people_marks import marked
from switchboard.conversation.claims.sentences import clauses_of
from switchboard.conversation.claims.statements.periods import has_other_period, periods_in
from switchboard.conversation.claims.statements.statement import IN_CASE, LONGEST_STATEMENT, SpokenStatement
from switchboard.conversation.claims.statements.trade_words import services_meant

_THING = (
    r"(?:appointments?|bookings?|reservations?|termine?|buchung(?:en)?|reservierung(?:en)?|citas?|reservas?|turnos?"
    r"|rendez-vous|réservations?|appuntament[oi]|prenotazion[ei]|marcaç(?:ão|ões)|consultas?|afspra(?:ak|ken))"
)
TELLS_OF_NONE = re.compile(
    rf"\b(?:(?:you (?:do not|don't) have|(?:i|we) (?:do not|don't|cannot|can't|couldn't) (?:see|find)) any? {_THING}"
    rf"|(?:you have|i see) no {_THING}"
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
_OTHER = re.compile(
    r"\b(?:other|another|more|else|further|weiter\w*|ander\w*|sonst|mehr|otr[oa]s?|más|ya no|autres?|plus|altr[oi]"
    r"|più|outr[oa]s?|mais|já não|verder|meer|nog)\b",
    re.I,
)
_PART_OF_DAY = re.compile(
    r"\b(?:morning|afternoon|evening|noon|(?:vor|nach)?mittags?|(?:vor|nach)mittags?|abends?|tarde|noche|por la mañana"
    r"|matin|après-midi|soir|mattin[ao]|pomeriggio|sera|manhã|noite|ochtend|middag|avond)\b",
    re.I,
)
_NUMBERS = {
    word: count
    for count, words in enumerate(
        (
            "two zwei dos deux due duas dois twee",
            "three drei tres trois tre três drie",
            "four vier cuatro quatre quattro quatro",
        ),
        2,
    )
    for word in words.split()
}
_SO_MANY = re.compile(
    rf"\b(?:you have|you've got|i see|sie haben|ich sehe|tiene|le veo|veo|vous avez|je vois|ha|vedo|tem|vejo|u heeft"
    rf"|ik zie) (?P<count>{'|'.join(_NUMBERS)}) {_THING}(?!\w)",
    re.I,
)


def hold_wrong_count(statement: SpokenStatement) -> None:
    """Hold a sentence that says that there is no appointment where one is known, or more than are.

    Raises:
        Unfounded: It must not be said.
    """
    sentence = statement.sentence
    if len(sentence) > LONGEST_STATEMENT or sentence.endswith("?"):
        return
    telling = [clause for clause in clauses_of(sentence) if TELLS_OF_NONE.search(clause) or _SO_MANY.search(clause)]
    for clause in telling:
        none, several = TELLS_OF_NONE.search(clause), _SO_MANY.search(clause)
        # "Vous n'avez pas de rendez-vous en janvier" is read as two.
        whole = sentence if len(telling) == 1 else clause
        if (
            _OTHER.search(clause)
            or IN_CASE.search(clause)
            or has_other_period(whole)
            or _is_narrowed(statement, clause)
        ):
            continue
        items = each_once(item for item in statement.known() if item.moments and not item.deeds.isdisjoint(STANDING))
        ways = readings(clause, statement.now)
        if not items or any(one.names for one in ways):
            continue
        there = [moment for item in items for moment in item.moments if moment >= statement.now]
        there = [moment for moment in there if any(one.agree_with(moment) for one in ways)]
        periods = periods_in(whole, statement.now.date())
        there = [one for one in there if all(first <= one.date() <= last for first, last in periods)]
        is_more = several is not None and _NUMBERS[several["count"].lower()] > len(items)
        if (none is not None and there) or (is_more and not any(item.party for item in items if item.party != 1)):
            told = ", ".join(sorted({f"{moment:%A %Y-%m-%d %H:%M}" for item in items for moment in item.moments}))
            raise statement.refused(f"what is known is {told}.")


def _is_narrowed(statement: SpokenStatement, clause: str) -> bool:
    """Tell whether a clause speaks of appointments with somebody, for something, or at a time of the day alone."""
    business = statement.business
    return bool(
        marked(business, clause).names or services_meant(business, clause) or _PART_OF_DAY.search(clause) is not None
    )
