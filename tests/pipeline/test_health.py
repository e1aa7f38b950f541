"""Fairness between businesses and broken integrations, through the dispatcher."""

import asyncio
from dataclasses import replace

import pytest

from switchboard.catalog.definitions.registry import Registry
from switchboard.catalog.offer.catalog import Options
from switchboard.contract.channel import Channel
from switchboard.contract.context import PhoneContext
from switchboard.contract.error import ErrorType
from switchboard.contract.policy import CALLS_AT_ONCE, RUNNING_AT_ONCE
from switchboard.contract.store import Set
from tests.pipeline import planted
from tests.pipeline.conftest import BUSINESS, PATHS, Instance

OUTSIDE = frozenset({"decline", "act_slowly"})


def registry():
    """Return the planted tools; two belong to an integration, and `note` is offered while it is out of order."""
    tools = dict(planted.registry().tools)
    for name in OUTSIDE:
        tools[name] = replace(tools[name], definition=replace(tools[name].definition, toolkit="outside"))
    note = replace(tools["look"].definition, name="note", requires=("circuit:open",))
    tools["note"] = replace(tools["look"], definition=note)
    return Registry("1.0.00000000", tools)


@pytest.fixture
def office(store, clock):
    """One instance whose integration can break."""
    planted.gates["g"] = asyncio.Event()
    return Instance(store, clock, registry())


async def offered(office):
    offer = await office.catalog.get_tool_definitions(BUSINESS, Options(Channel.PHONE))
    return {tool.name for tool in offer.tools} & (OUTSIDE | {"note"})


async def fail(office, times=5, type="TRANSIENT"):
    # Sessions of their own keep wishes, budgets and loops out of it.
    for number in range(times):
        await office.call("decline", {"type": type}, session_id=f"s{number}")


async def test_what_keeps_failing_leaves_the_offer_and_the_stand_in_enters_it(office, clock, unlimited):
    """Execution is refused likewise; when it has worked once more, all is as before."""
    assert await offered(office) == OUTSIDE
    await fail(office)
    assert await offered(office) == {"note"}
    response = await office.call("decline", {"type": "TRANSIENT"}, session_id="other")
    assert response.failure.type is ErrorType.MODE_RESTRICTED
    assert response.meta["condition"] == "circuit:outside"
    clock.wait(15)
    assert await offered(office) == OUTSIDE | {"note"}
    planted.gates["g"].set()
    assert (await office.call("act_slowly", {"gate": "g"}, session_id="new")).ok
    assert await offered(office) == OUTSIDE


async def test_answers_are_no_failures(office):
    """A taken time is one."""
    await fail(office, 20, "CONFLICT")
    assert await offered(office) == OUTSIDE


async def test_while_one_call_tries_all_others_are_kept_out(office, clock):
    """Also when the one that tries has outlived its caller."""
    await fail(office)
    clock.wait(15)
    probe = await office.call("act_slowly", {"gate": "g"}, session_id="probe")
    assert probe.meta["timedOut"]
    response = await office.call("decline", {"type": "TRANSIENT"}, session_id="other")
    assert response.meta["condition"] == "circuit:outside"
    assert await offered(office) == {"note"}


async def test_two_calls_that_were_admitted_together_do_not_both_try(office, clock):
    """The offer let both in; the circuit lets one."""
    await fail(office)
    clock.wait(15)
    calls = [office.call("act_slowly", {"gate": "g"}, session_id=f"both{n}") for n in range(2)]
    conditions = [answer.meta.get("condition") for answer in await asyncio.gather(*calls)]
    assert sorted(map(str, conditions)) == ["None", "circuit:outside"]


@pytest.mark.parametrize(("tool", "args"), [("look_slowly", {}), ("act_slowly", {"gate": "g"})])
async def test_a_noisy_business_does_not_keep_another_from_being_served(office, store, tool, args):
    """1,000 slow calls of one: a few run, and the other's is answered at once; actions keep their places."""
    await store.commit([Set(PATHS.within("quiet").business, {"name": "Quiet"})])
    noisy = [asyncio.ensure_future(office.call(tool, args, session_id=f"s{n}")) for n in range(1_000)]
    await asyncio.sleep(0)
    own = PhoneContext(business_id="quiet", session_id="q", call_id="q1")
    answer = await asyncio.wait_for(office.dispatcher.execute_tool("look", {}, "quiet", own), 60)
    assert answer.ok
    assert office.dispatcher.concurrency.running(BUSINESS) <= RUNNING_AT_ONCE
    answers = await asyncio.gather(*noisy)
    ran = [a for a in answers if a.failure.type is not ErrorType.RATE_LIMIT]
    assert 0 < len(ran) <= CALLS_AT_ONCE
    assert all(a.failure.retryable for a in answers if a not in ran)
    assert office.dispatcher.concurrency.inside(BUSINESS) == (len(ran) if tool == "act_slowly" else 0)


async def test_a_call_without_room_may_come_again_under_its_own_id(office, monkeypatch):
    """It was neither recorded nor counted."""
    monkeypatch.setattr(office.dispatcher.concurrency, "_at_once", 0)
    refused = await office.call("act", {"what": "x"}, call_id="c1")
    assert (refused.failure.type, refused.failure.retryable) == (ErrorType.RATE_LIMIT, True)
    monkeypatch.undo()
    assert (await office.call("act", {"what": "x"}, call_id="c1")).ok
