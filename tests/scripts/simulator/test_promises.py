"""What is promised is held against each step as it happens: what goes wrong once, early or late, is seen at once."""

import asyncio
from contextlib import contextmanager
from dataclasses import replace

import pytest

from simulator import premises
from simulator.callers import Wish
from simulator.connection import STEP
from simulator.history import _furnished
from simulator.plan import Chances, planned
from simulator.promises import Promises
from simulator.simulated_time import SimulatedLoop, simulated
from simulator.world import World
from switchboard.contract.context import PhoneContext
from switchboard.contract.error import ErrorType
from switchboard.contract.response import Failure, ToolResponse
from switchboard.contract.store import Set, Update

KINDS = ("book", "cancel", "text")
CALM = replace(planned("calm", 160), instances=2, has_calendar=False, pass_faults=())
CALM = replace(CALM, steps=tuple(replace(step, faults=()) for step in CALM.steps if step.kind in KINDS))


@contextmanager
def world_of(plan):
    """Give a world that has not begun, its promises, and the loop to run it on."""
    store, loop = _furnished(plan.has_calendar), SimulatedLoop()
    asyncio.set_event_loop(loop)
    step = STEP.set(Chances(plan.steps[0]))
    try:
        with simulated(loop, plan.seed):
            world = loop.run_until_complete(begun(plan, loop, store))
            yield world, Promises(world), loop
    finally:
        STEP.reset(step)
        asyncio.set_event_loop(None)
        loop.close()


async def begun(plan, loop, store):
    return World(plan, loop, store)


def active(writes):
    return [w for w in writes if "/bookings/" in w.path and getattr(w, "data", {}).get("status") == "confirmed"]


@pytest.mark.requirement("004-790")
@pytest.mark.parametrize("at", [1, 3, 5])
def test_an_appointment_that_stands_twice_is_seen_whichever_of_them_it_is(at):
    """Held against what the commit has touched, and not against everything anew."""
    with world_of(CALM) as (world, promises, loop):
        look, seen = world.on_commit, []

        async def doubling(writes):
            await look(writes)
            for write in active(writes):
                seen.append(write.path)
                if len(seen) == at:
                    twin = f"{write.path}x"
                    await world.store.commit([Set(twin, (await world.store.get(write.path)).data)])
                    await look([Set(twin, {})])

        world.on_commit = doubling
        loop.run_until_complete(world.happen(promises.callers.act))
        assert len(seen) >= at
        assert world.broken.startswith("no time is given twice")


@pytest.mark.requirement("004-790")
@pytest.mark.parametrize("at", [1, 4])
def test_a_text_that_is_sent_twice_is_seen_whichever_it_is(at):
    with world_of(CALM) as (world, promises, loop):
        look, seen = world.on_effect, []

        def doubling(what):
            look(what)
            seen.append(what)
            if len(seen) == at:
                world.outside.texts.append(world.outside.texts[-1])
                look(what)

        world.on_effect = doubling
        loop.run_until_complete(world.happen(promises.callers.act))
        assert len(seen) == at
        assert world.broken.endswith("was sent twice")


@pytest.mark.requirement("004-790")
def test_where_a_time_comes_free_somebody_else_may_have_it():
    """What was seen before is forgotten with the appointment that it was seen of."""
    with world_of(CALM) as (world, promises, loop):

        async def change_hands():
            booked = []
            world.on_commit, look = (lambda writes: note(writes)), world.on_commit

            async def note(writes):
                booked.extend(write.path for write in active(writes))
                await look(writes)

            await world.happen(promises.callers.act)
            path = booked[0]
            await world.store.commit([Update(path, {"status": "cancelled"})])
            await look([Update(path, {})])
            data = (await world.store.get(path)).data | {"status": "confirmed"}
            await world.store.commit([Set(f"{path}x", data)])
            await look([Set(f"{path}x", {})])

        loop.run_until_complete(change_hands())
        assert world.broken == ""


def wish():
    facts = PhoneContext(business_id=premises.BUSINESS, session_id="s1", turn=1, call_id="c1.1")
    return Wish(1, "order", "order_once", {"number": "1"}, facts)


DONE = ToolResponse(data={"taken": "1"}, meta={"receipt": "r1"})
UNKNOWN = Failure(ErrorType.TRANSIENT, "It is not known.", retryable=False, partial_side_effects=True)
UNDER_WAY = Failure(ErrorType.CONFLICT, "It is under way.", retryable=True, partial_side_effects=False)


@pytest.mark.requirement("004-793")
def test_who_was_told_that_it_is_done_is_told_nothing_else_where_nothing_goes_wrong():
    """An instance that dies before it has written down what it answered leaves nothing that others could know."""
    answer = ToolResponse(failure=UNKNOWN)
    for plan, is_broken in ((CALM, True), (replace(CALM, pass_faults=("dies",)), False)):
        with world_of(plan) as (world, promises, loop):
            one = wish()
            one.answers.append(DONE)
            loop.run_until_complete(promises.answered(one, one.facts, answer, [DONE]))
            assert world.broken.startswith("a call has one answer") is is_broken


@pytest.mark.requirement("004-793")
def test_what_was_answered_to_another_at_the_same_time_contradicts_nothing():
    """It was asked before the other one had its answer."""
    answer = ToolResponse(failure=UNDER_WAY)
    with world_of(CALM) as (world, promises, loop):
        one = wish()
        one.answers.append(DONE)
        loop.run_until_complete(promises.answered(one, one.facts, answer, []))
        assert world.broken == ""
