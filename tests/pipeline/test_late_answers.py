"""An owner's action may outlive whoever waits for it: what comes of it is recorded, and told in a later turn."""

import asyncio
import json
from types import SimpleNamespace
from typing import Any

import pytest

from switchboard.contract import policy
from switchboard.contract.channel import Channel
from switchboard.contract.error import ErrorType, ToolError
from switchboard.contract.response import EARLIER, Earlier
from switchboard.desk.tenant_tools.api_requests import ApiRequests, NoSecrets
from switchboard.pipeline.execution import deadline
from switchboard.pipeline.execution.deadline import outlived
from tests.desk.front_desk import all_places
from tests.desk.tenant_tools.test_api_requests import MemoryEgress, no_pause, said
from tests.pipeline.conftest import Instance
from tests.pipeline.ledger.test_effect_dedup import light
from tests.pipeline.test_tenant_tools import enter

ORDER = light(request={"method": "POST", "url": "https://house.example.com/order"})
ONCE = light(request={"method": "POST", "url": "https://house.example.com/order", "idempotent": True})


@pytest.fixture
def told(office: Instance) -> list[Any]:
    """What conversations of this process are told of what came late."""
    heard: list[Any] = []

    async def arrived(facts: Any, tool: str, response: Any) -> None:
        heard.append((facts.call_id, tool, response))

    office.dispatcher.arrivals.append(arrived)
    return heard


@pytest.fixture
def slow(office: Instance, monkeypatch: pytest.MonkeyPatch) -> asyncio.Event:
    """A service that answers when the test says so, and a channel that waits 50 ms."""
    monkeypatch.setattr(deadline, "limit_of", lambda *_: 0.05)
    gate = asyncio.Event()

    async def send(ctx: Any, bound: Any) -> Any:
        await gate.wait()
        if ctx.facts.call_id == "lost":
            raise ToolError(ErrorType.TRANSIENT, "Nobody knows.", retryable=False, partial_side_effects=True)
        return SimpleNamespace(status=200, result={"order": 7}, is_cut=False, is_empty=False, problem="", state="")

    office.dispatcher.runner.desk = SimpleNamespace(api_requests=SimpleNamespace(send=send))
    return gate


@pytest.mark.requirement("002-138")
async def test_the_answer_of_an_action_that_goes_on_is_recorded_and_told_once(office, slow, told):
    """To the conversation of this process, and to a service that holds it with the next call that it makes."""
    await enter(office, ORDER)
    response = await office.call("light", call_id="c1", channel=Channel.PORTAL)
    assert response.meta["timedOut"] and response.failure.partial_side_effects
    slow.set()
    await outlived()
    assert (await office.ledger("c1"))["state"] == "finished"
    ((call_id, tool, answer),) = told
    assert (call_id, tool, answer.data["result"]) == ("c1", "light", {"order": 7})
    assert answer.meta[EARLIER] == Earlier.WENT_ON
    later = await office.call("look", {"word": "x"}, turn=2, channel=Channel.PORTAL)
    (result,) = later.meta["pendingResults"]
    assert (result["callId"], result["tool"], result["response"]["data"]["result"]) == ("c1", "light", {"order": 7})
    assert "pendingResults" not in (await office.call("look", {"word": "y"}, turn=2, channel=Channel.PORTAL)).meta


async def test_each_channel_of_a_conversation_hears_of_its_own(office, slow):
    await enter(office, ORDER)
    await office.call("light", call_id="c1", channel=Channel.PORTAL)
    slow.set()
    await outlived()
    assert "pendingResults" not in (await office.call("look", {"word": "x"}, turn=2)).meta
    later = await office.call("look", {"word": "y"}, turn=2, channel=Channel.PORTAL)
    assert len(later.meta["pendingResults"]) == 1


async def test_a_conversation_of_ours_is_told_by_its_own_turn_and_not_beside_an_answer(office, slow):
    await enter(office, ORDER)
    await office.call("light", call_id="c1", applies_intents=True)
    slow.set()
    await outlived()
    assert "pendingResults" not in (await office.call("look", {"word": "x"}, turn=2, applies_intents=True)).meta


async def test_that_nobody_knows_what_came_of_it_is_told_too(office, slow, told):
    """The caller heard that it goes on; a silence would be taken for success."""
    await enter(office, ORDER)
    await office.call("light", call_id="lost")
    slow.set()
    await outlived()
    ((_, _, answer),) = told
    assert answer.failure.partial_side_effects and (await office.ledger("lost"))["state"] == "unknown"


async def test_an_answer_that_comes_in_time_is_not_told_again(office, slow, told):
    await enter(office, ORDER)
    slow.set()
    assert (await office.call("light", call_id="c1")).ok
    assert told == [] and "pendingResults" not in (await office.call("look", {"word": "x"}, turn=2)).meta


@pytest.mark.requirement("002-138")
async def test_a_service_that_failed_is_asked_again_under_the_same_key_until_it_is_known(office, clock, told):
    """Both tries of the call failed; the next pass asks again, and the conversation hears of it."""
    egress = MemoryEgress(said({}, 500), said({}, 500), said({"order": 7}))
    office.dispatcher.runner.desk = SimpleNamespace(
        api_requests=ApiRequests(egress, NoSecrets(), all_places(), no_pause)
    )
    await enter(office, ONCE)
    first = await office.call("light", call_id="c1")
    assert first.failure.partial_side_effects and len(egress.sent) == 2
    clock.wait(60)
    assert await office.dispatcher.recover() == 1
    row = await office.ledger("c1")
    assert (row["state"], json.loads(row["response"])["data"]["result"]) == ("finished", {"order": 7})
    assert len({headers["Idempotency-Key"] for _, _, headers, _ in egress.sent}) == 1
    assert [(call_id, answer.ok) for call_id, _, answer in told] == [("c1", True)]
    assert len((await office.call("look", {"word": "x"}, turn=2)).meta["pendingResults"]) == 1


def test_an_action_ends_before_others_may_take_it_for_abandoned():
    """And no sooner than a portal waits for it."""
    assert 10 < policy.OWNERS_ACTION_S <= policy.CALL_LEASE_S - 5
