"""What was done, told from a conversation's receipts where the model will not tell it truly."""

import logging
import re
from collections.abc import Sequence
from datetime import datetime

from switchboard.catalog.offer.offer import Offer
from switchboard.contract.business.business import Business
from switchboard.contract.business.languages import language_of
from switchboard.contract.definitions.definition import Deed
from switchboard.conversation.session import Receipt
from switchboard.pipeline.confirmation.consent import denies_to_come, may_precede
from switchboard.pipeline.confirmation.prompt import moment_words

_HAS_A_TIME = (Deed.BOOKED, Deed.MOVED, Deed.CANCELLED, Deed.ENTERED)
_NAMED = (
    *(*_HAS_A_TIME, Deed.TEXTED, Deed.MAILED, Deed.PASSED_ON, Deed.TRANSFERRED, Deed.VERIFIED),
    *(Deed.PAID, Deed.REFUNDED, Deed.ORDERED, Deed.OTHER),
)
# Of what was done in earlier turns, so much is told.
_MOST_BEFORE = 3
# In the order of `_NAMED`, and that nothing else is certain.
_WORDS = {
    "en": "Booked|Moved|Cancelled|Entered in the calendar|Text sent|E-mail sent|Message passed on|Transferred|Checked|"
    "Paid|Refunded|Ordered|Done|I can't confirm more than that.",
    "de": "Gebucht|Verschoben|Abgesagt|Im Kalender eingetragen|SMS gesendet|E-Mail gesendet|Nachricht weitergegeben|"
    "Verbunden|Geprüft|Bezahlt|Erstattet|Bestellt|Erledigt|Mehr als das kann ich nicht bestätigen.",
    "es": "Reservado|Cambiado|Anulado|Apuntado en el calendario|SMS enviado|Correo enviado|Recado transmitido|"
    "Transferido|Comprobado|Pagado|Reembolsado|Pedido|Hecho|Más que eso no puedo confirmar.",
    "fr": "Réservé|Déplacé|Annulé|Noté dans l'agenda|SMS envoyé|E-mail envoyé|Message transmis|Transféré|Vérifié|"
    "Payé|Remboursé|Commandé|Fait|Je ne peux rien confirmer de plus.",
    "it": "Prenotato|Spostato|Annullato|Segnato in agenda|SMS inviato|E-mail inviata|Messaggio riferito|Trasferito|"
    "Verificato|Pagato|Rimborsato|Ordinato|Fatto|Più di questo non posso confermare.",
    "pt": "Marcado|Alterado|Cancelado|Anotado na agenda|SMS enviado|E-mail enviado|Recado transmitido|Transferido|"
    "Verificado|Pago|Reembolsado|Encomendado|Feito|Mais do que isso não posso confirmar.",
    "nl": "Geboekt|Verplaatst|Geannuleerd|In de agenda gezet|Sms verstuurd|E-mail verstuurd|Bericht doorgegeven|"
    "Doorverbonden|Gecontroleerd|Betaald|Terugbetaald|Besteld|Gedaan|Meer dan dat kan ik niet bevestigen.",
}

# What stays at its time was not moved, though the same tool does it.
_CHANGED = {
    "en": "Changed",
    "de": "Geändert",
    "es": "Modificado",
    "fr": "Modifié",
    "it": "Modificato",
    "pt": "Alterado",
    "nl": "Gewijzigd",
}

log = logging.getLogger(__name__)
# Not behind an initial or a title, as in "Dr. J. St. John".
_SENTENCES = re.compile(r"(?<!\b\w\.)(?<!\b[DFMS][rts]\.)(?<=[.!?\u2026])\s+")

_BEFORE = "So. "


def done_words(receipts: Sequence[Receipt], offer: Offer, language: str, now: datetime, turn: int) -> str:
    """Return what was done, as a caller is told it; empty where nothing was.

    What was done in this turn is what they wait for; where nothing was, they may have asked about what stands from
    before.

    Args:
        receipts: What stands of what was done in the conversation, the latest last.
        offer: Its tools say what their success means.
        language: In which is spoken.
        now: When it is said.
        turn: Which turn it is.
    """
    labels = _labels(language)
    phrases = [_told(receipt, offer, labels, now) for receipt in receipts if receipt.turn == turn]
    phrases = phrases or [_told(receipt, offer, labels, now) for receipt in receipts[-_MOST_BEFORE:]]
    return " ".join([*phrases, _phrases(language)[-1]]) if phrases else ""


def deeds_told(receipts: Sequence[Receipt], offer: Offer, language: str, now: datetime) -> str:
    """Return what was done, as `done_words` tells it, where that is told as news and nobody has asked for more."""
    labels = _labels(language)
    return " ".join(_told(receipt, offer, labels, now) for receipt in receipts)


def _labels(language: str) -> dict[str, str]:
    changed = _CHANGED.get(language_of(language), _CHANGED["en"])
    return {"changed": changed, **dict(zip(_NAMED, _phrases(language)[:-1], strict=True))}


def _phrases(language: str) -> list[str]:
    return _WORDS.get(language_of(language), _WORDS["en"]).split("|")


def _told(done: Receipt, offer: Offer, words: dict[str, str], now: datetime) -> str:
    receipt = done.words
    offered = offer.named(done.tool)
    deed = next(iter(offered.definition.deeds if offered else ()), Deed.OTHER)
    if deed not in words:
        deed = Deed.OTHER
    label, about = words[deed], list[str]()
    if deed in _HAS_A_TIME:
        # "moved: Haircut"
        how, _, what = str(receipt.get("what") or "").rpartition(": ")
        about = [what, _when(receipt.get("when"), offer.business, now), str(receipt.get("for") or "")]
        label = words["changed"] if how == "changed" else label
    elif deed is Deed.OTHER:
        about = [done.tool.replace("_", " ")]
    listed = ", ".join(part for part in about if part)
    return f"{label}: {listed}." if listed else f"{label}."


def _when(moment: object, business: Business | None, now: datetime) -> str:
    try:
        read = datetime.fromisoformat(str(moment))
    except ValueError:
        return ""
    return moment_words(read, business, now) if business and read.tzinfo else ""


def lead_in(words: str) -> str:
    """Return the sentences that may stand before the question; what is left out is logged, with why.

    A sentence that asks, speaks of an answer ("just say yes"), says "I won't" or breaks off would make it unsure what a
    yes is to. The others answer what the caller asked.
    """
    sentences: list[str] = []
    dropped: list[str] = []
    for sentence in _SENTENCES.split(words.strip()):
        # A "yes" that the first one begins with is the speaker's own.
        (sentences if may_precede(f"{_BEFORE if sentences else ''}{sentence}") else dropped).append(sentence)
    if dropped:
        log.info(
            "words are not said before a question",
            extra={"reason": _reason(dropped), "count": len(dropped), "pii.detail": " ".join(dropped)[:200]},
        )
    return " ".join(sentences)


def _reason(sentences: list[str]) -> str:
    if any("?" in sentence or "\u00bf" in sentence for sentence in sentences):
        return "asks"
    if any(map(denies_to_come, sentences)):
        return "denies it"
    return "speaks of an answer" if sentences[-1].endswith((".", "!", "\u2026")) else "breaks off"
