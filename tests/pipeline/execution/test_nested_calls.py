"""A handler may call other tools: as calls of its own session and turn, which only their parent tells from others."""

import asyncio

import pytest

from switchboard.contract.channel import Channel
from switchboard.contract.error import ErrorType
from switchboard.contract.policy import CALLS_AT_ONCE
from switchboard.pipeline.checks.loop import DEEPEST
from tests.pipeline import planted, planted_nesting
from tests.pipeline.conftest import BUSINESS, PATHS, Instance


def kind(response):
    return response.failure.type if response.failure else None


@pytest.fixture
def office(store, clock):
    """An instance whose tools call others."""
    planted_nesting.heard.clear()
    return Instance(store, clock, planted_nesting.registry())


async def turn_counts(office, turn=1):
    """Return what a turn has used up: calls and look-ups."""
    session = await office.store.get(PATHS.within(BUSINESS).document("sessions", "s1"))
    found = session.data["turns"][str(turn)]
    return found["calls"], found["retrievals"]


async def test_a_nested_call_is_answered_counted_and_recorded_with_its_parent(office):
    """By the turn's counts and in a row of its own."""
    response = await office.call("ask", {"tool": "look"}, call_id="c1", channel=Channel.PORTAL)
    assert response.ok
    assert planted_nesting.heard[0].data["said"] == "hello0"
    assert await turn_counts(office) == (2, 1)
    row = await office.ledger("c1.1")
    assert (row["tool"], row["within"], row["state"], row["turn"]) == ("look", ["c1"], "finished", 1)
    assert (await office.ledger("c1"))["within"] == []


async def test_a_nested_call_spends_the_turns_budget_like_any_other(office):
    """By voice there are two look-ups a turn, whoever makes them."""
    await office.call("ask", {"tool": "look", "times": 3})
    assert [kind(answer) for answer in planted_nesting.heard] == [None, None, ErrorType.BUDGET_EXCEEDED]


async def test_nested_calls_may_not_go_round_in_circles_either(office):
    """The same call a third time in a turn is a loop."""
    await office.call("ask", {"tool": "crash", "times": 3}, channel=Channel.PORTAL)
    assert [kind(answer) for answer in planted_nesting.heard] == [
        ErrorType.INTERNAL,
        ErrorType.INTERNAL,
        ErrorType.LOOP_DETECTED,
    ]


async def test_conditions_hold_for_nested_calls_too(office):
    """What the model may not call, no tool calls for it."""
    await office.call("ask", {"tool": "look_in_portal"})
    assert kind(planted_nesting.heard[0]) is ErrorType.MODE_RESTRICTED


async def test_a_nested_action_that_needs_a_yes_is_answered_with_the_question(office):
    """To the handler, which can tell it; nothing is done."""
    await office.call("ask_to_act", {"tool": "act_if_agreed"})
    assert kind(planted_nesting.heard[0]) is ErrorType.CONFIRMATION_REQUIRED
    assert planted_nesting.heard[0].meta["readBack"]
    assert planted.done == []


@pytest.mark.parametrize("levels", [DEEPEST, DEEPEST + 1])
async def test_calls_stand_inside_each_other_three_deep_and_no_deeper(office, levels):
    """The fourth is refused with a reason, and leaves a row."""
    response = await office.call("descend", {"levels": levels}, call_id="c1", channel=Channel.PORTAL)
    assert response.ok
    innermost = planted_nesting.heard[0]
    assert innermost.ok is (levels == DEEPEST)
    if not innermost.ok:
        assert kind(innermost) is ErrorType.LOOP_DETECTED
        assert "3 deep" in innermost.failure.message
    row = await office.ledger("c1" + ".1" * levels)
    assert row["within"] == ["c1", "c1.1", "c1.1.1", "c1.1.1.1"][:levels]
    assert row["state"] == ("finished" if innermost.ok else "refused")


async def test_a_nested_call_ends_with_the_call_that_made_it(office):
    """60 ms are left, though the tool by itself would have 700."""
    began = asyncio.get_running_loop().time()
    response = await office.call("ask_slowly")
    assert response.meta["timedOut"] is True
    assert asyncio.get_running_loop().time() - began < 0.5


async def test_the_time_of_a_nested_look_up_is_counted_once(office):
    """The caller waits for the outer one only."""
    response = await office.call("ask_reading", {"tool": "look"}, channel=Channel.PORTAL)
    session = await office.store.get(PATHS.within(BUSINESS).document("sessions", "s1"))
    assert session.data["turns"]["1"]["retrievalMs"] == response.meta["elapsedMs"]


async def test_a_full_house_does_not_lock_its_own_calls_out(office, monkeypatch):
    """A nested call needs no place of its own: whoever made it holds one."""
    monkeypatch.setattr(office.dispatcher.concurrency, "_at_once", 1)
    response = await office.call("ask", {"tool": "look"}, channel=Channel.PORTAL)
    assert response.data == {"answers": [True]}
    assert office.dispatcher.concurrency.inside(BUSINESS) == 0


async def test_many_calls_that_make_calls_all_come_to_an_end(office):
    """As many at once as there are places."""
    asked = [
        office.call("ask", {"tool": "look"}, session_id=f"m{n}", channel=Channel.PORTAL) for n in range(CALLS_AT_ONCE)
    ]
    assert all(answer.ok for answer in await asyncio.gather(*asked))


async def test_an_action_that_is_run_again_finds_what_it_had_done_within(office):
    """Its nested calls have the same ids again, and are answered from the ledger."""
    first = await office.call("act_by_another", {"tool": "act"}, call_id="c1", channel=Channel.PORTAL)
    again = await office.call("act", {"what": "x"}, call_id="c1.1", within=("c1",), channel=Channel.PORTAL)
    assert first.ok
    assert again.meta["replayed"] is True
    assert len(planted.done) == 1
