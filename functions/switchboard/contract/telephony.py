"""What the phone network tells about a text message."""

from datetime import datetime
from enum import StrEnum

from switchboard.contract.python.dataclass import dataclass


class TextStatus(StrEnum):
    """How far a text message has come, in the words that matter here."""

    ACCEPTED = "accepted"
    SENT = "sent"
    DELIVERED = "delivered"
    FAILED = "failed"


@dataclass(frozen=True, slots=True, kw_only=True)
class SentText:
    """One text message that the vendor has accepted; phone numbers are E.164, the time is aware."""

    id: str
    to: str
    sender: str
    body: str
    status: TextStatus
    at: datetime
