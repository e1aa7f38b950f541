"""Callers whom the business was warned about, and callers who get no conversation for a while.

Seed 004 (`flag_caller`) and seed 003 (`ignore_user`). Both stand in the caller's record, where an owner sees them and
may take them back; a caller whom no record can be found for is blocked in the session alone.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Final, TypeAlias

from switchboard.contract.context import CallContext, Context, PhoneContext
from switchboard.contract.error import ErrorType, ToolError
from switchboard.contract.json import JsonObject
from switchboard.contract.ports import BusinessPaths, Store
from switchboard.contract.store import Set, StoreError, Write
from switchboard.desk.caller import Caller
from switchboard.desk.callers import Callers, new_caller_id
from switchboard.desk.phone import caller_number

log = logging.getLogger(__name__)

LEAST_MINUTES: Final = 5
MOST_MINUTES: Final = 7 * 24 * 60

HangUp: TypeAlias = Callable[[CallContext], Awaitable[bool]]
"""Ends a phone call that no channel of ours carries; answers whether it was for it to do so."""


async def carried_by_the_channel(ctx: CallContext) -> bool:
    """Do nothing: the channel that carries the call applies the intent END_CALL."""
    return False


@dataclass(frozen=True, slots=True)
class Flagged:
    """What a flag did: the records it stands in (none for a withheld number), and whether the call is ending."""

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
        """Flag whoever is calling and let the phone call end; an unknown number gets a record.

        Every record of the number is flagged, since nobody knows which of a family is calling. How far the carrier
        vouched for the number is kept beside the flag: a number can be forged to harm whom it belongs to.

        Raises:
            ToolError: VALIDATION without a reason; TRANSIENT with partial side effects when the store did not answer:
                flagging again is safe.
        """
        why = _filled(reason)
        facts = ctx.facts
        attestation = facts.attestation if isinstance(facts, PhoneContext) else None
        fields: JsonObject = {
            "flagged": True,
            "flagReason": why,
            "flaggedAt": ctx.now,
            "flaggedIn": {"sessionId": facts.session_id, "callId": facts.interaction_id, "attestation": attestation},
        }
        try:
            records = await self._records(ctx)
            if records:
                await self._store.commit([_merge(ctx, caller, fields) for caller in records])
        except StoreError as error:
            raise _unknown_outcome("flag", error) from error
        return Flagged(tuple(caller.id for caller in records), await self._is_ending(ctx))

    async def ignore(self, ctx: CallContext, minutes: int, reason: str) -> Ignored:
        """Block whoever is calling, on every channel, for so many minutes from now; a longer block stays as it is.

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
            records = await self._records(ctx)
            ends = [ctx.now + timedelta(minutes=minutes), *(c.blocked_until for c in records if c.blocked_until)]
            until = max(ends).astimezone(UTC)
            fields: JsonObject = {"blockedUntil": until, "blockReason": why, "blockedAt": ctx.now}
            writes: list[Write] = [_merge(ctx, caller, fields) for caller in records]
            # The session as well: whoever has no number and no record could go on talking in it otherwise.
            session = ctx.paths.document("sessions", ctx.facts.session_id)
            writes.append(Set(session, {"ignoredUntil": until}, merge=True))
            await self._store.commit(writes)
        except StoreError as error:
            raise _unknown_outcome("block", error) from error
        return Ignored(until, tuple(caller.id for caller in records))

    async def is_ignored(self, paths: BusinessPaths, facts: Context, now: datetime) -> bool:
        """Tell whether whoever is on a channel gets no conversation now; asked before each turn is answered."""
        return await self.ignored_until(paths, facts, now) is not None

    async def ignored_until(self, paths: BusinessPaths, facts: Context, now: datetime) -> datetime | None:
        """Return until when (UTC) whoever is on a channel gets no conversation; None if they do, or nobody can say.

        Without the store everybody is served: a rude caller too many is better than a business that is silent.
        """
        try:
            session, records = await asyncio.gather(
                self._store.get(paths.document("sessions", facts.session_id)), self._known(paths, facts)
            )
        except StoreError as error:
            log.warning("blocks cannot be read", extra={"reason": type(error).__name__})
            return None
        said = session.data.get("ignoredUntil") if session is not None else None
        ends = [caller.blocked_until for caller in records if caller.blocked_until is not None]
        if isinstance(said, datetime) and said.tzinfo is not None:
            ends.append(said)
        latest = max(ends, default=None)
        return latest.astimezone(UTC) if latest is not None and latest > now else None

    async def _records(self, ctx: CallContext) -> list[Caller]:
        """Return the records of whoever is calling; a number without one stands for the record it is about to get."""
        found = await self._known(ctx.paths, ctx.facts)
        number = caller_number(ctx.facts.caller_phone)
        return found or ([Caller(id=new_caller_id(number), phone=number)] if number else [])

    async def _known(self, paths: BusinessPaths, facts: Context) -> list[Caller]:
        if facts.caller_verified and facts.caller_id:
            return await self._callers.of_id(paths, facts.caller_id)
        return await self._callers.of_number(paths, facts.caller_phone)

    async def _is_ending(self, ctx: CallContext) -> bool:
        """Tell whether the call ends: the channel ends it by the intent, and what no channel carries is hung up."""
        try:
            await self._hang_up(ctx)
        except ToolError as error:
            # The flag stands all the same, and the model can still say goodbye.
            log.warning("flagged call not hung up", extra={"type": error.type.value, "pii.detail": error.detail})
            return False
        return True


def _merge(ctx: CallContext, caller: Caller, fields: JsonObject) -> Write:
    # The number too: for a record that did not exist it is all there is, and for the others it is what stands there.
    known = {"phone": caller.phone} if caller.phone and not caller.name else {}
    return Set(ctx.paths.document("callers", caller.id), known | fields, merge=True)


def _filled(reason: str) -> str:
    why = " ".join(reason.split())
    if not why:
        raise ToolError(ErrorType.VALIDATION, "reason is empty. Say in a few words what the caller did.")
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
