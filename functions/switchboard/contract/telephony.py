"""What the phone network tells about a text message."""

from datetime import datetime
from enum import StrEnum
from typing import Final

from switchboard.contract.python.dataclass import dataclass

TELL_INSTEAD: Final = "Say what the text would have told."
"""How the words for a model end that tell that a text was not sent; what was not for the caller ends in others."""

BAD_NUMBER: Final = "number"
"""The reason of a refusal because of a number that nobody can call as it was told: it is asked for once more."""


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
