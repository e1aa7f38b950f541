"""A yes is used up by the call that it lets in, on the way that every call takes."""

import asyncio

import pytest

from switchboard.contract.error import ErrorType
from switchboard.pipeline.confirmation.approvals import Approvals
from tests.pipeline import planted
from tests.pipeline.conftest import PATHS, Instance

TOOL = "act_each_time_if_agreed"


@pytest.fixture
def office(store, clock) -> Instance:
    """One instance, with a tool that is done as often as somebody agrees to it."""
    known = planted.registry()
    asked = planted._tool(planted.act, "action", {"what": {"type": "string"}}, name=TOOL, repeat="never", confirm=True)
    return Instance(store, clock, type(known)(known.version, {**known.tools, TOOL: asked}))


async def agreed(office: Instance, store, clock) -> None:
    """Have it asked about in turn 1, and hear a yes in turn 2."""
    assert (await office.call(TOOL, {"what": "x"}, turn=1)).failure.type is ErrorType.CONFIRMATION_REQUIRED
    heard = await Approvals(store, PATHS).hear("salon", "s1", 2, "yes", clock.now(), question=1)
    assert heard.verdict == "approved"


@pytest.mark.requirement("004-127")
async def test_one_yes_lets_one_call_in_also_of_a_tool_that_is_done_each_time(office, store, clock):
    """The next one of the same turn is asked about anew, one after the other and at once."""
    await agreed(office, store, clock)
    answers = [await office.call(TOOL, {"what": "x"}, turn=2) for _ in range(2)]
    assert [answer.ok for answer in answers] == [True, False]
    assert answers[1].failure.type is ErrorType.CONFIRMATION_REQUIRED
    assert len(planted.done) == 1


@pytest.mark.requirement("004-127")
async def test_of_calls_at_once_one_yes_lets_one_in(office, store, clock):
    await agreed(office, store, clock)
    answers = await asyncio.gather(*(office.call(TOOL, {"what": "x"}, turn=2) for _ in range(5)))
    assert sum(answer.ok for answer in answers) == len(planted.done) == 1
