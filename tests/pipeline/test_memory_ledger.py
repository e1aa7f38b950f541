"""The ledger in memory keeps the store's promises, within bounds."""

import asyncio

import pytest

from switchboard.catalog.registry import Registry
from switchboard.contract.channel import Channel
from switchboard.contract.error import ErrorType, ToolError
from switchboard.contract.intent import Intent, IntentType
from switchboard.contract.policy import CALL_LEASE_S
from switchboard.contract.response import Result
from switchboard.pipeline import memory_ledger
from switchboard.pipeline.dispatch import Dispatcher
from switchboard.pipeline.memory_ledger import MemoryLedger
from switchboard.pipeline.meter import Meter
from switchboard.pipeline.proposal import Approvals
from tests.pipeline import planted, planted_nesting, test_turn
from tests.pipeline.conftest import PATHS, Instance
from tests.pipeline.test_queue import Queue
from tests.pipeline.test_reaper import until


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
        heard = await Approvals(store, PATHS).hear("salon", "s1", 2, "yes", clock.now(), question=1)
        assert heard.verdict == "approved"
        assert (await office.call("act_if_agreed", wish, turn=2)).ok
        assert len(planted.done) == 1
        assert (await office.call("act_if_agreed", wish, turn=2)).meta["repeated"] is True
        assert len(planted.done) == 1

    async def test_while_nobody_can_tell_whether_the_caller_agreed_nothing_is_done_or_recorded(self, office, store):
        """The question is asked; the call may come again under its own id, and is not counted."""
        await office.call("look")
        store.fail("get", "commit")
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


async def session_document(store):
    """Return what others find of the session."""
    return (await store.get(PATHS.within("salon").document("sessions", "s1"))).data


async def stammer(ctx, desk, *, gate: str) -> Result:
    """Fail the first time, and wait the second time."""
    if gate not in planted.faltered:
        planted.faltered.add(gate)
        raise ToolError(ErrorType.TRANSIENT, "once more may help")
    await planted.gates[gate].wait()
    return Result({"done": gate})


async def hang_up(ctx, desk) -> Result:
    """End the call."""
    return Result({"ended": True}, (Intent(IntentType.END_CALL),))


class TestPatience:
    """Calls that take their time, come again, or were accepted for later."""

    @pytest.fixture
    def office(self, store, clock):
        """One instance with tools that take their time, whose accepted calls wait until they are asked for."""
        gate = {"gate": {"type": "string"}}
        own = [
            planted._tool(planted.act_slowly, "action", gate, name="act_slowly_later", **{"async": True}),
            planted._tool(stammer, "retrieval", gate),
            planted._tool(hang_up, "action", {}),
        ]
        known = planted.registry()
        found = InMemory(
            store, clock, registry=Registry(known.version, known.tools | {tool.name: tool for tool in own})
        )
        found.dispatcher._queue = Queue()
        return found

    async def test_an_accepted_call_is_carried_out_once_however_many_passes_are_made(self, office, store):
        """Nobody else finds it once it has begun; its answer stays that it was accepted until there is another."""
        planted.gates["g"] = asyncio.Event()
        wish = {"gate": "g"}
        first = await office.call("act_slowly_later", wish, call_id="c1")
        assert (await office.ledger("c1"))["state"] == "queued"
        passes = [asyncio.create_task(office.dispatcher.carry_out_queued()) for _ in range(3)]

        async def has_begun():
            return (await office.ledger("c1"))["state"] == "started"

        await until(has_begun)
        assert await office.dispatcher.carry_out_queued() == 0
        again = await office.call("act_slowly_later", wish, call_id="c1")
        assert (again.data, again.meta["replayed"]) == (first.data, True)
        planted.gates["g"].set()
        await asyncio.gather(*passes)
        assert len(planted.done) == 1
        assert (await office.ledger("c1"))["state"] == "finished"
        assert await office.dispatcher.carry_out_queued() == 0
        arrival = (await session_document(store))["arrivals"]["c1"]
        assert (arrival["tool"], arrival["channel"]) == ("act_slowly_later", "phone")

    async def test_passes_for_one_business_leave_the_calls_of_others(self, office):
        """A service key asks for its own business only."""
        await office.call("act_later", {"what": "x"}, call_id="c1")
        assert await office.dispatcher.carry_out_queued("another") == 0
        assert not planted.done
        assert await office.dispatcher.carry_out_queued("salon") == 1

    async def test_a_delivery_that_is_tried_again_has_a_lease_of_its_own(self, office, clock):
        """While it runs others are told to wait; whoever is left alone with it when it is over carries it out."""
        wish = {"gate": "g"}
        assert (await office.call("stammer", wish, call_id="c1")).failure.retryable
        clock.wait(CALL_LEASE_S + 1)
        planted.gates["g"] = asyncio.Event()
        trying = asyncio.create_task(office.call("stammer", wish, call_id="c1"))

        async def is_tried():
            return (await office.ledger("c1"))["state"] == "started"

        await until(is_tried)
        trying.cancel()
        await asyncio.gather(trying, return_exceptions=True)
        planted.gates["g"].set()
        clock.wait(CALL_LEASE_S - 1)
        waiting = await office.call("stammer", wish, call_id="c1")
        assert (kind(waiting), waiting.failure.retryable) == (ErrorType.CONFLICT, True)
        clock.wait(1)
        assert (await office.call("stammer", wish, call_id="c1")).ok
        assert (await office.ledger("c1"))["state"] == "finished"

    async def test_the_end_of_a_conversation_stands_in_its_document(self, office, store, clock):
        """Where other instances and other channels look for it; the chat goes on."""
        await office.call("hang_up")
        found = await session_document(store)
        assert found["endedMs"] == {"phone": int(clock.now().timestamp() * 1000)}
        assert found["channel"] == "phone"
        assert kind(await office.call("look")) is ErrorType.SESSION_INACTIVE
        assert (await office.call("look", channel=Channel.PORTAL)).ok

    async def test_what_stood_in_the_document_stays_there(self, office, store):
        """One receipt does not put another out."""
        for what in ("x", "y"):
            await office.call("act", {"what": what})
        await office.call("hang_up", turn=2)
        found = await session_document(store)
        assert sorted(receipt["what"] for receipt in found["receipts"].values()) == ["x", "y"]


async def test_a_wish_that_is_tried_again_is_granted_once(office):
    """The redelivery's effect is the wish's; under another id it is found done."""
    wish = {"what": "x"}
    assert (await office.call("falter", wish, call_id="c1")).failure.retryable
    assert (await office.call("falter", wish, call_id="c1")).ok
    assert (await office.call("falter", wish, call_id="c1")).meta["replayed"] is True
    assert (await office.call("falter", wish, call_id="c2", turn=2)).meta["repeated"] is True
    assert len(planted.done) == 1


async def test_a_delivery_is_not_tried_again_once_another_call_was_granted_its_wish(office):
    """That it may be tried again was said before; doing it twice is worse than saying so again."""
    wish = {"what": "x"}
    assert (await office.call("falter", wish, call_id="c1")).failure.retryable
    assert (await office.call("falter", wish, call_id="c2", turn=2)).ok
    again = await office.call("falter", wish, call_id="c1")
    assert (kind(again), again.failure.retryable) == (ErrorType.CONFLICT, True)
    assert len(planted.done) == 1


async def test_a_refused_call_is_given_back_to_its_turn(office):
    """A corrected mistake costs neither a call nor, for a look-up, a look-up."""
    await office.call("look")
    for name, args in (("look", {"times": "many"}), ("act", {})):
        assert kind(await office.call(name, args)) is ErrorType.VALIDATION
    turn = office.ledger_in_memory.session(("salon", "s1")).turns[1]
    assert (turn.calls, turn.retrievals) == (1, 1)


async def test_calls_about_which_nobody_could_ask_are_no_loop(store, clock):
    """What the store kept from being recorded is not held against the model; what comes after it is."""
    office = InMemory(store, clock, registry=planted_nesting.registry())
    await office.call("look")
    store.fail("get", "commit")
    for _ in range(4):
        assert kind(await office.call("act_if_agreed", {"what": "x"})) is ErrorType.CONFIRMATION_REQUIRED
    store.recover()
    kinds = [kind(await office.call("act_if_agreed", {"what": "x"})) for _ in range(3)]
    assert kinds == [ErrorType.CONFIRMATION_REQUIRED] * 2 + [ErrorType.LOOP_DETECTED]


class TestOutage:
    """The answers are kept here; what others look for is written as soon as the store answers again."""

    async def test_all_that_was_done_meanwhile_is_found_in_the_document_afterwards(self, office, store):
        """However many calls that were."""
        await office.call("look")
        store.fail("commit")
        for number in range(3):
            assert (await office.call("act", {"what": str(number)}, turn=number)).ok
        store.recover()
        await office.dispatcher.recover()
        receipts = (await session_document(store))["receipts"].values()
        assert sorted(receipt["what"] for receipt in receipts) == ["0", "1", "2"]

    async def test_what_was_answered_before_it_is_answered_again_while_it_lasts(self, office, store):
        """Nothing has to be written down for that."""
        first = await office.call("act", {"what": "x"}, call_id="c1")
        store.fail("commit")
        await office.call("act", {"what": "y"}, call_id="c2", turn=2)
        again = await office.call("act", {"what": "x"}, call_id="c1")
        assert (again.data, again.meta.get("replayed")) == (first.data, True)
