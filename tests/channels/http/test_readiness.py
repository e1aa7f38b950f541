"""`GET /readyz` and `/ready`: whether conversations can be carried, and if not, why. `/health` only says: it lives."""

import asyncio
import os
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from typing import Any

import httpx2 as httpx
import pytest

import main
from switchboard.app import container as deployment
from switchboard.app.container import Container, build
from switchboard.app.settings import read_configuration
from switchboard.channels.http import readiness
from switchboard.channels.http.readiness import READY_PATHS, Readiness
from switchboard.contract import policy
from switchboard.contract.deadline import read_s
from switchboard.contract.error import ErrorType, ToolError
from switchboard.contract.store import Document, Query, Set, Unavailable
from switchboard.integrations.secrets.kms import LocalKeyKeeper
from switchboard.integrations.secrets.sealed_secrets import SealedSecrets
from tests.desk.front_desk import StoppedClock
from tests.leaving_store import LeavingStore


class LostKey(LocalKeyKeeper):
    """A keeper whose key was switched off."""

    async def unwrap(self, wrapped: bytes) -> bytes:
        """Refuse."""
        raise ToolError(ErrorType.PERMANENT, "not in order", detail="the key version is disabled")


@dataclass
class House:
    """A deployment, its store, and a clock by which the look of a moment ago is over."""

    store: LeavingStore = field(default_factory=LeavingStore)
    clock: StoppedClock = field(default_factory=StoppedClock)

    def __post_init__(self) -> None:
        self.container: Container = build(read_configuration({}), self.store)
        self.container.clock = self.clock

    async def ask(self, path: str) -> tuple[int, dict[str, Any]]:
        """Return status and body, some seconds after the question before."""
        self.clock.wait(60)
        transport = httpx.ASGITransport(app=self.container.app)
        async with httpx.AsyncClient(transport=transport, base_url="http://test") as client:
            answer = await client.get(path)
        return answer.status_code, answer.json()


@pytest.fixture
async def house() -> AsyncIterator[House]:
    """A deployment over a store in memory."""
    own = House()
    yield own
    own.store.is_away = False
    await own.container.close()


@pytest.mark.parametrize("path", READY_PATHS)
async def test_whoever_can_serve_says_so(house: House, path: str) -> None:
    """At both paths, since Cloud Run may keep the one that ends in z."""
    assert await house.ask(path) == (200, {"status": "ready", "reasons": []})


async def test_a_store_that_is_away_is_told_as_the_reason_and_restarts_nothing(house: House) -> None:
    """Whoever watches is told; the process lives, and is not ended for it."""
    house.store.is_away = True
    status, body = await house.ask("/ready")
    assert (status, body["status"]) == (503, "unready")
    assert "The store does not answer" in body["reasons"][0] and "FIRESTORE_DATABASE" in body["reasons"][0]
    assert (await house.ask("/health"))[0] == (await house.ask("/healthz"))[0] == 200
    house.store.is_away = False
    assert await house.ask("/ready") == (200, {"status": "ready", "reasons": []})


async def test_tools_that_were_not_read_for_too_long_are_told(house: House) -> None:
    """Then nothing that changes anything is offered any more."""
    await house.ask("/ready")
    house.store.is_away = True
    house.clock.wait(3_600)
    status, body = await house.ask("/ready")
    assert status == 503
    assert any("published tools cannot be read" in reason for reason in body["reasons"])


class StoreOfParts(LeavingStore):
    """A store of which one part cannot be read, as under rules or an index that are not in order.

    Attributes:
        closed: How the paths of that part begin; empty while all can be read.
    """

    closed = ""

    async def get(self, path: str) -> Document | None:
        """Return a document."""
        self._open(path)
        return await super().get(path)

    async def query(self, query: Query) -> list[Document]:
        """Return the matching documents."""
        self._open(query.collection)
        return await super().query(query)

    def _open(self, path: str) -> None:
        if self.closed and path.startswith(self.closed):
            raise Unavailable("this part does not answer")


@pytest.mark.requirement("004-832")
@pytest.mark.parametrize("were_read", [True, False], ids=["were read once", "were never read"])
async def test_tools_that_alone_cannot_be_read_are_the_only_reason(were_read: bool) -> None:
    """The store answers everything else, and nothing that changes anything is offered all the same."""
    store = StoreOfParts()
    house = House(store)
    paths = house.container.paths
    if were_read:
        assert (await house.ask("/ready"))[0] == 200
    store.closed = f"{paths.tool_pointer}/"
    house.clock.wait(3_600)
    status, body = await house.ask("/ready")
    assert (status, body["status"], len(body["reasons"])) == (503, "unready", 1)
    assert body["reasons"][0].startswith("The published tools cannot be read, so nothing that changes anything")
    assert (await house.ask("/health"))[0] == 200
    store.closed = ""
    assert await house.ask("/ready") == (200, {"status": "ready", "reasons": []})
    await house.container.close()


async def test_a_key_that_opens_nothing_is_told(house: House) -> None:
    """What businesses have connected cannot be used without it."""
    lost = LostKey(os.urandom(32))
    house.container.__dict__["secrets"] = SealedSecrets(house.store, house.container.paths, lost)
    status, body = await house.ask("/ready")
    assert status == 503
    assert body["reasons"][0].startswith("What businesses keep secret cannot be opened: look whether SWITCHBOARD_KMS")


async def test_that_no_secret_opens_is_told_until_one_is_entered_anew(house: House) -> None:
    """What hangs on a lost key stays lost; what is entered after that opens, and conversations are carried by it."""
    own, paths = house.container, house.container.paths
    await house.store.commit([Set(paths.within("salon").business, {"name": "Salon"})])
    await SealedSecrets(house.store, paths, LocalKeyKeeper(os.urandom(32))).keep("salon", "twilio", "authToken", "t")
    await own.open()
    async with asyncio.timeout(60):
        while (answer := await house.ask("/ready"))[0] == 200:
            await asyncio.sleep(0)
    assert answer[1]["reasons"][0].startswith("None of the secrets that are kept opens: ")
    await own.secrets.keep("salon", "twilio", "authToken", "entered anew")
    assert await house.ask("/ready") == (200, {"status": "ready", "reasons": []})


async def test_what_is_looked_at_behind_everything_else_takes_no_slow_store_for_one_that_is_away() -> None:
    """A store that takes a second at first would be left alone for another by everybody, callers among them."""
    waits, reads = list[float](), list[float]()

    class Timed(LeavingStore):
        async def query(self, query: Query) -> list[Document]:
            if (query.collection, query.group) == ("secrets", True):
                waits.append(read_s())
            return await super().query(query)

        async def get(self, path: str) -> Document | None:
            reads.append(read_s())
            return await super().get(path)

    container = build(read_configuration({}), Timed())
    await container.open()
    async with asyncio.timeout(60):
        while not waits:
            await asyncio.sleep(0)
    await container.close()
    assert min(*waits, *reads) == policy.OWNERS_READ_S > policy.STORE_READ_S
    assert read_s() == policy.STORE_READ_S


async def test_what_hangs_counts_as_away_and_is_looked_at_once_for_many(monkeypatch: pytest.MonkeyPatch) -> None:
    """A check from outside waits ten seconds, and several places ask."""
    looks = []

    async def hanging() -> str:
        looks.append(1)
        await asyncio.Event().wait()
        return ""

    monkeypatch.setattr(readiness, "_LONGEST_S", 0.01)
    own = Readiness({"The store": hanging}, StoppedClock())
    told = await asyncio.gather(*(own.reasons() for _ in range(5)))
    assert set(told) == {("The store did not answer within 0.01 seconds.",)}
    assert len(looks) == 1


async def test_a_deployment_whose_settings_are_not_in_order_lives_and_says_which(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """As a function of its own, which has no start that could fail; values are told in the log alone."""
    monkeypatch.setattr(deployment, "_of_this_process", None)
    monkeypatch.setenv("SWITCHBOARD_PUBLIC_URL", "ftp://nobody-is-to-read-this")
    app = await main.healthz(None)  # type: ignore[arg-type]
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app=app), base_url="http://test") as client:
        assert (await client.get("/health")).status_code == 200
        answer = await client.get("/ready")
    assert answer.status_code == 503
    assert "SWITCHBOARD_PUBLIC_URL" in answer.text and "nobody-is-to-read-this" not in answer.text
