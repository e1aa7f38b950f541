"""How long a session's document is kept, from its last use and not from its first; and what it says of who is served.

Whatever merges something into it says so with `in_use`, since a merge makes the document anew where it is gone already,
and one without an expiry would stay for ever.
"""

from datetime import datetime, timedelta
from typing import Final

from switchboard.contract.document import text
from switchboard.contract.json import JsonObject
from switchboard.contract.policy import LEDGER_DAYS
from switchboard.contract.store import DELETE_FIELD, Document

KEPT: Final = timedelta(days=LEDGER_DAYS)
BLOCKED_UNTIL: Final = "ignoredUntil"
"""The field that says until when nobody is answered in the conversation."""
PERSON_TURN: Final = "personTurn"
"""The field that names the turn in which a person of the business took the conversation over; 0 where nobody has.

Whether they answer still is told by its record, which is read where this is not 0.
"""
_PERSON_IN: Final = "personIn"


def in_use(now: datetime) -> JsonObject:
    """Return the field, to be merged into a session's document, by which it is kept from now on."""
    return {"expireAt": now + KEPT}


def person_answers(turn: int, record_id: str, now: datetime) -> JsonObject:
    """Return the fields, to be merged, that say that a person has taken the conversation of a record over in a turn."""
    return {PERSON_TURN: turn, _PERSON_IN: record_id, **in_use(now)}


def nobody_answers(now: datetime) -> JsonObject:
    """Return the fields, to be merged, that say that no person answers any more."""
    return {PERSON_TURN: 0, _PERSON_IN: DELETE_FIELD, **in_use(now)}


def record_with_person(session: Document | None) -> str:
    """Return the id of the record that a person has taken over, as a session's document says; empty where it does not.

    Whoever calls a tool may name any record, and answers in this session all the same.
    """
    return text(session.data.get(_PERSON_IN)) if session is not None else ""
