"""Text messages: sent at most once for a wish, counted, and never claimed to be sent where nobody knows.

Each text is one document of the outbox. Only what certainly was not sent is sent
again, and only if somebody asks for it again or the phone network had no room for it.
"""

import logging
from collections.abc import Awaitable, Mapping
from dataclasses import replace
from datetime import timedelta
from typing import Any, Literal, TypeAlias

from switchboard.contract.business.business import Business
from switchboard.contract.caller.strangers import vouched_number
from switchboard.contract.context import CallContext, Spender
from switchboard.contract.error import ErrorType, NothingNew, Refused, ToolError, unreadable
from switchboard.contract.json import JsonObject
from switchboard.contract.policy import Thing
from switchboard.contract.ports import BusinessPaths, Clock, PhoneAccounts, Store, Telephony
from switchboard.contract.store import AlreadyExists, Create, Delete, Document, Set, Stale, StoreError, Update
from switchboard.contract.telephony import TELL_INSTEAD
from switchboard.desk.contact.cost_warnings import warned
from switchboard.desk.contact.links import OwnLinks
from switchboard.desk.contact.phone import dialable
from switchboard.desk.limits.claim import Claim
from switchboard.desk.limits.month_limit import MONTH, require_month
from switchboard.desk.limits.rate_limits import RateLimits, WindowRule, is_unproven, text_keys, text_rules
from switchboard.desk.messaging import sms_sending
from switchboard.desk.messaging.due_times import DUE
from switchboard.desk.messaging.duplicates import Duplicate, twin_of
from switchboard.desk.messaging.sms_body import shortened, text_body, with_added
from switchboard.desk.messaging.sms_sending import (
    CODE,
    LONGEST_PAUSE,
    SmsReceipt,
    SmsRecord,
    SmsSending,
    read_text,
    text_document,
    text_id,
)

__all__ = ["Purpose", "SmsReceipt", "Texts"]

log = logging.getLogger(__name__)

Purpose: TypeAlias = Literal["sms", "confirmation", "portal_link", "code", "message"]
"""What a text is for; `message` goes to the business itself."""

_REFUSED_PAUSE = timedelta(minutes=1)
# What is counted apart from all other texts, and how many confirmations a number on file gets.
_ON_FILE, _CONFIRMATIONS = "on-file", WindowRule("number", 10, 3_600)
_TO_OWNER = "owner"
# The scopes in which strangers are counted apart: whoever turns out to be known has more there.
_STRANGERS_OWN = frozenset({"number", "prefix", "strangers"})

# What was for the people at the business would tell the caller nothing.
_NOT_PASSED_ON = "Say that it was not passed on."
# What stands in place of `TELL_INSTEAD` where the words of a text are not the model's: it would make some up, and what
# lets somebody in is never said aloud.
_INSTEAD: Mapping[str, str] = {
    "message": _NOT_PASSED_ON,
    "portal_link": "Say that no link could be sent; there is none that could be told instead.",
    CODE: "Say that no code could be sent, and name none.",
    "confirmation": "Say that no confirmation was sent.",
}

STOP_PREFIX = "stop:"
"""How the name of a ticket begins that says that a number gets no texts."""
OWNER = "the business"
"""What is noted of why a number gets no texts, where an owner has said so."""
OPTED_OUT = "opted_out"
"""The `reason` in the `meta` of an error about a number that gets no texts."""


class Texts:
    """Sends text messages from the business's number."""

    def __init__(self, store: Store, accounts: PhoneAccounts, limits: RateLimits, clock: Clock) -> None:
        """Keep the outbox in `store`, count with `limits`, and send by the businesses' own accounts."""
        self._store, self._accounts, self._limits, self._clock = store, accounts, limits, clock
        self._sending, self._links = SmsSending(store, clock), OwnLinks(store)

    async def send(
        self,
        ctx: Spender,
        to: str,
        body: str,
        *,
        effect_key: str,
        purpose: Purpose = "sms",
        by_stranger: bool = False,
    ) -> SmsReceipt:
        """Send a text message, or return the one that this effect has sent before, with `repeated` set.

        Args:
            ctx: For whom, and when: a call's context.
            to: In any spelling; a number that may be texted (`phone.dialable`).
            body: Plain text of at most six segments.
            effect_key: The same for the same wish, under whatever call id it arrives.
            purpose: A `message` goes to the business itself and is limited less. Of a `code` everything but the code is
                kept, so that it is sent now or never. It has a budget of its own, as it goes to numbers on file only.
            by_stranger: Whether nobody had shown who they are who had it sent; of a call, its context tells that.

        Raises:
            ToolError: VALIDATION for a number or a text that cannot be sent. RATE_LIMIT when there were too many.
                PERMANENT without an account, for a number that has opted out, and for what the network refuses for
                good. AUTH when the account must be connected again. CONFLICT while the same one is being sent.
                TRANSIENT when it could not be sent; with partial side effects where nobody knows whether it was.
        """
        try:
            return await self._sent(ctx, to, body, effect_key=effect_key, purpose=purpose, by_stranger=by_stranger)
        except ToolError as error:
            error.message = error.message.replace(TELL_INSTEAD, _INSTEAD.get(purpose, TELL_INSTEAD))
            raise

    async def _sent(
        self, ctx: Spender, to: str, body: str, *, effect_key: str, purpose: Purpose, by_stranger: bool
    ) -> SmsReceipt:
        number, text, id = dialable(to, ctx.business, "text"), text_body(body), text_id(effect_key)
        account = await self._account(ctx.business)
        path = ctx.paths.document("outbox", id)
        # What two texts have in common that are one; each link to the portal is another. Of a code nothing is kept, nor
        # a hash that whoever reads the store could find its six digits by.
        to_caller = number if purpose != "message" else ""
        twin = twin_of(ctx, id, purpose, number, text, to=to_caller) if purpose != CODE else None
        record_document, ticket = await self._look(ctx, path, number, twin)
        if record_document is None:
            text = await self._worded(ctx, text, purpose)
            document = text_document(
                id, number, text, effect_key=effect_key, purpose=purpose, business_id=ctx.business.id, now=ctx.now
            )
            if by_stranger or await self._is_strangers(ctx):
                document["byStranger"] = True
                if isinstance(ctx, CallContext) and vouched_number(ctx.facts) == number:
                    # Their carrier vouches for it: what others send there, who only claim to be them, is not theirs.
                    document["isOwn"] = True
            record = SmsRecord(id=id, state="todo", to=number, body=document["body"])
            document |= self._sending.claim(record, record.sender or ctx.business.twilio_number)
            try:
                # If it is written and we never hear of it, its lease keeps others from believing that it was sent.
                beside, before = ((twin.write(ticket),), (ticket,)) if twin is not None else ((), ())
                claim = Claim(Create(path, document), beside=beside, before=before)
                await self._spend_for(ctx, number, document, claim)
            except (AlreadyExists, Stale):
                record_document, _ = await self._look(ctx, path, number, twin)
            else:
                return await self._noting_opt_out(ctx, number, self._sending.post(account, path, document, text))
        if record_document is None:
            raise NothingNew(ErrorType.TRANSIENT, sms_sending.NOT_RECORDED)
        return await self._again(ctx, account, record_document)

    async def carry_on(self, ctx: Spender, document: Document) -> bool:
        """Do what is due for a text of the outbox; tell whether something was done.

        Only what was never handed to the phone network, or what it had no room for, is sent; the rest is looked up.

        Raises:
            StoreError: The store does not answer.
        """
        record = read_text(document.id, document.data)
        if record is None:
            return await self._end(document, ToolError(ErrorType.VALIDATION, sms_sending.UNUSABLE))
        try:
            account = await self._account(ctx.business)
            if record.state == "todo":
                return await self._due(ctx, account, document, record)
            if self._sending.is_leased(record):
                return False
            await self._sending.look_up(account, document, record)
            return True
        except Refused as refused:
            # Too many for now: it waits for the window's end, and is forgotten if that is too late, as a month's is.
            if refused.meta["reason"] == MONTH:
                return await self._end(document, refused)
            pause = timedelta(seconds=float(refused.meta["retryAfterS"]))
            # As it is now: what was counted for it and given back has been written into it.
            document = await self._store.get(document.path) or document
            if document.data.get("state") != "todo":
                return False
            return await self._sending.change(document, {"notBefore": self._clock.now() + pause})
        except ToolError as error:
            if error.type in (ErrorType.TRANSIENT, ErrorType.CONFLICT) or record.state != "todo":
                # What was handed over is written down already; what was not is as it was, for the next time.
                return False
            if error.type is ErrorType.AUTH:
                return await self._sending.change(document, {"notBefore": self._clock.now() + LONGEST_PAUSE})
            return await self._end(document, error)

    async def opt_out(self, paths: BusinessPaths, number: str, source: str) -> None:
        """Never text a number again for this business; `source` says why: the caller's STOP, or the network's no.

        Raises:
            StoreError: It could not be written down.
        """
        document = {"number": number, "source": source, "at": self._clock.now()}
        await self._store.commit([Set(stop_path(paths, number), document)])

    async def opt_in(self, paths: BusinessPaths, number: str) -> None:
        """Take a number off that list, as whoever has it asks by START, or by the business.

        Raises:
            StoreError: It could not be written down.
        """
        await self._store.commit([Delete(stop_path(paths, number))])

    async def check_account(self, business: Business) -> None:
        """Return if a business can send texts at all.

        Raises:
            ToolError: PERMANENT without an account; otherwise as its account failed.
        """
        await self._account(business)

    async def _account(self, business: Business) -> Telephony:
        account = await self._accounts.of(business)
        if account is None or not business.twilio_number:
            raise ToolError(ErrorType.PERMANENT, sms_sending.NO_ACCOUNT)
        return account

    async def _worded(self, ctx: Spender, text: str, purpose: str) -> str:
        """Return a text with the links named that are not the business's own, and a warning of numbers that cost extra.

        What is ours alone has neither.
        """
        if purpose in (CODE, "portal_link"):
            return text
        try:
            marked = await self._links.marked(ctx, text)
        except StoreError as error:
            raise unreadable("list of the business's own links", error) from error
        marked = warned(ctx.business, marked)
        # Nobody is there who could word what was written for the business, or by us, more shortly.
        return with_added(text, marked) if purpose == "sms" else shortened(marked)

    async def _look(
        self, ctx: Spender, path: str, number: str, twin: Duplicate | None = None
    ) -> tuple[Document | None, Document | None]:
        """Return the text of that path, or the one it is the same as, if there is one, and the ticket that says so.

        Refuse a number that has opted out.
        """
        asked = [path, stop_path(ctx.paths, number), *([twin.path] if twin is not None else [])]
        try:
            document, stopped, *tickets = await self._store.get_many(asked)
            ticket = tickets[0] if tickets else None
            earlier = twin.earlier(ticket) if twin is not None and document is None else None
            if earlier is not None:
                document = await self._store.get(ctx.paths.document("outbox", earlier))
        except StoreError as error:
            raise unreadable("list of text messages", error) from error
        if stopped is not None and (document is None or document.data.get("state") != "sent"):
            raise _opted_out(by_owner=not is_callers_own(stopped.data))
        return document, ticket

    async def _is_strangers(self, ctx: Spender) -> bool:
        """Tell whether nobody has shown who they are who has a text sent; where that cannot be read, nobody has."""
        try:
            return isinstance(ctx, CallContext) and await is_unproven(self._store, ctx)
        except StoreError:
            return True

    async def _spend_for(self, ctx: Spender, number: str, document: JsonObject, claim: Claim) -> None:
        """Count a text of a call; what a stranger has the business itself told counts as a message to it as well."""
        is_counted = False
        if document["purpose"] == "message" and isinstance(ctx, CallContext):
            is_counted = await self._limits.spend_as_stranger(ctx, Thing.OWNER_MESSAGES)
        try:
            await self._spend(ctx, number, document, claim)
        except (ToolError, StoreError):
            if isinstance(ctx, CallContext) and is_counted:
                await self._limits.give_back(ctx, Thing.OWNER_MESSAGES)
            raise

    async def _spend(self, ctx: Spender, number: str, document: Mapping[str, Any], claim: Claim) -> None:
        purpose, business = document.get("purpose"), ctx.business
        require_month(ctx, str(purpose))
        if purpose == CODE or document.get("onFile") is True:
            own = () if purpose == CODE else (_CONFIRMATIONS,)
            rules = (*own, *text_rules(business, on_file=True))
            await self._limits.spend(ctx, rules, text_keys(number), what=_ON_FILE, claim=claim)
            return
        is_theirs, to_owner = document.get("byStranger") is True, purpose == "message"
        rules = text_rules(business, to_owner=to_owner, by_stranger=is_theirs)
        # A message to the business itself is nothing that its number would have to be spared.
        keys = text_keys(number, by_stranger=is_theirs and not to_owner and document.get("isOwn") is not True)
        # Nor does it take from what callers get, or they from it.
        what = _TO_OWNER if to_owner else "text"
        try:
            await self._limits.spend(ctx, rules, keys, what=what, claim=claim)
        except Refused as refused:
            is_share = is_theirs and refused.meta.get("reason") in _STRANGERS_OWN
            if not is_share or not isinstance(ctx, CallContext) or await is_unproven(self._store, ctx):
                raise
            rules = text_rules(business, to_owner=to_owner)
            once_more = await claim.once_more(self._store)
            await self._limits.spend(ctx, rules, text_keys(number), what=what, claim=once_more)

    async def _again(self, ctx: Spender, account: Telephony, document: Document) -> SmsReceipt:
        """Return what has become of a text that there is already, sending it if it certainly was not sent."""
        record = read_text(document.id, document.data)
        if record is None:
            raise ToolError(ErrorType.PERMANENT, sms_sending.UNUSABLE)
        if record.state == "sent":
            return SmsReceipt(record.id, record.to, "sent", repeated=True)
        if record.state == "todo" and record.not_before and self._clock.now() < record.not_before:
            return SmsReceipt(record.id, record.to, "queued", repeated=True)
        if record.state == "failed" and not record.may_repeat:
            raise _stored_error(record)
        if self._sending.is_leased(record):
            raise ToolError(ErrorType.CONFLICT, sms_sending.IS_BEING_SENT, retryable=True)
        if record.state in ("sending", "unknown"):
            receipt = await self._sending.look_up(account, document, record)
            if receipt is not None:
                return replace(receipt, repeated=True)
            latest, _ = await self._look(ctx, document.path, record.to)
            document = latest if latest is not None else document
        return await self._hand_over(ctx, account, document, record)

    async def _due(self, ctx: Spender, account: Telephony, document: Document, record: SmsRecord) -> bool:
        """Send a waiting text, unless it is too early, too late, or too many."""
        now = self._clock.now()
        if record.not_after and now >= record.not_after:
            return await self._end(document, ToolError(ErrorType.TRANSIENT, sms_sending.EXPIRED))
        if record.not_before and now < record.not_before:
            return False
        if not record.attempt:
            # Whoever wrote the document has neither checked nor counted it.
            body = await self._worded(ctx, text_body(record.body), str(document.data.get("purpose")))
            record = replace(record, to=dialable(record.to, ctx.business, "text"), body=body)
        await self._look(ctx, document.path, record.to)
        await self._hand_over(ctx, account, document, record)
        return True

    async def _hand_over(self, ctx: Spender, account: Telephony, document: Document, record: SmsRecord) -> SmsReceipt:
        """Claim a text that there is a document of already, and post it; counted before the first attempt only.

        Raises:
            ToolError: CONFLICT when somebody else took it up since it was read.
                PERMANENT for one whose document must not tell what it says.
            StoreError: It was not claimed.
        """
        if record.is_secret:
            raise ToolError(ErrorType.PERMANENT, sms_sending.NOT_SENT)
        claim = self._sending.claim(record, ctx.business.twilio_number)
        write = Update(document.path, claim, if_update_time=document.update_time)
        try:
            if record.attempt:
                await self._store.commit([write])
            else:
                waiting = {"state": "todo", "attempt": 0, "notBefore": self._clock.now() + _REFUSED_PAUSE}
                waiting |= {DUE: waiting["notBefore"]}
                counted = Claim(write, Update(document.path, waiting))
                await self._spend(ctx, record.to, document.data, counted)
        except Stale:
            raise ToolError(ErrorType.CONFLICT, sms_sending.IS_BEING_SENT, retryable=True) from None
        posting = self._sending.post(account, document.path, document.data | claim)
        return await self._noting_opt_out(ctx, record.to, posting)

    async def _noting_opt_out(self, ctx: Spender, number: str, posting: Awaitable[SmsReceipt]) -> SmsReceipt:
        try:
            return await posting
        except ToolError as error:
            if error.meta.get("reason") != OPTED_OUT:
                raise
            try:
                await self.opt_out(ctx.paths, number, "the phone network")
            except StoreError as failure:
                # The network goes on refusing it, and says so every time.
                log.error("opt-out not recorded", extra={"reason": type(failure).__name__, "pii.detail": str(failure)})
            raise _opted_out(error.detail) from error

    async def _end(self, document: Document, error: ToolError) -> bool:
        failure = {"type": error.type.value, "message": error.message}
        return await self._sending.change(document, {"state": "failed", "error": failure})


def stop_path(paths: BusinessPaths, number: str) -> str:
    """Return where it is noted that a number (E.164) gets no texts of a business."""
    return paths.document("tickets", f"{STOP_PREFIX}{number}")


def is_callers_own(stop: Mapping[str, Any]) -> bool:
    """Tell whether what is noted of a number that gets no texts is the word of whoever has it, not of the business."""
    return stop.get("source") != OWNER


def _opted_out(detail: str = "", *, by_owner: bool = False) -> ToolError:
    reason = sms_sending.LISTED if by_owner else sms_sending.OPTED_OUT
    return ToolError(ErrorType.PERMANENT, reason, detail=detail, meta={"reason": OPTED_OUT})


def _stored_error(record: SmsRecord) -> ToolError:
    error = record.error or {}
    type = str(error.get("type"))
    known = ErrorType(type) if type in ErrorType.__members__ else ErrorType.PERMANENT
    return NothingNew(known, str(error.get("message") or sms_sending.NOT_SENT), retryable=False)
