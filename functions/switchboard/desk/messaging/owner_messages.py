"""Brings a caller's message to the owner: as a text, by e-mail, or both, as the escalation rule for messages says."""

import logging
import unicodedata
from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

from switchboard.contract.business.business import EscalationRule
from switchboard.contract.business.languages import language_of
from switchboard.contract.context import Spender
from switchboard.contract.document import mapping
from switchboard.contract.error import ErrorType, Refused, ToolError
from switchboard.contract.json import JsonObject
from switchboard.contract.policy import CALL_LEASE_S
from switchboard.contract.ports import Clock, Mailers, Store
from switchboard.contract.store import Document, Stale, StoreError, Update
from switchboard.desk.contact.cost_warnings import costs_extra
from switchboard.desk.contact.links import OwnLinks
from switchboard.desk.contact.phone import costly_numbers
from switchboard.desk.messaging.due_times import DUE, due_with, pause_after, waits_until
from switchboard.desk.messaging.sms import Texts
from switchboard.desk.messaging.sms_body import shortened

log = logging.getLogger(__name__)

# An owner who reads it tomorrow still wants it; after a week nobody does.
_WORTH_BRINGING = timedelta(days=7)
_FIRST_PAUSE, _LONGEST_PAUSE = timedelta(minutes=5), timedelta(hours=6)
_WAITS = frozenset({ErrorType.RATE_LIMIT, ErrorType.TRANSIENT, ErrorType.AUTH})

_WORDS = {
    "en": {
        "subject": "Message from {name}",
        "callback": "Call back: {phone}",
        "nobody": "No number to call back",
        "email": "E-mail",
        "urgent": "URGENT",
    },
    "de": {
        "subject": "Nachricht von {name}",
        "callback": "Rückruf: {phone}",
        "nobody": "Keine Rückrufnummer",
        "email": "E-Mail",
        "urgent": "DRINGEND",
    },
    "es": {
        "subject": "Mensaje de {name}",
        "callback": "Devolver la llamada: {phone}",
        "nobody": "Sin número de contacto",
        "email": "Correo",
        "urgent": "URGENTE",
    },
    "fr": {
        "subject": "Message de {name}",
        "callback": "Rappeler : {phone}",
        "nobody": "Pas de numéro à rappeler",
        "email": "E-mail",
        "urgent": "URGENT",
    },
    "it": {
        "subject": "Messaggio di {name}",
        "callback": "Richiamare: {phone}",
        "nobody": "Nessun numero da richiamare",
        "email": "E-mail",
        "urgent": "URGENTE",
    },
    "pt": {
        "subject": "Mensagem de {name}",
        "callback": "Ligar de volta: {phone}",
        "nobody": "Sem número para ligar de volta",
        "email": "E-mail",
        "urgent": "URGENTE",
    },
    "nl": {
        "subject": "Bericht van {name}",
        "callback": "Terugbellen: {phone}",
        "nobody": "Geen nummer om terug te bellen",
        "email": "E-mail",
        "urgent": "DRINGEND",
    },
}


class OwnerMessages:
    """Brings the messages that `Messages` has taken."""

    def __init__(self, store: Store, texts: Texts, mailers: Mailers, clock: Clock) -> None:
        """Bring what lies in `store`; `texts` and `mailers` are the two ways."""
        self._store, self._texts, self._mailers, self._clock = store, texts, mailers, clock
        self._links = OwnLinks(store)

    async def carry_on(self, ctx: Spender, document: Document) -> bool:
        """Do what is due for a message of the outbox; tell whether something was done.

        It counts as `sent` once one way has taken it, and as `failed` when all have refused it or none is set up. A way
        that has it is never asked again; an e-mail that was under way in a process that died is not sent again.

        Raises:
            StoreError: The store does not answer.
        """
        now, data = self._clock.now(), document.data
        waits = waits_until(data)
        if waits is not None and now < waits:
            return False
        ways = self._ways(ctx, data)
        created = data.get("createdAt")
        taken_at = created if isinstance(created, datetime) else document.create_time
        if not ways or now >= taken_at + _WORTH_BRINGING:
            why = "nobody has brought it in time" if ways else "no escalation rule says where to bring a message"
            return await self._write(document, {"state": "failed", "ways": ways, "error": why}) is not None
        # Said before it is done: a process that dies in between leaves a way behind that is not asked again.
        attempt = int(data.get("attempt") or 0) + 1
        leased_until = now + timedelta(seconds=CALL_LEASE_S)
        lease = {"leaseUntil": leased_until, DUE: leased_until, "attempt": attempt}
        under_way = {way: "sending" if state == "todo" else state for way, state in ways.items()}
        claimed = await self._write(document, {"state": "sending", "ways": under_way} | lease)
        if claimed is None:
            return False
        rule = message_rule(ctx)
        assert rule is not None
        for way in (way for way, state in ways.items() if state == "todo"):
            ways[way] = await self._brought(ctx, way, rule, document)
        states = set(ways.values())
        state = "todo" if "todo" in states else "sent" if "sent" in states else "failed"
        if state == "failed":
            log.error("message for the owner not brought", extra={"path": document.path, "ways": str(ways)})
        pause = pause_after(attempt, _FIRST_PAUSE, _LONGEST_PAUSE)
        return await self._write(claimed, {"state": state, "ways": ways, "notBefore": now + pause}) is not None

    def _ways(self, ctx: Spender, data: JsonObject) -> dict[str, str]:
        """Return how far each way is that the rule names."""
        rule, known = message_rule(ctx), mapping(data.get("ways"))
        ways = [way for way, field in (("text", "destination"), ("email", "email")) if rule and rule.data.get(field)]
        # A text knows by itself whether it was sent; of an e-mail nobody would know.
        lost = {"text": "todo", "email": "unknown"}
        return {way: lost[way] if known.get(way) == "sending" else str(known.get(way) or "todo") for way in ways}

    async def _brought(self, ctx: Spender, way: str, rule: EscalationRule, document: Document) -> str:
        try:
            if way == "text":
                # Its own document of the outbox brings it from here on, whatever happens.
                await self._texts.send(
                    ctx,
                    str(rule.data["destination"]),
                    shortened(_text(ctx, document.data)),
                    effect_key=f"{document.path}|text",
                    purpose="message",
                    by_stranger=document.data.get("byStranger") is True,
                )
                return "sent"
            return await self._mailed(ctx, str(rule.data["email"]), document)
        except ToolError as error:
            if error.partial_side_effects:
                return "sent" if way == "text" else "unknown"
            return "todo" if error.type in _WAITS or isinstance(error, Refused) else "failed"

    async def _mailed(self, ctx: Spender, to: str, document: Document) -> str:
        mailer = await self._mailers.of(ctx.business)
        if mailer is None:
            return "failed"
        subject = _subject(ctx, document.data)
        try:
            text = await self._links.marked(ctx, _text(ctx, document.data))
        except StoreError:
            # Nothing was sent, and it may be judged the next time.
            return "todo"
        await mailer.send(to, subject, text, document.id)
        return "sent"

    async def _write(self, document: Document, fields: JsonObject) -> Document | None:
        """Write to a document if nobody else has since it was read, and return it as it then is."""
        try:
            changes = due_with(fields, self._clock.now())
            (result,) = await self._store.commit([Update(document.path, changes, if_update_time=document.update_time)])
        except Stale:
            return None
        return Document(document.path, document.data | fields, result.update_time, document.create_time)


def message_rule(ctx: Spender) -> EscalationRule | None:
    """Return the escalation rule by which messages reach the business, the first of its action."""
    return next((rule for rule in ctx.business.escalation_rules if rule.action == "message"), None)


def _subject(ctx: Spender, data: Mapping[str, Any]) -> str:
    words = _words(ctx)
    subject = words["subject"].format(name=_line(data.get("callerName")))
    return f"{words['urgent']}: {subject}" if data.get("urgency") == "urgent" else subject


def _text(ctx: Spender, data: Mapping[str, Any]) -> str:
    words = _words(ctx)
    phone = data.get("callbackPhone")
    email = _line(data.get("callbackEmail") or "")
    callback = words["callback"].format(phone=phone) if phone else "" if email else words["nobody"]
    callback = "\n".join(part for part in (callback, f"{words['email']}: {email}" if email else "") if part)
    subject = _subject(ctx, data)
    text = str(data.get("text") or "")
    # Before the words, which may be cut off.
    costly = costly_numbers(f"{phone or ''}\n{_line(data.get('callerName'))}\n{text}", ctx.business)
    caution = costs_extra(ctx.business, costly)
    return f"{subject}\n{callback}\n{caution}\n{text}"


def _line(value: object) -> str:
    """Return a stranger's name as one line of visible characters."""
    text = " ".join(str(value or "?").split())
    return "".join(c for c in text if unicodedata.category(c) not in ("Cc", "Cf", "Cs"))[:120]


def _words(ctx: Spender) -> Mapping[str, str]:
    return _WORDS.get(language_of(ctx.business.language), _WORDS["en"])
