"""The ledger: one document per call, created before anything runs and completed afterwards; it is the audit as well.

Admission and settlement are one commit each: a read-write transaction collapses under
contention, a batch of `create` and increments does not, and the increments bring the turn's counts back.
"""

from dataclasses import replace
from datetime import datetime, timedelta

from switchboard.contract import policy
from switchboard.contract.json import JsonObject
from switchboard.contract.ports import Paths, Store
from switchboard.contract.python.dataclass import dataclass
from switchboard.contract.session_use import in_use
from switchboard.contract.store import (
    AlreadyExists,
    Create,
    Delete,
    Document,
    Increment,
    Set,
    Stale,
    StoreError,
    Unavailable,
    Unsent,
    Update,
    Write,
)
from switchboard.pipeline.checks.checks import is_refused_anyway
from switchboard.pipeline.checks.session_active import ended_mark, ends_session
from switchboard.pipeline.checks.strangers import counted
from switchboard.pipeline.confirmation.approvals import Approvals
from switchboard.pipeline.confirmation.asked_call import AskedCall
from switchboard.pipeline.invocation import Invocation, TurnCounts
from switchboard.pipeline.ledger.answering import with_person
from switchboard.pipeline.ledger.at_once import SettledAtOnce
from switchboard.pipeline.ledger.due_calls import standing_in
from switchboard.pipeline.ledger.record import (
    MOST_RECOVERIES,
    arrival_of,
    closing,
    given_up,
    has_receipt,
    left_open_until,
    not_begun_yet,
    opening,
    pause_after,
    receipts_of,
    results_in,
    told_by,
)
from switchboard.pipeline.ledger.row import CallRow
from switchboard.pipeline.ledger.states import UNDONE, CallEvent, after, before
from switchboard.pipeline.ledger.turn_counts import (
    ARRIVALS,
    PENDING,
    Usage,
    consequences,
    counted_in,
    forgotten_turn,
    session_fields,
    taken,
    used,
)
from switchboard.pipeline.ledger.writer import CallWriter
from switchboard.pipeline.result.outcome import CallOutcome, failed, not_begun

# A caller's yes changes when it is used, by one call of several that share it too, and when it is taken back.
_ATTEMPTS = 7
_ONE = Increment(1)


@dataclass(frozen=True, slots=True)
class Met:
    """What admission found in its way: the call's own document, its wish's claim, or a session started elsewhere."""

    call: Document | None
    session: Document | None
    effect: Document | None = None


class Ledger:
    """Writes the ledger of every business through the store port."""

    def __init__(self, store: Store, paths: Paths) -> None:
        """Write as one instance, whose name a row tells while it works on it."""
        self._store, self._paths, self._writer = store, paths, CallWriter(store, paths)
        self._approvals, self.at_once = Approvals(store, paths), SettledAtOnce(self._writer)

    async def admit(self, invocation: Invocation) -> TurnCounts | Met:
        """Create the call's document and count it in its turn, in one commit; an action claims its wish as well.

        Returns:
            The turn's counts including this call, or what already stood in the way.

        Raises:
            StoreError: It has not been created, or, where `invocation.may_be_admitted`, may have been or may yet be.
        """
        session_path, call_path = self._writer.admitting(invocation)
        invocation.tally = counted(invocation, self._writer.within(invocation))
        for _ in range(_ATTEMPTS):
            spending = await self._approvals.spending(invocation)
            invocation.is_approved, invocation.agreed_facts = (
                spending is not None,
                spending.facts if spending is not None else 0,
            )
            invocation.is_agreed = invocation.is_approved
            # Of what is refused anyway nothing is begun, also where its own answer is lost: its row tells.
            invocation.is_refused_at_once = is_refused_anyway(invocation)
            invocation.is_marked_begun = invocation.is_marked_begun or invocation.is_refused_at_once
            writes = self._opening(invocation)
            at = len(writes)
            writes += invocation.tally.writes() if invocation.tally is not None else []
            writes += [spending.write] if spending is not None else []
            try:
                results = await self._writer.commit(invocation, session_path, writes)
            except Unavailable as error:
                invocation.may_be_admitted = not isinstance(error, Unsent)
                raise
            except AlreadyExists:
                invocation.is_approved = False
                asked = [call_path, session_path, *([self._effect(invocation)] if invocation.claims_wish else [])]
                return Met(*await self._store.get_many(asked))
            except Stale:
                if invocation.reclaims is not None:
                    # Another call of the same turn may have claimed it anew.
                    return Met(None, None, await self._store.get(self._effect(invocation)))
                # Somebody has used the yes, or taken it back, since it was read.
                continue
            invocation.row_time = results[0].update_time
            invocation.overdrawn = (
                tuple(invocation.tally.refusing(results[at:])) if invocation.tally is not None else ()
            )
            own = Usage(0, 0, through=taken(invocation).through)
            invocation.counted_through = own.through
            return await with_person(self._writer, invocation, counted_in(invocation, results[1].increments, own))
        raise Stale(f"what the caller agreed to kept changing: {session_path}")

    def _opening(self, invocation: Invocation) -> list[Write]:
        """Return the writes that record a call, count it in its turn, and claim its wish."""
        session, path = session_fields(invocation, taken(invocation)), self._session(invocation)
        writes: list[Write] = [
            Create(self._call(invocation), opening(invocation)),
            Create(path, session) if invocation.opens_session else Set(path, session, merge=True),
        ]
        if invocation.claims_wish:
            claim, earlier = self._claim(invocation), invocation.reclaims
            writes.append(
                Create(self._effect(invocation), claim)
                if earlier is None
                else Update(earlier.path, claim, if_update_time=earlier.update_time)
            )
        return writes

    async def begin(self, invocation: Invocation) -> None:
        """Note that a call is begun from here on, which may not be done twice.

        Raises:
            Stale: Others have taken it over, to whose clock its lease is over; they bring it to its end.
            StoreError: It may or may not stand there; nothing may be begun.
        """
        begun = after("started", CallEvent.BEGUN, "started", {"begunAt": invocation.now})
        (result,) = await self._store.commit(
            [Update(self._call(invocation), begun, if_update_time=invocation.row_time)]
        )
        invocation.row_time, invocation.is_refused_at_once = result.update_time, False

    async def settle(self, invocation: Invocation, outcome: CallOutcome, unless_since: datetime | None = None) -> None:
        """Complete the call's document with its outcome, and draw the consequences, in one commit.

        Raises:
            Stale: Its document was written since `unless_since`.
            StoreError: It may or may not be completed.
        """
        due = left_open_until(invocation, outcome)
        if due is not None:
            await self._leave_open(invocation, due)
            return
        usage, session_path = used(invocation, outcome), self._session(invocation)
        before = replace(taken(invocation), through=invocation.counted_through)
        turns: JsonObject = {str(invocation.facts.turn): consequences(invocation, usage, before)}
        if invocation.counts is not None and invocation.counts.calls <= 1:
            turns |= forgotten_turn(invocation)
        session: JsonObject = {"turns": turns} | receipts_of(invocation, outcome) | in_use(invocation.now)
        session |= _arriving(invocation, outcome) | told_by(invocation, outcome)
        if ends_session(invocation.facts.channel, outcome.response):
            session |= ended_mark(invocation.facts.channel, invocation.now)
        writes: list[Write] = [
            Update(self._call(invocation), closing(invocation, outcome, usage), if_update_time=unless_since),
            Set(session_path, session, merge=True),
        ]
        if invocation.claims_wish and outcome.state in UNDONE:
            # Nothing was done, so the wish may be made again.
            writes.append(Delete(self._effect(invocation)))
        if invocation.tally is not None and (outcome.state == "refused" or invocation.is_known):
            writes += invocation.tally.writes(-1)
        writes += self._approvals.propose(invocation)
        await self._writer.commit(invocation, session_path, writes, is_settling=True)
        invocation.counted_through = usage.through

    async def _leave_open(self, invocation: Invocation, due: datetime) -> None:
        """Leave a call, of which certainly nothing was done, to whoever looks when it is due, or has it by now."""
        fields = after("started", CallEvent.LEFT_OPEN, "started", {"dueAt": due, **not_begun_yet(invocation)})
        try:
            await self._store.commit([Update(self._call(invocation), fields, if_update_time=invocation.row_time)])
            invocation.is_left_open = True
        except Stale:
            invocation.is_lost = True

    async def settle_late(self, invocation: Invocation, outcome: CallOutcome) -> bool:
        """Settle a call whose settlement got no answer; False where nobody has to hear of it any more."""
        document = await self._store.get(self._call(invocation))
        if document is None or document.data.get("owner") != invocation.owner:
            return False
        invocation.is_in_doubt = invocation.is_in_doubt and not await self._was_made_again(invocation)
        if CallRow(document).state == "started":
            await self.settle(invocation, outcome, document.update_time)
            return True
        arriving = _arriving(invocation, outcome) if invocation.is_in_doubt else {}
        if not arriving or CallRow(document).state != outcome.state:
            return False
        # It got through, and whoever waited was told that nobody knows.
        await self._store.commit([Set(self._session(invocation), arriving | in_use(invocation.now), merge=True)])
        return True

    async def _was_made_again(self, invocation: Invocation) -> bool:
        """Tell whether a wish of which nobody knew was granted since: what came of its first call is no news then."""
        return invocation.arguments is not None and await self.is_done(invocation)

    async def call_of(self, invocation: Invocation, call_id: str) -> CallRow | None:
        """Return another call of the same session."""
        document = await self._store.get(self._writer.within(invocation).call(invocation.facts.session_id, call_id))
        return CallRow(document) if document is not None else None

    async def take_results(self, invocation: Invocation) -> list[JsonObject]:
        """Return what came of earlier calls of the conversation and was not told yet, each once; none on any trouble.

        Each is `{callId, tool, turn, response}`. Whoever misses one may deliver its call again, and is told.
        """
        try:
            session = await self._store.get(self._session(invocation))
            if session is None:
                return []
            own, others = results_in(session, invocation.facts.channel)
            taking = Update(session.path, {ARRIVALS: others, PENDING: len(others)}, if_update_time=session.update_time)
            await self._store.commit([taking])
        except StoreError:
            # Somebody else counts in the session at this moment: the next call is told.
            return []
        return own

    async def is_done(self, invocation: Invocation) -> bool:
        """Tell whether the session has a receipt for this very wish.

        Raises:
            StoreError: Nobody can tell.
        """
        return has_receipt(await self._store.get(self._session(invocation)), invocation)

    async def beside(self, invocation: Invocation) -> tuple[AskedCall, ...]:
        """Return the other calls of this turn that wait for a yes, and whose question this call can join.

        Raises:
            StoreError: They cannot be read.
        """
        return await self._approvals.beside(invocation)

    async def take_over(self, invocation: Invocation, row: CallRow) -> bool:
        """Make an abandoned call this instance's own; False when another instance was quicker."""
        self._writer.admitting(invocation)
        # What its row says of it is true as long as whoever begins it after all says so there.
        invocation.is_marked_begun = invocation.is_marked_begun or row.tells_begun
        invocation.counted_through = row.used.through
        invocation.is_refused_at_once = row.was_never_let_through
        invocation.is_agreed = row.agreed_facts is not None
        lease_until = invocation.now + timedelta(seconds=policy.CALL_LEASE_S)
        lease: JsonObject = {"owner": invocation.owner, "takenUpFrom": row.state, **row.due(lease_until)}
        event, claims = CallEvent.TAKEN_OVER, list[Write]()
        if row.is_queued:
            # That it was accepted stays its answer until there is another.
            event = CallEvent.CALLED_UP
        elif row.may_be_tried_again:
            event = CallEvent.TRIED_AGAIN
            lease |= {"response": None, **not_begun_yet(invocation)}
            claims += [Create(self._effect(invocation), self._claim(invocation))] if invocation.claims_wish else []
        else:
            # Counted before it is tried: what kills its process is not tried for ever.
            lease["recoveries"] = invocation.recoveries = row.recoveries + 1
        taken = after(row.state, event, "started", lease)
        try:
            own = Update(row.document.path, taken, if_update_time=row.document.update_time)
            results = await self._store.commit([own, *claims])
        except StoreError:
            return False
        invocation.row_time = results[0].update_time
        return True

    async def disown(self, invocation: Invocation) -> bool:
        """Take back an admission that got no answer and was followed by nothing; True when there is nothing left of it.

        The commit may have happened, or may happen yet: what it left would be found abandoned and carried out. Whoever
        was told that nobody knows is told that nothing was done.
        """
        document = await self._store.get(self._call(invocation))
        invocation.is_in_doubt = invocation.is_in_doubt and not await self._was_made_again(invocation)
        if document is None:
            return False
        state, is_own = CallRow(document).state, document.data.get("owner") == invocation.owner
        # Delivered again, or taken over: whoever has it tells what comes of it.
        invocation.is_in_doubt = invocation.is_in_doubt and is_own
        if is_own and state in before(CallEvent.DISOWNED):
            after(state, CallEvent.DISOWNED, None, {})
            given_back = consequences(invocation, Usage(0, 0), taken(invocation))
            session = {"turns": {str(invocation.facts.turn): given_back}} | in_use(invocation.now)
            session |= _arriving(invocation, failed(invocation, not_begun(invocation)))
            writes: list[Write] = [
                Delete(document.path, if_update_time=document.update_time),
                Set(self._session(invocation), session, merge=True),
            ]
            if invocation.claims_wish:
                writes.append(Delete(self._effect(invocation)))
            await self._store.commit(writes)
        return True

    async def due(self, now: datetime, business_id: str | None = None, behind: CallRow | None = None) -> list[CallRow]:
        """Return a page of the calls, of one business or of all, that were accepted and wait to be carried out."""
        return await standing_in(self._store, before(CallEvent.CALLED_UP), now, business_id, behind)

    async def abandoned(
        self, now: datetime, business_id: str | None = None, behind: CallRow | None = None
    ) -> list[CallRow]:
        """Return a page of the calls, of one business or of all, that somebody has to go on with.

        They were started by an instance which has died, or nobody knew what came of them and it may be known by now.
        """
        return await standing_in(self._store, before(CallEvent.TAKEN_OVER), now, business_id, behind)

    async def has_session(self, row: CallRow) -> bool:
        """Tell whether the session of a call is still there.

        Raises:
            StoreError: Nobody can tell.
        """
        return await self._store.get(row.session_path) is not None

    async def put_off(self, row: CallRow, now: datetime, why: str, *, is_last: bool = False) -> bool:
        """Leave a call that could not be brought to its end for later; tell whether it is given up instead.

        After so many tries, or where that was the last one, it is left for people to see: `givenUp` says why.

        Raises:
            StoreError: It stays where it is.
        """
        document = await self._store.get(row.document.path)
        if document is None or CallRow(document).is_at_its_end:
            return False
        current = CallRow(document)
        tries = max(current.recoveries, row.recoveries + 1)
        is_given_up = is_last or tries >= MOST_RECOVERIES
        if is_given_up:
            fields = given_up(current, tries, now, why)
        else:
            later = {"recoveries": tries, **current.due(now + pause_after(tries))}
            fields = after(current.state, CallEvent.PUT_OFF, current.state, later)
        try:
            await self._store.commit([Update(document.path, fields, if_update_time=document.update_time)])
        except Stale:
            return False  # Somebody has gone on with it.
        return is_given_up

    def _claim(self, invocation: Invocation) -> JsonObject:
        expire_at = invocation.now + timedelta(days=policy.LEDGER_DAYS)
        claim = {
            "callId": invocation.facts.call_id,
            "tool": invocation.call.name,
            "at": invocation.now,
            "expireAt": expire_at,
        }
        return claim | ({"scope": invocation.scope} if invocation.scope else {})

    def _session(self, invocation: Invocation) -> str:
        return self._writer.session(invocation)

    def _call(self, invocation: Invocation) -> str:
        return self._writer.call(invocation)

    def _effect(self, invocation: Invocation) -> str:
        return self._writer.effect(invocation)


def _arriving(invocation: Invocation, outcome: CallOutcome) -> JsonObject:
    """Return what a session keeps to be told later of what a call came to; nothing where that is no news."""
    arrival = arrival_of(invocation, outcome)
    return {ARRIVALS: {invocation.facts.call_id: arrival}, PENDING: _ONE} if arrival is not None else {}
