"""One-time codes: six digits to the number on file, good for five minutes, five tries and one use.

Reference reliability §1 (ASVS 6.5, 6.6; NIST 800-63B-4; Twilio Verify) and §2, rows 18 to 20. A session has one ticket
(`code_ticket.py`), which its matched caller and the latest code stand in.
"""

import logging
import secrets
import uuid
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final, Literal, Protocol

from switchboard.contract.context import CallContext
from switchboard.contract.error import ErrorType, Refused, ToolError
from switchboard.contract.json import JsonObject
from switchboard.contract.ports import Store
from switchboard.contract.standing import Standing, place_of
from switchboard.contract.store import (
    DELETE_FIELD,
    Document,
    Set,
    Stale,
    StoreError,
    Unavailable,
    Update,
)
from switchboard.contract.strangers import keys_of
from switchboard.desk.caller import Caller
from switchboard.desk.code_seal import CodeSeal
from switchboard.desk.code_ticket import CodeTicket, binding, matched, read_ticket, ticket_path
from switchboard.desk.code_words import code_text
from switchboard.desk.outage import unreadable
from switchboard.desk.rate_limits import RateLimits, Rule
from switchboard.desk.spoken_code import digits_in
from switchboard.desk.tally import tallied

log = logging.getLogger(__name__)

DIGITS: Final = 6
TRIES: Final = 5
LASTS: Final = timedelta(minutes=5)
_SENDS = (Rule("number", 3, 600), Rule("number", 5, 3_600))
_RECORDS = "records of callers"
_NOBODY = "a call without an id"


class SendText(Protocol):
    """Sends one text message of the business's; one for a code is kept nowhere in clear."""

    async def __call__(
        self, ctx: CallContext, to: str, body: str, *, effect_key: str, purpose: Literal["code"]
    ) -> object:
        """Send `body` to an E.164 number, once per effect key.

        Raises:
            ToolError: It was not sent, or with partial side effects, nobody knows.
        """


async def no_text(ctx: CallContext, to: str, body: str, *, effect_key: str, purpose: Literal["code"]) -> object:
    """Send nothing: where no phone account can be reached, there are no codes either."""
    raise ToolError(ErrorType.PERMANENT, "There is no account that text messages could be sent from.")


@dataclass(frozen=True, slots=True)
class SentCode:
    """What became of a wish for a code.

    Attributes:
        was_sent: Whether a text is on its way; otherwise nobody was matched in this session, or there is no number.
        is_matched: Whether the session has a matched caller.
        number_ending: The last two digits of the number on file.
        repeated: Whether it had been sent a moment before.
    """

    was_sent: bool
    is_matched: bool
    number_ending: str = ""
    repeated: bool = False


@dataclass(frozen=True, slots=True)
class CheckedCode:
    """Whether a code was right; if so, who the caller is. Why one was not is nobody's business."""

    is_right: bool
    caller_id: str = ""
    first_name: str = ""


class OneTimeCodes:
    """Sends codes and checks them."""

    def __init__(self, store: Store, limits: RateLimits, seal: CodeSeal, send_text: SendText) -> None:
        """Keep tickets in `store`, sealed by `seal`; count in `limits` what `send_text` sends."""
        self._store, self._limits, self._seal, self._send_text = store, limits, seal, send_text

    async def expect(self, ctx: CallContext, caller: Caller) -> None:
        """Note that this session's caller matched a record, and void every code that was sent in it before.

        Raises:
            StoreError: It may or may not have been noted.
        """
        await self._store.commit([Set(ticket_path(ctx), matched(ctx, caller))])

    async def send(self, ctx: CallContext) -> SentCode:
        """Send a new code to the number on file of the caller that this session has matched.

        An earlier code of the session is void from then on, unless it was sent within the last 30 seconds: that is the
        same wish, said twice.

        Raises:
            ToolError: RATE_LIMIT, three in ten minutes or five in an hour went to this number; TRANSIENT, PERMANENT or
                AUTH as the text message failed, with partial side effects where nobody knows whether it was sent.
        """
        document = await self._ticket(ctx)
        ticket = read_ticket(document, ctx.now)
        if document is None or ticket is None:
            return SentCode(was_sent=False, is_matched=False)
        if not ticket.phone:
            return SentCode(was_sent=False, is_matched=True)
        ending = ticket.phone[-2:]
        if ticket.is_on_its_way(ctx.now):
            if not ticket.is_out:
                raise _being_sent()
            return SentCode(was_sent=True, is_matched=True, number_ending=ending, repeated=True)
        code, id = f"{secrets.randbelow(10**DIGITS):0{DIGITS}}", uuid.uuid4().hex
        try:
            # Who calls from that very number, as the carrier says, is not refused for what strangers have asked for.
            own = keys_of(ctx.facts).get("number") == f"attested|{ticket.phone}"
            key = f"attested|{ticket.phone}" if own else ticket.phone
            await self._limits.spend(ctx, _SENDS, {"number": key}, what="code")
            changed = await self._replace(ctx, document, ticket, id, code)
            body = code_text(ctx.business, code, LASTS)
            key = f"{ctx.effect_key}|{id}"
            try:
                await self._send_text(ctx, ticket.phone, body, effect_key=key, purpose="code")
            except ToolError as error:
                if not error.partial_side_effects:
                    await self._note(document.path, {"code": DELETE_FIELD}, changed)
                raise
        except ToolError as error:
            raise _not_sent(error) from error
        await self._note(document.path, {"code.isOut": True}, changed)
        return SentCode(was_sent=True, is_matched=True, number_ending=ending)

    async def check(self, ctx: CallContext, said: str) -> CheckedCode:
        """Tell whether a caller said the code that was sent to them; if so, the session's standing is `code`.

        A wrong, expired, void, used or unknown code, one of another session, caller or business, and a right one after
        five tries, all take the same two trips to the store and get the same answer.

        Raises:
            ToolError: VALIDATION for what is not six digits, which is no try; TRANSIENT when the store does not answer.
        """
        code = digits_in(said)
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

    def _is_right(self, ctx: CallContext, ticket: CodeTicket, code: str) -> bool:
        # A used code opens for the delivery that used it and for no other: it may have died before it could answer.
        is_open = not ticket.used_by or ticket.was_used_by(ctx)
        if not is_open or ticket.expires_at is None or ctx.now >= ticket.expires_at:
            return False
        return self._seal.opens(ticket.sealed, code, *binding(ctx, ticket.caller_id, ticket.code_id))

    async def _use(self, ctx: CallContext, document: Document, ticket: CodeTicket) -> bool:
        """Use up the code and write the standing, in one commit; False when the code was used or replaced meanwhile."""
        standing = Standing("code", ticket.caller_id, ticket.phone, ctx.now, place_of(ctx.facts.channel))
        used = {"code.usedBy": ctx.facts.call_id or _NOBODY, "code.usedAt": ctx.now}
        try:
            await self._store.commit(
                [
                    Update(document.path, used, document.update_time),
                    Set(ctx.paths.document("sessions", ctx.facts.session_id), standing.to_fields(), merge=True),
                ]
            )
        except Stale:
            return False
        except Unavailable as error:
            raise ToolError(
                ErrorType.TRANSIENT,
                "It is not known whether the code counted. Do not say that the caller is verified. Send a new code if "
                "the caller wants to go on, or offer to take a message.",
                retryable=True,
                partial_side_effects=True,
                detail=repr(error),
            ) from error
        return True

    async def _ticket(self, ctx: CallContext) -> Document | None:
        try:
            return await self._store.get(ticket_path(ctx))
        except StoreError as error:
            raise unreadable(_RECORDS, error) from error

    async def _replace(self, ctx: CallContext, document: Document, ticket: CodeTicket, id: str, code: str) -> datetime:
        """Put a new code into the ticket, in place of any earlier one; return the ticket's new update time."""
        fields: JsonObject = {
            "id": id,
            "sealed": self._seal.seal(code, *binding(ctx, ticket.caller_id, id)),
            "sentAt": ctx.now,
            "expiresAt": ctx.now + LASTS,
        }
        try:
            (written,) = await self._store.commit([Update(document.path, {"code": fields}, document.update_time)])
        except Stale:
            raise _being_sent() from None
        except StoreError as error:
            raise unreadable(_RECORDS, error) from error
        return written.update_time

    async def _note(self, path: str, fields: JsonObject, update_time: datetime) -> None:
        """Write down what became of a text, unless the ticket has moved on; without an answer, time will tell."""
        try:
            await self._store.commit([Update(path, fields, update_time)])
        except StoreError as error:
            log.warning("fate of a code not noted", extra={"reason": type(error).__name__})


def _being_sent() -> ToolError:
    return ToolError(
        ErrorType.CONFLICT,
        "A code is being sent at this moment. Ask the caller to wait for the text message; if none comes within half a "
        "minute, send another code.",
    )


def _not_sent(error: ToolError) -> ToolError:
    """Return why there is no code, without the number, which the caller has not been shown to know."""
    if error.type is ErrorType.CONFLICT:
        return error
    if error.partial_side_effects:
        message = (
            "It is not known whether the code was sent. Ask the caller to wait a moment for the text message; if none "
            "comes within half a minute, send another code."
        )
    elif error.type is ErrorType.VALIDATION:
        message = "The number on file cannot get text messages. Offer another way, or to take a message."
    elif error.type is ErrorType.RATE_LIMIT and isinstance(error, Refused):
        message = "No more codes can be sent to the number on file for now. Offer to take a message."
    else:
        message = "The code was not sent. Try once more in a moment, or offer to take a message."
    meta = {name: value for name, value in error.meta.items() if name == "retryAfterS"}
    if isinstance(error, Refused):
        # Our own no: the telephone network has done nothing wrong.
        return Refused(error.type, message, detail=error.detail, meta=meta)
    return ToolError(
        ErrorType.PERMANENT if error.type is ErrorType.VALIDATION else error.type,
        message,
        retryable=error.retryable,
        partial_side_effects=error.partial_side_effects,
        detail=error.detail or error.type.value,
        meta=meta,
    )
