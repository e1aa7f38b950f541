"""The ledger in this process's memory: calls, wishes and the counts of turns, for conversations that live in one place.

It keeps the promises of `Ledger` among the calls of one process and forgets everything with it: nobody is left then who
could ask. Every step but asking for a caller's yes is atomic in the event loop. The session that was heard of least
recently goes first; within a session, what is oldest. What others look for in a session's document stands there all the
same: what was proposed to the caller, and the receipts of what was done.
"""

from collections import OrderedDict
from contextlib import suppress
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any, Protocol, TypeAlias

from switchboard.contract import policy
from switchboard.contract.channel import Channel
from switchboard.contract.definition import Kind
from switchboard.contract.json import JsonObject
from switchboard.contract.ports import Paths, Store
from switchboard.contract.session_use import in_use
from switchboard.contract.store import Document, Set, Stale, StoreError
from switchboard.pipeline.asked_call import AskedCall
from switchboard.pipeline.case import Case, Counts
from switchboard.pipeline.ledger import Met
from switchboard.pipeline.proposal import Approvals
from switchboard.pipeline.row import Row, arrival_of, closing, has_receipt, opening, receipt_of
from switchboard.pipeline.session_active import ended_mark, ends_session
from switchboard.pipeline.session_upkeep import SessionUpkeep
from switchboard.pipeline.settle import Outcome

# Who works on a call is no question where there is only this process.
OWNER = "memory"

SESSIONS_KEPT = 5_000
# More than the turns that are looked back on can hold; a delivery comes again within seconds.
CALLS_KEPT = 64
# A wish is kept longer than its call: what was done must not be done again.
WISHES_KEPT = 512
# Where turns are not counted up one by one, the window alone would keep them all.
_MOST_TURNS = 2 * policy.LOOP_HISTORY_TURNS
# A caller's yes changes when it is used, by one call of several that share it too, and when it is taken back.
_ATTEMPTS = 7

SessionKey: TypeAlias = tuple[str, str]
"""Business id and session id."""


class Recorded(Protocol):
    """A call whose fields are worked out when somebody asks for them."""

    def fields(self) -> JsonObject:
        """Return the fields of its ledger document as they are now."""


class Turn:
    """What one turn has used up.

    Attributes:
        calls: Calls of any kind.
        retrievals: Calls that only read.
        retrieval_ms: Milliseconds spent on reading.
        same: How often each question (`Case.question`) was asked.
        empty: How often each tool found nothing.
    """

    __slots__ = ("calls", "empty", "retrieval_ms", "retrievals", "same")

    def __init__(self) -> None:
        """Start with nothing."""
        self.calls = 0
        self.retrievals = 0
        self.retrieval_ms = 0.0
        self.same: dict[str, int] = {}
        self.empty: dict[str, int] = {}


class Session:
    """One conversation.

    Attributes:
        key: Business id and session id.
        calls: By call id, the oldest first.
        wishes: By question, the id, the fields and the scope of the call that was granted it.
        turns: The counts of the last turns.
        ended: The channels on which the conversation has ended.
        is_kept: Whether the ledger still knows it; one that is forgotten begins anew.
    """

    __slots__ = ("calls", "ended", "is_kept", "key", "turns", "wishes")

    def __init__(self, key: SessionKey) -> None:
        """Start with no calls."""
        self.key = key
        self.calls: dict[str, JsonObject | Recorded] = {}
        self.wishes: dict[str, tuple[str, JsonObject, str]] = {}
        self.turns: dict[int, Turn] = {}
        self.ended: set[Channel] = set()
        self.is_kept = True

    def record(self, call_id: str, call: JsonObject | Recorded) -> None:
        """Keep a call, and forget the oldest one too many."""
        calls = self.calls
        calls[call_id] = call
        if len(calls) > CALLS_KEPT:
            del calls[next(iter(calls))]

    def fields(self, call_id: str) -> JsonObject | None:
        """Return the fields of a call's document, None where there is no such call."""
        found = self.calls.get(call_id)
        return found if found is None or isinstance(found, dict) else found.fields()

    def changeable(self, call_id: str) -> JsonObject | None:
        """Return the fields of a call's document, which the session goes on with."""
        fields = self.fields(call_id)
        if fields is not None:
            self.calls[call_id] = fields
        return fields


class MemoryLedger:
    """The ledger of every business in this process."""

    def __init__(self, store: Store, paths: Paths, sessions: int = SESSIONS_KEPT) -> None:
        """Start empty; `store` is where others find what was proposed and done."""
        self._store, self._paths = store, paths
        self._approvals, self._upkeep = Approvals(store, paths), SessionUpkeep(store)
        self._sessions: OrderedDict[SessionKey, Session] = OrderedDict()
        self._most = sessions
        self._queued: dict[tuple[SessionKey, str], JsonObject] = {}

    def session(self, key: SessionKey) -> Session:
        """Return a session, which begins now if it is not known."""
        found = self._sessions.get(key)
        if found is None:
            found = self._sessions[key] = Session(key)
            if len(self._sessions) > self._most:
                # Whoever holds on to it must not go on counting in it.
                self._sessions.popitem(last=False)[1].is_kept = False
        return found

    def turn(self, session: Session, number: int) -> Turn:
        """Return a turn's counts; a new turn drops the one that has left the window (seed 003, "Cleanup")."""
        found = session.turns.get(number)
        if found is None:
            self._sessions.move_to_end(session.key)  # heard of just now
            turns = session.turns
            turns.pop(number - policy.LOOP_HISTORY_TURNS, None)
            found = turns[number] = Turn()
            if len(turns) > _MOST_TURNS:
                del turns[next(iter(turns))]
        return found

    async def admit(self, case: Case) -> Counts | Met:
        """Record a call and count it in its turn; an action claims its wish as well.

        Returns:
            The turn's counts including this call, or what already stood in the way.

        Raises:
            StoreError: Nobody can tell whether the caller agreed; nothing is recorded.
        """
        session, question = self._of(case), case.question
        earlier = session.fields(case.facts.call_id)
        wish = session.wishes.get(question) if case.claims_wish else None
        if earlier is not None or (wish is not None and case.reclaims is None):
            met = {"callId": wish[0], "scope": wish[2]} if wish is not None else None
            return Met(_document(earlier), None, _document(met))
        case.owner = OWNER
        fields = opening(case)
        session.record(case.facts.call_id, fields)
        self._claim(case, session, fields)
        counts = self._counted(case, session)
        await self._spend(case, session, fields)
        return counts

    def _counted(self, case: Case, session: Session) -> Counts:
        turn, question = self.turn(session, case.facts.turn), case.question
        turn.calls += case.takes
        turn.retrievals += case.takes * (case.kind is Kind.RETRIEVAL)
        turn.same[question] = same = turn.same.get(question, 0) + 1
        empty, is_over = turn.empty.get(case.tool_key, 0), case.facts.channel in session.ended
        return Counts(turn.calls, turn.retrievals, same, empty, turn.retrieval_ms, is_over)

    async def _spend(self, case: Case, session: Session, fields: JsonObject) -> None:
        """Spend the caller's yes to this call, if it needs one and there is one."""
        try:
            for _ in range(_ATTEMPTS):
                spending = await self._approvals.spending(case)
                if spending is None:
                    return
                with suppress(Stale):
                    await self._store.commit([spending.write])
                    case.is_approved, case.agreed_facts = True, spending.facts
                    fields["agreed"] = spending.facts
                    return
        except StoreError:
            turn = self.turn(session, case.facts.turn)
            turn.calls -= case.takes
            turn.retrievals -= case.takes * (case.kind is Kind.RETRIEVAL)
            turn.same[case.question] -= 1
            session.calls.pop(case.facts.call_id, None)
            self._unclaim(case, session)
            raise

    async def begin(self, case: Case) -> None:
        """Note that a call is begun from here on, which may not be done twice."""
        fields = self._of(case).changeable(case.facts.call_id)
        if fields is not None:
            fields["begunAt"] = case.now

    async def settle(self, case: Case, outcome: Outcome) -> None:
        """Complete the call's record with its outcome, and draw the consequences.

        Raises:
            StoreError: What others look for in the session's document does not stand there yet.
        """
        self.close(case, outcome)
        await self.settle_late(case, outcome)

    def close(self, case: Case, outcome: Outcome) -> None:
        """Complete the call's record in memory, for a caller who cannot wait."""
        session = self._of(case)
        fields = session.changeable(case.facts.call_id)
        if fields is not None:
            fields |= closing(case, outcome)
            if outcome.state == "queued":
                self._queued[session.key, case.facts.call_id] = fields
        if ends_session(case.facts.channel, outcome.response):
            session.ended.add(case.facts.channel)
        turn = self.turn(session, case.facts.turn)
        if outcome.state == "refused":
            turn.calls -= case.takes
            turn.retrievals -= case.takes * (case.kind is Kind.RETRIEVAL)
        else:
            if outcome.empty:
                turn.empty[case.tool_key] = turn.empty.get(case.tool_key, 0) + 1
            turn.retrieval_ms += outcome.retrieval_ms(case)
        if outcome.state in ("refused", "failed"):
            # Nothing was done, so the wish may be made again.
            self._unclaim(case, session)

    async def settle_late(self, case: Case, outcome: Outcome) -> None:
        """Write what others look for in the session's document, which is all that can have failed."""
        session, writes = self._paths.within(case.facts.business_id).document("sessions", case.facts.session_id), []
        receipt, proposing, channel = receipt_of(case, outcome), self._approvals.propose(case), case.facts.channel
        arrival = arrival_of(case, outcome)
        kept: JsonObject = {"receipts": {case.effect_key: receipt}} if receipt is not None else {}
        kept |= {"arrivals": {case.facts.call_id: arrival}} if arrival is not None else {}
        kept |= ended_mark(channel, case.now) if ends_session(channel, outcome.response) else {}
        if kept or proposing:
            told = {"channel": channel.value, **kept, **in_use(case.now)}
            writes = [Set(session, told, merge=True), *proposing]
            await self._store.commit(writes)
            await self._upkeep.after(case, session)

    async def take_results(self, case: Case) -> list[JsonObject]:
        """Return none: a conversation of this process hears of them by itself."""
        return []

    async def is_done(self, case: Case) -> bool:
        """Tell whether the session has a receipt for this very wish, from this process or another.

        Raises:
            StoreError: Nobody can tell.
        """
        within = self._paths.within(case.facts.business_id)
        return has_receipt(await self._store.get(within.document("sessions", case.facts.session_id)), case)

    async def call_of(self, case: Case, call_id: str) -> Row | None:
        """Return the call that was granted the wish, or any other of the same session."""
        session = self._of(case)
        wish = session.wishes.get(case.question)
        fields = wish[1] if wish is not None and wish[0] == call_id else session.fields(call_id)
        return Row(_kept(fields)) if fields is not None else None

    async def beside(self, case: Case) -> tuple[AskedCall, ...]:
        """Return the other calls of this turn that wait for a yes, and whose question this call can join.

        Raises:
            StoreError: They cannot be read.
        """
        return await self._approvals.beside(case)

    async def take_over(self, case: Case, row: Row) -> bool:
        """Begin a call's lease anew, and its wish with it; False when somebody else was quicker."""
        session = self._of(case)
        fields = session.changeable(case.facts.call_id)
        if fields is None or fields["leaseUntil"] != row.document.data["leaseUntil"]:
            return False
        if row.is_queued:
            self._queued.pop((session.key, case.facts.call_id), None)
            fields["state"] = "started"
        elif row.may_be_tried_again:
            if case.claims_wish and case.question in session.wishes:
                return False
            fields |= {"state": "started", "response": None}
            self._claim(case, session, fields)
        else:
            case.recoveries = row.recoveries + 1
            fields |= {"state": "started", "recoveries": case.recoveries}
        case.owner = OWNER
        fields["leaseUntil"] = case.now + timedelta(seconds=policy.CALL_LEASE_S)
        return True

    async def disown(self, case: Case) -> bool:
        """Return that nothing is left: an admission that failed has left nothing here."""
        return True

    async def due(self, now: datetime, business_id: str | None = None, after: Row | None = None) -> list[Row]:
        """Return calls, of one business or of all, that were accepted and wait to be carried out: on one page."""
        if after is not None:
            return []
        waiting = [fields for (key, _), fields in self._queued.items() if business_id in (None, key[0])]
        return [Row(self._kept_at(fields)) for fields in waiting]

    async def abandoned(self, now: datetime, business_id: str | None = None, after: Row | None = None) -> list[Row]:
        """Return none: whoever started a call is still alive, and what it came to is asked again by its redelivery."""
        return []

    async def has_session(self, row: Row) -> bool:
        """Tell that it is there: it ends with this process."""
        return True

    async def put_off(self, row: Row, now: datetime, why: str, *, is_last: bool = False) -> bool:
        """Leave a call where it is: it ends with this process."""
        return False

    def _kept_at(self, fields: JsonObject) -> Document:
        session_id, call_id = str(fields["sessionId"]), str(fields["callId"])
        path = self._paths.within(str(fields["businessId"])).call(session_id, call_id)
        return replace(_kept(fields), path=path)

    def _claim(self, case: Case, session: Session, fields: JsonObject) -> None:
        if not case.claims_wish:
            return
        session.wishes[case.question] = case.facts.call_id, fields, case.scope
        if len(session.wishes) > WISHES_KEPT:
            del session.wishes[next(iter(session.wishes))]

    def _unclaim(self, case: Case, session: Session) -> None:
        if case.claims_wish:
            session.wishes.pop(case.question, None)

    def _of(self, case: Case) -> Session:
        return self.session((case.facts.business_id, case.facts.session_id))


def _document(fields: JsonObject | None) -> Document | None:
    return _kept(fields) if fields is not None else None


def _kept(fields: JsonObject) -> Document:
    """Return fields as the store would; nobody asks for the path or the times."""
    when: Any = fields.get("startedAt")
    return Document("", dict(fields), when, when)
