"""A real server with the demo businesses in a thread of its own, and people of every role who may look at them."""

import asyncio
import base64
import json
import threading
from collections.abc import Coroutine, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, TypeVar

from operations import built_tools
from running import demo, listening
from running.serving import Serving
from switchboard.admin.credentials.api_keys import create_key
from switchboard.app.container import Container, build
from switchboard.app.settings import read_configuration
from switchboard.contract.credential import OWNER_SCOPES
from switchboard.contract.error import ErrorType, ToolError
from switchboard.contract.store import Delete, Query, Set, Write
from switchboard.state.paths import FirestorePaths
from tests.admin.whole_house import Lending

T = TypeVar("T")
READY_WITHIN_S = 300
PATHS = FirestorePaths()
SALON, PLUMBER, TOOLLESS = "demo-salon", "demo-plumber", "toolless"
PEOPLE: dict[str, dict[str, Any]] = {
    "platform": {"platformAdmin": True},
    "owner": {"roles": {SALON: "owner", PLUMBER: "viewer"}},
    "partner": {"roles": {SALON: "owner"}},
    "editor": {"roles": {SALON: "editor"}},
    "viewer": {"roles": {SALON: "viewer"}},
    "nobody": {},
}


def token(person: str) -> str:
    """Return what somebody of `PEOPLE` signs in with: a JWT in form, which nobody has signed."""
    header, claims = ({"alg": "none"}, {"sub": person})
    parts = (base64.urlsafe_b64encode(json.dumps(p).encode()).rstrip(b"=").decode() for p in (header, claims))
    return ".".join((*parts, "unsigned"))


class SignIns:
    """Reads such tokens, and those that an OpenID provider of a test has signed."""

    async def verify(self, token: str, *, check_revoked: bool) -> Mapping[str, Any]:
        claims = token.split(".")[1]
        person = json.loads(base64.urlsafe_b64decode(claims + "=" * (-len(claims) % 4)))["sub"]
        if person not in PEOPLE:
            raise ToolError(ErrorType.AUTH, "Sign in again.")
        return {"sub": person, "email": f"{person}@example.com", **PEOPLE[person]}


@dataclass(frozen=True)
class LiveServer:
    """A running server.

    Attributes:
        url: Where it is.
        keys: An API key for each business, with an owner's scope.
        service_key: One for the salon that services have: it may use tools, and see nothing else.
        remote: The outside server whose tools can be taken over, at whatever address.
    """

    url: str
    keys: dict[str, str]
    service_key: str
    house: Container
    loop: asyncio.AbstractEventLoop
    remote: Lending

    def within(self, coroutine: Coroutine[Any, Any, T]) -> T:
        """Return what a coroutine returns that belongs to the server's loop."""
        return asyncio.run_coroutine_threadsafe(coroutine, self.loop).result(READY_WITHIN_S)

    def put(self, *writes: Write) -> None:
        """Write into the store, and have everything read anew."""
        self.within(self.house.store.commit(writes))

    def empty(self, business_id: str, *collections: Any) -> None:
        """Take everything out of some of a business's collections."""
        for name in collections:
            query = Query(PATHS.within(business_id).collection(name))
            found = self.within(self.house.store.query(query))
            self.put(*(Delete(document.path) for document in found))

    def without(self, business_id: str) -> None:
        """Take a business away that a test has made, with all that lies below it."""
        everything = self.within(self.house.store.query(Query("", group=True)))
        below = f"{PATHS.within(business_id).business}/"
        self.put(*(Delete(document.path) for document in everything if f"{document.path}/".startswith(below)))

    def restore(self) -> None:
        """Bring the demo businesses back to how they were seeded, without history."""
        for name in ("interactions", "days", "audit", "policies", "faqs", "agents"):
            self.empty(SALON, name)
        self.put(Delete(PATHS.within(SALON).business))
        self.within(demo.furnish(self.house.store, PATHS, datetime.now(UTC)))
        self.house.catalog.forget(SALON)
        self.house.desk.knowledge.forget(PATHS.within(SALON))


class _Thread:
    """Serves until told to stop; everything asynchronous happens in its own loop."""

    def __init__(self, environ: Mapping[str, str]) -> None:
        self.ready = threading.Event()
        self.live: LiveServer | None = None
        self._environ = environ
        self._stop = lambda: None

    async def serve(self) -> None:
        listener = listening.listen(0, "--port")
        url = f"http://127.0.0.1:{listener.getsockname()[1]}"
        house = build(read_configuration({"SWITCHBOARD_PUBLIC_URL": url, **self._environ}))
        if house.configuration.auth_emulator_host is None:
            house.__dict__["sign_ins"] = SignIns()
        remote = Lending()
        house.__dict__["remote_tools"] = remote
        store = house.store
        await demo.furnish(store, PATHS, datetime.now(UTC))
        service_keys = await demo.make_keys(store, PATHS, None)
        await store.commit(
            [
                Set(
                    PATHS.within(TOOLLESS).business,
                    {
                        "name": "Nothing yet",
                        "phone": "+15185550199",
                        "timezone": "America/New_York",
                        "enabledTools": [],
                    },
                )
            ]
        )
        everybody = (*service_keys, TOOLLESS)
        keys = {id: (await create_key(store, PATHS, id, "pages", scopes=OWNER_SCOPES)).text for id in everybody}
        serving, loop = Serving(house.app, listener), asyncio.get_running_loop()
        await serving.begin()
        self._stop = lambda: loop.call_soon_threadsafe(serving.stop)
        self.live = LiveServer(url, keys, service_keys[SALON], house, loop, remote)
        self.ready.set()
        await serving.ended()
        await house.close()

    def run(self) -> None:
        try:
            asyncio.run(self.serve())
        finally:
            self.ready.set()

    def stop(self) -> None:
        self._stop()


@contextmanager
def served(environ: Mapping[str, str]) -> Iterator[LiveServer]:
    """Serve with this configuration while the block runs; a third business there offers nothing."""
    if built_tools.are_stale():
        built_tools.build()
    thread = _Thread(environ)
    with ThreadPoolExecutor(1) as pool:
        running = pool.submit(thread.run)
        thread.ready.wait(READY_WITHIN_S)
        if thread.live is None:
            running.result()
        assert thread.live
        try:
            yield thread.live
        finally:
            thread.stop()
            running.result()
