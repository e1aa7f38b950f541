"""Messages: what a caller wants the business to know when nothing more can be done in the conversation itself.

A message is one document of the outbox, written before the caller is told that it was
taken. Bringing it to the owner is for whoever drains the outbox; from `todo` it can be brought any time later.
"""

import unicodedata
from dataclasses import replace
from datetime import datetime, timedelta

from switchboard.contract.caller.outside_id import is_blank
from switchboard.contract.caller.strangers import is_stranger
from switchboard.contract.context import CallContext
from switchboard.contract.error import ErrorType, ToolError
from switchboard.contract.json import JsonObject
from switchboard.contract.policy import OUTBOX_DAYS, Thing
from switchboard.contract.python.dataclass import dataclass
from switchboard.contract.store import AlreadyExists, Create, Document, Stale, Unavailable
from switchboard.desk.contact.phone import costly_numbers, to_e164
from switchboard.desk.derived_id import derived_id
from switchboard.desk.limits.claim import CLAIMED_BY, Claim, claimants, joining
from switchboard.desk.limits.rate_limits import RateLimits
from switchboard.desk.messaging.due_times import DUE
from switchboard.desk.messaging.duplicates import Duplicate, twin_of


@dataclass(frozen=True, slots=True)
class TakenMessage:
    """A message that the business has.

    Attributes:
        id: `msg_` and 20 characters derived from the wish.
        caller_name: Who left it, on one line.
        callback_phone: Where to call back, E.164; None where nobody knows.
        repeated: Whether it had been taken before this call.
        costly: Numbers in it, E.164, that cost whoever calls them extra.
    """

    id: str
    caller_name: str
    callback_phone: str | None
    repeated: bool
    costly: tuple[str, ...] = ()


# The same caller's other conversation can stand in the way once, be decided on meanwhile, and be found gone once.
_ATTEMPTS = 5
# Until it is known that a stranger's message was not one too many, nobody brings it.
_COUNTED_WITHIN = timedelta(seconds=5)
# By then it is, whatever the clock of whoever counted it.
_DECIDED_WITHIN = timedelta(minutes=1)


class Messages:
    """Takes messages for the business."""

    def __init__(self, limits: RateLimits) -> None:
        """Keep them in the store that `limits` counts in: what a stranger leaves is written as it is counted."""
        self._limits = limits

    async def take(
        self,
        ctx: CallContext,
        caller_name: str,
        message: str,
        callback_phone: str | None = None,
        *,
        callback_email: str | None = None,
        is_urgent: bool = False,
    ) -> TakenMessage:
        """Store a message durably, or return the one this wish has left before, with `repeated` set.

        Args:
            ctx: The call; its trusted phone number is where to call back, unless the caller names another.
            caller_name: As the caller told it.
            message: In the caller's words.
            callback_phone: In any spelling that can be dialled where the business is.
            callback_email: Where to write to.
            is_urgent: Whether it cannot wait, as the caller says.

        Raises:
            ToolError: VALIDATION for an empty name or message or an unusable number; TRANSIENT, with partial side
                effects, when the store did not say whether it was written: asking again is safe. RATE_LIMIT when a
                caller who is not verified has left as many as such callers may.
        """
        taken = TakenMessage(
            id=message_id(ctx.effect_key),
            caller_name=_filled("caller_name", " ".join(caller_name.split())),
            callback_phone=to_e164(callback_phone, ctx.business) if callback_phone else ctx.facts.caller_phone,
            repeated=False,
        )
        left = f"{taken.callback_phone or ''}\n{taken.caller_name}\n{message}"
        taken = replace(taken, costly=tuple(costly_numbers(left, ctx.business)))
        document = _document(ctx, taken) | {"text": _filled("message", message.strip())}
        document |= {"callbackEmail": callback_email} if callback_email else {}
        document |= {"urgency": "urgent"} if is_urgent else {}
        wording = (document["text"], taken.caller_name, taken.callback_phone, callback_email, document.get("urgency"))
        twin = twin_of(ctx, taken.id, "message", *wording)
        try:
            return await self._left(ctx, taken, document, twin)
        except Unavailable as error:
            raise ToolError(
                ErrorType.TRANSIENT,
                "It is not known whether the message was taken. Do not say that it was. Taking exactly the same "
                "message again is safe; if that fails too, apologise.",
                retryable=True,
                partial_side_effects=True,
                detail=repr(error),
            ) from error

    async def _left(
        self, ctx: CallContext, taken: TakenMessage, document: JsonObject, twin: Duplicate | None
    ) -> TakenMessage:
        """Write a message down, or return the one that it is the same as.

        Raises:
            StoreError: Nobody knows whether it was written.
        """
        path, store = ctx.paths.document("outbox", taken.id), self._limits.store
        ticket: Document | None = None
        there: Document | None = None
        for _ in range(_ATTEMPTS):
            if there is not None and not _is_undecided(there, taken.id, ctx.now):
                return replace(taken, id=there.id, repeated=True)
            beside, before = ((twin.write(ticket),), (ticket,)) if twin is not None else ((), ())
            own = Claim(Create(path, document), beside=beside, before=before, by=taken.id)
            claim = joining(there, taken.id) if there is not None else own
            try:
                await self._limits.spend_as_stranger(ctx, Thing.OWNER_MESSAGES, claim)
            except (AlreadyExists, Stale):
                if twin is None:
                    return replace(taken, repeated=True)
                there, ticket = await store.get_many([path, twin.path])
                earlier = twin.earlier(ticket)
                if there is None and earlier is not None:
                    # A ticket may outlast what it names: that was one too many, and taken back.
                    there = await store.get(ctx.paths.document("outbox", earlier))
            else:
                return taken if there is None else replace(taken, id=there.id, repeated=True)
        raise Unavailable(f"its twin keeps changing: {path}")


def _is_undecided(document: Document, by: str, now: datetime) -> bool:
    """Tell whether a message may still turn out to be one too many for whoever leaves it, who then takes it back.

    Whoever relies on it has to want it as well: by words that are taken back nobody has left anything.
    """
    created, wanted_by = document.data.get("createdAt"), claimants(document)
    if document.data.get("state") != "todo" or not wanted_by or by in wanted_by:
        return False
    return isinstance(created, datetime) and abs(now - created) < _DECIDED_WITHIN


def message_id(effect_key: str) -> str:
    """Return `msg_` and 20 lower-case base32hex characters, the same for the same wish."""
    return derived_id("msg_", effect_key)


def _document(ctx: CallContext, taken: TakenMessage) -> JsonObject:
    """Return a message as it stands in the outbox, without its words."""
    facts = ctx.facts
    document: JsonObject = {
        "id": taken.id,
        "kind": "message",
        "state": "todo",
        "businessId": ctx.business.id,
        "callerName": taken.caller_name,
        "callbackPhone": taken.callback_phone,
        # What the channel vouches for, which the number to call back on need not be.
        "callerPhone": facts.caller_phone,
        "language": ctx.business.language,
        "createdAt": ctx.now,
        DUE: ctx.now,
        "expireAt": ctx.now + timedelta(days=OUTBOX_DAYS),
        "sessionId": facts.session_id,
        "channel": facts.channel.value,
        "callId": facts.interaction_id,
        "effectKey": ctx.effect_key,
    }
    if is_stranger(facts, ctx.business):
        counted_by = ctx.now + _COUNTED_WITHIN
        document |= {"byStranger": True, "notBefore": counted_by, DUE: counted_by, CLAIMED_BY: [taken.id]}
    return document


def _filled(name: str, text: str) -> str:
    text = unicodedata.normalize("NFC", text)
    if is_blank(text):
        raise ToolError(ErrorType.VALIDATION, f"{name} is empty. Ask the caller for it.")
    return text
