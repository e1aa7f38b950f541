"""Calls while their business cannot be read: nothing is ended, and nothing denied, for want of what is not known."""

from collections.abc import Sequence

import pytest

from switchboard.contract.error import ErrorType
from switchboard.contract.policy import CALL_LEASE_S
from switchboard.contract.store import Document, Query, Set, Unavailable, Update
from switchboard.state.memory.store import MemoryStore
from tests.pipeline import planted, test_once
from tests.pipeline.conftest import BUSINESS, PATHS, Instance
from tests.pipeline.test_taken_over import BUSY, registry

WITHIN = PATHS.within(BUSINESS)
OF_THE_BUSINESS = (WITHIN.business, WITHIN.compiled)


class PartlyRead(MemoryStore):
    """A store that refuses, when told to, to read what a business says of itself; rows are read and written."""

    is_refusing = False

    async def get(self, path: str) -> Document | None:
        self._refuse(path)
        return await super().get(path)

    async def get_many(self, paths: Sequence[str]) -> list[Document | None]:
        for path in paths:
            self._refuse(path)
        return await super().get_many(paths)

    def _refuse(self, path: str) -> None:
        if self.is_refusing and path in OF_THE_BUSINESS:
            raise Unavailable("not now")


@pytest.fixture
async def left(store, clock) -> tuple[PartlyRead, Instance]:
    """A call that may be repeated, left by an instance that died, and an instance that has read nothing yet."""
    partly = PartlyRead()
    await partly.commit([Set(d.path, d.data) for d in await store.inner.query(Query("", group=True))])
    office = Instance(partly, clock, registry())
    BUSY["times"] = 1
    await test_once.TestAbandonedCalls.die(office, partly, "bring", {"what": "cake"})
    planted.done.clear()
    BUSY["times"] = 0
    clock.wait(CALL_LEASE_S + 1)
    partly.is_refusing = True
    return partly, Instance(partly, clock, registry())


@pytest.mark.requirement("004-722")
async def test_a_call_left_by_a_dead_instance_waits_until_its_business_can_be_read(left, clock):
    """Whether it may be done again stands there: as one of which nobody knows it would stay so for ever."""
    store, office = left
    await office.dispatcher.recover()
    assert (await office.ledger("c1"))["state"] == "started"
    store.is_refusing = False
    clock.wait(61)
    await office.dispatcher.recover()
    assert (await office.ledger("c1"))["state"] == "finished"
    assert planted.done == ["cake"]


@pytest.mark.requirement("004-722")
async def test_a_redelivery_that_finds_it_meanwhile_is_told_to_come_again(left, clock):
    store, office = left
    answer = await office.call("bring", {"what": "cake"}, call_id="c1")
    assert (answer.failure.type, answer.failure.retryable) == (ErrorType.CONFLICT, True)
    store.is_refusing = False
    clock.wait(61)
    assert (await office.call("bring", {"what": "cake"}, call_id="c1")).ok
    assert planted.done == ["cake"]


@pytest.mark.requirement("004-722")
async def test_an_accepted_call_waits_as_well(left, clock):
    """Refused for what could not be read, it would never be done, although its caller was told that it will be."""
    store, office = left
    path = WITHIN.call("s1", "c1")
    queued = '{"ok": true, "data": {}, "intents": [], "meta": {"queued": true}}'
    await store.commit([Update(path, {"state": "queued", "response": queued, "dueAt": clock.now()})])
    await office.dispatcher.carry_out_queued()
    assert (await office.ledger("c1"))["state"] == "queued"
    store.is_refusing = False
    clock.wait(61)
    await office.dispatcher.carry_out_queued()
    assert (await office.ledger("c1"))["state"] == "finished"


@pytest.mark.requirement("004-723")
async def test_a_name_that_may_be_an_owners_tool_is_not_denied_while_nothing_can_be_read(store, clock):
    """It is told to come again, as is an action that may have been carried out for an earlier delivery."""
    office = Instance(store, clock)
    assert (await office.call("act", {"what": "cake"}, call_id="c1")).ok
    store.fail("get", "get_many", "query", "commit")
    for name in ("order_status", "act"):
        answer = await Instance(store, clock).call(name, {"what": "cake"}, call_id="c1")
        assert (answer.failure.type, answer.failure.retryable) == (ErrorType.TRANSIENT, True), name
    store.recover()
    again = await Instance(store, clock).call("act", {"what": "cake"}, call_id="c1")
    assert again.ok and len(planted.done) == 1
