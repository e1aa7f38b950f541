"""A text message as the outbox keeps it: one document per effect, and what has become of it."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final, Literal, TypeAlias, get_args

from switchboard.contract.document import integer, moment
from switchboard.contract.json import JsonObject
from switchboard.desk.derived_id import derived_id
from switchboard.desk.messaging.due_times import DUE

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
    return _CODE.sub(lambda found: "*" * len(found[0]), body)
