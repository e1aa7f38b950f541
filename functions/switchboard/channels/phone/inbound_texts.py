"""`/phone/text`: what people text to a business's number. STOP, START and HELP count; nobody reads anything else.

An answer is TwiML of messages. Each delivery counts once, and answers are counted, so that two machines that answer
each other soon fall silent.

Twilio listens for its own words first: it keeps a list of its own by them, and answers them itself, in English
(`OptOutType` says which it was where advanced opt-out is on). Nothing is answered to those that end and resume texts a
second time, and nothing could be: texts to whoever has stopped there are refused. HELP is answered beside Twilio on
purpose: its own words name neither the business nor how to reach it. Where advanced opt-out is on, the account's own
words do, and stay alone. Words of the other languages that we speak are ours alone.
"""

from __future__ import annotations

import asyncio
import logging
import re
from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime
from enum import StrEnum
from typing import Final, Protocol

from cachetools import LRUCache
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from switchboard.catalog.offer.catalog import Catalog
from switchboard.channels.http.idempotency import Deliveries
from switchboard.channels.phone.webhook import CallerDirectory, Webhook, WebhookAuth, Webhooks
from switchboard.contract.business.business import Business
from switchboard.contract.business.languages import language_of
from switchboard.contract.business.names import letters
from switchboard.contract.business.own_addresses import calls_itself
from switchboard.contract.business.succession import drop_business, forgets_businesses
from switchboard.contract.caller.stop_wishes import CALLERS_STOP, asks_for_no_texts
from switchboard.contract.error import BusinessGone, ToolError
from switchboard.contract.ports import BusinessPaths, Clock, Paths
from switchboard.contract.python.dataclass import dataclass

log = logging.getLogger(__name__)

# Twilio waits fifteen seconds.
ANSWERED_WITHIN_S = 8.0
_REMEMBERED = 5_000


class OptOutRegistry(Protocol):
    """Who gets no texts of a business (`desk/messaging/opt_outs.py`)."""

    async def stop(self, paths: BusinessPaths, number: str, source: str) -> None:
        """Text a number no more.

        Raises:
            StoreError: It could not be written down.
        """

    async def start(self, paths: BusinessPaths, number: str) -> None:
        """Text it again.

        Raises:
            StoreError: It could not be written down.
        """

    async def may_answer(self, business: Business, paths: BusinessPaths, number: str, now: datetime) -> bool:
        """Count an answer to a number; tell whether it is not one too many. Never raises."""

    async def may_explain(self, business: Business, paths: BusinessPaths, number: str, now: datetime) -> bool:
        """Count an answer to what nobody reads; False where it is one too many, or it gets no texts. Never raises."""


@dataclass(frozen=True, slots=True)
class TextParts:
    """What the webhook works with."""

    door: WebhookAuth
    paths: Paths
    catalog: Catalog
    deliveries: Deliveries
    reception: CallerDirectory
    opt_outs: OptOutRegistry
    clock: Clock


def routes(parts: TextParts) -> list[Route]:
    """Return the route, without the path prefix of the `phone` function."""
    return [Route("/text", _Texts(parts).served, methods=["POST"])]


class _Texts:
    """Answers what is texted to every business."""

    def __init__(self, parts: TextParts) -> None:
        self._parts = parts
        # Where nobody can say who asks, Twilio notes the failure, and calls the fallback address where there is one.
        self._webhooks = Webhooks(parts.door, parts.paths, parts.deliveries, "MessageSid", unknown_status=503)
        # As they were last read, and what was kept of late: for answers that fail.
        self._known: LRUCache[str, Business] = LRUCache(_REMEMBERED)
        self._recorded: LRUCache[tuple[str, str], OptOut] = LRUCache(_REMEMBERED)
        forgets_businesses(self)

    def forget_business(self, business_id: str) -> None:
        """Forget a business that is not there any more, and what was wished of it."""
        drop_business(self._known, business_id)
        drop_business(self._recorded, business_id)

    async def served(self, request: Request) -> Response:
        """Answer a text, or say that it is not let in."""
        # What takes longer than Twilio waits is still done.
        return await self._webhooks.answer(
            request, self._document, lambda visit: self._late(visit.webhook), ANSWERED_WITHIN_S
        )

    async def _document(self, webhook: Webhook) -> str:
        parts, (wish, is_quiet) = self._parts, _read(webhook)
        within = parts.paths.within(webhook.line.business_id)
        number = parts.reception.caller_number(webhook.fields.get("From"))
        # What comes from the business's own number is nobody's wish: its owner would be texted no more.
        is_empty = wish is None and (is_quiet or not webhook.fields.get("Body", "").strip())
        if is_empty or number is None or number == parts.reception.caller_number(webhook.called):
            return _message("")
        business = await self._business(webhook)
        if business is None:
            # Nobody texts for it any more, and nothing is written down of it.
            return _message("")
        if calls_itself(business, number):
            return _message("")
        if wish is None:
            may = await parts.opt_outs.may_explain(business, within, number, parts.clock.now())
            return _message(answer_to(UNREAD, business) if may else "")
        if wish is OptOut.STOP:
            await parts.opt_outs.stop(within, number, CALLERS_STOP)
        elif wish is OptOut.START:
            await parts.opt_outs.start(within, number)
        if wish is not OptOut.HELP:
            self._recorded[webhook.line.business_id, webhook.key] = wish
        log.info("a wish about texts", extra={"business": webhook.line.business_id, "wish": wish.value})
        if is_quiet:
            return _message("")
        may = await parts.opt_outs.may_answer(business, within, number, parts.clock.now())
        return _message(answer_to(wish, business) if may else "")

    def _late(self, webhook: Webhook | None) -> str:
        """Return what answers in time: what was kept by then, or that it did not work."""
        wish, is_quiet = _read(webhook) if webhook is not None else (None, True)
        # What Twilio keeps itself is kept there; and whoever has stopped there can be told nothing.
        if webhook is None or wish is None or is_quiet:
            return _message("")
        return _message(
            answer_to(self._recorded.get((webhook.line.business_id, webhook.key), AGAIN), self._as_known(webhook))
        )

    async def _business(self, webhook: Webhook) -> Business | None:
        """Return a business as far as it can be read; what somebody wishes is kept without it. None: it is gone."""
        id = webhook.line.business_id
        try:
            async with asyncio.timeout(ANSWERED_WITHIN_S / 4):
                business = await self._parts.catalog.business(id)
        except BusinessGone:
            return None
        except (ToolError, TimeoutError):
            business = None
        if business is None:
            return self._as_known(webhook)
        self._known[id] = business
        return business

    def _as_known(self, webhook: Webhook) -> Business:
        id, called = webhook.line.business_id, webhook.called
        known = self._known.get(id) or self._parts.door.safe_numbers.behind(called) or Business(id)
        return known if known.name else replace(known, id=id, name=called)


def _read(webhook: Webhook) -> tuple[OptOut | None, bool]:
    """Return what a text wishes, and whether Twilio has answered it."""
    text, by_twilio = webhook.fields.get("Body", ""), webhook.fields.get("OptOutType", "")
    return wish_in(text, by_twilio), is_answered_by_twilio(text, by_twilio)


def _message(text: str) -> str:
    from twilio.twiml.messaging_response import MessagingResponse  # type: ignore[import-untyped]

    response = MessagingResponse()
    if text:
        response.message(text)
    return str(response)


class OptOut(StrEnum):
    """What somebody wants who texts one of the words; the values are those of Twilio's `OptOutType`."""

    STOP = "STOP"
    START = "START"
    HELP = "HELP"


# Twilio's defaults; it asks nobody about them.
_TWILIOS: Final = {
    OptOut.STOP: "stop stopall unsubscribe cancel end quit revoke optout",
    OptOut.START: "start unstop yes",
    OptOut.HELP: "help info",
}
# What carriers take for STOP in English counts in the other languages too ("cancelar"): who texts a number that nobody
# reads, and gets texts no more, is told so and can text START; who goes on getting them has no way out.
_OURS: Final = {
    OptOut.STOP: "stopp abmelden abbestellen austragen kundigen arret arreter annuler desabonner alto parar "
    "detener cancelar baja basta annulla ferma fermare disiscrivi stoppen annuleren afmelden uitschrijven "
    "pare sair descadastrar",
    OptOut.START: "anmelden reprendre reabonner iniciar inicio alta riprendi iscrivi starten aanmelden comecar",
    OptOut.HELP: "hilfe aide ayuda aiuto hulp ajuda",
}
_KNOWN: Final = {word: wish for table in (_OURS, _TWILIOS) for wish, words in table.items() for word in words.split()}
_ANSWERED_BY_TWILIO: Final = frozenset(word for wish in (OptOut.STOP, OptOut.START) for word in _TWILIOS[wish].split())
# What may stand beside a word that ends texts, or that asks for help; a word that resumes them stands alone.
_BESIDE: Final = frozenset(("please", "bitte", "por", "favor", "per", "favore", "merci", "svp", "alstublieft", "now"))
_ENDED: Final = frozenset(("texting", "texts", "text", "messaging", "messages", "sending", "sms", "me"))
_LONGEST, _LONGEST_WISH = 40, 160

# The words that ask for nothing else, and what may stand behind one: "STOP. Thanks", "STOP - Anna", "Stop it".
_PLAIN_STOP: Final = re.compile(
    r"\W*(?:stop|stopp|stopall|unsubscribe|optout)(?:\W+(?:it|this|that|thanks|thank you|danke|gracias|merci|grazie"
    r"|bedankt|obrigad[oa]|now|all|everything)\W*|\s*[.!:\u2013\u2014-]+\s*[^\W\d_]+(?:\s+[^\W\d_]+)?\W*)",
    re.IGNORECASE,
)
_STOP_SIGN: Final = "\U0001f6d1"
UNREAD: Final = "unread"
"""What is answered to a text that says something else."""
AGAIN: Final = "again"
"""What is answered where a wish could not be kept."""

_ANSWERS: Final[dict[str, dict[str, str]]] = {
    "en": {
        OptOut.STOP: "{name}: You get no more texts from us. To get them again, text START.",
        OptOut.START: "{name}: You get texts from us again. To end them, text STOP.",
        OptOut.HELP: "{name}: We text what you asked for, such as confirmations.{reach} To get no more, text STOP.",
        UNREAD: "{name}: Nobody reads texts to this number.{reach}"
        " STOP ends ours, START brings them back, HELP explains.",
        AGAIN: "{name}: That did not work just now. Please send it again in a few minutes.",
        "reach": " Questions? Call {phone}.",
    },
    "de": {
        OptOut.STOP: "{name}: Sie bekommen keine SMS mehr von uns. Um wieder welche zu bekommen, schreiben Sie START.",
        OptOut.START: "{name}: Sie bekommen wieder SMS von uns. Um sie zu beenden, schreiben Sie STOP.",
        OptOut.HELP: "{name}: Wir schreiben, worum Sie gebeten haben, etwa Bestätigungen.{reach} Keine SMS mehr: STOP.",
        UNREAD: "{name}: SMS an diese Nummer liest niemand.{reach}"
        " STOP beendet unsere, START bringt sie wieder, HILFE erklärt sie.",
        AGAIN: "{name}: Das hat gerade nicht geklappt. Bitte schreiben Sie es in einigen Minuten noch einmal.",
        "reach": " Fragen? {phone}.",
    },
    "es": {
        OptOut.STOP: "{name}: No recibirá más SMS nuestros. Para recibirlos de nuevo, envíe START.",
        OptOut.START: "{name}: Vuelve a recibir nuestros SMS. Para no recibirlos, envíe STOP.",
        OptOut.HELP: "{name}: Enviamos lo que usted pidió, como confirmaciones.{reach} "
        "Para no recibir más, envíe STOP.",
        UNREAD: "{name}: Nadie lee los SMS a este número.{reach}"
        " STOP termina los nuestros, START los reanuda, AYUDA los explica.",
        AGAIN: "{name}: No ha funcionado. Envíelo otra vez dentro de unos minutos, por favor.",
        "reach": " ¿Preguntas? Llame al {phone}.",
    },
    "fr": {
        OptOut.STOP: "{name} : Vous ne recevrez plus de SMS de notre part. Pour en recevoir à nouveau, envoyez START.",
        OptOut.START: "{name} : Vous recevez à nouveau nos SMS. Pour ne plus en recevoir, envoyez STOP.",
        OptOut.HELP: "{name} : Nous envoyons ce que vous avez demandé, comme des confirmations.{reach} Fin : STOP.",
        UNREAD: "{name} : Personne ne lit les SMS envoyés à ce numéro.{reach}"
        " STOP arrête les nôtres, START les reprend, AIDE explique.",
        AGAIN: "{name} : Cela n'a pas fonctionné. Veuillez le renvoyer dans quelques minutes.",
        "reach": " Questions ? Appelez le {phone}.",
    },
    "it": {
        OptOut.STOP: "{name}: Non riceverà più SMS da noi. Per riceverli di nuovo, invii START.",
        OptOut.START: "{name}: Riceve di nuovo i nostri SMS. Per non riceverli più, invii STOP.",
        OptOut.HELP: "{name}: Inviamo ciò che ha chiesto, come le conferme.{reach} Per non riceverne più, invii STOP.",
        UNREAD: "{name}: Nessuno legge gli SMS a questo numero.{reach}"
        " STOP ferma i nostri, START li riprende, AIUTO spiega.",
        AGAIN: "{name}: Non ha funzionato. Lo invii di nuovo tra qualche minuto.",
        "reach": " Domande? Chiami {phone}.",
    },
    "nl": {
        OptOut.STOP: "{name}: U krijgt geen sms meer van ons. Stuur START om ze weer te krijgen.",
        OptOut.START: "{name}: U krijgt weer sms van ons. Stuur STOP om ze te beëindigen.",
        OptOut.HELP: "{name}: Wij sturen waar u om vroeg, zoals bevestigingen.{reach} Niets meer krijgen? Stuur STOP.",
        UNREAD: "{name}: Niemand leest sms aan dit nummer.{reach}"
        " STOP beëindigt de onze, START hervat ze, HULP legt uit.",
        AGAIN: "{name}: Dat lukte net niet. Stuur het over een paar minuten nog eens.",
        "reach": " Vragen? Bel {phone}.",
    },
    "pt": {
        OptOut.STOP: "{name}: Não receberá mais SMS nossos. Para voltar a recebê-los, envie START.",
        OptOut.START: "{name}: Volta a receber os nossos SMS. Para não receber mais, envie STOP.",
        OptOut.HELP: "{name}: Enviamos o que pediu, como confirmações.{reach} Para não receber mais, envie STOP.",
        UNREAD: "{name}: Ninguém lê os SMS para este número.{reach}"
        " STOP termina os nossos, START retoma-os, AJUDA explica.",
        AGAIN: "{name}: Não funcionou agora. Envie de novo dentro de alguns minutos.",
        "reach": " Dúvidas? Ligue {phone}.",
    },
}


def wish_in(text: str, told_by_twilio: str = "") -> OptOut | None:
    """Return what a whole text wishes; None for anything but one of the words, and whatever else people write.

    A word that ends texts, or asks for help, may come several times, and with a please or what it ends beside it:
    "STOP STOP", "please stop", "stop texting me". So may a thank-you or a name behind STOP, and plain sentences that
    want no texts count as well: who is stopped by mistake is told so, and who is not has no way out.

    Args:
        text: What was texted, in any case, with or without accents and punctuation.
        told_by_twilio: `OptOutType`, which counts more: its words are the account's own there.
    """
    if told_by_twilio in OptOut.__members__:
        return OptOut(told_by_twilio)
    if len(text) > _LONGEST:
        return OptOut.STOP if len(text) <= _LONGEST_WISH and asks_for_no_texts(text, in_writing=True) else None
    whole = _KNOWN.get(letters(text))
    if whole is not None:
        return whole
    wishes = {_KNOWN.get(word) for word in _words(text) if word not in _BESIDE | _ENDED}
    only = wishes.pop() if len(wishes) == 1 else None
    if only in (OptOut.STOP, OptOut.HELP):
        return only
    is_stop = _PLAIN_STOP.fullmatch(text) or text.strip() == _STOP_SIGN or asks_for_no_texts(text, in_writing=True)
    return OptOut.STOP if is_stop else None


def is_answered_by_twilio(text: str, told_by_twilio: str = "") -> bool:
    """Tell whether Twilio has answered one of the words itself."""
    return bool(told_by_twilio) or letters(text[:_LONGEST]) in _ANSWERED_BY_TWILIO


def answer_to(wish: str, business: Business) -> str:
    """Return what is texted back, in the business's language or else in English."""
    words = _ANSWERS.get(language_of(business.language), _ANSWERS["en"])
    phone = business.phone or business.twilio_number
    reach = words["reach"].format(phone=phone) if phone else ""
    return words[wish].format(name=business.name, reach=reach)


def _words(text: str) -> Iterator[str]:
    return filter(None, map(letters, text.split()))
