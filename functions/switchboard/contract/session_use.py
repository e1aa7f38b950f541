"""How long a session's document is kept, from its last use and not from its first; and what it says of who is served.

Whatever merges something into it says so with `in_use`, since a merge makes the document anew where it is gone already,
and one without an expiry would stay for ever.
"""

from datetime import datetime, timedelta
from typing import Final

from switchboard.contract.json import JsonObject
from switchboard.contract.policy import LEDGER_DAYS

KEPT: Final = timedelta(days=LEDGER_DAYS)
BLOCKED_UNTIL: Final = "ignoredUntil"
"""The field that says until when nobody is answered in the conversation."""
PERSON_TURN: Final = "personTurn"
"""The field that names the turn in which a person of the business took the conversation over; 0 where nobody has.

Whether they answer still is told by its record, which is read where this is not 0.
"""


def in_use(now: datetime) -> JsonObject:
    """Return the field, to be merged into a session's document, by which it is kept from now on."""
    return {"expireAt": now + KEPT}
