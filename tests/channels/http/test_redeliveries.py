"""Actions that name no conversation: one that is sent again is done once, another caller's is another one."""

import asyncio
from datetime import UTC, datetime

import httpx2 as httpx
import pytest

from switchboard.admin.credentials import api_keys
from switchboard.app.container import build
from switchboard.app.settings import read_configuration
from switchboard.channels.http.idempotency import Redeliveries, action_key
from switchboard.contract.call import ToolCall
from switchboard.contract.store import Delete, Document, Query, StoreError
from switchboard.state.memory.store import MemoryStore
from tests.channels.http.test_tools_api import KEY, PATHS, store  # noqa: F401 - a fixture
from tests.desk.front_desk import StoppedClock, WatchedStore

MESSAGE = {"message": "Please call back", "caller_name": "Ana"}
COUNTED = {"channel": "phone", "callId": "1"}
TOLD = [
    {"type": "tool_call", "tool_name": "take_message", "arguments": MESSAGE, "call_id": "1"},
    {"type": "tool_call", "tool_name": "take_message", "arguments": MESSAGE, "call_id": "1"}
    | {"context": {"channel": "portal"}},
    {"businessId": "demo-salon", "name": "take_message", "args": MESSAGE, "context": COUNTED},
]


@pytest.fixture
def clock():
    """A clock that stands a second before the full hour, where every grid has an edge."""
    found = StoppedClock()
    found.moment = datetime(2026, 11, 28, 11, 59, 59, tzinfo=UTC)
    return found


@pytest.fixture
def instances(store, clock):  # noqa: F811
    """Two instances of the service over one store."""
    found = []
    for _ in range(2):
        house = build(read_configuration({}), store)
        house.clock = clock
        found.append(httpx.ASGITransport(app=house.app))
    return found


async def post(instance, body, path="/tools/execute", key=KEY):
    headers = {"Authorization": f"Bearer {key}"}
    async with httpx.AsyncClient(transport=instance, base_url="http://test", headers=headers) as http:
        return await http.post(path, json=body)


async def told(instance, body, **more):
    answer = (await post(instance, body, **more)).json()
    return answer["result"] if answer.get("type") == "tool_result" else answer["data"]


async def messages(store):  # noqa: F811
    found = await store.query(Query(PATHS.within("demo-salon").collection("outbox"), limit=500))
    return [d for d in found if d.data.get("kind") == "message"]


@pytest.mark.parametrize("body", TOLD)
@pytest.mark.parametrize("later_s", [0, 2, 119])
async def test_an_action_that_is_sent_again_within_two_minutes_is_done_once(instances, store, clock, body, later_s):  # noqa: F811
    """On whichever instance it comes, and whatever edge of the clock lies between."""
    first = await told(instances[0], body)
    clock.wait(later_s)
    again = await told(instances[1], body)
    assert first["messageId"] == again["messageId"]
    assert len(await messages(store)) == 1


@pytest.mark.parametrize("body", TOLD)
async def test_the_two_minutes_count_from_the_first_time(instances, store, clock, body):  # noqa: F811
    """What comes later is another caller's, who is counted from 1 as well; sending it again does not prolong them."""
    ids = []
    for wait_s in (0, 70, 49, 1, 119, 300):
        clock.wait(wait_s)
        ids.append((await told(instances[0], body))["messageId"])
    assert ids[0] == ids[1] == ids[2]
    assert ids[3] == ids[4] != ids[0]
    assert len(set(ids)) == len(await messages(store)) == 3


@pytest.mark.parametrize(
    "change",
    [
        {"context": COUNTED | {"callerPhone": "+15185550199"}},
        {"context": COUNTED | {"callerId": "u2"}},
        {"context": COUNTED | {"channel": "portal"}},
        {"context": COUNTED | {"callId": "2"}},
        {"context": COUNTED | {"turn": 2}},
        {"context": COUNTED | {"conversation": "their own word for it"}},
        {"args": MESSAGE | {"caller_name": "Bo"}},
        {"args": MESSAGE | {"message": "Please do not call back"}},
        {"name": "create_event", "args": {"title": "Call", "start_time": "2026-12-02T10:00:00"}},
    ],
)
async def test_what_differs_in_anything_that_is_told_is_another_call(instances, change):
    """A service may count from 1 for each caller: nobody gets a CONFLICT for that, nor somebody else's answer."""
    other = TOLD[2] | change
    answers = [(await post(instances[0], body)).json() for body in (TOLD[2], other, other)]
    assert ["replayed" in answer["meta"] for answer in answers] == [False, False, True]
    assert "CONFLICT" not in str(answers)


async def test_another_key_is_another_service(instances, store):  # noqa: F811
    """Both may count their calls from 1."""
    await api_keys.create_key(store, PATHS, "demo-salon", "till", scopes=("tools:execute",), text="sb_till")
    ids = {(await told(instances[0], TOLD[2], key=key))["messageId"] for key in (KEY, "sb_till")}
    assert len(ids) == 2


async def test_arguments_may_be_spelt_otherwise_when_they_are_sent_again(instances, store):  # noqa: F811
    """As an object, as text, in another order."""
    spelt = (MESSAGE, '{"caller_name": "Ana",  "message": "Please call back"}', dict(reversed(MESSAGE.items())))
    ids = {(await told(instances[0], TOLD[2] | {"args": args}))["messageId"] for args in spelt}
    assert len(ids) == 1
    for unusable in ('{"message": ', "[]", [], None, 7, '{"message": "\\ud800"}'):
        answer = await post(instances[0], TOLD[2] | {"args": unusable})
        assert (answer.status_code, answer.json()["ok"]) == (200, False)


async def test_a_look_up_is_looked_up_anew_each_time(instances, store):  # noqa: F811
    """It has no effect, and who counts from 1 gets what is true now and not what another caller was told."""
    for query in ("parking", "parking", "prices"):
        body = TOLD[2] | {"name": "search_knowledge", "args": {"query": query}}
        answer = (await post(instances[0], body)).json()
        assert answer["ok"] and "replayed" not in answer["meta"]
    assert not [path for path in store.paths if "first:" in path]


async def test_an_action_that_may_have_come_before_is_not_begun(instances, store):  # noqa: F811
    """While nobody can say whether it did, it may be tried again, and is done once then."""
    await post(instances[0], TOLD[2] | {"name": "search_knowledge", "args": {"query": "parking"}})
    store.fail("commit")
    refused = (await post(instances[0], TOLD[2])).json()
    assert (refused["error"]["type"], refused["error"]["retryable"]) == ("TRANSIENT", True)
    assert "nothing was done" in refused["error"]["message"]
    store.recover()
    for _ in range(2):
        await told(instances[0], TOLD[2])
    assert len(await messages(store)) == 1


async def test_calls_at_the_same_moment_on_two_instances_are_one(clock):
    """Whoever writes the mark first, each reads the same place; also over a mark that has run out."""
    inner = MemoryStore()
    both = [Redeliveries(WatchedStore(inner), PATHS, clock) for _ in range(2)]
    seen = []
    for _ in range(3):
        places = await asyncio.gather(*(one.place("salon", "k") for one in both * 5))
        assert len(set(places)) == 1
        seen.append(places[0])
        clock.wait(120)
    assert len(set(seen)) == 3


async def test_a_mark_that_was_written_without_an_answer_is_found_when_it_is_asked_for_again(clock):
    """The store did it and did not say so."""
    store = WatchedStore(MemoryStore())  # noqa: F811
    redeliveries = Redeliveries(store, PATHS, clock)
    store.fail("commit", after=True)
    with pytest.raises(StoreError):
        await redeliveries.place("salon", "k")
    store.recover()
    assert await redeliveries.place("salon", "k") == await redeliveries.place("salon", "k")


async def test_a_mark_that_expires_while_it_is_renewed_is_written_anew(clock):
    """The store deletes what has run out whenever it likes, also between reading a mark and writing it."""

    class Expiring(MemoryStore):
        async def get(self, path: str) -> Document | None:
            document = await super().get(path)
            await self.commit([Delete(path)])
            return document

    redeliveries = Redeliveries(Expiring(), PATHS, clock)
    first = await redeliveries.place("salon", "k")
    clock.wait(120)
    assert await redeliveries.place("salon", "k") != first


async def test_a_clock_that_is_behind_takes_it_for_the_same_one(clock):
    """Instances' clocks differ; what one has seen first is not new to the other."""
    store, behind = MemoryStore(), StoppedClock()  # noqa: F811
    behind.moment = clock.moment
    behind.wait(-45)
    first = await Redeliveries(store, PATHS, clock).place("salon", "k")
    assert await Redeliveries(store, PATHS, behind).place("salon", "k") == first


def test_a_key_holds_the_tool_the_arguments_and_whatever_else_is_told():
    """No part runs into the next one."""
    calls = [ToolCall("a", {"x": 1}), ToolCall("a", {"x": 2}), ToolCall("b", {"x": 1}), ToolCall("a", '"x"')]
    keys = [action_key(call, *told) for call in calls for told in (("1", "2"), ("12", ""), ("", "12"))]
    assert len(set(keys)) == len(keys)
    assert action_key(ToolCall("a", {"x": 3.0, "y": " b"})) == action_key(ToolCall("a", '{"y":"b","x":3}'))


async def test_an_answer_is_heard_in_a_conversation_that_is_named(instances):
    """Otherwise nobody could have been asked in it; what to do is said."""
    said = {"businessId": "demo-salon", "context": COUNTED | {"turn": 2}, "heard": {"text": "Yes"}, "asked": "Shall I?"}
    refused = await post(instances[0], said, "/tools/heard")
    assert (refused.status_code, refused.json()["error"]["field"]) == (400, "context.sessionId")
    assert "same one in every call" in refused.json()["error"]["message"]
    named = said | {"context": said["context"] | {"sessionId": "s1"}}
    assert (await post(instances[0], named, "/tools/heard")).json()["verdict"] == "nothing"
