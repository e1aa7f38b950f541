"""When Firestore does not answer: how long we wait, what we say, and that we come back."""

import asyncio
import os
import signal
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import google.auth
import grpc  # type: ignore[import-untyped]
import pytest
from google.auth.credentials import AnonymousCredentials

from running import emulator
from switchboard.contract import policy
from switchboard.contract.deadline import ending_in, reads_within
from switchboard.contract.store import Create, Query, StoreError, Unavailable
from switchboard.state.firestore.client import FirestoreConnection
from switchboard.state.firestore.store import FirestoreStore
from tests.state.reading import fields
from tests.state.server import Relay

REQUESTS: dict[str, tuple[float, Callable[[FirestoreStore], Awaitable[Any]]]] = {
    "get": (policy.STORE_READ_S, lambda store: store.get("c/a")),
    "get_many": (policy.STORE_READ_S, lambda store: store.get_many(["c/a", "c/b"])),
    "query": (policy.STORE_READ_S, lambda store: store.query(Query("c"))),
    "count": (policy.STORE_READ_S, lambda store: store.count(Query("c"))),
    "commit": (policy.STORE_WRITE_S, lambda store: store.commit([Create("c/a", {})])),
}
each_request = pytest.mark.parametrize(("allowed_s", "request_it"), REQUESTS.values(), ids=REQUESTS.keys())
LONG_S = 600.0
SOON_S = 60.0
"""What takes less than this did not end by a limit that was turned up to `LONG_S`, however busy the machine is."""


def leave_only(patch: pytest.MonkeyPatch, *left: str, **changed: float) -> None:
    """Turn up every limit of the store but those that are named."""
    for name in ("STORE_READ_S", "STORE_WRITE_S", "STORE_FIRST_CALL_S"):
        if name not in left:
            patch.setattr(policy, name, changed.get(name, LONG_S))


async def time_to_fail(request: Awaitable[Any]) -> float:
    """Return after how many seconds a request failed as unavailable."""
    started = time.monotonic()
    with pytest.raises(Unavailable):
        await request
    return time.monotonic() - started


def states(group: int) -> Iterator[str]:
    """Return what each thread of a group of processes is doing, in the kernel's letters."""
    for path in Path("/proc").glob("[0-9]*/task/[0-9]*/stat"):
        try:
            # The name stands in brackets and may hold anything; after it come the state, the parent and the group.
            state, _, of = path.read_text().rpartition(")")[2].split()[:3]
        except OSError:
            continue
        if int(of) == group and state != "Z":
            yield state


@contextmanager
def frozen(running: emulator.RunningEmulator) -> Iterator[None]:
    """Stop an emulator's processes in their tracks; its connections stay open and nothing is answered."""
    group = running.guard.pid
    os.killpg(group, signal.SIGSTOP)
    try:
        # One that is at work on the other processor may go on to answer for a moment.
        while set(states(group)) - {"T"}:
            time.sleep(0.001)
        yield
    finally:
        os.killpg(group, signal.SIGCONT)


@pytest.fixture
async def own_store(own_emulator: emulator.RunningEmulator) -> Any:
    """A warm store over an emulator that may be stopped."""
    store = FirestoreStore("demo-outages", emulator_host=own_emulator.host)
    with pytest.MonkeyPatch.context() as patch:
        # an emulator's very first request takes longer than Firestore's would
        patch.setattr(policy, "STORE_FIRST_CALL_S", 30.0)
        await store.warm()
    yield store
    await store.close()


@pytest.mark.requirement("000-52")
@pytest.mark.emulator
@each_request
async def test_a_frozen_server_costs_no_more_than_the_policy(
    own_emulator: emulator.RunningEmulator,
    own_store: FirestoreStore,
    allowed_s: float,
    request_it: Callable[[FirestoreStore], Awaitable[Any]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Every request to a server that stopped answering fails as unavailable when its time is over, not later."""
    leave_only(monkeypatch, "STORE_WRITE_S" if allowed_s == policy.STORE_WRITE_S else "STORE_READ_S")
    with frozen(own_emulator):
        assert allowed_s - 0.05 < await time_to_fail(request_it(own_store)) < SOON_S


@pytest.mark.emulator
async def test_a_frozen_server_is_used_again_when_it_thaws(
    own_emulator: emulator.RunningEmulator, own_store: FirestoreStore
) -> None:
    """Requests that were given up do not break the connection for those that follow."""
    with frozen(own_emulator):
        await asyncio.gather(*(time_to_fail(own_store.get("c/none")) for _ in range(10)))
    await eventually(lambda: own_store.get("c/none"), within_s=SOON_S)


@pytest.mark.emulator
async def test_a_page_waits_for_a_server_that_no_call_would_wait_for(
    own_emulator: emulator.RunningEmulator, own_store: FirestoreStore
) -> None:
    """What is read for a page is still waited for when a call's read has long been given up."""
    with frozen(own_emulator):
        with reads_within(LONG_S):
            page = asyncio.create_task(own_store.get("c/none"))
        # It is on its way before the other one finds the store away.
        await asyncio.sleep(0)
        await time_to_fail(own_store.get("c/none"))
        assert not page.done()
    assert await page is None


@each_request
async def test_where_nobody_listens_a_cold_store_fails_soon(
    closed_host: str,
    allowed_s: float,
    request_it: Callable[[FirestoreStore], Awaitable[Any]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A closed port is reported long before the time of a request is over."""
    leave_only(monkeypatch)
    store = FirestoreStore("demo-outages", emulator_host=closed_host)
    for _ in range(2):
        assert await time_to_fail(request_it(store)) < SOON_S
    await store.close()


@each_request
async def test_where_the_server_went_away_a_warm_store_fails_at_once(
    relay: Relay,
    allowed_s: float,
    request_it: Callable[[FirestoreStore], Awaitable[Any]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Nobody waits for a server whose port is closed."""
    leave_only(monkeypatch)
    store = FirestoreStore("demo-outages", emulator_host=relay.host)
    await store.warm()
    await relay.cut()
    for _ in range(2):
        assert await time_to_fail(request_it(store)) < SOON_S
    await store.close()


async def test_a_store_comes_back_with_its_server(relay: Relay, monkeypatch: pytest.MonkeyPatch) -> None:
    """After an outage the store connects again by itself, and soon."""
    leave_only(monkeypatch)
    store = FirestoreStore("demo-outages", emulator_host=relay.host)
    await store.warm()
    await relay.cut()
    for _ in range(5):
        await time_to_fail(store.get("c/none"))
    await relay.open()
    await eventually(lambda: store.get("c/none"), within_s=SOON_S)
    await store.close()


async def eventually(request: Callable[[], Awaitable[Any]], within_s: float) -> None:
    """Ask until there is an answer."""
    ends = time.monotonic() + within_s
    while True:
        try:
            await request()
            return
        except Unavailable:
            assert time.monotonic() < ends, f"no answer within {within_s} s"
            await asyncio.sleep(0.02)


async def test_a_first_request_may_take_longer(silent_host: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Until something was answered, connecting and authenticating are allowed for."""
    leave_only(monkeypatch, STORE_FIRST_CALL_S=0.7)
    store = FirestoreStore("demo-outages", emulator_host=silent_host)
    assert 0.65 < await time_to_fail(store.get("c/a")) < SOON_S
    await store.close()


@pytest.mark.requirement("000-52")
@each_request
async def test_a_call_that_ends_sooner_shortens_every_request(
    silent_host: str,
    allowed_s: float,
    request_it: Callable[[FirestoreStore], Awaitable[Any]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """No request waits longer than the call it serves, not even the first one."""
    leave_only(monkeypatch)
    store = FirestoreStore("demo-outages", emulator_host=silent_host)
    with ending_in(0.0):
        await time_to_fail(request_it(store))
    # By when the caller began to wait, however long it took until it was asked.
    began = time.monotonic()
    with ending_in(0.15):
        await time_to_fail(request_it(store))
    assert 0.1 < time.monotonic() - began < SOON_S
    await store.close()


@pytest.mark.emulator
async def test_a_commit_without_an_answer_is_not_repeated(
    own_emulator: emulator.RunningEmulator, own_store: FirestoreStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It may have happened, and is left to its author: the store sends it once."""
    with frozen(own_emulator):
        await time_to_fail(own_store.commit([Create("c/ambiguous", {"n": 1})]))
    await eventually(lambda: own_store.get("c/none"), within_s=SOON_S)
    leave_only(monkeypatch)
    assert await fields(own_store, "c/ambiguous") in (None, {"n": 1})


async def test_a_client_that_ignores_its_time_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """Should the library itself hang, our own guard ends the request shortly after."""

    class Hanging:
        async def read(self, paths: Any, timeout_s: float) -> Any:
            await asyncio.Event().wait()

    leave_only(monkeypatch)
    store = FirestoreStore("demo-outages")
    monkeypatch.setattr(store, "_connect", Hanging)
    with ending_in(0.1):
        assert await time_to_fail(store.get("c/a")) < SOON_S


async def test_a_process_too_busy_to_notice_answers_takes_no_store_for_away(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever comes next asks: what this process was too late for says nothing about the server."""

    class Busy:
        asked = 0

        async def read(self, paths: Any, timeout_s: float) -> Any:
            self.asked += 1
            if self.asked == 1:
                time.sleep(timeout_s + 0.5)
                await asyncio.Event().wait()
            return [None]

    leave_only(monkeypatch, "STORE_READ_S", STORE_FIRST_CALL_S=0.1)
    store = FirestoreStore("demo-outages")
    monkeypatch.setattr(store, "_connect", Busy)
    await time_to_fail(store.get("c/a"))
    assert await store.get("c/a") is None


async def test_a_closed_store_says_so(closed_host: str) -> None:
    """After closing, requests fail as unavailable, and closing again is harmless."""
    store = FirestoreStore("demo-outages", emulator_host=closed_host)
    await store.close()
    await store.close()
    with pytest.raises(Unavailable, match="closed"):
        await store.get("c/a")


async def test_missing_credentials_are_an_outage(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without an emulator and without credentials the store fails in the port's words, not Google's."""
    monkeypatch.setenv("GOOGLE_APPLICATION_CREDENTIALS", "/nowhere/key.json")
    with pytest.raises(StoreError, match="/nowhere/key"):
        await FirestoreStore("demo-outages").get("c/a")


async def test_the_environment_does_not_choose_the_server(
    emulator_host: str, closed_host: str, patience: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The emulator that was named is used, although Google's library looks for another one in the environment."""
    monkeypatch.setenv("FIRESTORE_EMULATOR_HOST", closed_host)
    store = FirestoreStore("demo-outages", emulator_host=emulator_host)
    await store.warm()
    await store.close()


async def test_without_an_emulator_the_store_talks_to_google(monkeypatch: pytest.MonkeyPatch) -> None:
    """Project and database name the real thing, at Google's address; nothing is sent before something is asked."""
    scopes, addresses, opened = [], [], grpc.aio.secure_channel

    def default(**asked: Any) -> tuple[AnonymousCredentials, None]:
        scopes.extend(asked["scopes"] or asked["default_scopes"])
        return AnonymousCredentials(), None  # type: ignore[no-untyped-call]

    def secure_channel(address: str, *others: Any, **options: Any) -> grpc.aio.Channel:
        addresses.append(address)
        return opened(address, *others, **options)

    monkeypatch.setattr(google.auth, "default", default)
    monkeypatch.setattr(grpc.aio, "secure_channel", secure_channel)
    connection = FirestoreConnection("a-project", "a-database", None)
    assert "https://www.googleapis.com/auth/datastore" in scopes
    assert addresses == ["firestore.googleapis.com"]
    assert connection.database == "projects/a-project/databases/a-database"
    await connection.close()
