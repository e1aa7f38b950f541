"""Budgets that a business, an agent or a tool sets for itself."""

import asyncio
from types import SimpleNamespace
from typing import Any

import pytest

from switchboard.contract.channel import Channel
from switchboard.contract.error import ErrorType
from switchboard.contract.policy import CHANNEL_POLICY, GREATEST
from switchboard.contract.store import Set, Update
from tests.leisure import AS_IN_PRODUCTION
from tests.pipeline.conftest import BUSINESS, Instance
from tests.pipeline.test_tenant_tools import WITHIN, enter, tool


async def looked_up(office: Instance, times: int, **facts: Any) -> list[ErrorType | None]:
    """Look up one thing after the other in one turn; return what each was refused with."""
    answers = [await office.call("look", {"word": str(n)}, **facts) for n in range(times)]
    return [answer.failure.type if answer.failure else None for answer in answers]


@pytest.mark.requirement("003-443")
async def test_a_business_may_have_more_look_ups_in_a_turn_on_the_phone(office, store):
    """An exchange of two items takes five: the order, both items, the stock of both."""
    assert await looked_up(office, 3) == [None, None, ErrorType.BUDGET_EXCEEDED]
    await store.commit(
        [Set(WITHIN.business, {"limits": {"phone": {"lookUpsPerTurn": 5, "callsPerTurn": 6}}}, merge=True)]
    )
    office.catalog.forget(BUSINESS)
    assert await looked_up(office, 6, turn=2) == [None] * 5 + [ErrorType.BUDGET_EXCEEDED]


@pytest.mark.requirement("004-644")
async def test_look_ups_that_are_set_alone_are_all_had_as_the_docs_show(office, store):
    """`{"phone": {"lookUpsPerTurn": 5}}`, and an action behind them."""
    await store.commit([Set(WITHIN.business, {"limits": {"phone": {"lookUpsPerTurn": 5}}}, merge=True)])
    assert await looked_up(office, 6) == [None] * 5 + [ErrorType.BUDGET_EXCEEDED]
    assert (await office.call("act", {"what": "wave"})).ok


async def test_an_agent_has_its_own_and_other_agents_do_not(office, store):
    await enter(office, limits={"phone": {"lookUpsPerTurn": 3, "callsPerTurn": 4}})
    await enter(office, agent="second", isDefault=False)
    assert await looked_up(office, 4) == [None] * 3 + [ErrorType.BUDGET_EXCEEDED]
    assert (await looked_up(office, 3, agent_id="second", session_id="s2"))[2] is ErrorType.BUDGET_EXCEEDED


async def test_a_tighter_budget_is_kept_as_well(office, store):
    await store.commit([Set(WITHIN.business, {"limits": {"portal": {"callsPerTurn": 1}}}, merge=True)])
    assert (await looked_up(office, 2, channel=Channel.PORTAL))[1] is ErrorType.BUDGET_EXCEEDED


@pytest.mark.usefixtures("pressed")
@pytest.mark.parametrize(
    ("channel", "timeout_ms", "seconds"),
    [
        (Channel.PHONE, None, 0.8),
        (Channel.PHONE, 300, 0.3),
        (Channel.PHONE, 1_500, 1.0),
        (Channel.PORTAL, 20_000, 5.0),
    ],
)
async def test_an_owners_tool_says_how_long_a_caller_waits_for_it(office, channel, timeout_ms, seconds):
    """Within the platform's greatest, and within what is left of the turn: a second on the phone."""
    config = {} if timeout_ms is None else {"timeoutMs": timeout_ms}
    await enter(office, tool("slow", **config, params={}, request={"method": "GET", "url": "https://a.example.com/x"}))
    given: list[float] = []

    async def send(ctx: Any, bound: Any) -> Any:
        loop = asyncio.get_running_loop()
        given.append(min(work.ends_at for work in deadline_limits()) - loop.time())
        return SimpleNamespace(status=200, result={"a": 1}, is_cut=False, is_empty=False, problem="", state="")

    office.dispatcher.runner.desk = SimpleNamespace(api_requests=SimpleNamespace(send=send))
    assert (await office.call("slow", channel=channel)).ok
    assert seconds - 0.5 < given[0] <= seconds


def deadline_limits() -> Any:
    from switchboard.pipeline.execution import deadline

    return deadline._limits.open


@pytest.mark.parametrize("timeout_ms", [99, 20_001, 2.5, True, "1000"])
def test_a_time_that_no_caller_waits_is_refused_when_it_is_saved(timeout_ms):
    from switchboard.catalog.tenant_tools.config import DefinitionErrors, read_config

    request = {"method": "GET", "url": "https://a.example.com/x"}
    with pytest.raises(DefinitionErrors) as refused:
        read_config({"type": "api_request", "label": "x", "request": request, "timeoutMs": timeout_ms})
    assert refused.value.errors[0].field == "timeoutMs"


def test_the_phone_keeps_the_limits_of_the_seeds_where_nobody_sets_any():
    assert AS_IN_PRODUCTION[Channel.PHONE].retrieval_calls_per_turn == 2
    assert GREATEST[Channel.PHONE].retrieval_calls_per_turn == 6
    assert CHANNEL_POLICY[Channel.PHONE].calls_per_turn == 3


async def test_the_story_of_a_call_names_the_budget_that_held(office, store):
    await store.commit([Set(WITHIN.business, {"limits": {"phone": {"callsPerTurn": 7}}}, merge=True)])
    await office.call("look", {"word": "x"}, call_id="c1")
    assert "call 1 of 7" in str((await office.ledger("c1"))["checks"])
    await store.commit([Update(WITHIN.business, {"limits": "many"})])
