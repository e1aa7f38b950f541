"""What one turn may cost: loops, budgets and the caller's time, counted by admission and given back by settlement."""

import asyncio
import json
import re

import pytest

from switchboard.contract.channel import Channel
from switchboard.contract.context import Beside, Round
from switchboard.contract.error import ErrorType
from switchboard.contract.policy import CHANNEL_POLICY
from switchboard.contract.store import Update
from tests.leisure import AS_IN_PRODUCTION, limited
from tests.pipeline import planted
from tests.pipeline.conftest import Instance
from tests.pipeline.metrics.test_meter import record

SESSION = "businesses/salon/sessions/s1"


def kind(response):
    return response.failure.type if response.failure else None


async def kinds(calls):
    return [kind(await call) for call in calls]


class TestLoop:
    """Seed 003, "Loop Detection"."""

    @pytest.mark.requirement("003-99", "003-100", "003-103")
    async def test_the_third_identical_call_of_a_turn_does_not_run(self, office):
        """With the tool's name, the count and a way out; not retryable."""
        office_calls = [office.call("act", {"what": "x"}, channel=Channel.PORTAL) for _ in range(3)]
        assert await kinds(office_calls) == [None, None, ErrorType.LOOP_DETECTED]
        last = await office.call("act", {"what": "x"}, channel=Channel.PORTAL)
        assert "act was called 4 times" in last.failure.message
        assert last.failure.retryable is False

    @pytest.mark.parametrize(
        "spellings",
        [
            ['{"word": "a b", "times": 2}', '{"times":2,"word":"a  b "}', {"word": "a b", "times": 2.0}],
            [{}, {"word": "hello"}, {"times": 1, "word": "hello"}],
            [{"word": "Jose\u0301"}, {"word": "José"}, {"word": " José"}],
            [{"times": 3}, {"times": "3"}, {"times": 3, "session_id": "x"}],
        ],
    )
    async def test_another_spelling_is_no_way_round_it(self, office, spellings):
        """Key order, blanks, unicode form, spelt-out defaults, safe coercions and ignored names are spelling."""
        calls = [office.call("look", args, channel=Channel.PORTAL) for args in spellings]
        assert (await kinds(calls))[-1] is ErrorType.LOOP_DETECTED

    @pytest.mark.requirement("003-105")
    async def test_the_same_calls_in_other_turns_or_sessions_are_no_loop(self, office):
        """Every turn starts anew."""
        same = {"word": "a"}
        calls = [office.call("look", same, turn=t, session_id=s) for t in (1, 2, 3) for s in ("s1", "s2")]
        assert await kinds(calls) == [None] * 6

    @pytest.mark.requirement("003-101", "003-102")
    async def test_after_two_empty_results_the_next_call_of_that_tool_does_not_run(self, office):
        """Whatever its arguments; another tool may still be asked."""
        empty = {"channel": Channel.PORTAL}
        nothing = [office.call("look", {"word": "nothing", "times": n}, **empty) for n in (1, 2)]
        assert await kinds(nothing) == [None, None]
        third = await office.call("look", {"word": "else"}, **empty)
        assert kind(third) is ErrorType.LOOP_DETECTED
        assert "may not exist" in third.failure.message
        assert (await office.call("act", {"what": "x"}, **empty)).ok

    async def test_repeated_mistakes_are_a_loop_too(self, office):
        """The third identical VALIDATION becomes advice to stop."""
        calls = [office.call("look", {"colour": "red"}) for _ in range(3)]
        assert await kinds(calls) == [ErrorType.VALIDATION, ErrorType.VALIDATION, ErrorType.LOOP_DETECTED]

    async def test_a_redelivered_webhook_is_not_a_loop(self, office):
        """The same call id is the same call."""
        for _ in range(5):
            assert (await office.call("act", {"what": "x"}, call_id="c1")).ok

    @pytest.mark.requirement("003-106")
    async def test_the_history_covers_five_turns(self, office):
        """Older turns leave the session document."""
        for turn in range(1, 9):
            await office.call("look", turn=turn)
        session = (await office.store.get(SESSION)).data
        assert sorted(map(int, session["turns"])) == [4, 5, 6, 7, 8]


@pytest.mark.requirement("003-27", "003-28", "003-34", "003-73", "000-12", "003-130")
@pytest.mark.parametrize("channel", list(Channel))
class TestBudget:
    """Seed 003, "Constraints": hard gates per turn and channel."""

    async def test_retrievals_of_a_turn_end_at_the_channels_limit(self, office, channel):
        """Two by voice, five in the portal; the next one is told to answer with what there is."""
        limit = CHANNEL_POLICY[channel].retrieval_calls_per_turn
        calls = [office.call("look", {"times": n}, channel=channel) for n in range(1, limit + 2)]
        assert await kinds(calls) == [None] * limit + [ErrorType.BUDGET_EXCEEDED]

    async def test_calls_of_any_kind_end_at_the_channels_limit(self, office, channel):
        """Three by voice, eight in the portal; nothing is done beyond it."""
        limit = CHANNEL_POLICY[channel].calls_per_turn
        calls = [office.call("act", {"what": str(n)}, channel=channel) for n in range(limit + 1)]
        assert await kinds(calls) == [None] * limit + [ErrorType.BUDGET_EXCEEDED]
        assert len(planted.done) == limit

    @pytest.mark.requirement("003-30")
    async def test_a_new_turn_has_its_full_budget(self, office, channel):
        """And calls that were refused are given back within a turn."""
        limit = CHANNEL_POLICY[channel].calls_per_turn
        for turn in (1, 2):
            for n in range(limit):
                await office.call("act", {"wrong": n}, channel=channel, turn=turn)
                assert (await office.call("act", {"what": str(n)}, channel=channel, turn=turn)).ok

    @pytest.mark.requirement("003-392")
    async def test_what_the_house_demands_costs_the_turn_nothing(self, office, channel):
        """To be verified is our wish, not the caller's; what the caller wants still fits."""
        limit = CHANNEL_POLICY[channel].calls_per_turn
        for n in range(limit):
            assert (await office.call("prove_it", {"what": f"p{n}"}, channel=channel)).ok
            assert (await office.call("act", {"what": str(n)}, channel=channel)).ok
        assert (await office.call("prove_it", {"what": "once more"}, channel=channel)).ok
        assert kind(await office.call("act", {"what": "too much"}, channel=channel)) is ErrorType.BUDGET_EXCEEDED

    async def test_calls_that_come_at_once_cannot_slip_through_together(self, office, channel):
        """The counts come back from the commit itself."""
        limit = CHANNEL_POLICY[channel].calls_per_turn
        await office.call("look", session_id="warm")
        calls = [office.call("act", {"what": str(n)}, channel=channel) for n in range(limit * 3)]
        answers = await asyncio.gather(*calls)
        assert sum(a.ok for a in answers) <= limit
        assert len(planted.done) <= limit


@pytest.mark.requirement("000-41")
async def test_look_ups_end_when_the_callers_time_is_used_up(office):
    """One clock for the turn: a second by voice, whoever of the tools was slow."""
    assert AS_IN_PRODUCTION[Channel.PHONE].retrieval_ms_per_turn == 1_000
    await office.call("look", {"times": 1})
    used_up = float(CHANNEL_POLICY[Channel.PHONE].retrieval_ms_per_turn)
    await office.store.inner.commit([Update(SESSION, {"turns.1.retrievalMs": used_up})])
    response = await office.call("look", {"times": 2})
    assert kind(response) is ErrorType.BUDGET_EXCEEDED
    assert response.meta["remainingMs"] == 0
    assert (await office.call("act", {"what": "x"})).ok
    assert (await office.call("look", {"times": 2}, turn=2)).ok


@pytest.mark.requirement("000-41")
async def test_a_look_up_is_cut_at_what_is_left_of_its_turn(office, monkeypatch):
    """Not at its own limit, which two of them would add up to more than the caller waits; the next turn is whole."""
    limited(monkeypatch, retrieval_ms_per_turn=400)
    await office.call("look", {"times": 1})
    await office.store.inner.commit([Update(SESSION, {"turns.1.retrievalMs": 385.0})])
    # By the next call at the latest it is known what others have looked up in the turn.
    await office.call("act", {"what": "x"})
    response = await office.call("look_slowly")
    assert (kind(response), response.meta["turnUsedUp"]) == (ErrorType.TRANSIENT, True)
    assert "all that this turn had left" in response.failure.message
    assert "look_slowly" not in office.meter.snapshot()["latencyMs"]


async def test_the_time_before_a_look_up_is_begun_is_the_callers_too(office, monkeypatch):
    """They wait for what it is prepared with as they do for its answer."""
    limited(monkeypatch, retrieval_ms_per_turn=180)
    for_call = office.catalog.for_call

    async def slowly(*place):
        await asyncio.sleep(0.15)
        return await for_call(*place)

    monkeypatch.setattr(office.catalog, "for_call", slowly)
    response = await office.call("look_slowly")
    seconds = float(re.search(r"longer than ([\d.e-]+) s", response.failure.message)[1])
    assert seconds < 0.04


async def test_what_usually_takes_longer_than_is_left_is_refused_from_its_fifth_run_on(office, monkeypatch):
    """Once something of the turn is used; a first look-up may find that the tool is quick again."""
    limited(monkeypatch, retrieval_ms_per_turn=60_000)
    for n in range(5):
        record(office.meter, elapsed_ms=59_990.0, turn=n)
    assert (await office.call("look", {"times": 1}, turn=9)).ok
    await office.store.inner.commit([Update(SESSION, {"turns.9.retrievalMs": 100.0})])
    refused = await office.call("look", {"times": 2}, turn=9)
    assert (kind(refused), refused.meta["remainingMs"]) == (ErrorType.BUDGET_EXCEEDED, 59_900)


async def test_the_time_of_look_ups_is_added_up_and_that_of_actions_is_not(office):
    """Milliseconds, in the session document."""
    await office.call("look", {"times": 1})
    await office.call("act", {"what": "x"})
    first = (await office.store.get(SESSION)).data["turns"]["1"]["retrievalMs"]
    await office.call("look", {"times": 2})
    second = (await office.store.get(SESSION)).data["turns"]["1"]["retrievalMs"]
    assert 0 < first < second


@pytest.mark.requirement("003-392")
async def test_look_ups_beside_each_other_count_as_one_and_by_the_time_they_take_together(office):
    """Three of one second are one second for whoever waits."""
    shared = Round()
    calls = [office.call("look", {"times": n}, beside=Beside(shared, n - 1)) for n in (1, 2, 3)]
    answers = await asyncio.gather(*calls)
    turn = (await office.store.get(SESSION)).data["turns"]["1"]
    assert (turn["calls"], turn["retrievals"]) == (1, 1)
    assert turn["retrievalMs"] == pytest.approx(max(answer.meta["elapsedMs"] for answer in answers))


async def test_two_instances_share_one_turn(office, store, clock):
    """Counts are the store's, not a process's."""
    other = Instance(store, clock)
    answers = [await (office, other)[n % 2].call("act", {"what": str(n)}) for n in range(4)]
    assert [a.ok for a in answers] == [True, True, True, False]


async def test_a_turn_without_a_store_is_not_counted_and_still_served(office, store):
    """Reading goes on; the limits come back with the store."""
    await office.call("look")
    store.fail("commit")
    for n in range(5):
        assert json.dumps((await office.call("look", {"times": n})).to_json())
