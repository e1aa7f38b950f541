"""The ledger in memory keeps the store's promises, within bounds."""

import asyncio

import pytest

from switchboard.contract.error import ErrorType
from switchboard.contract.policy import CALL_LEASE_S
from switchboard.pipeline import memory_ledger
from switchboard.pipeline.dispatch import Dispatcher
from switchboard.pipeline.memory_ledger import MemoryLedger
from switchboard.pipeline.meter import Meter
from switchboard.pipeline.proposal import Approvals
from tests.pipeline import planted, planted_nesting, test_turn
from tests.pipeline.conftest import PATHS, Instance


class InMemory(Instance):
    """An instance whose dispatcher keeps its ledger in memory."""

    def __init__(self, store, clock, ledger=None, registry=None):
        super().__init__(store, clock, registry)
        self.ledger_in_memory = ledger or MemoryLedger(store, PATHS)
        self.dispatcher = Dispatcher(self.catalog, self.ledger_in_memory, None, PATHS, clock, Meter(clock))

    async def ledger(self, call_id, session_id="s1"):
        return self.ledger_in_memory.session(("salon", session_id)).fields(call_id)


@pytest.fixture
def office(store, clock):
    """One instance with a ledger in memory."""
    return InMemory(store, clock)


def kind(response):
    return response.failure.type if response.failure else None


class TestLoop(test_turn.TestLoop):
    """What holds over the store holds here."""

    async def test_the_history_covers_five_turns(self, office):
        """Older turns leave the session."""
        for turn in range(1, 9):
            await office.call("look", turn=turn)
        assert sorted(office.ledger_in_memory.session(("salon", "s1")).turns) == [4, 5, 6, 7, 8]


class TestBudget(test_turn.TestBudget):
    """What holds over the store holds here."""


async def test_nothing_is_asked_of_the_store(office, store):
    """Once definitions and business are known."""
    await office.call("look")
    store.asked.clear()
    await office.call("look", session_id="s2")
    assert not store.asked


async def test_a_delivery_that_comes_again_gets_the_stored_answer(office):
    """Intents and receipt included."""
    first = await office.call("act", {"what": "wave"}, call_id="c1")
    again = await office.call("act", '{ "what": "wave" }', call_id="c1")
    assert again.meta == {**first.meta, "replayed": True}
    assert (again.data, again.intents) == (first.data, first.intents)
    assert len(planted.done) == 1


async def test_fifty_equal_wishes_at_once_have_one_effect(office):
    """Under fifty ids."""
    answers = await asyncio.gather(*(office.call("act", {"what": "x"}, turn=n) for n in range(50)))
    assert len(planted.done) == 1
    assert all(a.ok or (kind(a) is ErrorType.CONFLICT and a.failure.retryable) for a in answers)


async def test_a_wish_that_failed_may_be_made_again_and_an_unknown_one_may_not(office):
    """Only what may have been done is not done twice."""
    for partial, repeated in ((False, None), (True, True)):
        wish = {"type": "TRANSIENT", "partial": partial}
        await office.call("decline", wish)
        assert (await office.call("decline", wish, turn=2)).meta.get("repeated") is repeated


async def test_a_wish_outlives_its_call(office, monkeypatch):
    """The call is forgotten; what it did is not done again, and its answer is still known."""
    monkeypatch.setattr(memory_ledger, "CALLS_KEPT", 2)
    first = await office.call("act", {"what": "x"}, call_id="c1")
    for turn in range(2, 5):
        await office.call("look", turn=turn)
    assert await office.ledger("c1") is None
    again = await office.call("act", {"what": "x"}, call_id="c2", turn=5)
    assert (again.data, again.meta["repeated"]) == (first.data | {"repeated": True}, True)
    assert len(planted.done) == 1


class TestYes:
    """What needs the caller's yes is asked for, agreed to and done once, though the ledger is not in the store."""

    @pytest.fixture
    def office(self, store, clock):
        """One instance with a tool that needs a yes."""
        return InMemory(store, clock, registry=planted_nesting.registry())

    async def test_a_call_that_was_agreed_to_is_carried_out_once(self, office, store, clock):
        """In a later turn, and not a second time."""
        wish = {"what": "x"}
        assert kind(await office.call("act_if_agreed", wish)) is ErrorType.CONFIRMATION_REQUIRED
        heard = await Approvals(store, PATHS).hear("salon", "s1", 2, "yes", clock.now())
        assert heard.verdict == "approved"
        assert (await office.call("act_if_agreed", wish, turn=2)).ok
        assert len(planted.done) == 1
        assert (await office.call("act_if_agreed", wish, turn=2)).meta["repeated"] is True
        assert len(planted.done) == 1

    async def test_while_nobody_can_tell_whether_the_caller_agreed_nothing_is_done_or_recorded(self, office, store):
        """The question is asked; the call may come again under its own id, and is not counted."""
        await office.call("look")
        store.fail("commit")
        refused = await office.call("act_if_agreed", {"what": "x"}, call_id="c1")
        assert kind(refused) is ErrorType.CONFIRMATION_REQUIRED
        assert planted.done == []
        assert await office.ledger("c1") is None
        turn = office.ledger_in_memory.session(("salon", "s1")).turns[1]
        assert (turn.calls, turn.retrievals) == (1, 1)
        store.recover()
        again = await office.call("act_if_agreed", {"what": "x"}, call_id="c1")
        assert (kind(again), again.meta.get("replayed")) == (ErrorType.CONFIRMATION_REQUIRED, None)

    async def test_receipts_stand_in_the_sessions_document(self, office, store):
        """Where other channels and the owner look for them."""
        await office.call("act", {"what": "wave"}, call_id="c1")
        session = await store.get(PATHS.within("salon").document("sessions", "s1"))
        (receipt,) = session.data["receipts"].values()
        assert (receipt["tool"], receipt["what"], receipt["callId"]) == ("act", "wave", "c1")


async def test_an_abandoned_call_is_taken_over_once(office, clock):
    """By a redelivery after the lease; there is nobody for a reaper to look after."""

    async def lost(case, outcome):
        return None

    settle, office.ledger_in_memory.settle = office.ledger_in_memory.settle, lost
    await office.call("act", {"what": "x"}, call_id="c1")
    office.ledger_in_memory.settle = settle
    assert kind(await office.call("act", {"what": "x"}, call_id="c1")) is ErrorType.CONFLICT
    clock.wait(CALL_LEASE_S + 1)
    assert await office.dispatcher.recover() == 0
    answers = await asyncio.gather(*(office.call("act", {"what": "x"}, call_id="c1") for _ in range(5)))
    assert all(kind(a) is ErrorType.TRANSIENT for a in answers)
    assert len(planted.done) == 1
    assert (await office.ledger("c1"))["state"] == "unknown"


async def test_the_session_not_heard_of_for_longest_is_forgotten_and_knows_it(store, clock):
    """Whoever holds on to it begins anew."""
    office = InMemory(store, clock, MemoryLedger(store, PATHS, sessions=2))
    for session_id in ("s1", "s2"):
        await office.call("look", session_id=session_id)
    first, second = (office.ledger_in_memory.session(("salon", s)) for s in ("s1", "s2"))
    await office.call("look", session_id="s1", turn=2)
    await office.call("look", session_id="s3")
    assert (first.is_kept, second.is_kept) == (True, False)
    assert not office.ledger_in_memory.session(("salon", "s2")).calls


async def test_turns_without_order_take_no_more_room(office):
    """A sender may count as it likes."""
    for turn in range(0, 1_000, 20):
        await office.call("look", turn=turn)
    assert len(office.ledger_in_memory.session(("salon", "s1")).turns) == 10


async def test_a_delivery_that_was_told_to_try_again_is_tried_again(office):
    """Under its own id, with its own wish; whoever made the wish meanwhile is not disturbed."""
    wish = {"type": "TRANSIENT"}
    first = await office.call("decline", wish, call_id="c1")
    again = await office.call("decline", wish, call_id="c1")
    assert (again.failure, again.meta.get("replayed")) == (first.failure, None)
    row = await office.ledger("c1")
    assert (row["state"], row["leaseUntil"]) == ("failed", None)
    assert not office.ledger_in_memory.session(("salon", "s1")).wishes
