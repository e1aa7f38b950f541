"""A look-up that stays inside the house runs first, and is recorded with its answer: one commit, and one trip, a call.

Nothing is lost where it runs and is not recorded, since it changes nothing. The commit that records it counts it as
well, and returns what the turn has used up: that decides whether its answer is given. One that does not fit is refused
after all, by a second commit, and its answer is given to nobody. Whoever meets the row in between, as a redelivery
does, counts the calls of the turn that were recorded before it, which comes to the same.
"""

import logging
from datetime import datetime

from switchboard.catalog.offer.inclusion import integration_of
from switchboard.contract.definitions.definition import Kind
from switchboard.contract.python.dataclass import dataclass
from switchboard.contract.session_use import in_use
from switchboard.contract.store import (
    AlreadyExists,
    Create,
    Filter,
    Query,
    Set,
    Stale,
    StoreError,
    Update,
    Write,
)
from switchboard.pipeline.checks.checks import refused_by_counts
from switchboard.pipeline.checks.session_active import ended_at_ms
from switchboard.pipeline.invocation import Invocation, TurnCounts
from switchboard.pipeline.ledger.answering import with_person
from switchboard.pipeline.ledger.record import let_stand, receipts_of, refused_after_all, settled_at_once
from switchboard.pipeline.ledger.row import CallRow
from switchboard.pipeline.ledger.states import State
from switchboard.pipeline.ledger.turn_counts import (
    Usage,
    consequences,
    counted_in,
    forgotten_turn,
    session_fields,
    used,
)
from switchboard.pipeline.ledger.writer import CallWriter
from switchboard.pipeline.result.outcome import CallOutcome, failed

log = logging.getLogger(__name__)


def _may_run_first(invocation: Invocation) -> bool:
    """Tell whether a call may run before it is recorded.

    Not what changes something; not an owner's own tool, or one that asks a vendor: what comes of too many calls is
    theirs to pay, so that those are counted before they run. Nor the first of several look-ups that run side by side:
    the others wait until it is counted.
    """
    definition, tool, beside = invocation.definition, invocation.tool, invocation.facts.beside
    if definition is None or tool is None or invocation.arguments is None or invocation.kind is not Kind.RETRIEVAL:
        return False
    is_inside = tool.tool.built is not None and integration_of(definition, invocation.business) is None
    return is_inside and not definition.is_async and (beside is None or not beside.is_counted)


@dataclass(frozen=True, slots=True)
class RecordedAtOnce:
    """How a call stands that was settled at once.

    Attributes:
        state: What it came to.
        usage: What it took of its turn.
        time: When its row was written last.
        turn: The turn that it counts in.
        counts: What the turn had used up then; None where its row was read.
    """

    state: State
    usage: Usage
    time: datetime
    turn: int
    counts: TurnCounts | None = None

    @property
    def took_ms(self) -> float:
        """How long it took, where it has an answer: that may be more than others had left of its turn."""
        return self.usage.retrieval_ms if self.state == "finished" else 0.0


class SettledAtOnce:
    """Records look-ups that have run."""

    def __init__(self, writer: CallWriter) -> None:
        """Write as the ledger does."""
        self._writer = writer

    def expected(self, invocation: Invocation) -> TurnCounts | None:
        """Return what a call will be counted as, as far as this instance has seen.

        None for a call that is admitted before it runs.
        """
        return self._writer.turns.expected(invocation) if _may_run_first(invocation) else None

    async def settle(self, invocation: Invocation, outcome: CallOutcome) -> CallOutcome | None:
        """Record a call that has run, and return what it comes to: its answer, or that it did not fit into its turn.

        None where something is in the way: an earlier delivery of the same call, or a session opened elsewhere.

        Raises:
            StoreError: It is not recorded, as far as can be told.
        """
        recorded = await self.record(invocation, outcome)
        if recorded is None:
            return None
        if recorded.counts == invocation.counts or outcome.state == "refused":
            # It has been held against them before it ran.
            return outcome
        return await self._held_against_counts(invocation, outcome, recorded)

    async def record(self, invocation: Invocation, outcome: CallOutcome) -> RecordedAtOnce | None:
        """Record a call with its answer; None where something is in the way.

        That is an earlier delivery of the same call, or a session that was opened elsewhere.

        Raises:
            StoreError: It is not recorded, as far as can be told.
        """
        usage, is_first = used(invocation, outcome), invocation.counts is not None and invocation.counts.calls <= 1
        path, call_path = self._writer.admitting(invocation)
        session = session_fields(invocation, usage)
        if "receipt" in outcome.response.meta:
            session |= receipts_of(invocation, outcome)
        if is_first and not invocation.opens_session:
            session["turns"] |= forgotten_turn(invocation)
        writes: list[Write] = [
            Create(call_path, settled_at_once(invocation, outcome, usage)),
            Create(path, session) if invocation.opens_session else Set(path, session, merge=True),
        ]
        try:
            results = await self._writer.commit(invocation, path, writes, is_settling=True)
        except AlreadyExists:
            return None
        counts = await with_person(self._writer, invocation, counted_in(invocation, results[1].increments, usage))
        return RecordedAtOnce(outcome.state, usage, results[0].update_time, invocation.facts.turn, counts)

    async def _held_against_counts(
        self, invocation: Invocation, outcome: CallOutcome, recorded: RecordedAtOnce
    ) -> CallOutcome:
        """Return what a call comes to that was counted as `recorded` says: its answer, or the refusal."""
        invocation.counts = recorded.counts
        refusal = refused_by_counts(invocation, recorded.took_ms)
        if refusal is None:
            return outcome
        invocation.refusal = refusal
        refused = failed(invocation, refusal)
        try:
            if await self.refuse(invocation, refused, recorded):
                return refused
            row = await self._writer.store.get(self._writer.call(invocation))
        except StoreError as error:
            # Its redelivery is held against the counts as well, and writes it down then.
            log.warning("refusal not recorded", extra={"reason": type(error).__name__, "pii.detail": str(error)})
            return refused
        if row is None or CallRow(row).state == "refused":
            return refused
        # A redelivery has been given the answer: what one was told, all are.
        invocation.refusal = None
        return outcome

    async def refuse(self, invocation: Invocation, outcome: CallOutcome, recorded: RecordedAtOnce) -> bool:
        """Refuse a call after all, and give back what it took; False where somebody has decided about it since.

        Raises:
            StoreError: It stands there as it was; its redelivery decides.
        """
        writer, path = self._writer, self._writer.session(invocation)
        given_back = consequences(invocation, Usage(0, 0), recorded.usage)
        refused = refused_after_all(invocation, outcome, recorded.state)
        session = {"turns": {str(recorded.turn): given_back}} | in_use(invocation.now)
        writes: list[Write] = [
            Update(writer.call(invocation), refused, if_update_time=recorded.time),
            Set(path, session, merge=True),
        ]
        try:
            await writer.commit(invocation, path, writes)
        except Stale:
            return False
        return True

    async def decided(self, invocation: Invocation, row: CallRow) -> CallRow:
        """Return the row of an earlier delivery once it is decided whether its answer is given.

        Whoever wrote it may have died, or be about to decide; who writes first has decided for all.

        Raises:
            StoreError: Nobody can tell.
        """
        store, recorded = self._writer.store, RecordedAtOnce(row.state, row.used, row.document.update_time, row.turn)
        invocation.counts, invocation.usual_ms = await self._counted(invocation, row), 0.0
        refusal = refused_by_counts(invocation, recorded.took_ms)
        outcome, invocation.counts = failed(invocation, refusal) if refusal is not None else None, None
        try:
            if outcome is not None:
                await self.refuse(invocation, outcome, recorded)
            else:
                await store.commit([Update(row.document.path, let_stand(row.state), if_update_time=recorded.time)])
        except Stale:
            pass
        document = await store.get(row.document.path)
        return CallRow(document) if document is not None else row

    async def _counted(self, invocation: Invocation, row: CallRow) -> TurnCounts:
        """Return what a call was counted as: the calls of its turn whose rows are older, but for those refused."""
        path = self._writer.session(invocation)
        session = await self._writer.store.get(path)
        query = Query(f"{path}/calls", filters=(Filter("turn", "==", row.turn),))
        documents = await self._writer.store.query(query)
        earlier = [CallRow(each) for each in documents if each.create_time < row.document.create_time]
        usages = [row.used, *(each.used for each in earlier)]
        ended_ms, started_at = ended_at_ms(session, invocation.facts.channel), row.started_at
        return TurnCounts(
            calls=sum(usage.calls for usage in usages),
            retrievals=sum(usage.retrievals for usage in usages),
            same=1 + sum(each.arguments_hash == row.arguments_hash for each in earlier),
            empty=sum(each.used.empty for each in earlier if each.tool == row.tool),
            retrieval_ms=sum(each.used.retrieval_ms for each in earlier),
            is_over=started_at is not None and 0 < ended_ms <= started_at.timestamp() * 1000,
        )
