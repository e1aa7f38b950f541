"""The table of a call's states is what the ledger does: every way is walked, and what is not in it cannot happen."""

from collections.abc import Awaitable, Callable
from datetime import timedelta
from typing import Any, get_args

import pytest

from switchboard.contract.call import ToolCall
from switchboard.contract.context import PortalContext
from switchboard.contract.error import ErrorType
from switchboard.contract.policy import CALL_LEASE_S
from switchboard.contract.response import Failure, ToolResponse
from switchboard.contract.store import Update
from switchboard.pipeline.invocation import Invocation
from switchboard.pipeline.ledger.at_once import RecordedAtOnce
from switchboard.pipeline.ledger.ledger import Ledger
from switchboard.pipeline.ledger.record import MOST_RECOVERIES
from switchboard.pipeline.ledger.row import CallRow
from switchboard.pipeline.ledger.states import TRANSITIONS, UNDONE, CallEvent, State, Transition, after, before
from switchboard.pipeline.result.outcome import CallOutcome
from tests.each import each
from tests.pipeline.conftest import BUSINESS, PATHS, Instance

# `leaseUntil` is only ever taken away.
OF_SOME_CALLS = {
    "canary",
    "toolKind",
    "agentVersion",
    "leaseUntil",
    "agreed",
    "trace",
    "repeats",
    "begunAt",
    "tells",
    "triedAt",
    "isOpen",
    "isRefused",
}
AS_IT_WAS = {"shard", "state", "response", "businessId", "used"}
ENDS: tuple[State, ...] = ("finished", "failed", "refused", "unknown", "queued")


class Desk:
    """A call's row, and the ledger of two instances."""

    def __init__(self, office: Instance, call_id: str = "c1") -> None:
        self.office, self.ledger, self.other = office, office.dispatcher.ledger, Ledger(office.store, PATHS)
        self.call_id, self.path = call_id, PATHS.within(BUSINESS).call(f"s-{call_id}", call_id)
        self.case: Invocation | None = None

    async def fresh(self, tool: str = "act_again") -> Invocation:
        facts = PortalContext(business_id=BUSINESS, session_id=f"s-{self.call_id}", call_id=self.call_id)
        arguments = {"word" if tool == "look" else "what": self.call_id}
        return await self.office.dispatcher.prepare(ToolCall(tool, arguments, self.call_id), facts)

    async def admit(self, tool: str = "act_again") -> Invocation:
        self.case = await self.fresh(tool)
        await self.ledger.admit(self.case)
        return self.case

    async def row(self) -> CallRow | None:
        document = await self.office.store.get(self.path)
        return CallRow(document) if document is not None else None

    async def at(self, state: State, tool: str = "act_again", **fields: Any) -> CallRow:
        """Bring a call to a state by the ways of the table; then write fields as an instance that died left them."""
        case = await self.admit(tool)
        if state != "started":
            await self.ledger.settle(case, outcome(state))
        if fields:
            await self.office.store.commit([Update(self.path, fields)])
        self.office.clock.wait(CALL_LEASE_S + 1)
        found = await self.row()
        assert found is not None and found.state == state
        return found


def outcome(state: State) -> CallOutcome:
    """Return what a call comes to that ends in a state; a failure is one after which it may be tried again."""
    meta = {"elapsedMs": 1, **({"queued": True} if state == "queued" else {})}
    if state in ("finished", "queued"):
        return CallOutcome(ToolResponse(data={}, meta=meta), state)
    failure = Failure(ErrorType.TRANSIENT, "Try again.", True, state == "unknown")
    return CallOutcome(ToolResponse(failure=failure, meta=meta), state)


Step = Callable[[Desk, Transition], Awaitable[object]]


async def admitted(desk: Desk, way: Transition) -> None:
    await desk.admit()


async def settled_at_once(desk: Desk, way: Transition) -> None:
    assert way.to is not None
    assert await desk.ledger.at_once.record(await desk.fresh("look"), outcome(way.to)) is not None


async def let_stand(desk: Desk, way: Transition) -> None:
    row = await desk.row()
    assert row is not None and row.is_open
    assert not (await desk.other.at_once.decided(await desk.fresh(), row)).is_open


async def refused_after_all(desk: Desk, way: Transition) -> None:
    row = await desk.row()
    assert row is not None
    at_once, recorded = desk.other.at_once, RecordedAtOnce(row.state, row.used, row.document.update_time, row.turn)
    assert await at_once.refuse(await desk.fresh(), outcome("refused"), recorded)
    # Whoever comes second finds that it was decided.
    assert not await at_once.refuse(await desk.fresh(), outcome("refused"), recorded)


async def begun(desk: Desk, way: Transition) -> None:
    assert desk.case is not None
    await desk.ledger.begin(desk.case)


async def settled(desk: Desk, way: Transition) -> None:
    assert desk.case is not None and way.to is not None
    await desk.ledger.settle(desk.case, outcome(way.to))


async def left_open(desk: Desk, way: Transition) -> None:
    assert desk.case is not None
    desk.case.recoveries = 1
    await desk.ledger.settle(desk.case, outcome("failed"))
    assert desk.case.is_left_open


async def disowned(desk: Desk, way: Transition) -> None:
    assert desk.case is not None
    assert await desk.ledger.disown(desk.case)


async def taken_over(desk: Desk, way: Transition) -> None:
    row = await desk.row()
    assert row is not None
    assert await desk.other.take_over(await desk.fresh(), row)
    # Whoever comes second finds that somebody was quicker.
    assert not await Ledger(desk.office.store, PATHS).take_over(await desk.fresh(), row)


async def put_off(desk: Desk, way: Transition) -> None:
    row = await desk.row()
    assert row is not None
    assert not await desk.other.put_off(row, desk.office.clock.now(), "no luck")


async def given_up(desk: Desk, way: Transition) -> None:
    row = await desk.row()
    assert row is not None
    assert await desk.other.put_off(row, desk.office.clock.now(), "no luck", is_last=True)


STEPS: dict[CallEvent, Step] = {
    CallEvent.ADMITTED: admitted,
    CallEvent.SETTLED_AT_ONCE: settled_at_once,
    CallEvent.LET_STAND: let_stand,
    CallEvent.REFUSED_AFTER_ALL: refused_after_all,
    CallEvent.BEGUN: begun,
    CallEvent.SETTLED: settled,
    CallEvent.LEFT_OPEN: left_open,
    CallEvent.DISOWNED: disowned,
    CallEvent.CALLED_UP: taken_over,
    CallEvent.TAKEN_OVER: taken_over,
    CallEvent.TRIED_AGAIN: taken_over,
    CallEvent.PUT_OFF: put_off,
    CallEvent.GIVEN_UP: given_up,
}


@each(("number", "way"), enumerate(TRANSITIONS))
async def test_every_way_of_the_table_is_one_that_the_ledger_takes(
    office: Instance, number: int, way: Transition
) -> None:
    """It ends where the table says, and writes what the table says."""
    desk = Desk(office, f"c{number}")
    if way.state is not None:
        # Whether anything can have been done decides where what is given up ends.
        lost = {"begunAt": None} if way.event is CallEvent.GIVEN_UP and way.to == "failed" else {}
        known = {"begunAt": office.clock.now()} if way.event is CallEvent.GIVEN_UP and way.to == "unknown" else {}
        due = {"dueAt": office.clock.now()} if way.state == "unknown" else {}
        still = {"isOpen": True} if way.event in (CallEvent.LET_STAND, CallEvent.REFUSED_AFTER_ALL) else {}
        await desk.at(way.state, **lost, **known, **due, **still)
    earlier = await desk.row()
    office.clock.wait(1)
    await STEPS[way.event](desk, way)
    row = await desk.row()
    if way.to is None:
        assert row is None
        return
    assert row is not None and row.state == way.to
    old = earlier.document.data if earlier is not None else {}
    changed = {name for name in row.document.data if name not in old or row.document.data[name] != old[name]}
    assert changed <= set(way.writes)
    # What the table names is written by one call or another, so that it holds nothing that is made up.
    assert set(way.writes) - row.document.data.keys() <= OF_SOME_CALLS
    assert (set(way.writes) & row.document.data.keys()) - changed <= AS_IT_WAS


def test_every_event_and_every_state_is_in_the_table() -> None:
    """And each state can be reached, and be left unless it is an end."""
    assert {way.event for way in TRANSITIONS} == set(CallEvent) == set(STEPS)
    reached: set[State | None] = {None}
    while True:
        more = {way.to for way in TRANSITIONS if way.state in reached} | reached
        if more == reached:
            break
        reached = more
    assert reached - {None} == set(get_args(State))
    assert len({(way.state, way.event, way.to) for way in TRANSITIONS}) == len(TRANSITIONS)
    assert before(CallEvent.CALLED_UP) == ("queued",)
    assert "refused" not in {way.state for way in TRANSITIONS}
    # What was settled at once is held against its turn's counts; whatever else has finished has come to its end.
    assert {way.event for way in TRANSITIONS if way.state == "finished"} == {
        CallEvent.LET_STAND,
        CallEvent.REFUSED_AFTER_ALL,
    }
    assert set(get_args(State)) > UNDONE


def test_what_is_not_in_the_table_cannot_happen() -> None:
    """Whoever would write it is told so."""
    known = {(way.state, way.event, way.to) for way in TRANSITIONS}
    states: tuple[State, ...] = get_args(State)
    for state in (None, *states):
        for event in CallEvent:
            for to in states:
                if (state, event, to) in known:
                    assert after(state, event, to, {}).get("state", to) == to
                    with pytest.raises(ValueError, match="colour: not written"):
                        after(state, event, to, {"colour": "red"})
                else:
                    with pytest.raises(ValueError, match=f"cannot be {event}"):
                        after(state, event, to, {})


@each("state", ["finished", "refused"])
async def test_nobody_goes_on_with_what_is_at_its_end(office: Instance, state: State) -> None:
    """Neither a pass nor whoever would put it off."""
    desk = Desk(office, state)
    row = await desk.at(state)
    now = office.clock.now() + timedelta(days=1)
    assert await desk.other.abandoned(now) == [] and await desk.other.due(now) == []
    assert not await desk.other.put_off(row, now, "no luck", is_last=True)
    with pytest.raises(ValueError):
        await desk.other.take_over(await desk.fresh(), row)
    after_all = await desk.row()
    assert after_all is not None and after_all.document.data == row.document.data


async def test_what_is_put_off_is_given_up_at_the_last_try_and_not_before(office: Instance) -> None:
    """So many tries are made, each counted whoever makes it; what somebody else has gone on with is not given up."""
    desk = Desk(office, "started")
    await desk.at("started")
    said = []
    for tries in range(1, MOST_RECOVERIES + 1):
        row = await desk.row()
        assert row is not None
        said.append(await desk.other.put_off(row, office.clock.now(), "no luck"))
        assert (await desk.row()).document.data["recoveries"] == tries  # type: ignore[union-attr]
    assert said == [False] * (MOST_RECOVERIES - 1) + [True]
