"""The same text or message from the same caller in another conversation: within ten minutes it is the same one.

Whoever is cut off and calls again, or writes in the portal what they have just said on the phone, asks for nothing new.
One ticket a caller and content says which document of the outbox holds it; only a hash of both is kept.
"""

import hashlib
from datetime import datetime, timedelta

from switchboard.contract.context import CallContext
from switchboard.contract.python.dataclass import dataclass
from switchboard.contract.store import Create, Document, Update

WITHIN = timedelta(minutes=10)


@dataclass(frozen=True, slots=True)
class Duplicate:
    """What a text or a message would be the same as.

    Attributes:
        path: The ticket's.
        id: The document of the outbox that is about to be written.
        session_id: The conversation that it is asked for in.
        now: When.
    """

    path: str
    id: str
    session_id: str
    now: datetime

    def earlier(self, ticket: Document | None) -> str | None:
        """Return the id of the same thing, from another conversation and a moment ago; None where there is none."""
        if ticket is None or ticket.data.get("sessionId") == self.session_id:
            return None
        at, id = ticket.data.get("at"), ticket.data.get("outboxId")
        is_recent = isinstance(at, datetime) and abs(self.now - at) < WITHIN
        return id if is_recent and isinstance(id, str) and id != self.id else None

    def write(self, ticket: Document | None) -> Create | Update:
        """Return what notes it beside its document, unless another conversation has been quicker since `ticket`.

        It is then `AlreadyExists` or `Stale`, and so is the commit that it stands in.
        """
        fields = {"outboxId": self.id, "sessionId": self.session_id, "at": self.now, "expireAt": self.now + WITHIN}
        if ticket is None:
            return Create(self.path, fields)
        return Update(self.path, fields, if_update_time=ticket.update_time)


def twin_of(ctx: object, id: str, *content: str | None, to: str = "") -> Duplicate | None:
    """Return what is looked for before something is sent or left.

    Args:
        ctx: For whom; only a caller's call has twins, an owner's trial none.
        id: The document of the outbox that would be written.
        content: Everything that two equal ones have in common.
        to: Whom it goes to where that is the caller, who is known by it if the channel shows nobody.
    """
    if not isinstance(ctx, CallContext) or ctx.facts.is_trial or ctx.repeats_freely:
        return None
    caller = ctx.facts.verified_phone or ctx.facts.caller_phone or ctx.facts.caller_id or to
    if not caller:
        # Of two strangers who show nothing, each has left their own.
        return None
    text = "\x1f".join((str(caller), *(part or "" for part in content)))
    digest = hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:40]
    return Duplicate(ctx.paths.document("tickets", f"twin:{digest}"), id, ctx.facts.session_id, ctx.now)
