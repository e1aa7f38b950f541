"""What every test may ask for, and the rules that hold for all of them.

`emulator_project` gives an emptied project on the official Firestore emulator, `chromium` a browser to drive. A test
that asks for either is marked `emulator` or `browser` by that alone, is skipped where the part is missing, and fails
there under CI=true.
"""

import gc
import os
from collections.abc import AsyncIterator, Callable, Iterator
from typing import Any, NoReturn

import hypothesis
import pytest

from running import emulator
from switchboard.contract import policy
from switchboard.integrations.http_session import HttpSession
from switchboard.state.firestore.store import FirestoreStore
from testing import outside_parts

# Held in every test: what production would refuse, and what no log line may hold.
pytest_plugins = ["tests.deploy.like_firestore", "tests.logs_scan", "tests.own_processes", "tests.hanging"]

IN_CI = os.environ.get("CI") == "true"
MARK_OF_FIXTURE = {"emulator_host": "emulator", "chromium": "browser"}
SHARED_EMULATOR = pytest.StashKey[emulator.RunningEmulator]()

# Shared and noisy cores make a time limit per example a coin toss; CI draws the same examples every time.
hypothesis.settings.register_profile("house", deadline=None, derandomize=IN_CI)
hypothesis.settings.register_profile("few", hypothesis.settings.get_profile("house"), max_examples=25)
hypothesis.settings.load_profile("house")


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add --requirement."""
    parser.addoption("--requirement", metavar="ID", help="run only the tests that protect this requirement")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Mark tests by the parts they ask for, refuse empty requirement marks, and apply --requirement."""
    for item in items:
        for fixture, mark in MARK_OF_FIXTURE.items():
            if fixture in getattr(item, "fixturenames", ()):
                item.add_marker(mark)
        if any(not mark.args for mark in item.iter_markers("requirement")):
            raise pytest.UsageError(f"{item.nodeid} carries a requirement mark without an id")
    wanted = config.getoption("--requirement")
    if wanted:
        chosen = [item for item in items if any(wanted in mark.args for mark in item.iter_markers("requirement"))]
        config.hook.pytest_deselected(items=[item for item in items if item not in chosen])
        items[:] = chosen


def pytest_collection_finish() -> None:
    """Have the garbage collector pass over what was loaded until now, thousands of tests among it.

    Looking through all that again and again took a seventh of a run.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(10_000, 20, 20)


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: Any) -> None:
    """Start one emulator for all xdist workers, in the process that outlives them; each waits when it needs it."""
    stash = node.config.stash
    installed = None if emulator.named_host() else emulator.find()
    if installed and SHARED_EMULATOR not in stash:
        stash[SHARED_EMULATOR] = installed.start()
        node.config.add_cleanup(stash[SHARED_EMULATOR].stop)
    if SHARED_EMULATOR in stash:
        node.workerinput["emulator_host"] = stash[SHARED_EMULATOR].host


@pytest.fixture(scope="session", autouse=True)
def loaded() -> None:
    """Load what the first calls of a process load, which takes longer than a call may on a busy machine.

    What that costs is for tests that start processes of their own.
    """
    import aiohttp  # noqa: F401
    import jsonschema_rs  # noqa: F401
    import numpy  # noqa: F401
    import phonenumbers  # noqa: F401


@pytest.fixture(scope="session")
def missing_part() -> Callable[[str], NoReturn]:
    """What a fixture calls, with a sentence, when this machine lacks what it offers: skips, and fails in CI."""

    def miss(sentence: str) -> NoReturn:
        if IN_CI:
            pytest.fail(f"missing on this machine: {sentence}", pytrace=False)
        pytest.skip(sentence)

    return miss


@pytest.fixture(scope="session")
def emulator_host(request: pytest.FixtureRequest, missing_part: Callable[[str], NoReturn]) -> Iterator[str]:
    """The host:port of a Firestore emulator that is ready."""
    shared = getattr(request.config, "workerinput", {}).get("emulator_host")
    if shared:
        emulator.wait_until_answering(shared)
        yield shared
    elif emulator.named_host() or emulator.find():
        with emulator.running() as host:
            yield host
    else:
        missing_part(emulator.why_missing())


@pytest.fixture(scope="session")
def worker_project(worker_id: str) -> str:
    """The project id that belongs to this process alone; its `demo-` keeps it from ever meaning a real one."""
    return f"demo-{worker_id}"


@pytest.fixture
def emulator_project(emulator_host: str, worker_project: str, monkeypatch: pytest.MonkeyPatch) -> str:
    """The id of an emptied project on the emulator, named in the environment where Google's clients look."""
    emulator.clear(emulator_host, worker_project)
    monkeypatch.setenv("FIRESTORE_EMULATOR_HOST", emulator_host)
    monkeypatch.setenv("GOOGLE_CLOUD_PROJECT", worker_project)
    return worker_project


@pytest.fixture
def patience(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a busy machine answer later than a caller on the phone could wait."""
    for limit in ("STORE_READ_S", "STORE_WRITE_S", "STORE_FIRST_CALL_S"):
        monkeypatch.setattr(policy, limit, 30.0)


@pytest.fixture
async def firestore(emulator_host: str, emulator_project: str, patience: None) -> AsyncIterator[FirestoreStore]:
    """An empty store on the emulator."""
    store = FirestoreStore(emulator_project, emulator_host=emulator_host)
    yield store
    await store.close()


@pytest.fixture
async def http() -> AsyncIterator[HttpSession]:
    """The session that requests go out over."""
    session = HttpSession()
    yield session
    await session.close()


@pytest.fixture(scope="session")
def stand_in_server() -> Iterator[tuple[str, Any]]:
    """A server on this machine, and the switch that leads to the stand-in of the test that is running."""
    from tests.switch import switched

    with switched() as found:
        yield found


@pytest.fixture(scope="session")
def serve() -> Iterator[Callable[[Any], str]]:
    """What serves an app until the next one, and tells the address; the server is the same for all of them."""
    from types import SimpleNamespace

    from tests.switch import switched

    with switched() as (url, switch):

        def serve(app: Any) -> str:
            switch.stand_in = SimpleNamespace(app=app)
            return url

        yield serve


@pytest.fixture(scope="session")
def chromium(missing_part: Callable[[str], NoReturn]) -> str:
    """The path of a Chromium to drive."""
    return outside_parts.find_chromium() or missing_part(outside_parts.NO_CHROMIUM)


# Not for longer than a module: Playwright keeps a loop running in this thread, where other tests want their own.
@pytest.fixture(scope="module")
def browser(chromium: str) -> Iterator[Any]:
    """Chromium, as Playwright drives it from tests without a loop."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        yield running
        running.close()


@pytest.fixture(autouse=True)
def environment_as_found() -> Iterator[None]:
    """Put back what a test changed in os.environ."""
    found = dict(os.environ)
    yield
    if os.environ != found:
        for name in os.environ.keys() - found.keys():
            del os.environ[name]
        os.environ.update(found)
