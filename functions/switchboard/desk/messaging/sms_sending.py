"""One text message and the phone network: claimed, handed over, and looked up where nobody knows.

The network knows no idempotency key, so `sending` is written before it hears of a text,
and then `sent`, `failed` or `unknown`. What stays in `sending` longer than its lease is looked up in the network's
list.

Instances' clocks differ, by minutes where something is wrong with one. So when a text was claimed, and how long ago
that is, is told by the store's clock, from what it stamps on the claim and on every look that finds nothing.
"""

import logging
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Literal

from switchboard.contract.error import ErrorType, ToolError
from switchboard.contract.json import JsonObject
from switchboard.contract.ports import Clock, Store, Telephony
from switchboard.contract.store import SERVER_TIME, Document, Stale, StoreError, Update
from switchboard.contract.telephony import SentText, TextStatus
from switchboard.desk.messaging import sms_errors
from switchboard.desk.messaging.due_times import DUE, due_with, pause_after, told_pause
from switchboard.desk.messaging.sms_record import SmsRecord, read_text

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
            raise ToolError(ErrorType.CONFLICT, sms_errors.IS_BEING_SENT, retryable=True)
        try:
            sent = await account.send_text(record.to, record.sender, record.body if body is None else body)
        except ToolError as error:
            return await self._not_sent(path, record, error)
        return await self._accepted(path, record, sent)

    async def look_up(self, account: Telephony, found: Document, record: SmsRecord) -> SmsReceipt | None:
        """Find out from the network what became of a text; None, written down as failed, if it was never accepted.

        Raises:
            ToolError: TRANSIENT with partial side effects, nobody can say yet; PERMANENT, it was not delivered.
        """
        attempted = _shared(record.attempted_at or found.update_time, record.claimed_at)
        try:
            listed = await account.texts_to(record.to, attempted - _CLOCKS_DIFFER)
        except ToolError as error:
            raise _unknown() from error
        sent = next((t for t in listed if t.sender == record.sender and record.is_told_by(t.body)), None)
        if sent is not None:
            return await self._accepted(found.path, record, sent)
        missed = await self._missed(found)
        if missed is None:
            raise _unknown()
        left = attempted + _LISTED_AFTER - _shared(self._clock.now(), missed.update_time)
        if left > timedelta():
            if not await self.change(missed, {"state": "unknown", DUE: self._clock.now() + left}):
                raise _unknown()
            raise _unknown(left)
        lost = ToolError(ErrorType.TRANSIENT, sms_errors.NOT_SENT)
        await self.change(missed, _failure(lost) | {"mayRepeat": True})
        return None

    async def _missed(self, found: Document) -> Document | None:
        """Note that the network does not list a text, and so learn the store's time; None if somebody was quicker."""
        try:
            write = Update(found.path, {"missedAt": SERVER_TIME}, if_update_time=found.update_time)
            (result,) = await self._store.commit([write])
        except Stale:
            return None
        return replace(found, update_time=result.update_time)

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
            error = ToolError(ErrorType.PERMANENT, sms_errors.NOT_DELIVERED)
            await self._note(path, fields | _failure(error))
            raise error
        await self._note(path, fields | {"state": "sent"})
        return SmsReceipt(record.id, record.to, "sent")

    async def _not_sent(self, path: str, record: SmsRecord, error: ToolError) -> SmsReceipt:
        if error.partial_side_effects:
            await self._note(path, _failure(error) | {"state": "unknown"})
            raise ToolError(
                ErrorType.TRANSIENT,
                sms_errors.MAY_BE_SENT,
                retryable=True,
                partial_side_effects=True,
                detail=error.detail,
            ) from error
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


def _unknown(left: timedelta | None = None) -> ToolError:
    """Return that nobody can say yet whether a text was sent; `left`: how long that will be so at most."""
    return ToolError(
        ErrorType.TRANSIENT,
        sms_errors.MAY_BE_SENT,
        retryable=True,
        partial_side_effects=True,
        meta=told_pause(left),
    )


def _failure(error: ToolError) -> JsonObject:
    return {"state": "failed", "error": {"type": error.type.value, "message": error.message}}
