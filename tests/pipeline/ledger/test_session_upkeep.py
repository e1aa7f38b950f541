"""A session's document stays small, however long its conversation is, and goes when nobody uses it any more."""

import json
from contextlib import suppress
from datetime import timedelta
from typing import Any

import pytest

from switchboard.contract.channel import Channel
from switchboard.contract.error import ErrorType
from switchboard.contract.policy import CALL_LEASE_S, LEDGER_DAYS, LOOP_HISTORY_TURNS
from switchboard.contract.store import Delete, Invalid, Set
from switchboard.pipeline.ledger.session_upkeep import ARRIVALS_KEPT, LOOK_EVERY, RECEIPTS_KEPT
from tests.pipeline import planted, test_once
from tests.pipeline.conftest import BUSINESS, PATHS, Instance
from tests.pipeline.test_ledger_documents import registry

SESSION = PATHS.within(BUSINESS).document("sessions", "s1")


async def session(store) -> dict[str, Any]:
    found = await store.get(SESSION)
    assert found is not None
    return found.data


@pytest.mark.requirement("003-461")
@pytest.mark.parametrize("is_one_instance", [True, False])
async def test_turns_that_do_not_follow_one_another_leave_the_document_too(store, clock, is_one_instance):
    """As of a client whose turns are counted by the clock, on one instance or on one that is new each time."""
    office = Instance(store, clock)
    for n in range(3 * LOOK_EVERY):
        clock.wait(95)
        office = office if is_one_instance else Instance(store, clock)
        await office.call("look", {"times": n}, turn=int(clock.now().timestamp()) // 30)
    assert len((await session(store))["turns"]) <= LOOK_EVERY


@pytest.mark.requirement("003-461")
async def test_the_counts_of_the_turn_that_is_under_way_stay(store, clock):
    """Also where its number is lower than those before it."""
    office = Instance(store, clock)
    for n in range(LOOK_EVERY + 1):
        await office.call("look", {"times": n}, turn=1_000 + 7 * n, channel=Channel.PORTAL)
    for n in range(4):
        await Instance(store, clock).call("look", {"times": n}, turn=6, channel=Channel.PORTAL)
    turns = (await session(store))["turns"]
    assert turns["6"]["calls"] == 4
    assert len(turns) == 5


@pytest.mark.requirement("003-461")
async def test_receipts_and_results_that_nobody_asks_for_leave_it(store, clock):
    """The newest stay; what is older than the ledger, or waits to be told for longer than a day, does not."""
    rows = {f"k{n}": {"tool": "act", "at": clock.now() - timedelta(seconds=n)} for n in range(3 * RECEIPTS_KEPT)}
    late = {f"c{n}": {"tool": "act", "at": clock.now() - timedelta(seconds=n)} for n in range(3 * ARRIVALS_KEPT)}
    old = {"tool": "act", "at": clock.now() - timedelta(days=LEDGER_DAYS + 1)}
    asked = [f"{turn}:k" for turn in range(40)]
    await store.commit(
        [
            Set(
                SESSION,
                {
                    "receipts": rows | {"old": old},
                    "arrivals": late | {"old": old},
                    "proposal": {"turn": 7, "asked": asked},
                    "verification": {"level": "code"},
                },
            )
        ]
    )
    await Instance(store, clock).call("look", turn=1_000)
    found = await session(store)
    assert sorted(found["receipts"]) == sorted(f"k{n}" for n in range(RECEIPTS_KEPT))
    assert sorted(found["arrivals"]) == sorted(f"c{n}" for n in range(ARRIVALS_KEPT))
    assert (found["proposal"]["asked"], found["verification"]) == (["7:k"], {"level": "code"})


@pytest.mark.requirement("003-461")
async def test_a_document_that_is_full_is_made_room_in_and_the_call_goes_on(store, clock):
    """Nothing that nobody asks for may keep a caller from an appointment."""
    counts = {"calls": 1, "same": {"f" * 64: 1}, "padding": "x" * 900}
    filled = {"channel": "phone", "turns": {str(n): counts for n in range(1_042)}}
    for more in range(2_000, 0, -50):
        with suppress(Invalid):
            await store.commit([Set(SESSION, filled | {"padding": "x" * more})])
            break
    office = Instance(store, clock)
    answer = await office.call("act", {"what": "cake"}, call_id="c1", turn=3)
    assert answer.ok, answer
    assert (await office.ledger("c1"))["state"] == "finished"
    assert len((await session(store))["turns"]) <= 5


@pytest.mark.requirement("003-462")
async def test_a_session_is_kept_from_its_last_use(office, store, clock):
    """A thread that is gone on with for months keeps what it has established."""
    await office.call("look", turn=1)
    for turn in range(2, 6):
        clock.wait(timedelta(days=LEDGER_DAYS - 2).total_seconds())
        await office.call("look", turn=turn)
        assert (await session(store))["expireAt"] == clock.now() + timedelta(days=LEDGER_DAYS)


@pytest.mark.requirement("003-462")
async def test_a_session_that_has_expired_begins_anew_as_a_whole(office, store, clock):
    """With its words, its beginning and its end, on an instance that remembers the one before."""
    await office.call("look")
    clock.wait(timedelta(days=LEDGER_DAYS, minutes=1).total_seconds())
    await store.commit([Delete(SESSION)])
    assert (await office.call("look")).ok
    found = await session(store)
    assert {"startedAt", "expireAt", "catalogHash"} <= found.keys()


@pytest.mark.requirement("003-462")
async def test_whatever_is_noted_of_a_session_says_until_when_it_is_kept(store, clock):
    """Also a receipt that comes after its document has gone."""
    office = Instance(store, clock, registry())
    await office.call("greet", {"name": "Ada"})
    await store.commit([Delete(SESSION)])
    await office.call("greet", {"name": "Bo"})
    assert (await session(store))["expireAt"] == clock.now() + timedelta(days=LEDGER_DAYS)


@pytest.mark.requirement("003-463")
@pytest.mark.parametrize(("name", "state"), [("act", "failed"), ("act_again", "failed")])
async def test_a_row_whose_session_is_gone_ends(office, store, clock, name, state):
    """Nobody goes on with it, and no conversation begins anew for it; that nothing was done is told where it is so."""
    await test_once.TestAbandonedCalls.die(office, store, name, {"what": "x"})
    row = await office.ledger("c1")
    planted.done.clear()
    await store.commit([Delete(SESSION)])
    clock.wait(CALL_LEASE_S + 1)
    await office.dispatcher.recover()
    ended = await office.ledger("c1")
    begun = row.get("begunAt", "?") is not None and row["effectKey"] is not None
    expected = "unknown" if begun else state
    assert (ended["state"], ended["dueAt"], ended["givenUp"]) == (
        expected,
        None,
        "its session is not there any more",
    )
    assert (json.loads(ended["response"])["error"]["type"] == ErrorType.TRANSIENT.value) is (expected == "unknown")
    assert planted.done == [] and await store.get(SESSION) is None
    clock.wait(3_600)
    assert await office.dispatcher.recover() == 0


@pytest.mark.requirement("003-461")
async def test_the_first_call_of_a_turn_drops_the_turn_that_no_loop_is_looked_for_in(office, store):
    """Of a conversation whose turns follow one another so many are left, whatever kind of call comes."""
    for turn in range(1, LOOP_HISTORY_TURNS + 4):
        await office.call("act", {"what": str(turn)}, turn=turn)
        await office.call("look", {"word": str(turn)}, turn=turn)
    kept = sorted(map(int, (await session(store))["turns"]))
    assert kept == list(range(4, LOOP_HISTORY_TURNS + 4))
