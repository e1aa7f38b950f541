"""One text message and the phone network: claimed, handed over, and looked up where nobody knows.

The network knows no idempotency key (reference wire-formats §3.1), so `sending` is written before it hears of a text,
and then `sent`, `failed` or `unknown`. What stays in `sending` longer than its lease is looked up
in the network's list.
"""

import logging
from dataclasses import dataclass
from datetime import timedelta
from typing import Literal

from switchboard.contract.error import ErrorType, ToolError
from switchboard.contract.json import JsonObject
from switchboard.contract.policy import CALL_LEASE_S
from switchboard.contract.ports import Clock, Store, Telephony
from switchboard.contract.store import Document, Stale, StoreError, Update
from switchboard.contract.telephony import SentText, TextStatus
from switchboard.desk import text_answers
from switchboard.desk.due import DUE, due_with
from switchboard.desk.text_record import TextRecord, read_text

log = logging.getLogger(__name__)

# The network lists a text within seconds; after so long one that is not listed was never accepted.
_LISTED_AFTER = timedelta(seconds=60)
# Its clock and ours need not agree.
_CLOCKS_DIFFER = timedelta(seconds=30)
_FIRST_PAUSE_S = 15
LONGEST_PAUSE = timedelta(minutes=15)


@dataclass(frozen=True, slots=True)
class TextReceipt:
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


class TextSending:
    """Hands texts over, at most once each, and writes down what becomes of them."""

    def __init__(self, store: Store, clock: Clock) -> None:
        """Write to the documents in `store`."""
        self._store, self._clock = store, clock

    def claim(self, record: TextRecord, sender: str) -> JsonObject:
        """Return the fields that must be written before a text is handed over."""
        now = self._clock.now()
        return {
            "state": "sending",
            "to": record.to,
            "body": record.body,
            "sender": sender,
            "attempt": record.attempt + 1,
            "attemptedAt": now,
            "leaseUntil": now + timedelta(seconds=CALL_LEASE_S),
            DUE: now + timedelta(seconds=CALL_LEASE_S),
        }

    def is_leased(self, record: TextRecord) -> bool:
        """Tell whether somebody may be handing it over at this moment."""
        lease = record.lease_until
        return record.state == "sending" and lease is not None and self._clock.now() < lease

    async def post(self, account: Telephony, path: str, claimed: JsonObject, body: str | None = None) -> TextReceipt:
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
        try:
            sent = await account.send_text(record.to, record.sender, record.body if body is None else body)
        except ToolError as error:
            return await self._not_sent(path, record, error)
        return await self._accepted(path, record, sent)

    async def look_up(self, account: Telephony, found: Document, record: TextRecord) -> TextReceipt | None:
        """Find out from the network what became of a text; None, written down as failed, if it was never accepted.

        Raises:
            ToolError: TRANSIENT with partial side effects, nobody can say yet; PERMANENT, it was not delivered.
        """
        attempted = record.attempted_at or found.update_time
        unknown = ToolError(ErrorType.TRANSIENT, text_answers.MAY_BE_SENT, retryable=True, partial_side_effects=True)
        try:
            listed = await account.texts_to(record.to, attempted - _CLOCKS_DIFFER)
        except ToolError as error:
            raise unknown from error
        sent = next((t for t in listed if t.sender == record.sender and record.is_told_by(t.body)), None)
        if sent is not None:
            return await self._accepted(found.path, record, sent)
        if self._clock.now() < attempted + _LISTED_AFTER:
            if record.state == "sending":
                await self.change(found, {"state": "unknown"})
            raise unknown
        lost = ToolError(ErrorType.TRANSIENT, text_answers.NOT_SENT)
        await self.change(found, _failure(lost) | {"mayRepeat": True})
        return None

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

    async def _accepted(self, path: str, record: TextRecord, sent: SentText) -> TextReceipt:
        fields: JsonObject = {"providerId": sent.id, "status": sent.status.value, "sentAt": sent.at}
        if sent.status is TextStatus.FAILED:
            error = ToolError(ErrorType.PERMANENT, text_answers.NOT_DELIVERED)
            await self._note(path, fields | _failure(error))
            raise error
        await self._note(path, fields | {"state": "sent"})
        return TextReceipt(record.id, record.to, "sent")

    async def _not_sent(self, path: str, record: TextRecord, error: ToolError) -> TextReceipt:
        if error.partial_side_effects:
            await self._note(path, _failure(error) | {"state": "unknown"})
            raise ToolError(
                ErrorType.TRANSIENT,
                text_answers.MAY_BE_SENT,
                retryable=True,
                partial_side_effects=True,
                detail=error.detail,
            ) from error
        if error.type is ErrorType.RATE_LIMIT and not record.is_secret:
            pause = min(LONGEST_PAUSE, timedelta(seconds=_FIRST_PAUSE_S * 2 ** min(record.attempt - 1, 10)))
            waiting = _failure(error) | {"state": "todo", "notBefore": self._clock.now() + pause}
            if await self._note(path, waiting):
                return TextReceipt(record.id, record.to, "queued")
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


def _failure(error: ToolError) -> JsonObject:
    return {"state": "failed", "error": {"type": error.type.value, "message": error.message}}
