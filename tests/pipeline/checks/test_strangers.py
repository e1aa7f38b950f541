"""Actions of callers who are not verified: counted where they are admitted, over every conversation and process."""

import asyncio
from dataclasses import replace

import pytest

from switchboard.contract.caller.caller_identity import Standing
from switchboard.contract.channel import Channel
from switchboard.contract.error import ErrorType
from switchboard.contract.policy import STRANGERS, Thing
from switchboard.contract.store import Set
from tests.pipeline.conftest import BUSINESS, PATHS, Instance

ACTIONS = STRANGERS[Thing.ACTIONS]
PHONE = "+15185550171"
pytestmark = pytest.mark.requirement("004-60")


async def acted(office, n, **facts) -> str:
    """Act in a turn of its own; return `done`, or the scope that refused."""
    response = await office.call("act", {"what": str(n)}, turn=n, **facts)
    if response.ok:
        return "done"
    assert response.failure.type is ErrorType.RATE_LIMIT, response.failure
    assert response.failure.partial_side_effects is False and "Nothing was done" in response.failure.message
    return str(response.meta["reason"])


async def test_a_number_acts_so_often_in_an_hour_and_each_call_of_it_a_few_times_beyond(office):
    """Another one, and the next hour, have their own."""
    first = [await acted(office, n, session_id="first", caller_phone=PHONE) for n in range(1, ACTIONS.number + 3)]
    assert first == ["done"] * ACTIONS.number + ["visit"] * 2
    later = [await acted(office, 50 + n, session_id="later", caller_phone=PHONE) for n in range(10)]
    assert later == ["done"] * ACTIONS.assured_call + ["number"] * 2
    other = [await acted(office, 70 + n, session_id="x", caller_phone="+15185550188") for n in range(10)]
    assert other == ["done"] * 10
    office.clock.wait(3_600)
    next_hour = [await acted(office, 90 + n, session_id="later", caller_phone=PHONE) for n in range(10)]
    assert next_hour == ["done"] * 10


@pytest.mark.requirement("004-161")
async def test_no_number_of_forged_calls_keeps_the_owner_of_a_number_from_acting(office):
    """A call that was admitted has its floor, also after hundreds of calls that show the same number."""
    mine = {"session_id": "mine", "caller_phone": PHONE}
    assert await acted(office, 1, **mine) == "done"
    for n in range(40):
        for turn in range(1, ACTIONS.assured_call + 1):
            await acted(office, turn, session_id=f"forged{n}", caller_phone=PHONE)
    rest = [await acted(office, n, **mine) for n in range(2, ACTIONS.assured_call + 2)]
    assert rest == ["done"] * (ACTIONS.assured_call - 1) + ["number"]


@pytest.mark.requirement("004-161")
async def test_a_visitor_has_a_floor_where_all_of_the_business_have_used_up_theirs(office, monkeypatch):
    """Told by the address, of which a new visit is no new one."""
    monkeypatch.setitem(STRANGERS, Thing.ACTIONS, replace(ACTIONS, business=20))
    for n in range(20):
        await acted(office, 1, channel=Channel.PORTAL, session_id=f"web{n}", address=f"198.51.100.{n}")
    mine = {"channel": Channel.PORTAL, "address": "192.0.2.7"}
    found = [await acted(office, n, session_id=f"mine{n % 2}", **mine) for n in range(1, ACTIONS.assured + 3)]
    assert found == ["done"] * ACTIONS.assured + ["business"] * 2


@pytest.mark.requirement("004-1302")
async def test_what_somebody_verified_does_leaves_strangers_their_share(office, monkeypatch):
    """Counted before it is known who it is, and given back with what came of it."""
    monkeypatch.setitem(STRANGERS, Thing.ACTIONS, replace(ACTIONS, business=20, address=20))
    session = PATHS.within(BUSINESS).document("sessions", "known")
    standing = Standing("match", "c1", None, office.clock.now())
    await office.store.commit([Set(session, standing.to_fields(), merge=True)])
    here = {"channel": Channel.PORTAL, "address": "192.0.2.7"}
    assert {await acted(office, n, session_id="known", **here) for n in range(1, 30)} == {"done"}
    assert [await acted(office, n, session_id="new", **here) for n in range(1, 21)] == ["done"] * 20


@pytest.mark.requirement("004-163")
async def test_calls_whose_number_is_withheld_act_within_one_share(office, monkeypatch):
    """Each has its floor; a service that tells no number at all has said nothing of the kind."""
    monkeypatch.setitem(STRANGERS, Thing.ACTIONS, replace(ACTIONS, withheld=30))
    found = [
        await acted(office, n + 1, session_id=f"hidden{n // 10}", caller_phone=None, is_withheld=True)
        for n in range(40)
    ]
    assert found == ["done"] * (30 + ACTIONS.assured_call) + ["withheld"] * 2
    told = [await acted(office, n + 1, session_id="told", caller_phone=None) for n in range(ACTIONS.visit + 5)]
    assert set(told) == {"done"}


async def test_an_address_acts_so_often_in_several_visits_at_once_and_in_several_processes(store, clock):
    """The count that comes back with the admission decides."""
    offices = [Instance(store, clock) for _ in range(3)]
    visitor = {"channel": Channel.PORTAL, "address": "198.51.100.7"}
    work = (acted(offices[n % 3], n, session_id=f"web{n % 5}", **visitor) for n in range(1, 71))
    found = await asyncio.gather(*work)
    assert found.count("done") == ACTIONS.address


async def test_what_is_refused_is_given_back(office):
    """A mistake that is corrected, and a call without its yes, cost nothing of the share."""
    for n in range(1, ACTIONS.number + 5):
        refused = await office.call("act", {"nothing": n}, turn=n, caller_phone=PHONE)
        assert refused.failure.type is ErrorType.VALIDATION
    assert await acted(office, 99, caller_phone=PHONE) == "done"


async def test_whoever_is_verified_is_not_bound_also_where_the_tool_does_not_ask(office, store, clock):
    """By the channel, or by what the conversation has established: that is read only for who would be refused."""
    for n in range(1, ACTIONS.number + 1):
        await acted(office, n, caller_phone=PHONE)
    assert await acted(office, 50, caller_phone=PHONE) == "visit"
    assert await acted(office, 51, caller_phone=PHONE, caller_verified=True) == "done"
    standing = Standing("match", "clr_1", PHONE, clock.now())
    session = PATHS.within(BUSINESS).document("sessions", "s1")
    await store.inner.commit([Set(session, standing.to_fields(), merge=True)])
    assert await acted(office, 52, caller_phone=PHONE) == "done"


async def test_counting_a_stranger_costs_no_round_trip(office, store):
    """It is written with what admits the call."""
    await acted(office, 1, caller_phone=PHONE)
    store.asked.clear()
    await acted(office, 2, caller_phone=PHONE)
    # Let in, begun (it is a tool that must not run twice), settled.
    assert dict(store.asked) == {"commit": 3}


@pytest.mark.requirement("004-61")
async def test_a_tool_that_a_business_has_to_open_is_for_verified_callers_whatever_its_level(office, store):
    """A business that verifies nobody has not said that everybody may; the feature says it."""

    async def entered(session: str, business: dict, **facts) -> ErrorType | None:
        await store.inner.commit([Set(PATHS.within(BUSINESS).business, business)])
        office.catalog.forget(BUSINESS)
        response = await office.call("enter_event", {"what": session}, session_id=session, **facts)
        return response.failure.type if response.failure else None

    for level in ("none", "match", "code"):
        closed, opened = {"ai": {"callerVerification": level}}, {"features": {"open_events": True}}
        assert await entered(f"{level} 1", closed) is ErrorType.MODE_RESTRICTED
        assert await entered(f"{level} 2", closed, caller_verified=True) is None
        assert await entered(f"{level} 3", closed | opened) is None
