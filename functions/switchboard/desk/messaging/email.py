"""E-mail to callers: sent at most once for a wish, counted, and never claimed to be sent where nobody knows.

Each e-mail is one document of the outbox: `sending` is written before the mail server
hears of it, then exactly one of `sent`, `failed` (certainly not sent) and `unknown`. What is found in `sending` after
its time is `unknown`, and is never sent again.
"""

import logging
import math
import unicodedata
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta

from switchboard.contract.caller.outside_id import is_blank
from switchboard.contract.context import CallContext
from switchboard.contract.error import ErrorType, NothingNew, Refused, ToolError, unreadable
from switchboard.contract.json import JsonObject
from switchboard.contract.observability.hidden import without_hidden
from switchboard.contract.policy import CALL_LEASE_S, OUTBOX_DAYS, STRANGERS_PART_OF_TEXTS
from switchboard.contract.ports import Mailer, Mailers, Store
from switchboard.contract.python.dataclass import dataclass
from switchboard.contract.store import (
    AlreadyExists,
    Create,
    Increment,
    Set,
    Stale,
    StoreError,
    Unavailable,
    Update,
    Write,
)
from switchboard.desk.contact.contacts import to_address
from switchboard.desk.contact.cost_warnings import warned
from switchboard.desk.contact.links import OwnLinks
from switchboard.desk.derived_id import derived_id
from switchboard.desk.limits.rate_limits import is_unproven

log = logging.getLogger(__name__)

INTEGRATION = "email"
# A business may set its own (`integrations.email.dailyLimit`); nobody needs more than a handful in a day.
BUSINESS_PER_DAY = 100
RECIPIENT_PER_DAY = 5
_COUNTS_KEPT = timedelta(days=2)

NO_ACCOUNT = "The business has connected no mail account, so no e-mail can be sent."
NOT_RECORDED = "The e-mail could not be recorded and was not sent. Apologise, or say what it would have told."
IS_BEING_SENT = "This very e-mail is being sent right now. Wait a moment before asking again; do not send another one."
MAY_BE_SENT = (
    "It is not known whether this e-mail was sent: sending it was interrupted. Do not say that it was, and do not send "
    "it again; say that this is not known."
)
TOO_MANY_FOR_BUSINESS = "The business has sent as many e-mails as it may today; nothing was sent."
TOO_MANY_FOR_STRANGERS = (
    "As many e-mails were sent today for callers who are not verified as all of them together may have; nothing was "
    "sent. Verify the caller, if that is offered here, which lifts this."
)
TOO_MANY_FOR_RECIPIENT = "This address has been sent as many e-mails as it may get today; nothing was sent."


@dataclass(frozen=True, slots=True)
class SentEmail:
    """An e-mail that the mail server has accepted.

    Attributes:
        id: `eml_` and 20 characters derived from the wish.
        to: The recipient's address.
        subject: On one line.
        repeated: Whether it had been sent before this call.
    """

    id: str
    to: str
    subject: str
    repeated: bool


class Email:
    """Sends e-mail for the business."""

    def __init__(self, store: Store, mailers: Mailers) -> None:
        """Keep the outbox in `store`, and send by the accounts of `mailers`."""
        self._store, self._mailers, self._links = store, mailers, OwnLinks(store)

    async def send(self, ctx: CallContext, to: str, subject: str, body: str) -> SentEmail:
        """Send one plain-text e-mail, or return the one that this wish has sent before, with `repeated` set.

        Args:
            ctx: The call; its effect key makes the e-mail one and the same under whatever call id it is asked for.
            to: One address, which the caller has agreed to.
            subject: A line end in it becomes a blank.
            body: Plain text; a link in either that is not the business's own is named so, and of a number that costs
                extra to call it warns.

        Raises:
            Refused: RATE_LIMIT, the business or the recipient has had enough today.
            ToolError: VALIDATION for an unusable address or an empty text; CONFLICT while this very e-mail is being
                sent; AUTH, PERMANENT or TRANSIENT as the mail server failed, with partial side effects where nobody
                knows whether it was sent.
        """
        mail, text, mailer = await self._ready(ctx, to, subject, body)
        try:
            text = await self._links.marked(ctx, text)
            mail = replace(mail, subject=await self._links.marked(ctx, mail.subject))
        except StoreError as error:
            raise unreadable("list of the business's own links", error) from error
        text = warned(ctx.business, text, beside=mail.subject)
        strangers = await self._is_unproven(ctx)
        if not await self._claimed(ctx, mail, text, strangers):
            return SentEmail(mail.id, mail.to, mail.subject, repeated=True)
        await self._hand_over(ctx, mailer, mail, text, strangers)
        return mail

    async def is_sent(self, ctx: CallContext, to: str, subject: str, body: str) -> bool:
        """Tell whether this wish has sent its e-mail before, and whether it could be sent at all.

        Raises:
            ToolError: VALIDATION for an unusable address or an empty text; PERMANENT where there is no mail account.
            StoreError: Nobody can tell.
        """
        mail, _, _ = await self._ready(ctx, to, subject, body)
        earlier = await self._store.get(ctx.paths.document("outbox", mail.id))
        return earlier is not None and earlier.data.get("state") == "sent"

    async def _ready(self, ctx: CallContext, to: str, subject: str, body: str) -> tuple[SentEmail, str, Mailer]:
        mail = SentEmail(_mail_id(ctx.effect_key), to_address(to), _filled("subject", " ".join(subject.split())), False)
        text = _filled("body", body.strip())
        mailer = await self._mailers.of(ctx.business)
        if mailer is None:
            raise ToolError(ErrorType.PERMANENT, NO_ACCOUNT)
        return mail, text, mailer

    async def _claimed(self, ctx: CallContext, mail: SentEmail, text: str, strangers: bool) -> bool:
        """Write that it is being sent and count it, also for strangers if one has it sent; False if it was sent before.

        Raises:
            ToolError: It must not be sent now.
        """
        path = ctx.paths.document("outbox", mail.id)
        document = _document(ctx, mail, text)
        try:
            counts = await self._count([Create(path, document), *_counting(ctx, mail.to, 1, strangers)])
        except AlreadyExists:
            existing = await self._store.get(path)
            earlier: JsonObject = existing.data if existing else {}
            if earlier.get("state") == "sent":
                return False
            if existing is None or earlier.get("state") != "failed":
                raise await self._unfinished(ctx, path, earlier) from None
            # It certainly was not sent: this is the first time again, for one of those who ask.
            try:
                again = Update(path, document, if_update_time=existing.update_time)
                counts = await self._count([again, *_counting(ctx, mail.to, 1, strangers)])
            except Stale:
                raise ToolError(ErrorType.CONFLICT, IS_BEING_SENT, retryable=True) from None
        await self._require_room(ctx, path, mail.to, counts, strangers)
        return True

    async def _count(self, writes: Sequence[Write]) -> list[int]:
        """Commit a claim with its counting; return how many the business, the recipient and strangers have had today.

        Strangers are counted only where one has it sent.
        """
        try:
            _, *counted = await self._store.commit(writes)
        except Unavailable as error:
            # If it was written nonetheless, the lease lets nobody send it: too little rather than twice.
            raise ToolError(ErrorType.TRANSIENT, NOT_RECORDED, retryable=False, detail=repr(error)) from error
        return [int(result.increments["count"]) for result in counted]

    async def _require_room(self, ctx: CallContext, path: str, to: str, counts: Sequence[int], strangers: bool) -> None:
        daily = _daily_limit(ctx)
        limits = (
            (daily, TOO_MANY_FOR_BUSINESS),
            (RECIPIENT_PER_DAY, TOO_MANY_FOR_RECIPIENT),
            # The rest is for callers who are known to the business.
            (math.ceil(daily * STRANGERS_PART_OF_TEXTS), TOO_MANY_FOR_STRANGERS),
        )
        over = [message for count, (limit, message) in zip(counts, limits, strict=False) if count > limit]
        if over:
            failed: JsonObject = {"state": "failed", "error": ErrorType.RATE_LIMIT.value}
            await self._note(path, failed, _counting(ctx, to, -1, strangers))
            # Refused rather than failed: our own no must not open the circuit of a mail account that works.
            raise Refused(ErrorType.RATE_LIMIT, over[0])

    async def _is_unproven(self, ctx: CallContext) -> bool:
        try:
            return await is_unproven(self._store, ctx)
        except StoreError:
            return True

    async def _unfinished(self, ctx: CallContext, path: str, earlier: JsonObject) -> ToolError:
        lease: datetime | None = earlier.get("leaseUntil")
        if earlier.get("state") == "sending" and lease is not None and ctx.now < lease:
            return ToolError(ErrorType.CONFLICT, IS_BEING_SENT, retryable=True)
        # Whoever was sending it has died in between: nobody knows, and it is not sent again.
        await self._note(path, {"state": "unknown"})
        return NothingNew(ErrorType.TRANSIENT, MAY_BE_SENT, retryable=False, partial_side_effects=True)

    async def _hand_over(self, ctx: CallContext, mailer: Mailer, mail: SentEmail, text: str, strangers: bool) -> None:
        path = ctx.paths.document("outbox", mail.id)
        try:
            await mailer.send(mail.to, mail.subject, text, mail.id)
        except ToolError as error:
            state = "unknown" if error.partial_side_effects else "failed"
            # What was not sent does not count.
            counting = [] if error.partial_side_effects else _counting(ctx, mail.to, -1, strangers)
            why = without_hidden(error.detail)[:500]
            await self._note(path, {"state": state, "error": error.type.value, "detail": why}, counting)
            raise
        await self._note(path, {"state": "sent", "sentAt": ctx.now})

    async def _note(self, path: str, fields: JsonObject, counting: Sequence[Write] = ()) -> None:
        """Write down what became of it; what is true is told to the caller even if that fails."""
        try:
            await self._store.commit([Update(path, fields), *counting])
        except StoreError as error:
            log.error(
                "e-mail's outcome not recorded",
                extra={"state": fields["state"], "reason": type(error).__name__, "pii.detail": str(error)},
            )


def _document(ctx: CallContext, mail: SentEmail, text: str) -> JsonObject:
    facts = ctx.facts
    return {
        "id": mail.id,
        "kind": "email",
        "state": "sending",
        "to": mail.to,
        "subject": mail.subject,
        "text": text,
        "createdAt": ctx.now,
        "leaseUntil": ctx.now + timedelta(seconds=CALL_LEASE_S),
        "expireAt": ctx.now + timedelta(days=OUTBOX_DAYS),
        "sessionId": facts.session_id,
        "channel": facts.channel.value,
        "callerPhone": facts.caller_phone,
        "callId": facts.interaction_id,
        "effectKey": ctx.effect_key,
    }


def _counting(ctx: CallContext, to: str, by: int, strangers: bool) -> list[Write]:
    """Return the writes that count one e-mail of the day: for the business, the recipient and, of one, strangers."""
    day = ctx.now.astimezone(ctx.business.timezone).date().isoformat()
    fields = {"count": Increment(by), "expireAt": ctx.now + _COUNTS_KEPT}
    # By its hash: an address as a document's name would end up in logs and backups that are kept for longer.
    names = [f"email:{day}", derived_id(f"email:{day}:", to.casefold())]
    if strangers:
        names.append(f"email:{day}:strangers")
    return [Set(ctx.paths.document("tickets", name), fields, merge=True) for name in names]


def _daily_limit(ctx: CallContext) -> int:
    connection = ctx.business.integrations.get(INTEGRATION)
    limit = connection.settings.get("dailyLimit") if connection else None
    is_number = isinstance(limit, int) and not isinstance(limit, bool) and limit > 0
    return limit if is_number and limit is not None else BUSINESS_PER_DAY


def _mail_id(effect_key: str) -> str:
    return derived_id("eml_", effect_key)


def _filled(name: str, text: str) -> str:
    text = unicodedata.normalize("NFC", text)
    if is_blank(text):
        raise ToolError(ErrorType.VALIDATION, f"{name} is empty. Ask the caller what it should say.")
    return text
