"""What is told beside a deed that was done, and nothing bears out: how often, how many, to whom; what is never kept.

That something is booked every week, twice, or was sent to somebody's wife needs as many appointments, or that number.
That nothing is recorded, or no text ever sent again, is told where the business's own words speak of it.
"""

import re

from switchboard.contract.definitions.definition import Deed
from switchboard.conversation.claims.facts import STANDING
from switchboard.conversation.claims.party_words import NUMBERS
from switchboard.conversation.claims.sentences import DENIED
from switchboard.conversation.claims.several import TO_KIN
from switchboard.conversation.claims.statements.messages import is_owners_answer
from switchboard.conversation.claims.statements.statement import IN_CASE, SpokenStatement
from switchboard.conversation.guard import HeldFact, HeldSubject

_SERIES = re.compile(
    r"\b(?:(?:every|each) (?:week|month|day|other week|two weeks|[^\W\d_]+day)|weekly|monthly|jede (?:woche)"
    r"|jeden (?:monat|tag|[^\W\d_]+tag)|wöchentlich|monatlich|cada (?:semana|mes|día|lunes|martes|miércoles|jueves"
    r"|viernes|sábado|domingo)|todas las semanas|todos los (?:meses|días|lunes|martes|miércoles|jueves|viernes)"
    r"|chaque (?:semaine|mois|[^\W\d_]+di)|toutes les semaines|tous les (?:mois|[^\W\d_]+dis)"
    r"|ogni (?:settimana|mese|[^\W\d_]+dì|sabato|domenica)|tutte le settimane"
    r"|toda semana|todas as semanas|todo mês|todos os meses|elke (?:week|maand|[^\W\d_]+dag)|wekelijks)(?!\w)",
    re.I,
)
# Told of the caller's own, and not of how full a house is.
_OWN_BOOKING = re.compile(
    r"\b(?:(?:you're|you are|it's|it is|that's|i(?:'ve| have)? |we(?:'ve| have)? )(?: now| all)? ?(?:booked"
    r"|reserved|in\b"
    r"|scheduled)(?! (?:up|out|solid|full))|booked you"
    r"|sie sind\b[^.;?!]{0,60}\b(?:gebucht|eingetragen)|(?:habe|ist)\b[^.;?!]{0,60}\b(?:gebucht|reserviert|eingetragen)"
    r"|(?:queda|está|he|le) (?:ya )?(?:reservad[oa]|agendad[oa]|apuntad[oa])|le reservé"
    r"|(?:c'est|vous êtes|j'ai|est) (?:bien |déjà )?(?:réservée?|inscrite?|notée?)"
    r"|(?:è|ho) (?:già )?prenotat[oa]|(?:está|ficou) (?:já )?(?:marcad[oa]|reservad[oa])"
    r"|(?:u bent|het is|ik heb)\b[^.;?!]{0,40}\b(?:geboekt|ingepland))(?!\w)",
    re.I,
)
_PROMISE = HeldFact(HeldSubject.PROMISE)
_SENT = frozenset({Deed.TEXTED, Deed.MAILED})
_WORD_BEFORE = re.compile(r"(?<![^\W_])([^\W_]{1,10})\s$")
_DATA = (
    r"(?:your|ihre?n?|su|tu|votre|vos|il suo|la sua|seu|sua|o seu|a sua|uw|je|this|the|das|dieses|el|la|los|esta|le|ce"
    r"|cette|l'|il|het|dit)\s?(?:[^\W\d_]+ )?(?:numbers?|names?|data|details|information|phone|e-?mail|calls?"
    r"|conversations?|nummer|telefonnummer|namen?|daten|gespräch|anruf|número|teléfono|nombre|datos|llamada"
    r"|conversación"
    r"|numéro|nom|données|appel|coordonnées|numero|nome|dati|chiamata|telefonata|telefone|dados|chamada|conversa"
    r"|telefoonnummer|naam|gegevens|gesprek)"
)
_KEPT = (
    r"(?:recorded|stored|saved|kept|logged|aufgezeichnet|gespeichert|aufgenommen|festgehalten|enregistrée?s?"
    r"|conservée?s?|stockée?s?|sauvegardée?s?|registrat[oaie]|salvat[oaie]|conservat[oaie]|gravad[oa]s?|guardad[oa]s?"
    r"|registad[oa]s?|armazenad[oa]s?|opgenomen|bewaard|opgeslagen)"
)
# What denies, beside the words of `DENIED`.
_NOTHING = re.compile(
    r"\b(?:no|nothing|none|no more|no longer|rien|plus|nada|nulla|niente|niets|nichts|nooit|meer|mehr)\b", re.I
)
_NEVER_KEPT = re.compile(
    r"\b(?:(?:we|i)(?:'ll)? (?:won't|will not|will never|never|don't|do not|'ll never) (?:save|store|keep|record"
    r"|log|share"
    rf"|sell)(?: or \w+)? (?:any of |any )?(?:{_DATA}|anything)"
    rf"|(?:nothing|none of (?:it|this)) (?:is|gets|will be|is ever) (?:being )?{_KEPT}"
    rf"|{_DATA} (?:is|are|will)(?:n't| not| never|n't be| not be| never be) {_KEPT}"
    rf"|(?:ich|wir) (?:speicher\w{{0,3}}|behalte\w?|bewahre\w?) (?:{_DATA}|das"
    rf"|sie)?\s?(?:[^\W\d_]+ ){{0,2}}(?:nicht|nichts|nie)"
    rf"|(?:nichts wird|es wird nichts|hier wird nichts|{_DATA} wird nicht) (?:[^\W\d_]+ ){{0,2}}{_KEPT}"
    rf"|no (?:se )?(?:guard|grab|registr|almacen|compart)\w{{1,7}}(?: ni(?: se)? \w+)? (?:{_DATA}|nada)"
    r"|nada se (?:graba|guarda|registra)"
    rf"|(?:je|nous|on) (?:n'enregistr\w{{1,6}}|ne (?:gard|conserv|stock|sauvegard)\w{{1,6}}) (?:pas|rien|jamais)"
    rf"|rien n'est (?:[^\W\d_]+ ){{0,1}}{_KEPT}|{_DATA} n'est (?:pas|jamais) {_KEPT}"
    rf"|non (?:salv|registr|conserv)\w{{1,6}} (?:{_DATA}|nulla|niente)|(?:nulla|niente) (?:viene|è) {_KEPT}"
    rf"|não (?:guard|grav|regist|armazen)\w{{1,6}} (?:{_DATA}|nada)|nada (?:é|fica|será) {_KEPT}"
    rf"|(?:ik|wij|we) (?:sla|slaan|bewaar|bewaren) {_DATA}\b[^.;?!]{{0,20}}\b(?:niet|nooit)"
    rf"|(?:er wordt niets|niets wordt|{_DATA} wordt niet) {_KEPT})(?!\w)",
    re.I,
)
_NEVER_AGAIN = re.compile(
    r"\b(?:(?:we|i|you)(?:'ll)? (?:won't|will not|will never|'ll never|will no longer) (?:be )?(?:text|message|e-?mail"
    r"|call|contact|bother|get|receive|texting|e-?mailing|calling)\w{0,3}\b[^.;?!]{0,30}\b(?:any ?more|again|any longer"
    r"|ever)|you(?:'ll| will) (?:get|receive) no more (?:texts|messages|e-?mails|calls)"
    r"|(?:wir|ich) (?:schreiben?|schicken?|senden?|rufen?|kontaktieren?) (?:sie|ihnen)\b[^.;?!]{0,30}\b(?:mehr"
    r"|nie wieder)"
    r"|(?:ya )?no (?:le|la|lo) (?:escrib|envi|mand|llam|contact)\w{1,8}\b[^.;?!]{0,30}\bmás"
    r"|ya no (?:le|la|lo) (?:escrib|envi|mand|llam|contact)\w{1,8}"
    r"|(?:nous|on|je) ne vous (?:enver|écri|contacte|appelle|enverr)\w{1,6}\b[^.;?!]{0,20}\b(?:plus|jamais)"
    r"|non le (?:scriv|mand|invi|telefon)\w{1,7}\b[^.;?!]{0,20}\bpiù"
    r"|não lhe (?:envi|mand|escrev|lig)\w{1,7}\b[^.;?!]{0,20}\bmais"
    r"|(?:we|wij|ik) (?:sturen|stuur|bellen|bel|mailen|mail) (?:u|je)\b[^.;?!]{0,30}\b(?:meer|nooit))(?!\w)",
    re.I,
)
_PRIVACY_SAID = re.compile(
    r"\b(?:privacy|record|stor|sav|delet|opt out|unsubscri|no longer text|datenschutz|speicher|gespeicher|aufgezeichn"
    r"|löschen|privacidad|grab|guard|borr|confidentialité|enregistr|conserv|privatezza|registr|salv|privacidade|grav"
    r"|bewaar|opgeslagen|afmeld)",
    re.I,
)


def hold_untold_promise(statement: SpokenStatement) -> None:
    """Hold a sentence that tells more of what was done than was, or promises what nobody has told.

    Raises:
        Unfounded: It must not be said.
    """
    sentence = statement.sentence
    is_denied = DENIED.search(sentence) is not None
    is_never = (is_denied or _NOTHING.search(sentence) is not None) and any(
        pattern.search(sentence) is not None for pattern in (_NEVER_KEPT, _NEVER_AGAIN)
    )
    is_more = not is_denied and (bool(statement.deeds) or _SERIES.search(sentence) is not None)
    if not (is_never or is_more) or IN_CASE.search(sentence) is not None or is_owners_answer(statement):
        return
    if is_never and not any(_PRIVACY_SAID.search(text) is not None for text in statement.told()):
        raise statement.refused("nobody has told what is kept or sent here. Promise nothing of it.", _PROMISE)
    if is_more:
        _hold_series(statement)
        _hold_too_many(statement)
        _hold_other_receiver(statement)


def _hold_series(statement: SpokenStatement) -> None:
    """Hold that something is booked again and again, where no more than one is."""
    sentence = statement.sentence
    if _SERIES.search(sentence) is None:
        return
    if STANDING.isdisjoint(statement.deeds) and _OWN_BOOKING.search(sentence) is None:
        return
    if len(statement.standing()) < 2:
        raise statement.refused("nothing was booked more than once. Say what was, as the results above say.")


def _hold_too_many(statement: SpokenStatement) -> None:
    """Hold that so many of a service are booked, where fewer are, and for fewer people."""
    sentence = statement.sentence
    if STANDING.isdisjoint(statement.deeds):
        return
    folded, number = sentence.casefold(), 1
    for service in statement.business.services:
        at = folded.find(f"{service.name.casefold()}s")
        before = _WORD_BEFORE.search(sentence[:at]) if at > 0 else None
        word = before[1].casefold() if before is not None else ""
        number = max(number, int(word) if word.isdigit() else NUMBERS.get(word, 1))
    if number == 1:
        return
    items = statement.standing()
    most = max((item.party or 0 for item in items), default=0)
    if items and number > max(len(items), most):
        raise statement.refused(f"{len(items)} of it was booked, and no more.")


def _hold_other_receiver(statement: SpokenStatement) -> None:
    """Hold that a text went to somebody of the caller's, where all of them went to the number of this call."""
    if statement.deeds.isdisjoint(_SENT) or TO_KIN.search(statement.sentence) is None:
        return
    own = "".join(filter(str.isdigit, statement.session.facts.caller_phone or ""))
    sent = [item for item in statement.known() if item.is_receipt and not item.deeds.isdisjoint(_SENT) and item.numbers]
    if own and sent and all(item.numbers == {own} for item in sent):
        raise statement.refused("it was sent to the number of this call, and to nobody else.")
