"""A session's ticket: who was matched in it, if anybody was, and the sealed code that was sent to them.

One document, `tickets/verification:{sessionId}`: whatever is sent next takes the code's place, and whoever changes the
ticket first has used it.
"""

import hashlib
import hmac
import json
from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

from switchboard.contract.caller.caller_identity import STANDING_LASTS, may_be_same, place_of
from switchboard.contract.context import CallContext, Context
from switchboard.contract.document import mapping, moment, text
from switchboard.contract.json import JsonObject
from switchboard.contract.ports import BusinessPaths
from switchboard.contract.python.dataclass import dataclass
from switchboard.contract.store import Document
from switchboard.desk.callers.callers import Caller

# Who asks again sooner has asked twice: the text is on its way, and a second one would void the first.
_ON_ITS_WAY = timedelta(seconds=30)

_LEAST_PEPPER = 16


@dataclass(frozen=True, slots=True)
class ShownThen:
    """What a call showed that did something in the session.

    Attributes:
        place: Where it was made; empty where that was not written down.
        number: From which number; None where it showed none.
    """

    place: str = ""
    number: str | None = None

    @classmethod
    def read(cls, data: Mapping[str, Any]) -> "ShownThen":
        """Return it as `fields` has written it down."""
        return cls(text(data.get("place")), text(data.get("callerPhone")) or None)

    @staticmethod
    def fields(facts: Context) -> JsonObject:
        """Return what a call shows, to be written down."""
        return {"place": place_of(facts.channel), "callerPhone": facts.shown_phone}

    def may_be(self, facts: Context) -> bool:
        """Tell whether a call may be made by the same person; of one in another place its number tells nothing."""
        place = place_of(facts.channel)
        return self.place != place or may_be_same(place, self.number, facts.shown_phone)


@dataclass(frozen=True, slots=True)
class CodeState:
    """A ticket as it is stored; times are aware.

    Attributes:
        caller_id: The record that was matched; empty where what was said fits nobody.
        phone: The number on file there, E.164; None where there is none.
        first_name: What to call them by.
        counted_for: What was said, as far as codes are counted by it; empty where that is the number alone.
        code_id: Of the code that was asked for last; empty before the first. Tries are counted under it.
        sealed: That code, sealed; empty until it is about to be sent, and for ever where there is nobody to send it to.
        sent_at: When it was asked for.
        used_by: The call that used it; empty before.
        matched_by: What the call showed in which somebody told who they are.
        asked_by: What that showed which asked for the code.
        language: In which that was asked for, so that the text is in it; empty for the business's.
    """

    caller_id: str
    phone: str | None
    first_name: str
    counted_for: str
    code_id: str
    sealed: str
    sent_at: datetime | None
    expires_at: datetime | None
    used_by: str
    matched_by: ShownThen
    asked_by: ShownThen
    language: str = ""

    def is_on_its_way(self, now: datetime) -> bool:
        """Whether a code that nobody has used was asked for less than 30 seconds ago."""
        return self.sent_at is not None and not self.used_by and now - self.sent_at < _ON_ITS_WAY

    def is_of(self, facts: Context) -> bool:
        """Whether a call may be made by whoever told who they are and asked for the code, by what it shows."""
        return self.matched_by.may_be(facts) and self.asked_by.may_be(facts)

    def was_used_by(self, ctx: CallContext) -> bool:
        """Whether this very delivery used the code; a call without an id is never the same one."""
        return bool(ctx.facts.call_id) and self.used_by == ctx.facts.call_id


def matched(ctx: CallContext, caller: Caller | None, counted_for: str) -> JsonObject:
    """Return the ticket of somebody who has just told who they are, to whom nothing was sent yet.

    Where what they said fits nobody, it is the same ticket of nobody.
    """
    return {
        "callerId": caller.id if caller else "",
        "phone": caller.phone if caller else None,
        "firstName": caller.first_name if caller else "",
        "countedFor": counted_for,
        **ShownThen.fields(ctx.facts),
        "matchedAt": ctx.now,
        "expireAt": ctx.now + STANDING_LASTS,
    }


def ticket_path(paths: BusinessPaths, session_id: str) -> str:
    """Return the path of a session's ticket."""
    return paths.document("tickets", f"verification:{session_id}")


def binding(business_id: str, session_id: str, ticket: CodeState) -> tuple[str, ...]:
    """Return what a code is good for: one business, one caller, one session, once."""
    return business_id, ticket.caller_id, session_id, ticket.code_id


def read_ticket(document: Document | None, now: datetime) -> CodeState | None:
    """Return the ticket of whoever told within the last 30 minutes who they are."""
    data: JsonObject = document.data if document is not None else {}
    matched_at, caller_id, code = moment(data.get("matchedAt")), data.get("callerId"), mapping(data.get("code"))
    # A ticket that names nobody is one all the same: who is not on file is told what others are.
    if matched_at is None or not isinstance(caller_id, str) or now - matched_at >= STANDING_LASTS:
        return None
    return CodeState(
        caller_id=caller_id,
        phone=data.get("phone"),
        first_name=str(data.get("firstName") or ""),
        counted_for=str(data.get("countedFor") or ""),
        code_id=str(code.get("id") or ""),
        sealed=str(code.get("sealed") or ""),
        sent_at=code.get("sentAt"),
        expires_at=code.get("expiresAt"),
        used_by=str(code.get("usedBy") or ""),
        matched_by=ShownThen.read(data),
        asked_by=ShownThen.read(code),
        language=text(code.get("language")),
    )


class CodeHash:
    """Seals codes with a key that is not in the store: of a bare hash, six digits are guessed in a moment."""

    def __init__(self, pepper: bytes) -> None:
        """Use a secret of at least 16 bytes, the same in every instance.

        Raises:
            ValueError: It is shorter.
        """
        if len(pepper) < _LEAST_PEPPER:
            raise ValueError(f"the pepper has {len(pepper)} bytes; use at least {_LEAST_PEPPER}")
        self._pepper = pepper

    def seal(self, code: str, *bound_to: str) -> str:
        """Return the HMAC-SHA256, as hex, of a code for one business, caller, session and occasion."""
        # As JSON: joined plainly, ("a", "bc") and ("ab", "c") would be the same.
        text = json.dumps([*bound_to, code], ensure_ascii=True)
        return hmac.new(self._pepper, text.encode(), hashlib.sha256).hexdigest()

    def opens(self, sealed: str, code: str, *bound_to: str) -> bool:
        """Tell, in constant time, whether this is the code that was sealed for exactly this."""
        return hmac.compare_digest(sealed.encode("utf-8", "replace"), self.seal(code, *bound_to).encode())
