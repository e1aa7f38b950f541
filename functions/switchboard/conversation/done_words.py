"""What was done in a turn, told from its receipts where the model will not tell it truly."""

from collections.abc import Iterable
from datetime import datetime

from switchboard.catalog.offer import Offer
from switchboard.contract.business import Business
from switchboard.contract.deed import Deed
from switchboard.contract.languages import language_of
from switchboard.contract.model import Answered, Message
from switchboard.pipeline.read_back import moment_words

_HAS_A_TIME = (Deed.BOOKED, Deed.MOVED, Deed.CANCELLED, Deed.ENTERED)
_NAMED = (
    *(*_HAS_A_TIME, Deed.TEXTED, Deed.MAILED, Deed.PASSED_ON, Deed.TRANSFERRED, Deed.VERIFIED),
    *(Deed.PAID, Deed.REFUNDED, Deed.ORDERED, Deed.OTHER),
)
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


def done_words(messages: Iterable[Message], offer: Offer, language: str, now: datetime) -> str:
    """Return what these messages show to have been done, as a caller is told it; empty where nothing was.

    Args:
        messages: Of one turn.
        offer: Its tools say what their success means.
        language: In which is spoken.
        now: When it is said.
    """
    known = language_of(language)
    *words, no_more = _WORDS.get(known, _WORDS["en"]).split("|")
    labels = dict(zip(_NAMED, words, strict=True))
    answers = [message for message in messages if isinstance(message, Answered) and message.response.ok]
    done = [answer for answer in answers if isinstance(answer.response.meta.get("receipt"), dict)]
    told = [_told(answer, offer, labels, now) for answer in done]
    return " ".join([*told, no_more]) if told else ""


def _told(message: Answered, offer: Offer, words: dict[Deed, str], now: datetime) -> str:
    receipt = message.response.meta["receipt"]
    offered = offer.named(message.name)
    deed = next(iter(offered.definition.deeds if offered else ()), Deed.OTHER)
    if deed not in words:
        deed = Deed.OTHER
    about: list[str] = []
    if deed in _HAS_A_TIME:
        # "moved: Haircut"
        what = str(receipt.get("what") or "").rpartition(": ")[2]
        about = [what, _when(receipt.get("when"), offer.business, now), str(receipt.get("for") or "")]
    elif deed is Deed.OTHER:
        about = [message.name.replace("_", " ")]
    listed = ", ".join(part for part in about if part)
    return f"{words[deed]}: {listed}." if listed else f"{words[deed]}."


def _when(moment: object, business: Business | None, now: datetime) -> str:
    try:
        found = datetime.fromisoformat(str(moment))
    except ValueError:
        return ""
    return moment_words(found, business, now) if business and found.tzinfo else ""
