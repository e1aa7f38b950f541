"""Callers whom the business was warned about, and callers who get no conversation for a while.

Seed 004 (`flag_caller`) and seed 003 (`ignore_user`). A phone call whose carrier vouches for its number in full binds
that number: what was decided stands in the caller's record, where an owner sees it and may take it back. Every other
conversation binds itself alone, and it stands in its session: a number can be forged to harm whom it belongs to.
"""

import asyncio
import logging
import re
from collections.abc import Awaitable, Callable, Sequence
from datetime import UTC, datetime, timedelta
from typing import Final, TypeAlias

from switchboard.contract.caller.strangers import vouched_number
from switchboard.contract.context import CallContext, Context, PhoneContext
from switchboard.contract.document import moment
from switchboard.contract.error import ErrorType, ToolError
from switchboard.contract.json import JsonObject
from switchboard.contract.ports import BusinessPaths, Clock, Paths, Store
from switchboard.contract.python.dataclass import dataclass
from switchboard.contract.session_use import BLOCKED_UNTIL, in_use
from switchboard.contract.store import Document, Set, StoreError, Write
from switchboard.desk.callers.callers import Caller, Callers
from switchboard.desk.contact.phone import caller_number

log = logging.getLogger(__name__)

LEAST_MINUTES: Final = 5
MOST_MINUTES: Final = 7 * 24 * 60
CUSTOMER_FLAGGED_FOR: Final = timedelta(hours=24)
"""So long a flag holds of somebody who is on file by name, unless a person of the business flags them as well."""
# "Spam" says of a stranger all there is to say; what keeps a customer out says what they did.
_LEAST_WORDS: Final = 2

HangUp: TypeAlias = Callable[[CallContext], Awaitable[bool]]
"""Ends a phone call that no channel of ours carries; answers whether it was for it to do so."""


async def carried_by_the_channel(ctx: CallContext) -> bool:
    """Do nothing: the channel that carries the call applies the intent END_CALL."""
    return False


@dataclass(frozen=True, slots=True)
class Flagged:
    """What a flag did: the records it stands in (none where it binds this call alone), and whether the call ends."""

    caller_ids: tuple[str, ...]
    is_ending: bool


@dataclass(frozen=True, slots=True)
class Ignored:
    """A block: until when it lasts (UTC), and the records it stands in; none means this session alone."""

    until: datetime
    caller_ids: tuple[str, ...]


class Moderation:
    """Flags and blocks callers, and tells who is blocked."""

    def __init__(self, store: Store, callers: Callers, hang_up: HangUp = carried_by_the_channel) -> None:
        """Write to `store`; `hang_up` ends calls that other systems carry."""
        self._store, self._callers, self._hang_up = store, callers, hang_up

    async def flag(self, ctx: CallContext, reason: str) -> Flagged:
        """Flag whoever is calling and let the phone call end; an unknown number that is vouched for gets a record.

        Every record of the number is flagged, since nobody knows which of a family is calling. A model may be wrong
        about a customer: theirs holds for a day (`CUSTOMER_FLAGGED_FOR`), in which people at the business see it. What
        holds for longer stays.

        Raises:
            ToolError: VALIDATION without a reason, and of a customer without one of some words; TRANSIENT with partial
                side effects when the store did not answer: flagging again is safe.
        """
        why, facts = _filled(reason), ctx.facts
        attestation = facts.attestation if isinstance(facts, PhoneContext) else None
        flag: JsonObject = {"flagged": True, "flagReason": why, "flaggedAt": ctx.now}
        place = {"sessionId": facts.session_id, "callId": facts.interaction_id, "attestation": attestation}
        try:
            records = await self._records(ctx)
            if any(caller.name for caller in records):
                _filled(reason, least_words=_LEAST_WORDS)
            writes = [
                _merge(ctx, caller, flag | {"flaggedIn": place} | _until(caller, ctx.now))
                for caller in records
                if not (caller.name and caller.is_flagged and caller.flagged_until is None)
            ]
            # The session as well: it is all that an unattested call binds.
            session = ctx.paths.document("sessions", facts.session_id)
            await self._store.commit([*writes, Set(session, flag | in_use(ctx.now), merge=True)])
        except StoreError as error:
            raise _unknown_outcome("flag", error) from error
        return Flagged(tuple(caller.id for caller in records), await self._is_ending(ctx))

    async def ignore(self, ctx: CallContext, minutes: int, reason: str) -> Ignored:
        """Block whoever is calling for so many minutes from now; a longer block stays as it is.

        A number that is vouched for is blocked on every channel; every other conversation is the only one blocked.

        Raises:
            ToolError: VALIDATION for a duration out of bounds or without a reason; TRANSIENT with partial side effects
                when the store did not answer: blocking again is safe.
        """
        why = _filled(reason)
        if not LEAST_MINUTES <= minutes <= MOST_MINUTES:
            raise ToolError(
                ErrorType.VALIDATION, f"A caller can be ignored for {LEAST_MINUTES} to {MOST_MINUTES} minutes."
            )
        try:
            session = ctx.paths.document("sessions", ctx.facts.session_id)
            own, records = await asyncio.gather(self._store.get(session), self._records(ctx))
            ends = [ctx.now + timedelta(minutes=minutes), *_ends(own, records)]
            until = max(ends).astimezone(UTC)
            fields: JsonObject = {"blockedUntil": until, "blockReason": why, "blockedAt": ctx.now}
            where = {"blockedIn": {"sessionId": ctx.facts.session_id}}
            writes: list[Write] = [_merge(ctx, caller, fields | where) for caller in records]
            # The session as well: it is all that an unattested conversation binds.
            ignored = {BLOCKED_UNTIL: until, "ignoreReason": why, "ignoredAt": ctx.now}
            writes.append(Set(session, ignored | in_use(ctx.now), merge=True))
            await self._store.commit(writes)
        except StoreError as error:
            raise _unknown_outcome("block", error) from error
        return Ignored(until, tuple(caller.id for caller in records))

    async def is_blocked(self, paths: Paths, clock: Clock, facts: Context, until: datetime | None) -> bool:
        """Tell whether whoever is on a channel gets no conversation now; asked before each turn is answered.

        The session has been read, which says that it is blocked `until` then, or none. Without the store everybody is
        served whom the session does not block: a rude caller too many is better than a business that is silent.
        """
        now = clock.now()
        try:
            is_read = until is not None and until > now
            records = [] if is_read else await self._known(paths.within(facts.business_id), facts)
        except StoreError as error:
            log.warning("blocks cannot be read", extra={"reason": type(error).__name__})
            return False
        return any(end > now for end in (until, *(caller.blocked_until for caller in records)) if end is not None)

    async def turned_away(self, paths: BusinessPaths, facts: Context, now: datetime, *, is_new: bool = False) -> bool:
        """Tell whether whoever is calling gets no conversation: blocked for a while, or flagged. Never raises.

        Without the store everybody is served: a rude caller too many is better than a business that is silent. Where
        `is_new` says that the call has just begun, nothing is asked about the call itself.
        """
        try:
            session, of_number, known = await asyncio.gather(
                _nothing() if is_new else self._store.get(paths.document("sessions", facts.session_id)),
                self._callers.of_number(paths, facts.caller_phone),
                self._verified(paths, facts),
            )
        except StoreError as error:
            log.warning("blocks and flags cannot be read", extra={"reason": type(error).__name__})
            return False
        ends = _ends(session, of_number if known is None else known)
        return _is_flagged(session, of_number, now) or any(end > now for end in ends)

    async def _records(self, ctx: CallContext) -> list[Caller]:
        """Return the records that this conversation may bind: of the number that is vouched for, and of no other.

        A number without one stands for the record that it is about to get. Of a number that several people share, a
        verified caller is bound alone.
        """
        number = caller_number(vouched_number(ctx.facts))
        if number is None:
            return []
        callers = await self._callers.of_number(ctx.paths, number)
        if not callers:
            return [Caller(id=await self._callers.new_id(ctx.paths, number), phone=number)]
        verified = ctx.facts.caller_id if ctx.facts.caller_verified else None
        return [caller for caller in callers if caller.id == verified] or callers

    async def _known(self, paths: BusinessPaths, facts: Context) -> list[Caller]:
        known = await self._verified(paths, facts)
        return await self._callers.of_number(paths, facts.caller_phone) if known is None else known

    async def _verified(self, paths: BusinessPaths, facts: Context) -> list[Caller] | None:
        """Return the record of somebody who has shown who they are; None where nobody has."""
        if not facts.caller_verified or not facts.caller_id:
            return None
        return await self._callers.of_id(paths, facts.caller_id)

    async def _is_ending(self, ctx: CallContext) -> bool:
        """Tell whether the call ends: the channel ends it by the intent, and what no channel carries is hung up."""
        try:
            await self._hang_up(ctx)
        except ToolError as error:
            # The flag stands all the same, and the model can still say goodbye.
            log.warning("flagged call not hung up", extra={"type": error.type.value, "pii.detail": error.detail})
            return False
        return True


async def _nothing() -> None:
    """Stand for a document that cannot be there."""


def _until(caller: Caller, now: datetime) -> JsonObject:
    """Return how long a model's flag holds, as it is written down; nothing where that is for good."""
    return {"flaggedUntil": now + CUSTOMER_FLAGGED_FOR} if caller.name else {}


def _ends(session: Document | None, records: Sequence[Caller]) -> list[datetime]:
    """Return until when the blocks of a session and of records last."""
    ends = [moment(session.data.get(BLOCKED_UNTIL)) if session is not None else None]
    return [end for end in (*ends, *(caller.blocked_until for caller in records)) if end is not None]


def _is_flagged(session: Document | None, records: Sequence[Caller], now: datetime) -> bool:
    is_own = session is not None and session.data.get("flagged") is True
    return is_own or any(caller.is_flagged_at(now) for caller in records)


def _merge(ctx: CallContext, caller: Caller, fields: JsonObject) -> Write:
    # The number too: for a record that did not exist it is all there is, and for the others it is what stands there.
    known = {"phone": caller.phone, "phoneNormalised": caller.phone} if caller.phone and not caller.name else {}
    return Set(ctx.paths.document("callers", caller.id), known | fields, merge=True)


def _filled(reason: str, least_words: int = 1) -> str:
    why = " ".join(reason.split())
    if len(re.findall(r"[^\W\d_]{2,}", why)) < least_words:
        words = "reason is empty" if not why else "reason says too little for people to judge by it"
        raise ToolError(ErrorType.VALIDATION, f"{words}. Say in a few words what the caller did.")
    return why


def _unknown_outcome(what: str, error: StoreError) -> ToolError:
    return ToolError(
        ErrorType.TRANSIENT,
        f"It is not known whether the {what} was stored. Calling once more with the same arguments is safe; if that "
        "fails too, end the conversation politely.",
        retryable=True,
        partial_side_effects=True,
        detail=repr(error),
    )


class CallerScreening:
    """Knows callers."""

    def __init__(self, moderation: Moderation) -> None:
        """Ask `moderation` who is blocked and flagged."""
        self._moderation = moderation

    def caller_number(self, text: str | None) -> str | None:
        """Return the caller's number in E.164 as the phone network signalled it, None where it did not."""
        return caller_number(text)

    async def turned_away(self, paths: BusinessPaths, facts: Context, now: datetime, *, is_new: bool = False) -> bool:
        """Tell whether this caller gets no conversation: blocked for a while, or flagged. Never raises."""
        return await self._moderation.turned_away(paths, facts, now, is_new=is_new)
