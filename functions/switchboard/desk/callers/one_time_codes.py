"""One-time codes: six digits to the number on file, good for five minutes, five tries and one use.

As ASVS 6.5 and 6.6, NIST 800-63B-4 and Twilio Verify have it. A session has one ticket
(`code_state.py`), which its matched caller and the latest code stand in. Whoever asks for a code is answered before it
is sent, in the same words and after the same steps whether what they said is on file or not; the outbox sends it, if
there is anybody to send it to.
"""

import asyncio
import logging
import re
import secrets
import unicodedata
import uuid
from collections.abc import Awaitable, Callable
from contextvars import Context
from datetime import timedelta
from typing import Final, Literal, Protocol

from switchboard.contract.business.business import Business
from switchboard.contract.business.languages import language_of
from switchboard.contract.caller.caller_identity import Standing, place_of
from switchboard.contract.caller.strangers import keys_of
from switchboard.contract.context import CallContext, Spender
from switchboard.contract.error import ErrorType, Refused, ToolError, unreadable
from switchboard.contract.json import JsonObject
from switchboard.contract.ports import Store
from switchboard.contract.python.dataclass import dataclass
from switchboard.contract.session_use import in_use
from switchboard.contract.store import Create, Delete, Document, Set, Stale, StoreError, Unavailable, Update
from switchboard.desk.callers.callers import Caller
from switchboard.desk.callers.code_state import (
    CodeHash,
    CodeState,
    ShownThen,
    binding,
    matched,
    read_ticket,
    ticket_path,
)
from switchboard.desk.limits.claim import tallied
from switchboard.desk.limits.rate_limits import RateLimits, WindowRule
from switchboard.desk.messaging.due_times import DUE

log = logging.getLogger(__name__)

DIGITS: Final = 6
TRIES: Final = 5
LASTS: Final = timedelta(minutes=5)
KIND: Final = "code"
"""The `kind` of the outbox's documents that ask for a code to be sent; they hold neither code nor number."""
_SENDS = (WindowRule("number", 3, 600), WindowRule("number", 5, 3_600))
_RECORDS = "records of callers"
_NOBODY = "a call without an id"

# Whoever gets one out of the blue must learn from it that somebody else is at work.
_WORDS = {
    "en": "{code} is your code for {business}, good for {minutes} minutes. If you are not talking to us right now, do "
    "not tell it to anybody.",
    "de": "{code} ist Ihr Code für {business}, gültig für {minutes} Minuten. Wenn Sie gerade nicht mit uns sprechen, "
    "sagen Sie ihn niemandem.",
    # A letter that is not in a text message's own alphabet, such as the o of "código", would make two messages of it.
    "es": "{code} es su clave para {business} y vale {minutes} minutos. Si no habla con nosotros en este momento, no "
    "se la diga a nadie.",
    "fr": "{code} est votre code pour {business}, valable {minutes} minutes. Si vous ne nous parlez pas en ce moment, "
    "ne le donnez à personne.",
    "it": "{code} è il suo codice per {business}, valido {minutes} minuti. Se in questo momento non parla con noi, non "
    "lo dica a nessuno.",
    # Without a letter with a tilde, for the same reason.
    "pt": "{code} é a sua senha para {business} e vale {minutes} minutos. Se quem a pediu foi outra pessoa, nunca a "
    "diga a ninguém.",
    "nl": "{code} is uw code voor {business}, {minutes} minuten geldig. Als u nu niet met ons praat, geef hem dan aan "
    "niemand.",
}
_LONGEST_NAME = 40

_ENGLISH = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")
_GERMAN = ("null", "eins", "zwei", "drei", "vier", "fünf", "sechs", "sieben", "acht", "neun")
_OTHERS = {"oh": "0", "o": "0", "nought": "0", "zwo": "2", "fuenf": "5"}
_DIGITS = {word: str(n) for words in (_ENGLISH, _GERMAN) for n, word in enumerate(words)} | _OTHERS
_REPEATED = {"double": 2, "doppel": 2, "triple": 3, "dreifach": 3}
_TOKEN = re.compile(r"\d|[^\W\d_]+")


class SendText(Protocol):
    """Sends one text message of the business's; one for a code is kept nowhere in clear."""

    async def __call__(self, ctx: Spender, to: str, body: str, *, effect_key: str, purpose: Literal["code"]) -> object:
        """Send `body` to an E.164 number, once per effect key.

        Raises:
            ToolError: It was not sent, or with partial side effects, nobody knows.
        """


async def _always(business: Business) -> None:
    """Let every business send texts, as far as can be told before."""


@dataclass(frozen=True, slots=True)
class SentCode:
    """What became of a wish for a code.

    Attributes:
        is_asked_for: Whether a code is sent, if there is anybody to send it to; otherwise nobody has said in this
            session who they are.
        repeated: Whether it had been asked for a moment before.
    """

    is_asked_for: bool
    repeated: bool = False


@dataclass(frozen=True, slots=True)
class CheckedCode:
    """Whether a code was right; if so, who the caller is. Why one was not is nobody's business."""

    is_right: bool
    caller_id: str = ""
    first_name: str = ""


class OneTimeCodes:
    """Sends codes and checks them."""

    def __init__(
        self,
        store: Store,
        limits: RateLimits,
        seal: CodeHash,
        send_text: SendText,
        may_text: Callable[[Business], Awaitable[None]] = _always,
    ) -> None:
        """Keep tickets in `store`, sealed by `seal`; count in `limits` what `send_text` sends.

        `may_text` raises what keeps a business from sending any texts at all.
        """
        self._store, self._limits, self._seal = store, limits, seal
        self._send_text, self._may_text = send_text, may_text
        self._sending: set[asyncio.Task[None]] = set()

    async def can_be_sent(self, business: Business) -> bool:
        """Tell whether a business can send codes at all; where nobody can tell at the moment, it is taken to.

        The same as `send` finds out, and nothing about any caller.
        """
        try:
            await self._may_text(business)
        except ToolError as error:
            return error.type is ErrorType.TRANSIENT
        return True

    async def expect(self, ctx: CallContext, caller: Caller | None, counted_for: str = "") -> None:
        """Note that this session's caller matched a record, or none, and void every code that was sent in it before.

        Args:
            ctx: The call.
            caller: Whose record it is; None where what was said fits nobody.
            counted_for: By what codes are counted that are asked for then; empty for the number on file alone.

        Raises:
            StoreError: It may or may not have been noted.
        """
        path = ticket_path(ctx.paths, ctx.facts.session_id)
        await self._store.commit([Set(path, matched(ctx, caller, counted_for))])

    async def send(self, ctx: CallContext) -> SentCode:
        """Have a new code sent to the number on file of the caller that this session has matched, if it has.

        Whoever shows another number than was shown then has not said who they are.

        An earlier code of the session is void from then on, unless it was asked for within the last 30 seconds: that is
        the same wish, said twice. Answered before anything is sent: neither the answer nor the way to it tells whether
        there is anybody to send it to, and so it cannot tell either what became of the text.

        Raises:
            ToolError: RATE_LIMIT, three in ten minutes or five in an hour were asked for with these facts; CONFLICT,
                another is asked for at this moment; PERMANENT or AUTH, the business cannot send texts; TRANSIENT, the
                store does not answer.
        """
        document = await self._ticket(ctx)
        ticket = read_ticket(document, ctx.now)
        if document is None or ticket is None or not ticket.matched_by.may_be(ctx.facts):
            return SentCode(is_asked_for=False)
        if ticket.is_on_its_way(ctx.now) and ticket.asked_by.may_be(ctx.facts):
            return SentCode(is_asked_for=True, repeated=True)
        # Who calls from that very number, as the carrier says, is not refused for what strangers have asked for.
        own = keys_of(ctx.facts).get("number") == f"attested|{ticket.phone}"
        key = f"attested|{ticket.phone}" if own else ticket.counted_for or str(ticket.phone)
        try:
            await self._may_text(ctx.business)
            await self._limits.spend(ctx, _SENDS, {"number": key}, what="code")
        except ToolError as error:
            raise _not_asked_for(error) from error
        wish = await self._ask(ctx, document, is_counted=own or not ticket.counted_for)
        # In a context of its own: the deadline of the call is over once it is answered.
        task = asyncio.get_running_loop().create_task(self._at_once(ctx, wish), context=Context())
        self._sending.add(task)
        task.add_done_callback(self._sending.discard)
        return SentCode(is_asked_for=True)

    async def carry_on(self, ctx: Spender, wish: Document) -> bool:
        """Send the code that a document of the outbox asks for, now or never; tell whether something was done.

        Args:
            ctx: Whose outbox it is, and when.
            wish: The document. Whose code it is stands in the session's ticket.

        Raises:
            StoreError: The store does not answer; the next pass over the outbox finds what was not done.
        """
        session_id = str(wish.data.get("sessionId") or "")
        document = await self._store.get(ticket_path(ctx.paths, session_id))
        ticket, done = read_ticket(document, ctx.now), Delete(wish.path)
        is_due = ticket is not None and ticket.code_id == wish.data.get("codeId") and not ticket.sealed
        is_late = ticket is None or ticket.expires_at is None or ctx.now >= ticket.expires_at
        if document is None or ticket is None or not is_due or is_late or not ticket.phone:
            await self._store.commit([done])
            return True
        code = f"{secrets.randbelow(10**DIGITS):0{DIGITS}}"
        sealed = self._seal.seal(code, *binding(ctx.business.id, session_id, ticket))
        try:
            await self._store.commit([Update(document.path, {"code.sealed": sealed}, document.update_time), done])
        except Stale:
            # Sent by somebody else, or void by now.
            return False
        try:
            if wish.data.get("isCounted") is not True:
                # By the number besides: whatever is said to reach one, no more go there.
                await self._limits.spend(ctx, _SENDS, {"number": ticket.phone}, what="code")
            body = code_text(ctx.business, code, LASTS, ticket.language)
            key = f"code|{session_id}|{ticket.code_id}"
            await self._send_text(ctx, ticket.phone, body, effect_key=key, purpose="code")
        except ToolError as error:
            log.warning(
                "code not sent", extra={"reason": error.type.value, "pii.detail": error.detail or error.message}
            )
        return True

    async def ended(self) -> None:
        """Return once everything that was asked for here is sent, or cannot be."""
        while self._sending:
            await asyncio.wait(self._sending)

    async def check(self, ctx: CallContext, spoken_code: str) -> CheckedCode:
        """Tell whether a caller said the code that was sent to them; if so, the session's standing is `code`.

        A wrong, expired, void, used or unknown code, one of another session, caller or business, one that another
        number of the session asked for, and a right one after five tries, all take the same two trips to the store and
        get the same answer.

        Raises:
            ToolError: VALIDATION for what is not six digits, which is no try; TRANSIENT when the store does not answer.
        """
        code = digits_in(spoken_code)
        if len(code) != DIGITS:
            raise ToolError(
                ErrorType.VALIDATION,
                f"That is not a code: a code has {DIGITS} digits. Ask the caller to read it out digit by digit.",
            )
        document = await self._ticket(ctx)
        ticket = read_ticket(document, ctx.now)
        # Under the code's own id: who tries while a new one is being sent cannot try that one more often for it.
        name = f"tries:{ticket.code_id}" if ticket and ticket.code_id else f"tries-without:{ctx.facts.session_id}"
        try:
            (tries,) = await tallied(self._store, [ctx.paths.document("tickets", name)], ctx.now)
        except StoreError as error:
            raise unreadable(_RECORDS, error) from error
        if document is None or ticket is None or tries > TRIES or not self._is_right(ctx, ticket, code):
            return CheckedCode(is_right=False)
        right = CheckedCode(is_right=True, caller_id=ticket.caller_id, first_name=ticket.first_name)
        return right if ticket.was_used_by(ctx) or await self._use(ctx, document, ticket) else CheckedCode(False)

    def _is_right(self, ctx: CallContext, ticket: CodeState, code: str) -> bool:
        # A used code opens for the delivery that used it and for no other: it may have died before it could answer.
        is_open = not ticket.used_by or ticket.was_used_by(ctx)
        if not is_open or ticket.expires_at is None or ctx.now >= ticket.expires_at:
            return False
        bound_to = binding(ctx.business.id, ctx.facts.session_id, ticket)
        # As long for nobody's ticket, which no code fits.
        is_right = self._seal.opens(ticket.sealed, code, *bound_to)
        return is_right and bool(ticket.caller_id) and ticket.is_of(ctx.facts)

    async def _use(self, ctx: CallContext, document: Document, ticket: CodeState) -> bool:
        """Use up the code and write the standing, in one commit; False when the code was used or replaced meanwhile."""
        standing = Standing(
            "code", ticket.caller_id, ticket.phone, ctx.now, place_of(ctx.facts.channel), ctx.facts.shown_phone
        )
        session = ctx.paths.document("sessions", ctx.facts.session_id)
        used = {"code.usedBy": ctx.facts.call_id or _NOBODY, "code.usedAt": ctx.now}
        try:
            await self._store.commit(
                [
                    Update(document.path, used, document.update_time),
                    Set(session, standing.to_fields() | in_use(ctx.now), merge=True),
                ]
            )
        except Stale:
            return False
        except Unavailable as error:
            raise ToolError(
                ErrorType.TRANSIENT,
                "It is not known whether the code counted. Do not say that the caller is verified. Send a new code if "
                "the caller wants to go on.",
                retryable=False,
                partial_side_effects=True,
                detail=repr(error),
            ) from error
        return True

    async def _ticket(self, ctx: CallContext) -> Document | None:
        try:
            return await self._store.get(ticket_path(ctx.paths, ctx.facts.session_id))
        except StoreError as error:
            raise unreadable(_RECORDS, error) from error

    async def _ask(self, ctx: CallContext, document: Document, *, is_counted: bool) -> Document:
        """Put a wish for a code into the ticket, in place of any earlier code, and into the outbox; return that."""
        id, session_id = uuid.uuid4().hex, ctx.facts.session_id
        code: JsonObject = {"id": id, "sentAt": ctx.now, "expiresAt": ctx.now + LASTS} | ShownThen.fields(ctx.facts)
        if ctx.facts.language:
            code["language"] = ctx.facts.language
        path = ctx.paths.document("outbox", f"code_{id}")
        # What is still to be done for whom stands in the ticket alone; here is nothing that a reader could learn.
        wish: JsonObject = {
            "id": f"code_{id}",
            "kind": KIND,
            "state": "todo",
            "businessId": ctx.business.id,
            "sessionId": session_id,
            "codeId": id,
            "isCounted": is_counted,
            "createdAt": ctx.now,
            DUE: ctx.now,
            "expireAt": ctx.now + LASTS,
        }
        try:
            asking = Update(document.path, {"code": code}, document.update_time)
            _, written = await self._store.commit([asking, Create(path, wish)])
        except Stale:
            raise ToolError(
                ErrorType.CONFLICT,
                "A code is being asked for at this moment. Ask the caller to wait for the text message; if none comes "
                "within half a minute, send another code.",
            ) from None
        except StoreError as error:
            raise unreadable(_RECORDS, error) from error
        return Document(path, wish, written.update_time, written.update_time)

    async def _at_once(self, ctx: CallContext, wish: Document) -> None:
        try:
            await self.carry_on(ctx, wish)
        except StoreError as error:
            log.warning("code left to the outbox", extra={"reason": type(error).__name__, "pii.detail": str(error)})


def _not_asked_for(error: ToolError) -> ToolError:
    """Return why no code was asked for; that is never about the number, which the caller has not been shown to know."""
    meta = {name: value for name, value in error.meta.items() if name == "retryAfterS"}
    if isinstance(error, Refused) and error.type is ErrorType.RATE_LIMIT:
        message = "No more codes can be sent for now to whoever says this."
        # Our own no: the telephone network has done nothing wrong.
        return Refused(error.type, message, detail=error.detail, meta=meta)
    return ToolError(
        error.type,
        "The code was not sent. Try once more in a moment."
        if error.type is ErrorType.TRANSIENT
        else "No codes can be sent from here.",
        retryable=error.retryable,
        detail=error.detail or error.message,
        meta=meta,
    )


def code_text(business: Business, code: str, lasts: timedelta, language: str = "") -> str:
    """Return the text message in a language, or the business's where it is empty; in English where that is unknown."""
    words = _WORDS.get(language_of(language or business.language), _WORDS["en"])
    name = " ".join(business.name.split())[:_LONGEST_NAME].strip()
    return words.format(code=code, business=name, minutes=int(lasts.total_seconds() // 60))


def digits_in(text: str) -> str:
    """Return the digits that a text holds, in order: figures of any script, and words in English or German.

    "1 2 3", "123", "one two three", "eins zwo drei" and "my code is 1-2-3" all are "123"; "double four" is "44". Other
    words count for nothing.
    """
    digits, times = [], 1
    for token in _TOKEN.findall(unicodedata.normalize("NFC", unicodedata.normalize("NFKC", text)).casefold()):
        if token in _REPEATED:
            times = _REPEATED[token]
            continue
        digit = str(unicodedata.digit(token)) if token.isdigit() else _DIGITS.get(token, "")
        digits.append(digit * times)
        times = 1
    return "".join(digits)
