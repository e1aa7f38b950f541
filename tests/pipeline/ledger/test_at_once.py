"""Look-ups that run first and are recorded with their answer: one commit, and no answer beyond what a turn may cost."""

import asyncio
import json

import pytest

from switchboard.contract.channel import Channel
from switchboard.contract.context import Beside, Round
from switchboard.contract.error import ErrorType
from switchboard.contract.policy import CHANNEL_POLICY
from switchboard.contract.store import Set, Update
from tests.each import each
from tests.pipeline.conftest import BUSINESS, PATHS, Instance

SESSION = PATHS.within(BUSINESS).document("sessions", "s1")
LIMIT = CHANNEL_POLICY[Channel.PHONE].retrieval_calls_per_turn


class Dies(BaseException):
    """The process ends here."""


async def turn(office: Instance) -> dict:
    """Return what the session's document says of the turn."""
    return (await office.store.get(SESSION)).data["turns"]["1"]


def kind(response):
    return response.failure.type if response.failure else None


@pytest.fixture
async def elsewhere(office, store, clock):
    """Another instance over the same store; both have met the conversation in earlier turns."""
    other = Instance(store, clock)
    assert (await office.call("look", turn=-2)).ok and (await other.call("look", turn=-1)).ok
    return other


async def use_up(office: Instance) -> None:
    """Look up as often as a turn allows."""
    for n in range(LIMIT):
        assert (await office.call("look", {"times": n + 1}, call_id=f"c{n + 1}")).ok


@pytest.mark.requirement("003-465")
async def test_it_is_recorded_with_its_answer_by_one_commit_of_two_documents(office, store):
    await office.call("look", {"word": "warm"})
    store.asked.clear()
    commits, commit = [], store.inner.commit

    async def noting(writes):
        commits.append([write.path for write in writes])
        return await commit(writes)

    store.inner.commit = noting
    answer = await office.call("look", {"word": "again"}, call_id="c1")
    assert commits == [[PATHS.within(BUSINESS).call("s1", "c1"), SESSION]]
    row = await office.ledger("c1")
    assert (row["state"], json.loads(row["response"])) == ("finished", answer.to_json())
    assert {step["check"] for step in json.loads(row["checks"])} > {"loop", "budget", "run", "settle"}


@each(("tool", "type"), [("crash", "INTERNAL"), ("stall", "TRANSIENT"), ("look_slowly", "TRANSIENT")])
async def test_what_fails_or_comes_too_late_is_recorded_as_that_at_once(office, store, tool, type):
    await office.call("look")
    store.asked.clear()
    answer = await office.call(tool, call_id=tool, turn=len(tool))
    assert answer.failure.type.value == type
    assert dict(store.asked) == {"commit": 1}
    assert (await office.ledger(tool))["state"] == "failed"


async def test_the_first_of_several_that_run_side_by_side_is_counted_before_it_runs(office, store):
    """The others wait until it is, and are one commit each."""
    await office.call("look")
    store.asked.clear()
    shared = Round()
    calls = [office.call("look", {"times": n + 2}, beside=Beside(shared, n), turn=2) for n in range(3)]
    assert all(answer.ok for answer in await asyncio.gather(*calls))
    assert dict(store.asked) == {"commit": 4}


@pytest.mark.requirement("003-465")
async def test_what_another_instance_has_used_up_is_not_answered(office, elsewhere):
    """It has run, since nobody here knew; its row says that it was refused, and the turn gets back what it took."""
    await use_up(elsewhere)
    answer = await office.call("look", {"word": "more"}, call_id="more")
    assert kind(answer) is ErrorType.BUDGET_EXCEEDED
    assert answer.data is None
    row = await office.ledger("more")
    assert (row["state"], json.loads(row["response"])) == ("refused", answer.to_json())
    assert {step["check"]: step["decided"] for step in json.loads(row["checks"])}["budget"] == "refused"
    assert ((await turn(office))["calls"], (await turn(office))["retrievals"]) == (LIMIT, LIMIT)


@pytest.mark.requirement("003-465")
async def test_of_many_at_once_on_two_instances_no_more_are_answered_than_a_turn_allows(office, elsewhere):
    houses = (office, elsewhere)
    calls = [houses[n % 2].call("look", {"times": n + 1}, call_id=f"c{n}") for n in range(12)]
    answers = await asyncio.gather(*calls)
    assert sum(answer.ok for answer in answers) == LIMIT
    rows = [await office.ledger(f"c{n}") for n in range(12)]
    assert sum(row["state"] == "finished" for row in rows) == LIMIT
    assert (await turn(office))["retrievals"] == LIMIT


async def test_an_identical_call_that_another_instance_saw_twice_is_a_loop(office, elsewhere):
    for _ in range(2):
        assert (await elsewhere.call("look", channel=Channel.PORTAL)).ok
    assert kind(await office.call("look", channel=Channel.PORTAL)) is ErrorType.LOOP_DETECTED


async def test_what_took_more_than_others_have_left_of_the_turn_is_not_answered(office, elsewhere):
    """Nobody here knew how little that was."""
    await elsewhere.call("look", {"times": 1})
    used_up = CHANNEL_POLICY[Channel.PHONE].retrieval_ms_per_turn - 0.001
    await office.store.inner.commit([Update(SESSION, {"turns.1.retrievalMs": used_up})])
    assert kind(await office.call("look", {"times": 2})) is ErrorType.BUDGET_EXCEEDED


async def test_a_conversation_that_has_ended_elsewhere_gets_no_answer(office, elsewhere, clock):
    await office.call("look")
    ended = {"endedMs": {"phone": int(clock.now().timestamp() * 1000)}}
    await elsewhere.store.inner.commit([Set(SESSION, ended, merge=True)])
    assert kind(await office.call("look", {"times": 2})) is ErrorType.SESSION_INACTIVE


async def test_two_deliveries_at_once_of_one_call_are_answered_alike(office, elsewhere):
    """And counted once."""
    await office.call("look", turn=2)
    calls = [house.call("look", {"times": 2}, call_id="c1") for house in (office, elsewhere, office)]
    answers = await asyncio.gather(*calls)
    assert all(answer.ok and answer.data == answers[0].data for answer in answers)
    assert (await turn(office))["calls"] == 1


async def test_two_deliveries_at_once_of_one_call_too_many_are_refused_alike(office, elsewhere):
    await use_up(office)
    houses = (elsewhere, office, elsewhere)
    calls = [house.call("look", {"word": "more"}, call_id="c9") for house in houses]
    assert [kind(answer) for answer in await asyncio.gather(*calls)] == [ErrorType.BUDGET_EXCEEDED] * 3


async def test_what_was_answered_is_answered_again_however_full_the_turn_has_become(office, elsewhere):
    """By whichever instance, and however often; the same refusal too."""
    await use_up(office)
    refused = await elsewhere.call("look", {"word": "more"}, call_id="more")
    for house in (office, elsewhere, office):
        for n in range(LIMIT):
            again = await house.call("look", {"times": n + 1}, call_id=f"c{n + 1}")
            assert (again.ok, again.meta["replayed"]) == (True, True)
        again = await house.call("look", {"word": "more"}, call_id="more")
        assert again.failure == refused.failure


@pytest.mark.requirement("003-465")
@pytest.mark.parametrize("by", ["death", "store"])
async def test_a_refusal_that_was_not_written_down_is_found_by_the_next_delivery(office, elsewhere, store, by):
    """The process has died right behind its commit, or the store has: nobody is given what did not fit."""
    await use_up(elsewhere)
    commit, commits = store.inner.commit, []

    async def failing(writes):
        commits.append(writes)
        if len(commits) > 1:
            raise Dies
        return await commit(writes)

    if by == "death":
        store.inner.commit = failing
        with pytest.raises(Dies):
            await office.call("look", {"word": "more"}, call_id=by)
        store.inner.commit = commit
    else:
        refuse = office.dispatcher.ledger.at_once.refuse

        async def unheard(*args):
            store.fail("commit")
            try:
                return await refuse(*args)
            finally:
                store.recover()

        office.dispatcher.ledger.at_once.refuse = unheard
        assert kind(await office.call("look", {"word": "more"}, call_id=by)) is ErrorType.BUDGET_EXCEEDED
    assert (await office.ledger(by))["state"] == "finished"
    again = await elsewhere.call("look", {"word": "more"}, call_id=by)
    assert kind(again) is ErrorType.BUDGET_EXCEEDED
    assert (await office.ledger(by))["state"] == "refused"
    assert (await turn(office))["retrievals"] == LIMIT


async def test_what_a_redelivery_was_told_its_first_delivery_is_told_too(office, elsewhere):
    """Another call had been given back in between, so that the answer was given: nobody is told otherwise."""
    await use_up(elsewhere)
    at_once, answers = office.dispatcher.ledger.at_once, []
    refuse = at_once.refuse

    async def behind(case, outcome, recorded):
        row = PATHS.within(BUSINESS).call("s1", "c1")
        await office.store.inner.commit([Update(row, {"state": "refused", "used": {}})])
        answers.append(await elsewhere.call("look", {"word": "more"}, call_id="c9"))
        return await refuse(case, outcome, recorded)

    at_once.refuse = behind
    first = await office.call("look", {"word": "more"}, call_id="c9")
    assert (first.ok, answers[0].ok) == (True, True)
    assert first.data == answers[0].data
    assert (await office.ledger("c9"))["state"] == "finished"


async def test_a_process_that_dies_while_it_looks_something_up_leaves_nothing_behind(office):
    """There is nothing to be brought to an end; whoever delivers it again is answered."""
    tool = office.definitions.registry.tools["look"]
    runner, run = office.dispatcher.runner, office.dispatcher.runner.run

    async def dies(case):
        raise Dies

    runner.run = dies
    with pytest.raises(Dies):
        await office.call(tool.definition.name, call_id="c1")
    runner.run = run
    assert await office.dispatcher.recover() == 0
    assert (await office.call("look", call_id="c1")).ok


async def test_a_session_that_another_instance_has_opened_is_gone_on_with(office, elsewhere):
    await office.call("look", session_id="s9")
    answer = await elsewhere.call("look", {"times": 2}, session_id="s9", call_id="c2")
    assert answer.ok
    assert (await elsewhere.ledger("c2", "s9"))["state"] == "finished"


async def test_without_the_store_it_is_answered_and_not_recorded(office, store):
    await office.call("look")
    store.fail("commit")
    assert (await office.call("look", {"times": 2}, call_id="c2")).ok
