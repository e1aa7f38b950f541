"""Google's scheduler and queue, which show a service account's ID token when they ask for everybody's work."""

import time
from collections.abc import AsyncIterator, Callable
from typing import Any

import httpx2 as httpx
import pytest

from switchboard.app.container import build
from switchboard.app.settings import ConfigurationError, read_configuration
from tests.channels.http.test_tasks import store  # noqa: F401 - a fixture
from tests.integrations.token_issuer import ANOTHER, Issuer, RealClock, signed

URL = "https://switchboard.example.com"
EMAIL, OTHER = (f"{name}@my-project.iam.gserviceaccount.com" for name in ("switchboard-tasks", "somebody"))

pytestmark = pytest.mark.requirement("004-471")


def token(key: Any = None, **claims: Any) -> str:
    said = {"iss": "https://accounts.google.com", "aud": URL, "sub": "1", "email": EMAIL, "email_verified": True}
    return signed(said | claims, **({"key": key} if key else {}))


def shown(text: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {text}"}


@pytest.fixture
def google(serve: Callable[[Any], str]) -> tuple[str, Issuer]:
    """Google on this machine."""
    found = Issuer()
    return serve(found.app()), found


@pytest.fixture
async def http(store: Any, google: tuple[str, Issuer]) -> AsyncIterator[httpx.AsyncClient]:  # noqa: F811
    """A client of a house that knows the account."""
    environ = {"SWITCHBOARD_PUBLIC_URL": URL, "SWITCHBOARD_GOOGLE_BASE_URL": google[0]}
    house = build(read_configuration(environ | {"SWITCHBOARD_TASK_ACCOUNT": EMAIL}), store)
    house.clock = RealClock()
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app=house.app), base_url="http://127.0.0.1") as found:
        yield found
    await house.http.close()


@pytest.mark.parametrize("claims", [{}, {"aud": f"{URL}/tasks"}, {"iss": "accounts.google.com"}])
async def test_the_account_s_token_has_the_work_of_all_businesses_done(http: httpx.AsyncClient, claims: dict[str, Any]):
    answer = await http.post("/tasks/reap", headers=shown(token(**claims)))
    assert (answer.status_code, answer.json()["businessId"]) == (200, None)
    answer = await http.post("/tasks/reap", json={"businessId": "demo-salon"}, headers=shown(token(**claims)))
    assert (answer.status_code, answer.json()["businessId"]) == (200, "demo-salon")


@pytest.mark.parametrize(
    ("make", "status"),
    [
        (lambda: token(ANOTHER), 401),
        (lambda: token(exp=int(time.time()) - 60), 401),
        (lambda: token(aud="https://another.example.com"), 401),
        (lambda: token(aud=[URL]), 401),
        (lambda: token(iss="https://accounts.google.com.evil.example"), 401),
        (lambda: token(email_verified=False), 401),
        (lambda: token(email=None), 401),
        # Good, and somebody else's: anybody may have one made for this address.
        (lambda: token(email=OTHER), 403),
        (lambda: token(email=f"{EMAIL}.evil.example"), 401),
        (lambda: token()[:-8] + "AAAAAAAA", 401),
        (lambda: EMAIL, 401),
        (lambda: "", 401),
    ],
)
async def test_no_other_token_has_the_work_of_all_businesses_done(http: httpx.AsyncClient, make: Any, status: int):
    answer = await http.post("/tasks/reap", headers=shown(make()))
    assert (answer.status_code, answer.json()["ok"]) == (status, False)


async def test_while_google_s_keys_cannot_be_had_the_scheduler_is_asked_to_come_again(
    http: httpx.AsyncClient, google: tuple[str, Issuer]
):
    google[1].status = 500
    answer = await http.post("/tasks/reap", headers=shown(token()))
    assert (answer.status_code, answer.json()["error"]["type"]) == (503, "TRANSIENT")


async def test_where_no_account_is_named_its_token_lets_nobody_in(store: Any, google: tuple[str, Issuer]):  # noqa: F811
    environ = {"SWITCHBOARD_PUBLIC_URL": URL, "SWITCHBOARD_GOOGLE_BASE_URL": google[0]}
    house = build(read_configuration(environ), store)
    house.clock = RealClock()
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app=house.app), base_url="http://127.0.0.1") as http:
        assert (await http.post("/tasks/reap", headers=shown(token()))).status_code == 403
    await house.http.close()


@pytest.mark.parametrize(
    ("environ", "word"),
    [
        ({"SWITCHBOARD_TASK_ACCOUNT": "somebody@example.com", "SWITCHBOARD_PUBLIC_URL": URL}, "service account's"),
        ({"SWITCHBOARD_TASK_ACCOUNT": EMAIL}, "SWITCHBOARD_PUBLIC_URL is not set"),
        (
            {"SWITCHBOARD_TASK_QUEUE": "projects/p/locations/l/queues/q", "SWITCHBOARD_PUBLIC_URL": URL},
            "SWITCHBOARD_TASK_ACCOUNT is not set",
        ),
    ],
)
def test_an_account_that_could_not_ask_is_one_sentence(environ: dict[str, str], word: str):
    with pytest.raises(ConfigurationError, match=word):
        read_configuration(environ)
