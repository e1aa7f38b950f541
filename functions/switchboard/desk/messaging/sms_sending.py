"""One text message and the phone network: claimed, handed over, and looked up where nobody knows.

The network knows no idempotency key, so `sending` is written before it hears of a text,
and then `sent`, `failed` or `unknown`. What stays in `sending` longer than its lease is looked up in the network's
list.

Instances' clocks differ, by minutes where something is wrong with one. So when a text was claimed, and how long ago
that is, is told by the store's clock, from what it stamps on the claim and on every look that finds nothing.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime, timedelta
from math import ceil
from typing import Any, Final, Literal, TypeAlias, get_args

from switchboard.contract.document import integer, moment
from switchboard.contract.error import ErrorType, NothingNew, ToolError
from switchboard.contract.json import JsonObject
from switchboard.contract.ports import Clock, Store, Telephony
from switchboard.contract.python.dataclass import dataclass
from switchboard.contract.store import SERVER_TIME, Document, Stale, StoreError, Update
from switchboard.contract.telephony import TELL_INSTEAD, SentText, TextStatus
from switchboard.desk.derived_id import derived_id
from switchboard.desk.messaging.due_times import DUE, due_with, pause_after, told_pause

log = logging.getLogger(__name__)

# Whoever has claimed a text hands it over at once or not any more, and is answered soon; so long nobody else looks it
# up.
_HANDED_OVER_WITHIN = timedelta(seconds=8)
_LEASE = timedelta(seconds=20)
# The network lists a text within seconds; so long after its claim, one that is not listed was never accepted.
_LISTED_AFTER = timedelta(seconds=45)
# The network's clock and the store's agree to within a second or two; an answer that is rounded may be earlier.
_CLOCKS_DIFFER = timedelta(seconds=30)
# A store that is further from our clock than any clock is wrong has a time of its own: a test's, a stand-in's.
_ANOTHER_TIME = timedelta(minutes=20)
_FIRST_PAUSE = timedelta(seconds=15)
LONGEST_PAUSE = timedelta(minutes=15)

State: TypeAlias = Literal["todo", "sending", "sent", "failed", "unknown"]
"""`todo` waits to be sent; `unknown`, and `sending` once its lease is over, to be looked up at the phone network."""

CODE: Final = "code"
"""The purpose of a text that carries a one-time code."""

_STATES: tuple[State, ...] = get_args(State)
# A caller does not expect a text any more that comes later than this; the record is kept longer.
_WORTH_SENDING = timedelta(hours=1)
_KEPT = timedelta(days=7)
# What a one-time code looks like. Whoever reads the store must not find one there.
_CODE = re.compile(r"\d{6,}")

NO_ACCOUNT = f"The business has connected no phone account, so no text message can be sent. {TELL_INSTEAD}"
OPTED_OUT = (
    f"This number has asked not to be texted (it answered STOP), so nothing was sent. {TELL_INSTEAD} "
    "The number gets texts again once START is texted from it to the business."
)
LISTED = (
    f"The business has this number on its list of those who get no texts, so nothing was sent. {TELL_INSTEAD} "
    "The number gets texts again once START is texted from it to the business, or the business takes it off "
    "the list."
)
NOT_RECORDED = f"The text message could not be recorded and was not sent. Try once more. {TELL_INSTEAD}"
IS_BEING_SENT = (
    "This very text message is being sent right now. Do not send another one; asking for exactly the same again in a "
    "moment tells."
)
MAY_BE_SENT = (
    "It is not known yet whether the text message was sent: the phone network has not confirmed it. Do not say that it "
    "was, and do not send it in other words. Asking for exactly the same again is safe, and tells {when}."
)
_ONCE_REACHED = "once the phone network can be asked"
_ONCE_LISTED = f"within {_LISTED_AFTER.seconds} s, as long as the phone network can be asked"
EXPIRED = "The text message could not be sent in time, and would have come too late."
NOT_SENT = "The text message never reached the phone network."
UNUSABLE = "The text message has no number or no text."
NOT_DELIVERED = f"The phone network could not deliver the text message. {TELL_INSTEAD}"


@dataclass(frozen=True, slots=True)
class SmsReceipt:
    """A text message that is on its way.

    Attributes:
        id: `txt_` and 20 characters derived from the wish.
        to: E.164.
        state: `sent` once the phone network has accepted it; `queued` while it waits for the network to take more.
        repeated: Whether this wish had it on its way before.
    """

    id: str
    to: str
    state: Literal["sent", "queued"]
    repeated: bool = False


class SmsSending:
    """Hands texts over, at most once each, and writes down what becomes of them."""

    def __init__(self, store: Store, clock: Clock) -> None:
        """Write to the documents in `store`."""
        self._store, self._clock = store, clock

    def claim(self, record: SmsRecord, sender: str) -> JsonObject:
        """Return the fields that must be written before a text is handed over."""
        now = self._clock.now()
        return {
            "state": "sending",
            "to": record.to,
            "body": record.body,
            "sender": sender,
            "attempt": record.attempt + 1,
            "attemptedAt": now,
            "claimedAt": SERVER_TIME,
            "leaseUntil": now + _LEASE,
            DUE: now + _LEASE,
        }

    def is_leased(self, record: SmsRecord) -> bool:
        """Tell whether somebody may be handing it over at this moment."""
        lease = record.lease_until
        return record.state == "sending" and lease is not None and self._clock.now() < lease

    async def post(self, account: Telephony, path: str, claimed: JsonObject, body: str | None = None) -> SmsReceipt:
        """Hand over a text whose claim is written, and write down the outcome.

        Args:
            account: Sends it.
            path: Its document.
            claimed: What stands there.
            body: What it says, where the document must not tell.

        Raises:
            ToolError: As the network failed: TRANSIENT with partial side effects where nobody knows whether it was
                sent. What the network has no room for is no failure but queued, if the document tells what it says.
        """
        record = read_text(path.rpartition("/")[2], claimed)
        assert record is not None
        if record.attempted_at is not None and self._clock.now() - record.attempted_at > _HANDED_OVER_WITHIN:
            # A process that stood still in between: others may have looked for it by now, and sent it.
            raise ToolError(ErrorType.CONFLICT, IS_BEING_SENT, retryable=True)
        try:
            sent = await account.send_text(record.to, record.sender, record.body if body is None else body)
        except ToolError as error:
            return await self._not_sent(path, record, error)
        return await self._accepted(path, record, sent)

    async def look_up(self, account: Telephony, document: Document, record: SmsRecord) -> SmsReceipt | None:
        """Find out from the network what became of a text; None, written down as failed, if it was never accepted.

        Raises:
            ToolError: TRANSIENT with partial side effects, nobody can say yet; PERMANENT, it was not delivered.
        """
        attempted = _shared(record.attempted_at or document.update_time, record.claimed_at)
        try:
            listed = await account.texts_to(record.to, attempted - _CLOCKS_DIFFER)
        except ToolError as error:
            raise _unknown(_ONCE_REACHED) from error
        sent = next((t for t in listed if t.sender == record.sender and record.is_told_by(t.body)), None)
        if sent is not None:
            return await self._accepted(document.path, record, sent)
        missed = await self._missed(document)
        if missed is None:
            raise _not_listed()
        left = attempted + _LISTED_AFTER - _shared(self._clock.now(), missed.update_time)
        if left > timedelta():
            if not await self.change(missed, {"state": "unknown", DUE: self._clock.now() + left}):
                raise _not_listed()
            raise _not_listed(left)
        lost = ToolError(ErrorType.TRANSIENT, NOT_SENT)
        await self.change(missed, _failure(lost) | {"mayRepeat": True})
        return None

    async def _missed(self, document: Document) -> Document | None:
        """Note that the network does not list a text, and so learn the store's time; None if somebody was quicker."""
        try:
            write = Update(document.path, {"missedAt": SERVER_TIME}, if_update_time=document.update_time)
            (result,) = await self._store.commit([write])
        except Stale:
            return None
        return replace(document, update_time=result.update_time)

    async def change(self, document: Document, fields: JsonObject) -> bool:
        """Write to a document if nobody else has since it was read; tell whether that was so.

        Raises:
            StoreError: It may or may not be written.
        """
        try:
            write = Update(document.path, due_with(fields, self._clock.now()), if_update_time=document.update_time)
            await self._store.commit([write])
        except Stale:
            return False
        return True

    async def _accepted(self, path: str, record: SmsRecord, sent: SentText) -> SmsReceipt:
        fields: JsonObject = {"providerId": sent.id, "status": sent.status.value, "sentAt": sent.at}
        if sent.status is TextStatus.FAILED:
            error = ToolError(ErrorType.PERMANENT, NOT_DELIVERED)
            await self._note(path, fields | _failure(error))
            raise error
        await self._note(path, fields | {"state": "sent"})
        return SmsReceipt(record.id, record.to, "sent")

    async def _not_sent(self, path: str, record: SmsRecord, error: ToolError) -> SmsReceipt:
        if error.partial_side_effects:
            await self._note(path, _failure(error) | {"state": "unknown"})
            raise _unknown(_ONCE_LISTED, error.detail) from error
        if error.type is ErrorType.RATE_LIMIT and not record.is_secret:
            pause = pause_after(record.attempt, _FIRST_PAUSE, LONGEST_PAUSE)
            waiting = _failure(error) | {"state": "todo", "notBefore": self._clock.now() + pause}
            if await self._note(path, waiting):
                return SmsReceipt(record.id, record.to, "queued")
            raise error
        may_repeat = error.type in (ErrorType.TRANSIENT, ErrorType.AUTH)
        await self._note(path, _failure(error) | {"mayRepeat": may_repeat})
        raise error

    async def _note(self, path: str, fields: JsonObject) -> bool:
        """Write down what became of a text; what is true is told to the caller even if that fails."""
        try:
            await self._store.commit([Update(path, due_with(fields, self._clock.now()))])
        except StoreError as error:
            log.error(
                "text's outcome not recorded",
                extra={"state": fields["state"], "reason": type(error).__name__, "pii.detail": str(error)},
            )
            return False
        return True


def _shared(own: datetime, stamped: datetime | None) -> datetime:
    """Return a moment by the store's clock where it has stamped it, or else by ours."""
    return stamped if stamped is not None and abs(stamped - own) <= _ANOTHER_TIME else own


def _unknown(when: str, detail: str = "") -> ToolError:
    """Return that nobody can say yet whether a text was sent, and when asking again tells; the network has failed."""
    return ToolError(
        ErrorType.TRANSIENT,
        MAY_BE_SENT.format(when=when),
        retryable=True,
        partial_side_effects=True,
        detail=detail,
    )


def _not_listed(left: timedelta | None = None) -> ToolError:
    """Return that the network's list does not tell yet; `left`: how long that will be so at most, if that is known."""
    return NothingNew(
        ErrorType.TRANSIENT,
        MAY_BE_SENT.format(when="in a moment" if left is None else f"in {_seconds(left)} s"),
        retryable=True,
        partial_side_effects=True,
        meta=told_pause(left),
    )


def _seconds(left: timedelta) -> int:
    return max(1, ceil(left.total_seconds()))


def _failure(error: ToolError) -> JsonObject:
    return {"state": "failed", "error": {"type": error.type.value, "message": error.message}}


@dataclass(frozen=True, slots=True, kw_only=True)
class SmsRecord:
    """One text message; times are aware, UTC.

    Attributes:
        id: The document's, `txt_` and 20 characters derived from the effect key.
        state: How far it is.
        to: E.164.
        body: What it says; of a secret one what is left without its code.
        is_secret: Whether it carries a one-time code, so that nobody but whoever made it can send it.
        sender: The number that it was sent from, empty before the first attempt.
        attempt: How often it was handed to the phone network; 0 before the first time.
        attempted_at: When that was last, by the clock of whoever did it.
        claimed_at: When that was written down, by the store's clock, which all instances share; None in earlier ones.
        lease_until: Until when whoever is sending it may still be at it.
        not_before: When it may be tried again.
        not_after: When it is no longer worth sending.
        may_repeat: Whether a failed one certainly was not sent, and may be asked for again.
        error: Type and message of what made it fail.
    """

    id: str
    state: State
    to: str
    body: str
    is_secret: bool = False
    sender: str = ""
    attempt: int = 0
    attempted_at: datetime | None = None
    claimed_at: datetime | None = None
    lease_until: datetime | None = None
    not_before: datetime | None = None
    not_after: datetime | None = None
    may_repeat: bool = False
    error: Mapping[str, Any] | None = None

    def is_told_by(self, body: str) -> bool:
        """Tell whether a text that the network lists is this one; a trial account puts a sentence in front."""
        return (_without_code(body) if self.is_secret else body).endswith(self.body)


def text_id(effect_key: str) -> str:
    """Return `txt_` and 20 lower-case base32hex characters, the same for the same effect."""
    return derived_id("txt_", effect_key)


def text_document(
    id: str, to: str, body: str, *, effect_key: str, purpose: str, business_id: str, now: datetime
) -> JsonObject:
    """Return the document of a text that is to be sent: `todo`, and worth sending within the hour.

    A one-time code is left out of it, so that what is sent has to come from whoever made it.
    """
    return {
        "id": id,
        "kind": "text",
        "state": "todo",
        "to": to,
        "body": _without_code(body) if purpose == CODE else body,
        "purpose": purpose,
        "businessId": business_id,
        "effectKey": effect_key,
        "createdAt": now,
        DUE: now,
        "notAfter": now + _WORTH_SENDING,
        "expireAt": now + _KEPT,
    }


def read_text(id: str, data: Mapping[str, Any]) -> SmsRecord | None:
    """Return a document as a record, or None where it names no number, no text or no known state."""
    to, body = data.get("to"), data.get("body")
    state = next((state for state in _STATES if state == data.get("state")), None)
    if not isinstance(to, str) or not isinstance(body, str) or state is None:
        return None
    error = data.get("error")
    return SmsRecord(
        id=id,
        state=state,
        to=to,
        body=body,
        is_secret=data.get("purpose") == CODE,
        sender=str(data.get("sender") or ""),
        attempt=integer(data.get("attempt")),
        attempted_at=moment(data.get("attemptedAt")),
        claimed_at=moment(data.get("claimedAt")),
        lease_until=moment(data.get("leaseUntil")),
        not_before=moment(data.get("notBefore")),
        # Firestore removes expired documents late, so that the time itself is asked.
        not_after=moment(data.get("notAfter")) or moment(data.get("expireAt")),
        may_repeat=data.get("mayRepeat") is True,
        error=error if isinstance(error, Mapping) else None,
    )


def _without_code(body: str) -> str:
    return _CODE.sub(lambda match: "*" * len(match[0]), body)
