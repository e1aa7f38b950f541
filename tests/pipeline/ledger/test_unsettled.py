"""What a time without the store leaves behind is cleared up soon after it, however much that is."""

import asyncio
from types import SimpleNamespace

import pytest

from switchboard.catalog.definitions.registry import Registry
from switchboard.contract.error import ErrorType, ToolError
from switchboard.contract.policy import CALL_LEASE_S
from switchboard.contract.response import Result
from switchboard.contract.store import Set, StoreError, Unavailable
from switchboard.pipeline.ledger import unsettled
from switchboard.pipeline.ledger.unsettled import Unsettled
from tests.desk.front_desk import StoppedClock
from tests.pipeline import planted
from tests.pipeline.conftest import BUSINESS, PATHS, Instance


class SlowLedger:
    """Takes a while for each, and counts how many it is asked for at once."""

    def __init__(self):
        self.asked, self.at_once, self.most, self.is_away, self.finds = [], 0, 0, False, True

    async def disown(self, case):
        self.asked.append(case.admission)
        self.at_once += 1
        self.most = max(self.most, self.at_once)
        try:
            await asyncio.sleep(0.01)
        finally:
            self.at_once -= 1
        if self.is_away:
            raise StoreError("away")
        return self.finds


@pytest.fixture
def ledger():
    """A ledger that has time."""
    return SlowLedger()


@pytest.fixture
def leftovers(ledger):
    """A thousand calls that were not started, because they could not be recorded."""
    clock = StoppedClock()
    found = Unsettled(ledger, clock)
    for number in range(1_000):
        found.not_started(SimpleNamespace(admission=f"i.{number}", now=clock.now(), is_in_doubt=False))
    return found


def row(number):
    """Return the row that such a call may have left."""
    return SimpleNamespace(admission=f"i.{number}")


async def test_many_calls_are_taken_back_side_by_side(leftovers, ledger):
    """One after the other they would keep recovery waiting for minutes; all at once, the store."""
    await leftovers.clear_up()
    assert sorted(ledger.asked) == sorted(f"i.{number}" for number in range(1_000))
    assert 10 <= ledger.most <= 50
    assert not leftovers.holds(row(7))


async def test_what_could_not_be_looked_at_is_nobodys_to_carry_out(leftovers, ledger):
    """Its caller was told that nothing was done; it is looked at again."""
    ledger.is_away = True
    await leftovers.clear_up()
    assert leftovers.holds(row(7))
    assert not leftovers.holds(row(1_000))
    ledger.is_away = False
    await leftovers.clear_up()
    assert not leftovers.holds(row(7))


@pytest.mark.requirement("004-2403")
async def test_the_log_tells_once_that_the_store_takes_nothing_and_once_that_it_has(leftovers, ledger, caplog):
    """However long that lasts; and how much is left."""
    ledger.is_away = True
    for _ in range(3):
        await leftovers.clear_up()
    ledger.is_away = False
    for _ in range(2):
        await leftovers.clear_up()
    told = [(record.getMessage(), getattr(record, "left", None)) for record in caplog.records]
    assert told == [
        ("what came of calls is still not written down", 1_000),
        ("what came of calls is written down again", None),
    ]


@pytest.mark.parametrize(("is_away", "longest"), [(True, 30.0), (False, 5.0)])
async def test_a_store_that_stays_away_is_asked_less_and_less_often(ledger, monkeypatch, is_away, longest):
    """What may still turn up is looked for as often as ever, where the store answers."""
    clock = StoppedClock()
    leftovers, pauses, ledger.is_away = Unsettled(ledger, clock), [], is_away
    ledger.finds = False
    leftovers.not_started(SimpleNamespace(admission="i.1", now=clock.now(), is_in_doubt=False))

    async def passes(seconds):
        pauses.append(seconds)
        if len(pauses) > 8:
            raise asyncio.CancelledError

    monkeypatch.setattr(unsettled, "asyncio", SimpleNamespace(sleep=passes, gather=asyncio.gather))
    with pytest.raises(asyncio.CancelledError):
        await leftovers.keep(leftovers.clear_up)
    assert pauses[:3] == [1.0, 2.0, 4.0] and pauses[-1] == longest


async def test_nothing_is_forgotten_where_a_pass_is_broken_off(leftovers, ledger):
    """A scheduler may give up waiting for it."""
    clearing = asyncio.ensure_future(leftovers.clear_up())
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    clearing.cancel()
    with pytest.raises(asyncio.CancelledError):
        await clearing
    assert all(leftovers.holds(row(number)) for number in range(100, 1_000))


async def break_off(ctx, desk, *, what: str) -> Result:
    """Do it and lose the answer, the first time; the key tells the second time that it was done."""
    if ctx.effect_key not in planted.done:
        planted.done.append(ctx.effect_key)
        raise ToolError(ErrorType.TRANSIENT, "the line went dead", partial_side_effects=True)
    return Result({"done": what})


@pytest.fixture
def office(store, clock):
    """One instance, with a tool of which nobody knows at first whether it did anything."""
    broken = planted._tool(break_off, "action", {"what": {"type": "string"}}, repeatable=True)
    return Instance(store, clock, Registry("1.0.00000000", planted.registry().tools | {"break_off": broken}))


class Unwritten:
    """A ledger in which nothing can be settled, until it can again."""

    def __init__(self, office):
        self.ledger, self.settle = office.dispatcher.ledger, office.dispatcher.ledger.settle
        self.ledger.settle = self.lost

    async def lost(self, case, outcome, unless_since=None):
        raise Unavailable("no answer")

    def end(self):
        self.ledger.settle = self.settle


async def carried_out_but_not_written_down(office, name):
    """Make a call whose answer could not be written down; return that answer, and the outage."""
    await office.call("look")
    outage = Unwritten(office)
    return await office.call(name, {"what": "x"}, call_id="c1"), outage


async def test_an_answer_that_still_cannot_be_written_down_is_waited_for(office, clock):
    """The call is neither carried out again nor said to be unknown, even when its lease is over."""
    first, outage = await carried_out_but_not_written_down(office, "act_again")
    for wait in (0, CALL_LEASE_S + 1):
        clock.wait(wait)
        again = await office.call("act_again", {"what": "x"}, call_id="c1")
        assert (again.failure.type, again.failure.retryable) == (ErrorType.CONFLICT, True)
        assert again.failure.partial_side_effects is False
    outage.end()
    answer = await office.call("act_again", {"what": "x"}, call_id="c1")
    assert (answer.data, answer.meta["replayed"]) == (first.data, True)
    assert len(planted.done) == 1


@pytest.mark.parametrize("by", ["reaper", "redelivery"])
async def test_what_has_been_written_down_is_not_looked_at_again(office, store, by):
    """Else an outage's calls would be read again with every pass, for as long as the instance lives."""
    _, outage = await carried_out_but_not_written_down(office, "act_again")
    outage.end()
    if by == "reaper":
        await office.dispatcher.recover()
    else:
        await office.call("act_again", {"what": "x"}, call_id="c1")
    assert (await office.ledger("c1"))["state"] == "finished"
    store.asked.clear()
    await office.dispatcher.recover()
    # Half of the shards, the other half, and what earlier versions have left.
    assert dict(store.asked) == {"query": 3}


async def test_an_outcome_that_nobody_knows_is_found_out_by_whoever_takes_over(office, clock):
    """A repeatable action is driven on, rather than remembered as unknown."""
    first, outage = await carried_out_but_not_written_down(office, "break_off")
    assert first.failure.partial_side_effects is True
    outage.end()
    await office.dispatcher.recover()
    assert (await office.ledger("c1"))["state"] == "started"
    clock.wait(CALL_LEASE_S + 1)
    assert await office.dispatcher.recover() == 1
    assert (await office.ledger("c1"))["state"] == "finished"
    answer = await office.call("break_off", {"what": "x"}, call_id="c1")
    assert answer.data == {"done": "x"}
    assert len(planted.done) == 1


async def test_the_unknown_outcome_of_an_action_that_is_never_repeated_is_written_down(office):
    """Whoever came after would know no more."""
    await office.call("look")
    outage = Unwritten(office)
    wish = {"type": "TRANSIENT", "partial": True}
    first = await office.call("decline", wish, call_id="c1")
    outage.end()
    await office.dispatcher.recover()
    assert (await office.ledger("c1"))["state"] == "unknown"
    assert (await office.call("decline", wish, call_id="c1")).failure == first.failure


@pytest.fixture
def guarded(store, clock):
    """Two instances over one store, with a repeatable tool for verified callers."""
    for_verified = planted._tool(
        planted.act, "action", {"what": {"type": "string"}}, name="act_verified", repeatable=True, verified=True
    )
    registry = Registry("1.0.00000000", planted.registry().tools | {"act_verified": for_verified})
    return Instance(store, clock, registry), Instance(store, clock, registry)


async def refused_with_its_row_written(instance):
    """Make a call that is refused, and whose admission is written while the answer to that is lost."""
    await instance.call("look")
    instance.store.fail("commit", after=True)
    response = await instance.call("act_verified", {"what": "x"}, call_id="c1")
    instance.store.recover()
    assert response.failure.type is ErrorType.MODE_RESTRICTED
    assert (await instance.ledger("c1"))["state"] == "started"
    return response


@pytest.mark.requirement("004-671")
async def test_a_refused_call_whose_admission_got_no_answer_leaves_nothing_to_be_found_abandoned(guarded):
    """Its caller was told what stood against it, and hears nothing of it later."""
    first, _ = guarded
    told = []

    async def arrived(facts, tool, response):
        told.append(tool)

    first.dispatcher.arrivals.append(arrived)
    await refused_with_its_row_written(first)
    assert await first.dispatcher.recover() == 0
    assert await first.store.get(PATHS.within(BUSINESS).call("s1", "c1")) is None
    assert told == []


@pytest.mark.requirement("004-671")
async def test_a_call_that_a_check_refused_is_not_unknown_because_its_instance_died(guarded, clock):
    """Nothing of it was ever begun, which its row tells from the beginning."""
    first, second = guarded
    await refused_with_its_row_written(first)
    clock.wait(CALL_LEASE_S + 1)
    assert await second.dispatcher.recover() == 1
    row = await second.ledger("c1")
    assert row["state"] == "failed"
    assert "begunAt" in row and row["begunAt"] is None
    assert planted.done == []


async def test_what_was_refused_and_is_allowed_by_now_is_done_only_for_whoever_makes_it_again(guarded, clock, store):
    """Its caller was told what stood against it. It is begun before it is done.

    Else its row would say that nothing was done, whatever becomes of whoever takes it over.
    """
    first, second = guarded
    await refused_with_its_row_written(first)
    business = PATHS.within(BUSINESS).business
    document = await store.get(business)
    await store.commit([Set(business, document.data | {"ai": {**document.data["ai"], "callerVerification": "none"}})])
    clock.wait(CALL_LEASE_S + 61)
    assert (await second.call("act_verified", {"what": "x"}, call_id="c1")).ok
    row = await second.ledger("c1")
    assert row["state"] == "finished"
    assert row["begunAt"] is not None
    assert len(planted.done) == 1


async def test_a_repeatable_call_that_nothing_stands_against_is_carried_out_without_a_mark(guarded):
    """It costs no commit of its own: done again, it is one and the same."""
    first, _ = guarded
    await first.call("act_again", {"what": "x"}, call_id="c1")
    assert "begunAt" not in await first.ledger("c1")
