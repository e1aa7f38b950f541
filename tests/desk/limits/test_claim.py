"""What is claimed while it is counted belongs to whoever claimed it: a refusal takes back that and nothing else."""

import asyncio
from datetime import timedelta

import pytest

from switchboard.contract.caller.caller_identity import Standing
from switchboard.contract.error import Refused
from switchboard.contract.store import Create, Delete, Set, Update
from switchboard.desk.limits.claim import CLAIMED_BY, Claim, claimants, joining
from switchboard.desk.services import open_desk
from switchboard.state.memory.store import MemoryStore
from tests.desk.front_desk import NOW, StoppedClock, WatchedStore, call, stored
from tests.desk.messaging.test_duplicates import send
from tests.desk.messaging.test_messages import take
from tests.desk.phone_network import OTHER, phone_salon

SALON = phone_salon()
SAME = "Call me back."
UNKNOWN = {"attestation": None}


class HeldStore(WatchedStore):
    """A store in which whoever writes a certain message down hears of it only later."""

    def __init__(self):
        super().__init__(MemoryStore())
        self.written, self.goes_on, self.session_id = asyncio.Event(), asyncio.Event(), ""

    def hold(self, session_id):
        self.written.clear()
        self.goes_on.clear()
        self.session_id = session_id

    async def commit(self, writes):
        results = await super().commit(writes)
        made = [w for w in writes if isinstance(w, Create) and w.data.get("kind") == "message"]
        if self.session_id and any(w.data["sessionId"] == self.session_id for w in made):
            self.session_id = ""
            self.written.set()
            await self.goes_on.wait()
        return results


@pytest.fixture
def store():
    return HeldStore()


@pytest.fixture
def desk(store):
    return open_desk(store, StoppedClock())


async def used_up(desk, session="session-1", **who):
    """Leave as many messages as a stranger may."""
    for n in range(3):
        await take(desk, call(SALON, f"w{n}", session=session, **(UNKNOWN | who)), message=f"Message {n}.")


async def meanwhile(desk, store, *others, wish="more"):
    """Leave one message too many, and others' between its being written down and its being taken back."""
    store.hold("session-1")
    first = asyncio.create_task(take(desk, call(SALON, wish, **UNKNOWN), message=SAME))
    await store.written.wait()
    found = []
    for other in others:
        try:
            found.append((await take(desk, other, message=SAME)).id)
        except Refused as refused:
            found.append(refused)
    store.goes_on.set()
    return [*await asyncio.gather(first, return_exceptions=True), *found]


async def kept(store):
    found = await stored(store, SALON.id, "outbox")
    return [id for id, one in found.items() if one["text"] == SAME]


async def test_a_message_that_is_taken_back_takes_nobody_elses_with_it(desk, store):
    """Somebody else shows the caller's number, and has had their share; the caller's own message is there."""
    await used_up(desk)
    refused, taken = await meanwhile(desk, store, call(SALON, session="own", verified=True))
    assert isinstance(refused, Refused)
    assert await kept(store) == [taken]
    again = await take(desk, call(SALON, session="later", verified=True), message=SAME)
    assert (again.id, again.repeated) == (taken, True)


async def test_a_message_that_all_were_refused_is_taken_back_by_the_last_of_them(desk, store):
    """Two conversations at once get no more than one after the other."""
    await used_up(desk)
    others = [call(SALON, session=f"session-{n}", **UNKNOWN) for n in (2, 3)]
    assert all(isinstance(one, Refused) for one in await meanwhile(desk, store, *others))
    assert await kept(store) == []
    taken = await take(desk, call(SALON, session="own", verified=True), message=SAME)
    assert not taken.repeated
    assert await kept(store) == [taken.id]


async def test_who_is_refused_beside_somebody_who_may_takes_nothing_back(desk, store):
    """The first had room, and the second has none in this conversation."""
    await used_up(desk, session="session-2", phone=OTHER)
    store.hold("session-3")
    first = asyncio.create_task(take(desk, call(SALON, session="session-3", **UNKNOWN), message=SAME))
    await store.written.wait()
    with pytest.raises(Refused):
        await take(desk, call(SALON, "more", session="session-2", **UNKNOWN), message=SAME)
    store.goes_on.set()
    assert await kept(store) == [(await first).id]


async def test_who_turns_out_to_be_known_has_left_it_whoever_has_wanted_it_meanwhile(desk, store):
    """First refused as a stranger; what somebody else wanted as well, and was refused, is theirs all the same."""
    await used_up(desk)
    first = call(SALON).paths.document("sessions", "session-1")
    await store.commit([Set(first, Standing("match", "c1", None, NOW).to_fields())])
    for other in (call(SALON, session="own", verified=True), call(SALON, session="session-2", **UNKNOWN)):
        taken, _ = await meanwhile(desk, store, other, wish=other.facts.session_id)
        assert taken.id in await kept(store)


async def test_a_message_that_is_decided_costs_nobody_who_leaves_it_again_a_share(desk, store):
    """A minute later nobody takes it back any more, and as soon as it is being brought neither."""
    await take(desk, call(SALON), message=SAME)
    [id] = await kept(store)
    store.asked.clear()
    late = call(SALON, session="session-2", now=NOW + timedelta(minutes=1))
    assert (await take(desk, late, message=SAME)).id == id
    await store.commit([Update(call(SALON).paths.document("outbox", id), {"state": "sent"})])
    assert (await take(desk, call(SALON, session="session-3"), message=SAME)).id == id
    assert store.asked["commit"] == 3


async def test_a_message_that_is_being_brought_already_is_not_taken_back(desk, store):
    """Whoever was refused hears so, and what the business has it keeps."""
    await used_up(desk)
    store.hold("session-1")
    first = asyncio.create_task(take(desk, call(SALON, "more", **UNKNOWN), message=SAME))
    await store.written.wait()
    [id] = await kept(store)
    await store.commit([Update(call(SALON).paths.document("outbox", id), {"state": "sending"})])
    store.goes_on.set()
    with pytest.raises(Refused):
        await first
    assert await kept(store) == [id]


async def test_a_refused_text_leaves_the_one_that_was_sent_before_known(texts, network, clock):
    """Asked for again in another conversation within ten minutes, it has been sent."""
    first = await send(texts, call(SALON))
    for n in range(2):
        await send(texts, call(SALON, f"w{n}"), body=f"Text {n}.")
    with pytest.raises(Refused):
        await send(texts, call(SALON, "again, in a later turn"))
    clock.wait(60)
    again = await send(texts, call(SALON, session="session-2", now=clock.now()))
    assert (again.id, again.repeated) == (first.id, True)
    assert len(network.sent) == 3


PATHS = call(SALON).paths
THING, BESIDE, COUNT = (PATHS.document("tickets", name) for name in ("thing", "beside", "count"))
COUNTED = Set(COUNT, {"count": 1})


async def claimed(store, claim):
    return await store.commit(claim.writes)


@pytest.mark.parametrize("who", ["nobody", "the thing", "beside", "both", "gone"])
async def test_what_somebody_has_changed_since_is_theirs_and_the_count_is_taken_back_all_the_same(who):
    store = MemoryStore()
    claim = Claim(Create(THING, {"by": "me"}), beside=(Create(BESIDE, {"by": "me"}),), before=(None,))
    results = await claimed(store, claim)
    if who in ("the thing", "both"):
        await store.commit([Update(THING, {"by": "another"})])
    if who in ("beside", "both"):
        await store.commit([Update(BESIDE, {"by": "another"})])
    if who == "gone":
        await store.commit([Delete(THING)])
    await claim.take_back(store, results, [COUNTED])
    found = [one and one.data["by"] for one in await store.get_many([THING, BESIDE])]
    assert found == {
        "nobody": [None, None],
        "the thing": ["another", "me"],
        "beside": [None, "another"],
        "both": ["another", "another"],
        "gone": [None, "me"],
    }.get(who)
    assert (await store.get(COUNT)).data == {"count": 1}


async def test_what_was_there_before_is_there_again():
    """A document that was changed gets back what it had."""
    store = MemoryStore()
    await store.commit([Set(THING, {"state": "todo"}), Set(BESIDE, {"of": "another", "at": 1})])
    thing, beside = await store.get_many([THING, BESIDE])
    own = Update(THING, {"state": "mine"}, if_update_time=thing.update_time)
    other = Update(BESIDE, {"of": "me", "at": 2}, if_update_time=beside.update_time)
    claim = Claim(own, Update(THING, {"state": "todo"}), (other,), (beside,))
    await claim.take_back(store, await claimed(store, claim), [COUNTED])
    found = await store.get_many([THING, BESIDE])
    assert [one.data for one in found] == [{"state": "todo"}, {"of": "another", "at": 1}]
    [_, again] = (await claim.once_more(store)).writes
    assert again == Update(BESIDE, other.data, if_update_time=found[1].update_time)


async def test_a_shared_document_knows_who_wants_it():
    store = MemoryStore()
    await store.commit([Set(THING, {"state": "todo", CLAIMED_BY: ["a"]})])
    join = joining(await store.get(THING), "b")
    results = await claimed(store, join)
    assert claimants(await store.get(THING)) == ("a", "b")
    await join.take_back(store, results, [COUNTED])
    assert claimants(await store.get(THING)) == ("a",)
    for broken in (None, "a", [1, None], {}):
        await store.commit([Update(THING, {CLAIMED_BY: broken})])
        assert claimants(await store.get(THING)) == ()
