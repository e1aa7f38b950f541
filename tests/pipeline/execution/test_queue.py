"""A call that is accepted and carried out afterwards: queued before anything is said, carried out once, delivered."""

import asyncio
import json
from dataclasses import replace
from datetime import timedelta

import pytest

from switchboard.contract.call import ToolCall
from switchboard.contract.channel import Channel
from switchboard.contract.error import ErrorType, ToolError
from switchboard.contract.policy import CALL_LEASE_S
from switchboard.contract.store import Update
from switchboard.pipeline.execution.reaper import passes
from switchboard.pipeline.ledger.ledger import Ledger
from switchboard.pipeline.ledger.row import CallRow
from switchboard.pipeline.result.outcome import accepted
from tests.pipeline import planted
from tests.pipeline.conftest import BUSINESS, PATHS, Instance
from tests.pipeline.execution.test_reaper import nothing, until


class Queue:
    """A task queue that keeps what it is told, and may be out of reach."""

    def __init__(self, is_reachable: bool = True) -> None:
        self.told: list[tuple[str, dict]] = []
        self.is_reachable = is_reachable

    async def enqueue(self, name, payload):
        if not self.is_reachable:
            raise ToolError(ErrorType.TRANSIENT, "no queue")
        self.told.append((name, payload))


@pytest.fixture
def queue(office: Instance) -> Queue:
    office.dispatcher._queue = Queue()
    return office.dispatcher._queue


async def session(office, id="s1"):
    return (await office.store.get(PATHS.within(BUSINESS).document("sessions", id))).data


async def test_a_call_is_answered_accepted_and_carried_out_when_the_queue_asks_for_it(office, queue):
    response = await office.call("act_later", {"what": "x"}, call_id="c1")
    assert response.ok and response.data["accepted"] is True
    assert "do not say that it is done" in response.data["message"]
    assert response.meta["say"] == planted.LATER["de"]["running"], "the business's callers are spoken to in German"
    assert (await office.ledger("c1"))["state"] == "queued"
    assert not planted.done
    assert [payload for _, payload in queue.told] == [{"businessId": BUSINESS}]
    assert await office.dispatcher.carry_out_queued(BUSINESS) == 1
    assert len(planted.done) == 1
    assert (await office.ledger("c1"))["state"] == "finished"


async def test_this_process_carries_it_out_by_itself_where_there_is_no_queue(office):
    await office.call("act_later", {"what": "x"}, call_id="c1")

    async def is_finished():
        return (await office.ledger("c1"))["state"] == "finished"

    await until(is_finished)
    assert len(planted.done) == 1


async def test_a_process_that_dies_after_accepting_leaves_the_call_to_the_next_pass(office, queue, clock):
    await office.call("act_later", {"what": "x"}, call_id="c1")
    second = Instance(office.store, clock)
    own = passes(second.dispatcher.recover, second.dispatcher.carry_out_queued, nothing, nothing)
    assert await own["queued"](None) == {"carriedOut": 1}
    assert len(planted.done) == 1


async def test_a_queue_that_is_out_of_reach_loses_nothing(office, queue):
    queue.is_reachable = False
    assert (await office.call("act_later", {"what": "x"})).ok
    assert await office.dispatcher.carry_out_queued() == 1
    assert len(planted.done) == 1


async def test_tasks_that_arrive_twice_or_at_once_carry_it_out_once(office, queue, clock):
    await office.call("act_later", {"what": "x"}, call_id="c1")
    second = Instance(office.store, clock)
    await asyncio.gather(*(d.carry_out_queued(BUSINESS) for d in (office.dispatcher, second.dispatcher) for _ in "abc"))
    await office.dispatcher.carry_out_queued(BUSINESS)
    assert len(planted.done) == 1


async def test_the_same_call_has_the_same_task_name_and_another_call_another(office, queue):
    await office.call("act_later", {"what": "x"}, call_id="c1")
    await office.call("act_later", {"what": "y"}, call_id="c2")
    (first, _), (second, _) = queue.told
    assert first != second and all(name.startswith("call-") for name in (first, second))


async def test_a_redelivery_is_answered_accepted_and_queues_nothing_new(office, queue):
    first = await office.call("act_later", {"what": "x"}, call_id="c1")
    again = await office.call("act_later", {"what": "x"}, call_id="c1")
    assert again.data == first.data and again.meta["replayed"]
    await office.dispatcher.carry_out_queued()
    assert (await office.call("act_later", {"what": "x"}, call_id="c1")).data == {"done": "x"}
    assert len(planted.done) == 1


async def test_the_same_wish_under_another_id_is_not_queued_again(office, queue):
    await office.call("act_later", {"what": "x"}, call_id="c1")
    again = await office.call("act_later", {"what": "x"}, call_id="c2")
    assert again.data["accepted"] and again.meta["repeated"]
    assert await office.dispatcher.carry_out_queued() == 1
    assert len(planted.done) == 1


async def test_nothing_is_said_to_be_accepted_that_could_not_be_recorded(office, store, queue, monkeypatch):
    settle, refused = Ledger.settle, []

    async def fails_once(self, case, outcome):
        if not refused:
            refused.append(1)
            store.fail("commit")
        try:
            await settle(self, case, outcome)
        finally:
            store.recover()

    monkeypatch.setattr(Ledger, "settle", fails_once)
    response = await office.call("act_later", {"what": "x"}, call_id="c1")
    assert not response.ok and response.failure.partial_side_effects
    assert not queue.told and not planted.done


async def test_the_same_checks_hold_when_it_is_carried_out(office, queue):
    """The owner has disabled the tool for the business since."""
    await office.call("act_later", {"what": "x"}, call_id="c1")
    await office.store.commit([Update(PATHS.within(BUSINESS).business, {"enabledTools": ["look"]})])
    office.catalog.forget(BUSINESS)
    await office.dispatcher.carry_out_queued()
    assert not planted.done
    assert (await office.ledger("c1"))["state"] == "refused"


async def test_what_came_of_it_is_left_in_the_session_and_told_to_whoever_carries_the_conversation(
    office, queue, clock
):
    told = []

    async def arrived(facts, tool, response):
        told.append((facts.session_id, tool, response.ok))

    office.dispatcher.arrivals.append(arrived)
    await office.call("act_later", {"what": "x"}, call_id="c1", channel=Channel.PORTAL)
    await office.dispatcher.carry_out_queued()
    assert told == [("s1", "act_later", True)]
    kept = (await session(office))["arrivals"]["c1"]
    assert kept["tool"] == "act_later" and json.loads(kept["response"])["data"] == {"done": "x"}
    assert (kept["channel"], kept["turn"], kept["at"]) == ("portal", 1, clock.now())


async def test_what_is_refused_is_not_queued(office, queue):
    response = await office.call("act_later", {"what": 7})
    assert response.failure.type is ErrorType.VALIDATION
    assert not queue.told


async def test_what_an_instance_died_over_is_told_to_the_session_as_unknown(office, queue, clock):
    """It had been taken over, so nobody can tell whether it was done; it is not done again."""
    await office.call("act_later", {"what": "x"}, call_id="c1")
    (row,) = await office.dispatcher.ledger.due(clock.now())
    case = await office.dispatcher.prepare(ToolCall(row.tool, row.arguments, "c1"), row.facts())
    assert await office.dispatcher.ledger.take_over(case, row)
    await office.dispatcher.ledger.begin(case)
    clock.wait(CALL_LEASE_S + 1)
    await Instance(office.store, clock).dispatcher.recover()
    kept = (await session(office))["arrivals"]["c1"]
    assert json.loads(kept["response"])["error"]["partialSideEffects"] is True
    assert (await office.ledger("c1"))["state"] == "unknown" and not planted.done


async def test_what_an_instance_died_over_before_it_was_begun_is_carried_out(office, queue, clock):
    """The row says that it was not begun, so that it cannot be done twice."""
    await office.call("act_later", {"what": "x"}, call_id="c1")
    (row,) = await office.dispatcher.ledger.due(clock.now())
    case = await office.dispatcher.prepare(ToolCall(row.tool, row.arguments, "c1"), row.facts())
    assert await office.dispatcher.ledger.take_over(case, row)
    clock.wait(CALL_LEASE_S + 1)
    await Instance(office.store, clock).dispatcher.recover()
    assert (await office.ledger("c1"))["state"] == "finished"
    assert len(planted.done) == 1


async def test_an_accepted_call_that_an_instance_died_over_is_not_carried_out_again(office, queue, clock):
    """It may have been done: passes leave it alone, and when its lease is over its outcome is unknown."""

    async def lost(case, outcome):
        return None

    await office.call("act_later", {"what": "x"}, call_id="c1")
    office.dispatcher.ledger.settle = lost
    await office.dispatcher.carry_out_queued()
    assert (await office.ledger("c1"))["state"] == "started"
    second = Instance(office.store, clock).dispatcher
    for wait in (0, CALL_LEASE_S + 1):
        clock.wait(wait)
        assert await second.carry_out_queued() == 0
    assert await second.recover() == 1
    assert (await office.ledger("c1"))["state"] == "unknown"
    assert len(planted.done) == 1


class TestTakenOver:
    """A call whose process died belongs to whoever takes it over, and to nobody else any more."""

    async def taken(self, office, name, clock):
        """Return the row of a call as it was and as it is once it has been taken over, and the case of who has it."""
        path = PATHS.within(BUSINESS).call("s1", "c1")
        row = CallRow(await office.store.get(path))
        case = await office.dispatcher.prepare(ToolCall(row.tool, row.arguments, "c1"), row.facts())
        clock.wait(1)
        case = replace(case, now=clock.now())
        assert await office.dispatcher.ledger.take_over(case, row) is True
        return row, CallRow(await office.store.get(path)), case

    async def test_an_accepted_call_is_leased_and_its_answer_stays(self, office, queue, clock):
        await office.call("act_later", {"what": "x"}, call_id="c1")
        before, after, case = await self.taken(office, "act_later", clock)
        assert after.owner == case.owner != before.owner
        assert after.document.data["dueAt"] == clock.now() + timedelta(seconds=CALL_LEASE_S)
        assert (after.state, after.response) == ("started", before.response)

    async def test_a_call_that_failed_and_may_be_tried_again_has_no_answer_while_it_is(self, office, clock):
        await office.call("falter", {"what": "x"}, call_id="c1")
        before, after, case = await self.taken(office, "falter", clock)
        assert before.response is not None
        assert (after.owner, after.state, after.response) == (case.owner, "started", None)

    async def test_who_lost_the_call_settles_it_no_more(self, office, queue, clock):
        """A process that was only slow comes back with an outcome after another has begun anew."""
        await office.call("act_later", {"what": "x"}, call_id="c1")
        _, after, case = await self.taken(office, "act_later", clock)
        late = replace(case, owner="another")
        await office.dispatcher.ledger.settle_late(late, accepted(late))
        kept = await office.ledger("c1")
        assert kept == after.document.data

    async def test_of_two_who_want_it_one_gets_it(self, office, queue, clock):
        await office.call("act_later", {"what": "x"}, call_id="c1")
        before, _, case = await self.taken(office, "act_later", clock)
        assert await office.dispatcher.ledger.take_over(case, before) is False
