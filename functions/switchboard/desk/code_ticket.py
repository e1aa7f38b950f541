"""A session's ticket: who was matched in it, and the sealed code that was sent to them.

One document, `tickets/verification:{sessionId}`: whatever is sent next takes the code's place, and whoever changes the
ticket first has used it.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from switchboard.contract.context import CallContext
from switchboard.contract.json import JsonObject
from switchboard.contract.standing import STANDING_LASTS
from switchboard.contract.store import Document
from switchboard.desk.caller import Caller

# Who asks again sooner has asked twice: the text is on its way, and a second one would void the first.
_ON_ITS_WAY = timedelta(seconds=30)


@dataclass(frozen=True, slots=True)
class CodeTicket:
    """A ticket as it is stored; times are aware.

    Attributes:
        caller_id: The record that was matched.
        phone: The number on file there, E.164.
        first_name: What to call them by.
        code_id: Of the code that was sent last; empty before the first. Tries are counted under it.
        sealed: That code, sealed.
        is_out: Whether its text was handed over.
        used_by: The call that used it; empty before.
    """

    caller_id: str
    phone: str | None
    first_name: str
    code_id: str
    sealed: str
    sent_at: datetime | None
    expires_at: datetime | None
    is_out: bool
    used_by: str

    def is_on_its_way(self, now: datetime) -> bool:
        """Whether a code that nobody has used was sent, or is being sent, less than 30 seconds ago."""
        return self.sent_at is not None and not self.used_by and now - self.sent_at < _ON_ITS_WAY

    def was_used_by(self, ctx: CallContext) -> bool:
        """Whether this very delivery used the code; a call without an id is never the same one."""
        return bool(ctx.facts.call_id) and self.used_by == ctx.facts.call_id


def matched(ctx: CallContext, caller: Caller) -> JsonObject:
    """Return the ticket of a caller who has just been matched, to whom nothing was sent yet."""
    return {
        "callerId": caller.id,
        "phone": caller.phone,
        "firstName": caller.first_name,
        "matchedAt": ctx.now,
        "expireAt": ctx.now + STANDING_LASTS,
    }


def ticket_path(ctx: CallContext) -> str:
    """Return the path of the ticket of a call's session."""
    return ctx.paths.document("tickets", f"verification:{ctx.facts.session_id}")


def binding(ctx: CallContext, caller_id: str, code_id: str) -> tuple[str, ...]:
    """Return what a code is good for: one business, one caller, one session, once."""
    return ctx.business.id, caller_id, ctx.facts.session_id, code_id


def read_ticket(document: Document | None, now: datetime) -> CodeTicket | None:
    """Return the ticket of a caller who was matched within the last 30 minutes."""
    data: JsonObject = document.data if document is not None else {}
    matched_at, caller_id = data.get("matchedAt"), data.get("callerId")
    if not isinstance(matched_at, datetime) or not isinstance(caller_id, str) or now - matched_at >= STANDING_LASTS:
        return None
    found = data.get("code")
    code: dict[str, Any] = found if isinstance(found, dict) else {}
    return CodeTicket(
        caller_id=caller_id,
        phone=data.get("phone"),
        first_name=str(data.get("firstName") or ""),
        code_id=str(code.get("id") or ""),
        sealed=str(code.get("sealed") or ""),
        sent_at=code.get("sentAt"),
        expires_at=code.get("expiresAt"),
        is_out=code.get("isOut") is True,
        used_by=str(code.get("usedBy") or ""),
    )
