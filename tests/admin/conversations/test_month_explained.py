"""A text that a used-up month refused, as the call tells it: to the model, to whoever explains it, and once more."""

from typing import Any

import pytest

from switchboard.admin.conversations.explain import explain
from switchboard.catalog.definitions.registry import Registry
from switchboard.contract.context import CallContext
from switchboard.contract.response import Result
from switchboard.contract.store import Set
from switchboard.desk.messaging.sms import Texts
from switchboard.state.memory.store import MemoryStore
from tests.desk.front_desk import NOW, SALON, StoppedClock
from tests.desk.phone_network import CALLER, OTHER, MemoryPhoneNetwork, document, texts_over
from tests.pipeline import planted
from tests.pipeline.conftest import BUSINESS, PATHS, Instance, nothing_left_over

__all__ = ["nothing_left_over"]
WITHIN = PATHS.within(BUSINESS)
NUMBER = {"number": {"type": "string"}}
instance_texts: list[Texts] = []


async def text_them(ctx: CallContext, desk: Any, *, number: str) -> Result:
    """Text a number."""
    receipt = await instance_texts[-1].send(ctx, number, "Come at ten.", effect_key=f"{ctx.effect_key}|{number}")
    return Result({"sent": receipt.state})


@pytest.mark.requirement("004-843")
async def test_a_call_that_the_month_refused_says_so_and_one_that_came_before_keeps_its_answer() -> None:
    """The limit is reached between two texts of one conversation; the first is delivered again after that."""
    store, clock = MemoryStore(), StoppedClock()
    network = MemoryPhoneNetwork(clock)
    instance_texts.append(texts_over(store, network, clock))
    tools = {**planted.registry().tools, "text_them": planted._tool(text_them, "action", NUMBER, repeatable=True)}
    instance = Instance(store, clock, Registry("1.0.00000000", tools))
    await store.commit([Set(WITHIN.business, SALON | document())])
    first = await instance.call("text_them", {"number": CALLER}, call_id="c1")
    assert first.data == {"sent": "sent"}
    note = {"month": f"{NOW:%Y-%m}", "since": {"texts": NOW}}
    await store.commit([Set(WITHIN.business, {"monthStop": note}, merge=True)])
    # As long as what was read of the business is believed.
    clock.wait(61)
    again = await instance.call("text_them", {"number": CALLER}, call_id="c1")
    assert (again.data, network.posts) == ({"sent": "sent"}, 1)
    refused = await instance.call("text_them", {"number": OTHER}, call_id="c2")
    assert (refused.failure.type, refused.failure.retryable, network.posts) == ("RATE_LIMIT", False, 1)
    assert not refused.failure.partial_side_effects
    explanation = await explain(store, PATHS, BUSINESS, "s1", "c2")
    told = " ".join(explanation.sentences)
    assert "has sent as many text messages as its limit for this month allows. Nothing was sent." in told
    assert "a limit is used up" in told and "asked too often" not in told
    assert explanation.state == "refused"
