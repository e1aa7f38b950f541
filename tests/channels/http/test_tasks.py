"""`POST /tasks/<name>`: who may ask for background work, for which business, and what is answered."""

import httpx2 as httpx
import pytest
from starlette.applications import Starlette

from switchboard.admin.credentials import api_keys
from switchboard.channels.http import tasks
from switchboard.channels.http.answer import HANDLERS
from switchboard.channels.http.credentials import Credentials
from switchboard.channels.http.tasks import Schedulers
from switchboard.contract.store import Set, Unavailable
from switchboard.state.memory.store import MemoryStore
from switchboard.state.paths import FirestorePaths
from tests.desk.front_desk import StoppedClock, WatchedStore

PATHS = FirestorePaths()
KEY, READER = "sb_service", "sb_reader"
TOKEN = "täglich-" + "t" * 32


class Work:
    """A task that notes for whom it was asked, and fails when it is told to."""

    def __init__(self):
        self.asked, self.error = [], None

    async def __call__(self, business_id):
        self.asked.append(business_id)
        if self.error:
            raise self.error
        return {"recovered": 2, "left": 0}


@pytest.fixture
def work():
    return Work()


@pytest.fixture
async def store():
    """A store in memory with two keys of the salon."""
    found = WatchedStore(MemoryStore())
    await found.commit([Set(PATHS.within("demo-salon").business, {"name": "Salon"})])
    for text, scopes in ((KEY, ("tools:read", "tools:execute")), (READER, ("tools:read", "owner"))):
        await api_keys.create_key(found, PATHS, "demo-salon", text, scopes=scopes, text=text)
    found.asked.clear()
    return found


def client(store, work, token=TOKEN):
    named = {"reap": work, "drain": Work()}
    own = tasks.routes(named, Credentials(store, PATHS, StoppedClock()), Schedulers(token))
    transport = httpx.ASGITransport(app=Starlette(routes=own, exception_handlers=HANDLERS))
    return httpx.AsyncClient(transport=transport, base_url="http://test")


@pytest.fixture
async def http(store, work):
    """A client of the routes alone."""
    async with client(store, work) as found:
        yield found


def shown(text):
    return {"Authorization": f"Bearer {text}".encode()}


@pytest.mark.parametrize("body", [b"", b"{}", b'{"businessId": null}', b'{"businessId": "demo-salon"}'])
async def test_a_service_has_the_work_of_its_own_business_done(http, work, body):
    """The business is the key's, whether or not the request names it."""
    response = await http.post("/reap", content=body, headers=shown(KEY))
    assert response.status_code == 200
    assert response.json() == {
        "ok": True,
        "task": "reap",
        "businessId": "demo-salon",
        "counts": {"recovered": 2, "left": 0},
    }
    assert work.asked == ["demo-salon"]


@pytest.mark.parametrize(("body", "asked"), [(b"", None), (b"{}", None), (b'{"businessId": "x"}', "x")])
async def test_the_task_token_has_the_work_of_all_businesses_done_or_of_any_one(http, store, work, body, asked):
    """A scheduler needs no key, and no look at the store to be let in."""
    response = await http.post("/reap", content=body, headers=shown(TOKEN))
    assert (response.status_code, response.json()["businessId"]) == (200, asked)
    assert work.asked == [asked]
    assert not store.asked


@pytest.mark.parametrize(
    ("headers", "body", "status"),
    [
        ({}, b"", 401),
        (shown(""), b"", 401),
        (shown("sb_unknown"), b"", 401),
        (shown(TOKEN[:-1]), b"", 401),
        (shown(TOKEN + "t"), b"", 401),
        (shown(TOKEN.upper()), b"", 401),
        ({"Authorization": TOKEN.encode()}, b"", 401),
        ({"Authorization": b"Basic " + TOKEN.encode()}, b"", 401),
        (shown(READER), b"", 403),
        (shown(KEY), b'{"businessId": "demo-plumber"}', 403),
        (shown(KEY), b"[]", 400),
        (shown(KEY), b'{"businessId": 1}', 400),
        (shown(TOKEN), b'{"businessId": ', 400),
        (shown(TOKEN), b'{"a": "' + b"x" * 1_100_000 + b'"}', 413),
    ],
)
async def test_whoever_may_not_or_cannot_be_understood_is_told_and_nothing_is_done(http, work, headers, body, status):
    """No key, a wrong one, one that may not execute tools, another business, a body that is no object."""
    response = await http.post("/reap", content=body, headers=headers)
    assert response.status_code == status
    assert response.json()["ok"] is False
    assert response.json()["error"]["message"]
    assert work.asked == []


@pytest.mark.parametrize("sent", [{}, shown(""), shown(" "), {"Authorization": "Bearer"}])
async def test_an_empty_token_lets_nobody_in(store, work, sent):
    """A deployment that has configured none cannot be asked for all businesses at all."""
    async with client(store, work, token="") as http:
        assert (await http.post("/reap", headers=sent)).status_code == 401
        assert (await http.post("/reap", headers=shown(KEY))).status_code == 200
    assert work.asked == ["demo-salon"]


async def test_a_store_that_does_not_answer_asks_the_scheduler_to_come_again(http, work):
    """503 with Retry-After is what schedulers and queues try again for."""
    work.error = Unavailable("no answer")
    response = await http.post("/reap", headers=shown(TOKEN))
    assert (response.status_code, response.headers["retry-after"]) == (503, "2")
    assert (response.json()["error"]["type"], response.json()["error"]["retryable"]) == ("TRANSIENT", True)


@pytest.mark.parametrize("method", ["GET", "PUT", "DELETE"])
async def test_work_is_only_ever_posted(http, work, method):
    """A crawler that follows links starts nothing."""
    response = await http.request(method, "/reap", headers=shown(TOKEN))
    assert (response.status_code, response.json()["error"]["type"]) == (405, "VALIDATION")
    assert work.asked == []


async def test_each_task_has_its_own_name_and_others_are_not_found(http, work):
    """Names come from whoever builds the house."""
    assert (await http.post("/drain", headers=shown(TOKEN))).json()["task"] == "drain"
    assert (await http.post("/sweep", headers=shown(TOKEN))).status_code == 404
    assert work.asked == []
