"""What stands in a message that was sent or left, where the house is, and that a text is still to come.

A text holds what its call was given: an address is no map and no list of prices. For how many minutes somebody is late
is told as the caller has said it. A house has the number that its address has. And where a text was refused just now,
none comes later.
"""

import re
from collections.abc import Iterable, Iterator

from switchboard.contract.definitions.definition import Deed
from switchboard.contract.model import ToolMessage
from switchboard.conversation.claims.entities import readings
from switchboard.conversation.claims.facts import texts_in
from switchboard.conversation.claims.number_words import amounts_in, whole_number
from switchboard.conversation.claims.sentences import DENIED, SENT, TELLS, clauses_of
from switchboard.conversation.claims.statements.own_texts import houses_in, own_houses
from switchboard.conversation.claims.statements.statement import IN_CASE, SpokenStatement

_MESSAGES = frozenset({Deed.TEXTED, Deed.MAILED})
_LINK = re.compile(r"https?://|www\.|\b[\w-]+\.(?:com|org|net|de|es|fr|it|pt|nl|io|app|at|ch)\b", re.I)
_PRICES = re.compile(
    r"\b(?:prices?|price ?list|rates|preise?|preisliste|precios?|tarifas?|prix|tarifs?|prezz[io]|listino|preços?"
    r"|prijzen|prijslijst)(?!\w)",
    re.I,
)
_WAY = re.compile(
    r"\b(?:maps?|directions|karte|stadtplan|lageplan|wegbeschreibung|anfahrt\w*|mapa|indicaciones|plan d'accès"
    r"|itinéraire|mappa|indicazioni|indicações|plattegrond|routebeschrijving)(?!\w)",
    re.I,
)
_LINKED = re.compile(r"\b(?:links?|enlace|lien|url|collegamento)(?!\w)", re.I)
_VISIT = re.compile(
    r"\b(?:(?:appointment|booking|reservation) (?:details|confirmation|info\w*)|(?:details|confirmation) of your"
    r"|(?:date|day) and (?:the )?time|termin(?:daten|details|bestätigung)|(?:details|daten) (?:ihres|zu ihrem) termins?"
    r"|(?:detalles|datos) de (?:su|la|tu) (?:cita|reserva)|(?:détails|informations) de (?:votre|la) (?:rendez-vous"
    r"|réservation)|dettagli dell'appuntamento|dados da (?:marcação|consulta))(?!\w)",
    re.I,
)
_VISIT_SENT = re.compile(
    r"\b(?:appointment|booking|booked|reservation|termin|buchung|cita|reserva|rendez-vous|réservation"
    r"|appuntamento|prenotazione|marcação|consulta|afspraak)\b",
    re.I,
)
_ARRIVED = re.compile(
    r"\b(?:on (?:its|their) way to your|on your phone|in your (?:texts|messages|inbox))\b|\b(?:mandé|envié|he mandado"
    r"|he enviado|envoyé|inviato|mandato|enviei|mandei)(?!\w)",
    re.I,
)
_LASTS = re.compile(
    r"(?<![\w.,:])(\d{1,3}|[^\W\d_]{2,16}(?:[ -][^\W\d_]{2,8})?) (?:minutes?|mins?|minuten?|minutos?|minuti"
    r"|minuut)\b",
    re.I,
)
_TEXT_LATER = re.compile(
    r"\bi(?:'ll| will|'m going to| am going to)(?: \w+)? (?:text you|send you (?:a|the) text|text (?:it|that|them))\b"
    r"|\b(?:ich (?:schicke|sende|schreibe)|(?:schicke|sende|schreibe) ich) (?:ihnen|dir)\b[^.;?!]{0,40}\b(?:sms"
    r"|textnachricht)"
    r"|\b(?:le|te) (?:mando|mandaré|envío|enviaré) (?:un (?:sms|mensaje)|[^.;?!]{0,30}\bpor (?:sms|mensaje))"
    r"|\bje vous (?:envoie|enverrai)\b[^.;?!]{0,40}\b(?:sms|texto)\b",
    re.I,
)


_ABLE = re.compile(
    r"\b(?:can|could|will|would|costs?|kann|könnte|kostet|kosten|puedo|cuesta|peux|coûte|posso|costa|custa|kan|kost)\b"
    r"|'ll\b",
    re.I,
)


def hold_wrong_contents(statement: SpokenStatement) -> None:
    """Hold what no message holds, a house that is another's, and a text that does not come.

    Raises:
        Unfounded: It must not be said.
    """
    sentence = statement.sentence
    if DENIED.search(sentence) is not None or IN_CASE.search(sentence) is not None:
        return
    _hold_other_house(statement)
    if not statement.deeds.isdisjoint(_MESSAGES):
        _hold_not_in_text(statement)
    if Deed.PASSED_ON in statement.deeds:
        _hold_other_length(statement)
    if _TEXT_LATER.search(sentence) is not None and _was_refused(statement):
        raise statement.refused("the text was refused just now, and none is sent later. Say it here instead.")


def _hold_other_house(statement: SpokenStatement) -> None:
    said = houses_in(statement.sentence, own=statement.business.address)
    own = own_houses(statement.business.address)
    if said and own and said.isdisjoint(own):
        told = frozenset[str]().union(*map(houses_in, statement.told(by_callers=True)))
        if not said <= told:
            raise statement.refused(f"the address is {statement.business.address}.")


def _hold_not_in_text(statement: SpokenStatement) -> None:
    known = [item for item in statement.known() if item.is_receipt and not item.deeds.isdisjoint(_MESSAGES)]
    # What the desk itself confirms in a text, or an owner's tool sends, stands in no argument of a call.
    if not known or any(item.moments for item in known):
        return
    written = list(_sent(statement))
    # What a tool writes itself, such as a link or a code, stands in no argument either.
    if not written or not all(written):
        return
    sent = [" ".join(texts) for texts in written]
    for clause in _telling_of_text(statement.sentence):
        for name, is_in in (
            (_PRICES, lambda text: bool(amounts_in(text)) or _PRICES.search(text)),
            (_WAY, lambda text: _LINK.search(text) or _WAY.search(text)),
            (_LINKED, _LINK.search),
            (
                _VISIT,
                lambda text: _VISIT_SENT.search(text) or any(one.say_when for one in readings(text, statement.now)),
            ),
        ):
            if name.search(clause) is not None and not any(is_in(text) for text in sent):
                raise statement.refused(f"the message that was sent is: {sent[-1][:200]!r}.")


def _telling_of_text(sentence: str) -> list[str]:
    """Return the clauses that tell what was sent, each with those behind it that have no verb: "and the prices"."""
    told, is_open = list[str](), False
    for clause in clauses_of(sentence):
        if SENT.search(clause) is not None or _ARRIVED.search(clause) is not None:
            told, is_open = [*told, clause], True
        elif is_open and TELLS.search(clause) is None and _ABLE.search(clause) is None:
            told[-1] += clause
        else:
            is_open = False
    return told


def _sent(statement: SpokenStatement) -> Iterator[list[str]]:
    """Yield the texts of each message that was sent in this conversation."""
    owners = statement.sources.owners
    for receipt in statement.session.receipts:
        if receipt.tool not in owners and statement.sources.does(receipt.tool, _MESSAGES):
            yield list(texts_in(receipt.arguments))


def _hold_other_length(statement: SpokenStatement) -> None:
    """Hold that somebody was told another number of minutes than a message or a caller names."""
    said = _minutes_in([statement.sentence])
    left = [text for receipt in statement.session.receipts for text in texts_in(receipt.arguments)]
    if said and left and not said <= _minutes_in([*left, *statement.heard(), *statement.told()]):
        raise statement.refused(f"what was passed on is: {left[-1][:200]!r}.")


def _minutes_in(texts: Iterable[str]) -> frozenset[int]:
    found = set[int]()
    for text in texts:
        for match in _LASTS.finditer(text):
            words = match[1].casefold().replace("-", " ").split()
            each = (" ".join(words[at:]) for at in range(len(words)))
            numbers = (int(one) if one.isdigit() else whole_number(one) for one in each)
            number = next((one for one in numbers if one is not None), None)
            found |= {number} if number is not None else set()
    return frozenset(found)


def _was_refused(statement: SpokenStatement) -> bool:
    """Tell whether the last text of this turn was refused."""
    last = None
    for message in statement.session.history.this_turn:
        if isinstance(message, ToolMessage) and statement.sources.does(message.name, (Deed.TEXTED,)):
            last = message.response.failure
    return last is not None
