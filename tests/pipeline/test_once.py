"""Once and only once: repeated wishes, calls whose instance died, and answers that are given again."""

import asyncio
import json
from datetime import timedelta

import pytest

from switchboard.contract.caller.strangers import VOUCHED_FOR
from switchboard.contract.context import Beside, PhoneContext, Round
from switchboard.contract.error import ErrorType
from switchboard.contract.policy import CALL_LEASE_S, REUSE_S
from switchboard.contract.response import Result
from switchboard.contract.store import Unavailable, Update
from switchboard.pipeline.execution.result_cache import ResultCache
from tests.desk.front_desk import NOW, StoppedClock
from tests.pipeline import planted
from tests.pipeline.conftest import BUSINESS, PATHS, Instance


def kind(response):
    return response.failure.type if response.failure else None


class TestRepeatedWish:
    """The same wish under another call id."""

    async def test_a_repeated_action_returns_the_receipt_instead_of_acting_again(self, office):
        """A model that lost the result calls again with a new id, and reads that it had been done before."""
        first = await office.call("act", {"what": "wave"}, call_id="c1")
        again = await office.call("act", {"what": " wave"}, call_id="c2", turn=2)
        assert len(planted.done) == 1
        assert again.data == first.data | {"repeated": True}
        assert again.meta["receipt"] == first.meta["receipt"]
        assert (again.meta["repeated"], again.meta["callId"], again.meta["turn"]) == (True, "c2", 2)
        assert (await office.ledger("c2"))["state"] == "finished"

    async def test_a_repeated_answer_keeps_what_the_tool_promises(self, office):
        """Where its schema has no room for more, it is the same answer to the letter."""
        first = await office.call("act_as_promised", {"what": "wave"})
        again = await office.call("act_as_promised", {"what": "wave"}, turn=2)
        assert len(planted.done) == 1
        assert (again.data, again.meta["repeated"]) == (first.data, True)

    async def test_fifty_equal_wishes_at_once_have_one_effect(self, office, store, clock):
        """Under fifty ids, on two instances."""
        other = Instance(store, clock)
        await office.call("look", session_id="s1")
        calls = [(office, other)[n % 2].call("act", {"what": "x"}, turn=n) for n in range(50)]
        answers = await asyncio.gather(*calls)
        assert len(planted.done) == 1
        assert all(a.ok or (kind(a) is ErrorType.CONFLICT and a.failure.retryable) for a in answers)

    @pytest.mark.requirement("004-1051")
    async def test_a_repeated_wish_is_answered_to_whoever_shows_as_much_of_who_they_are(self, office):
        """On the same line; whoever shows less is told so, and it is done once either way."""
        proven = {"caller_phone": "+15185550161", "attestation": VOUCHED_FOR}
        first = await office.call("act", {"what": "wave"}, call_id="c1", **proven)
        for call_id in ("c1", "c2"):
            told = await office.call("act", {"what": "wave"}, call_id=call_id, caller_phone="+15185550161")
            assert (kind(told), told.meta["reason"], told.data) == (ErrorType.CONFLICT, "caller-not-proven", None)
        again = await office.call("act", {"what": "wave"}, call_id="c3", **proven)
        assert again.data == first.data | {"repeated": True}
        assert len(planted.done) == 1

    @pytest.mark.requirement("004-1051")
    async def test_what_a_tool_answers_anybody_is_answered_again_without_an_attestation(self, office):
        """To the same call of the same number alone; what depends on who calls is not."""
        proven = {"caller_phone": "+15185550161", "attestation": VOUCHED_FOR}
        for name, number in (("look", "c1"), ("look_verified", "c2")):
            await office.call(name, {"word": "free"}, call_id=number, **proven)
        first = await office.call("look", {"word": "free"}, call_id="c1", **proven)
        again = await office.call("look", {"word": "free"}, call_id="c1", caller_phone="+15185550161")
        assert (again.ok, again.data) == (True, first.data)
        told = await office.call("look_verified", {"word": "free"}, call_id="c2", caller_phone="+15185550161")
        assert (kind(told), told.meta["reason"]) == (ErrorType.CONFLICT, "caller-not-proven")
        other = await office.call("look", {"word": "free"}, call_id="c1", caller_phone="+15185550199")
        assert kind(other) is ErrorType.CONFLICT

    async def test_other_arguments_and_other_sessions_are_other_wishes(self, office):
        """Nobody's wish is taken for another's."""
        await office.call("act", {"what": "a"})
        await office.call("act", {"what": "b"})
        await office.call("act", {"what": "a"}, session_id="s2")
        assert len(planted.done) == 3

    async def test_a_wish_that_was_refused_or_failed_may_be_made_again(self, office):
        """Only what was done is not done twice."""
        for n in range(3):
            assert (await office.call("act", {"what": str(n)})).ok
        refused = await office.call("act", {"what": "x"})
        assert kind(refused) is ErrorType.BUDGET_EXCEEDED
        assert (await office.call("act", {"what": "x"}, turn=2)).ok
        declined = {"type": "CONFLICT"}
        assert kind(await office.call("decline", declined, turn=3)) is ErrorType.CONFLICT
        again = await office.call("decline", declined, turn=4)
        assert "repeated" not in again.meta

    async def test_a_wish_whose_outcome_is_unknown_is_not_made_again(self, office):
        """It may have happened; the honest answer is given again."""
        unknown = {"type": "TRANSIENT", "partial": True}
        first = await office.call("decline", unknown)
        again = await office.call("decline", unknown, turn=2)
        assert again.failure == first.failure
        assert again.meta["repeated"] is True


class TestAbandonedCalls:
    """Calls whose instance died between admission and settlement."""

    @staticmethod
    async def die(office, store, name, args=None, call_id="c1"):
        """Carry out a call whose settlement is lost with its process."""
        settle = office.dispatcher.ledger.settle

        async def lost(case, outcome):
            return None

        office.dispatcher.ledger.settle = lost
        # The first of several look-ups is admitted before it runs; one that stands alone leaves nothing behind.
        beside = Beside(Round(), 0) if name == "look" else None
        await office.call(name, args, call_id=call_id, beside=beside)
        office.dispatcher.ledger.settle = settle

    @pytest.mark.parametrize("by", ["reaper", "redelivery"])
    async def test_a_retrieval_is_simply_carried_out_again(self, office, store, clock, by):
        """Reading twice harms nobody."""
        await self.die(office, store, "look")
        clock.wait(CALL_LEASE_S + 1)
        if by == "reaper":
            assert await office.dispatcher.recover() == 1
        response = await office.call("look", call_id="c1")
        assert response.ok
        assert (await office.ledger("c1"))["state"] == "finished"
        assert await office.dispatcher.recover() == 0

    @pytest.mark.parametrize("by", ["reaper", "redelivery"])
    async def test_an_action_is_reported_as_unknown_and_never_repeated(self, office, store, clock, by):
        """It may have happened: nobody knows, and that is what is said."""
        await self.die(office, store, "act", {"what": "x"})
        clock.wait(CALL_LEASE_S + 1)
        if by == "reaper":
            await office.dispatcher.recover()
        response = await office.call("act", {"what": "x"}, call_id="c1")
        assert kind(response) is ErrorType.TRANSIENT
        assert (response.failure.retryable, response.failure.partial_side_effects) == (False, True)
        assert len(planted.done) == 1
        assert (await office.ledger("c1"))["state"] == "unknown"
        assert kind(await office.call("act", {"what": "x"}, call_id="c2", turn=2)) is ErrorType.TRANSIENT
        assert len(planted.done) == 1

    @pytest.mark.parametrize("by", ["reaper", "redelivery"])
    async def test_an_action_that_was_not_begun_is_carried_out(self, office, store, clock, by):
        """Its row says so: whoever comes after its instance knows that it cannot be done twice."""
        await office.call("look")
        begin = office.dispatcher.ledger.begin

        class Dies(BaseException):
            """The process ends here."""

        async def dies(case):
            raise Dies

        office.dispatcher.ledger.begin = dies
        with pytest.raises(Dies):
            await office.call("act", {"what": "x"}, call_id="c1")
        office.dispatcher.ledger.begin = begin
        clock.wait(CALL_LEASE_S + 1)
        if by == "reaper":
            assert await office.dispatcher.recover() == 1
            assert (await office.ledger("c1"))["state"] == "finished"
        assert (await office.call("act", {"what": "x"}, call_id="c1")).ok
        assert len(planted.done) == 1

    async def test_an_action_that_cannot_be_noted_as_begun_is_not_begun(self, office, store):
        """Else nobody could say after a crash whether it was done."""
        await office.call("look")

        async def away(case):
            raise Unavailable("no answer")

        begin, office.dispatcher.ledger.begin = office.dispatcher.ledger.begin, away
        response = await office.call("act", {"what": "x"}, call_id="c1")
        assert (kind(response), response.failure.partial_side_effects) == (ErrorType.TRANSIENT, False)
        assert planted.done == []
        office.dispatcher.ledger.begin = begin
        assert (await office.call("act", {"what": "x"}, call_id="c1")).ok

    async def test_an_action_that_is_repeatable_is_driven_again_with_the_same_effect_key(self, office, store, clock):
        """Its handler makes one effect of one key."""
        await self.die(office, store, "act_again", {"what": "x"})
        clock.wait(CALL_LEASE_S + 1)
        await office.dispatcher.recover()
        assert len(planted.done) == 2
        assert len(set(planted.done)) == 1
        assert (await office.ledger("c1"))["state"] == "finished"

    async def test_an_action_whose_tool_was_taken_away_meanwhile_is_not_said_to_have_done_nothing(
        self, office, store, clock
    ):
        """What it did before the instance died still counts."""
        await self.die(office, store, "act_again", {"what": "x"})
        await store.commit([Update(PATHS.within(BUSINESS).business, {"enabledTools": ["look"]})])
        clock.wait(61)
        await office.dispatcher.recover()
        row = await office.ledger("c1")
        assert row["state"] == "unknown"
        assert json.loads(row["response"])["error"]["partialSideEffects"] is True

    async def test_a_call_within_its_lease_is_left_to_whoever_runs_it(self, office, store, clock):
        """Slow is not dead."""
        await self.die(office, store, "act", {"what": "x"})
        clock.wait(CALL_LEASE_S - 1)
        assert await office.dispatcher.recover() == 0
        assert kind(await office.call("act", {"what": "x"}, call_id="c1")) is ErrorType.CONFLICT

    async def test_two_redeliveries_at_once_and_the_reaper_carry_it_out_once(self, office, store, clock):
        """Whoever claims the lease first; the others wait for the result."""
        await self.die(office, store, "act_again", {"what": "x"})
        planted.done.clear()
        clock.wait(CALL_LEASE_S + 1)
        other = Instance(store, clock)
        work = [i.call("act_again", {"what": "x"}, call_id="c1") for i in (office, other)]
        await asyncio.gather(*work, other.dispatcher.recover())
        assert len(planted.done) == 1

    async def test_the_context_of_the_call_is_kept_without_the_vendors_token(self, office, store, clock):
        """Whoever finishes it knows who was calling."""
        facts = {"caller_phone": "+15185550171", "call_sid": "CA1", "auth_token": "secret", "caller_id": "ana"}
        await office.call("look", call_id="c1", **facts)
        row = await store.get(PATHS.within(BUSINESS).call("s1", "c1"))
        assert row.data["facts"] == {"callerPhone": "+15185550171", "callSid": "CA1", "callerId": "ana"}
        assert "secret" not in repr(row.data)

    async def test_a_call_that_was_not_settled_because_the_store_was_away_is_settled_later(self, office, store, clock):
        """The answer was true; the ledger catches up."""
        await office.call("look")
        await office.call("look", {"word": "x"}, call_id="c1")
        path = PATHS.within(BUSINESS).call("s1", "c1")
        await store.commit([Update(path, {"state": "started", "response": None, "dueAt": NOW})])
        clock.wait(1)
        assert await office.dispatcher.recover() == 1
        assert (await office.ledger("c1"))["state"] == "finished"


class TestDisownedCalls:
    """Admissions that got no answer: the caller was told that nobody knows, and nothing is done later."""

    @pytest.mark.parametrize("name", ["act", "act_again"])
    async def test_an_admission_that_happened_without_an_answer_is_taken_back(self, office, store, clock, name):
        """Else the reaper would carry it out minutes later. Until it is taken back, that is what is said."""
        await office.call("look")
        store.fail("commit", after=True)
        response = await office.call(name, {"what": "x"}, call_id="c1")
        assert (kind(response), response.failure.partial_side_effects) == (ErrorType.TRANSIENT, True)
        assert "not known whether" in response.failure.message
        store.recover()
        await office.dispatcher.recover()
        clock.wait(CALL_LEASE_S + 1)
        assert await office.dispatcher.recover() == 0
        assert planted.done == []
        again = await office.call(name, {"what": "x"}, call_id="c1")
        assert again.ok
        assert len(planted.done) == 1

    async def test_an_admission_that_turns_up_late_is_taken_back_too(self, office, store, clock):
        """A commit may be carried out seconds after its client gave up."""
        await office.call("look")
        late, commit = [], store.commit

        async def slow(writes):
            late.append(writes)
            raise Unavailable("no answer")

        store.commit = slow
        await office.call("act_again", {"what": "x"}, call_id="c1")
        store.commit = commit
        await office.dispatcher.recover()
        await store.commit(late[0])
        await office.dispatcher.recover()
        clock.wait(CALL_LEASE_S + 1)
        await office.dispatcher.recover()
        assert planted.done == []

    async def test_a_redelivery_that_was_admitted_meanwhile_is_left_alone(self, office, store, clock, unlimited):
        """What is cleared up is the first try, not the second."""
        await office.call("look")
        store.fail("commit")
        await office.call("act_slowly", {"gate": "g"}, call_id="c1")
        store.recover()
        planted.gates["g"] = asyncio.Event()
        again = asyncio.create_task(office.call("act_slowly", {"gate": "g"}, call_id="c1"))
        while not await office.store.get(PATHS.within(BUSINESS).call("s1", "c1")):
            await asyncio.sleep(0)
        await office.dispatcher.recover()
        planted.gates["g"].set()
        assert (await again).ok
        assert (await office.ledger("c1"))["state"] == "finished"

    async def test_it_is_taken_back_after_an_outage_that_outlasts_its_lease(self, office, store, clock):
        """Nothing is forgotten while nobody can look."""
        await office.call("look")
        store.fail("commit", after=True)
        await office.call("act_again", {"what": "x"}, call_id="c1")
        store.fail("get", "query", "commit")
        clock.wait(CALL_LEASE_S + 1)
        with pytest.raises(Unavailable):
            await office.dispatcher.recover()
        store.recover()
        await office.dispatcher.recover()
        assert planted.done == []


@pytest.mark.parametrize("by", ["reaper", "redelivery"])
async def test_an_answer_that_could_not_be_written_down_is_written_down_later(office, store, clock, by):
    """A redelivery then gets the very answer that was given; also one that comes first, and when the lease is over."""
    await office.call("look")
    settle = office.dispatcher.ledger.settle

    async def lost(case, outcome):
        raise Unavailable("no answer")

    office.dispatcher.ledger.settle = lost
    first = await office.call("act_again", {"what": "x"}, call_id="c1")
    office.dispatcher.ledger.settle = settle
    clock.wait(CALL_LEASE_S + 1)
    if by == "reaper":
        await office.dispatcher.recover()
    again = await office.call("act_again", {"what": "x"}, call_id="c1")
    assert again.meta == {**first.meta, "replayed": True}
    assert len(planted.done) == 1


async def test_a_delivery_whose_answer_was_to_try_again_is_carried_out_when_it_comes_again(office):
    """Nothing was done the first time; after that its answer stands."""
    first = await office.call("falter", {"what": "x"}, call_id="c1")
    assert (kind(first), first.failure.retryable) == (ErrorType.TRANSIENT, True)
    again = await asyncio.gather(*(office.call("falter", {"what": "x"}, call_id="c1") for _ in range(5)))
    assert len(planted.done) == 1
    assert all(a.ok or (kind(a) is ErrorType.CONFLICT and a.failure.retryable) for a in again)
    assert (await office.call("falter", {"what": "x"}, call_id="c1")).meta["replayed"] is True
    assert (await office.call("falter", {"what": "x"}, call_id="c2", turn=2)).meta["repeated"] is True
    assert len(planted.done) == 1


class TestReuse:
    """Seed 000: results are kept for follow-ups."""

    @pytest.mark.requirement("000-55", "000-67", "000-100")
    async def test_a_look_up_is_answered_again_from_the_session_for_a_while(self, office, clock):
        """Half a minute; then the source is asked again."""
        first = await office.call("look", {"word": "a"})
        again = await office.call("look", {"word": "a"}, turn=2)
        assert again.data == first.data
        assert again.meta["reused"] is True
        clock.wait(REUSE_S)
        assert "reused" not in (await office.call("look", {"word": "a"}, turn=3)).meta

    @pytest.mark.requirement("003-25")
    async def test_other_sessions_and_arguments_are_asked_afresh(self, office):
        """An answer belongs to the conversation that got it."""
        await office.call("look", {"word": "a"})
        assert "reused" not in (await office.call("look", {"word": "b"})).meta
        assert "reused" not in (await office.call("look", {"word": "a"}, session_id="s2")).meta

    async def test_what_was_known_before_an_action_is_not_known_after_it(self, office):
        """A time that was free before the booking is not free after it."""
        await office.call("look", {"word": "a"})
        await office.call("act", {"what": "x"})
        assert "reused" not in (await office.call("look", {"word": "a"}, turn=2)).meta

    async def test_what_was_found_while_an_action_went_on_is_not_known_after_it(self, office):
        """A look-up that began before the booking may have seen the time free."""
        facts = PhoneContext(business_id="demo-salon", session_id="s1")
        results = ResultCache(office.clock)
        before = results.answers(facts)
        results.forget(facts)
        before.note("look|a", Result({"free": True}))
        assert results.answers(facts).current("look|a") is None
        results.answers(facts).note("look|a", Result({"free": False}))
        assert results.answers(facts).current("look|a") == Result({"free": False})


def test_the_clock_of_these_tests_moves_both_of_its_hands():
    """Leases go by the date, lifetimes by the monotonic clock."""
    clock = StoppedClock()
    before = clock.now()
    clock.wait(5)
    assert clock.now() - before == timedelta(seconds=5)
