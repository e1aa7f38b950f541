"""The world of one run: the product over a store in memory, its clock standing still, its vendors stood in for.

The product is joined as `scripts/run` joins it. What can be broken is what breaks outside it: the connection to the
store, and the process itself.
"""

from __future__ import annotations

import asyncio
import base64
import json
import shutil
import tempfile
import time
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any, Protocol, TypeVar, get_args
from zoneinfo import ZoneInfo

import setting_up
from operations import seeding
from stand_ins.loopback import serving
from stand_ins.mail_server import MailStandIn
from stand_ins.twilio.account import Account
from stand_ins.twilio.app import TwilioStandIn
from switchboard.admin.credentials.api_keys import create_key
from switchboard.admin.evals.scenario import BadScenario, Scenario, check_against
from switchboard.admin.maintenance.business_folder import COLLECTIONS, FolderReader, read_business_folder
from switchboard.app.container import Container, build
from switchboard.app.settings import read_configuration
from switchboard.contract.business.business import Business
from switchboard.contract.credential import SERVICE_SCOPES
from switchboard.contract.ports import BusinessCollection, ChatModel, Store
from switchboard.contract.store import Document, Query, Set, Unavailable, Write, WriteResult
from switchboard.conversation.dependencies import Dependencies
from switchboard.desk.bookings.availability import horizon
from switchboard.integrations.secrets.kms import LocalKeyKeeper
from switchboard.integrations.secrets.sealed_secrets import SealedSecrets
from switchboard.state.memory.store import MemoryStore
from switchboard.state.paths import FirestorePaths

PATHS = FirestorePaths()
KEY = "sb_evaluation"
TWILIO_TOKEN = "0123456789abcdef0123456789abcdef"
ADDRESS = "http://127.0.0.1:8080"
FOLDERS = (setting_up.ROOT / "seeds" / "templates", setting_up.ROOT / "seeds" / "businesses")
_SECRETS_KEY = base64.b64encode(bytes(32)).decode()
_SLOWNESS = 10
_WITH_CONNECTIONS = ("integrations", "egress", "remote_tools", "http")
_LEASES_OVER = timedelta(seconds=35)
_PASSES_LEFT_OUT = ("reindex", "silent")
_Result = TypeVar("_Result")


class StandingClock:
    """A time that stands still until it is moved; what is measured goes on."""

    def __init__(self, moment: datetime) -> None:
        """Begin at an aware moment."""
        self.moment = moment

    def now(self) -> datetime:
        """Return the time."""
        return self.moment

    def monotonic(self) -> float:
        """Return seconds that never run backwards."""
        return asyncio.get_running_loop().time()


class Connection:
    """One process's connection to the store; it can be slow, fail for a while, and be cut for ever.

    Attributes:
        delay_s: How much longer everything takes.
        is_frozen: Nothing is answered, and nothing done.
        loses_answers: What is written is written, and the answer is lost; once for each time that it is set.
    """

    def __init__(self, inner: Store) -> None:
        """Pass everything on."""
        self._inner = inner
        self.delay_s, self.is_frozen, self.is_cut, self.loses_answers = 0.0, False, False, False
        self._is_over = asyncio.Event()

    def end(self) -> None:
        """Let whoever still waits know that nothing comes any more: the run is over."""
        self.is_cut = True
        self._is_over.set()

    async def get(self, path: str) -> Document | None:
        """As the inner store; so do the others."""
        return await self._asked(partial(self._inner.get, path))

    async def get_many(self, paths: Sequence[str]) -> list[Document | None]:
        return await self._asked(partial(self._inner.get_many, paths))

    async def query(self, query: Query) -> list[Document]:
        return await self._asked(partial(self._inner.query, query))

    async def count(self, query: Query) -> int:
        return await self._asked(partial(self._inner.count, query))

    async def commit(self, writes: Sequence[Write]) -> list[WriteResult]:
        results = await self._asked(partial(self._inner.commit, writes))
        if self.loses_answers:
            self.loses_answers = False
            raise Unavailable("the connection was lost before the answer came")
        return results

    async def warm(self) -> None:
        await self._asked(self._inner.warm)

    async def close(self) -> None:
        """Leave the inner store to the others."""

    async def _asked(self, ask: Callable[[], Awaitable[_Result]]) -> _Result:
        if self.is_cut:
            # A process that is dead does not even notice.
            await self._is_over.wait()
            raise Unavailable("the run is over")
        if self.is_frozen:
            raise Unavailable("no answer in time")
        if self.delay_s:
            await asyncio.sleep(self.delay_s)
        return await ask()


@dataclass(frozen=True, slots=True)
class Premises:
    """A business as it is when the conversation begins.

    Attributes:
        business: As it is read.
        now: When, in the business's zone.
        store: What is copied for each run.
        account: Its account with the phone network.
    """

    business: Business
    now: datetime
    store: MemoryStore
    account: Account


class SpeakingModel(ChatModel, Protocol):
    """What speaks in all conversations of a process, in a dialect that can be set."""

    dialect: str


class Vendors:
    """What stands in for the vendors of one process, run after run: starting servers takes longer than most runs."""

    def __init__(self, twilio_url: str, mail_port: int, mail: MailStandIn, switch: _Switch) -> None:
        """Know where they are."""
        self.mail, self._switch = mail, switch
        self.environment = {
            "SWITCHBOARD_TWILIO_BASE_URL": twilio_url,
            "SWITCHBOARD_SMTP_STAND_IN": f"127.0.0.1:{mail_port}",
        }

    def begin(self, account: Account) -> None:
        """Begin a run with an account of its own, and no letters."""
        self.mail.clear()
        self._switch.app = TwilioStandIn(account).app


@contextmanager
def vendors() -> Iterator[Vendors]:
    """Give what stands in for the vendors, on ports of this machine."""
    mail, switch = MailStandIn(), _Switch()
    with serving(switch) as url, mail.serving() as port:
        yield Vendors(url, port, mail, switch)


@contextmanager
def unhurried() -> Iterator[None]:
    """Let time that is measured pass ten times slower, so that no machine is too slow for a deadline.

    What a scenario comes to then does not depend on what else a machine does; the conversation has a clock of its own.
    """
    real, began = time.monotonic, time.monotonic()
    time.monotonic = lambda: began + (real() - began) / _SLOWNESS
    try:
        yield
    finally:
        time.monotonic = real


class _Switch:
    """Leads to the stand-in of the run that is under way."""

    app: Any = None

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        await self.app(scope, receive, send)


@dataclass
class World:
    """What one run happens in.

    Attributes:
        premises: The business as it was before.
        clock: Moved by the conversation.
        store: Everything, past any connection.
        account: What was sent over the phone network.
        vendors: What stands in for them.
        model: Speaks.
        watch: Is given the parts of each process's conversations, and returns those that it is to work with.
        environment: More settings.
        house: The process that serves now.
        connection: Its connection to the store.
        connected: The model that the settings name; None where they name none.
    """

    premises: Premises
    vendors: Vendors
    model: SpeakingModel
    watch: Callable[[Dependencies], Dependencies] = lambda parts: parts
    environment: Mapping[str, str] = field(default_factory=dict)
    clock: StandingClock = field(init=False)
    store: MemoryStore = field(init=False)
    account: Account = field(init=False)
    house: Container = field(init=False)
    connection: Connection = field(init=False)
    connected: ChatModel | None = None
    delay_s: float = 0.0
    _connections: list[Connection] = field(default_factory=list)
    _houses: list[Container] = field(default_factory=list)

    def __post_init__(self) -> None:
        """Begin at the scenario's time."""
        self.clock = StandingClock(self.premises.now)
        self.store = self.premises.store.copy(self.clock)
        shared = self.premises.account
        self.account = Account(sid=shared.sid, token=shared.token, numbers=set(shared.numbers))
        self.vendors.begin(self.account)

    async def open(self) -> None:
        """Start a process, as it is before it answers anybody."""
        self.connection = Connection(self.store)
        self._connections.append(self.connection)
        self.connection.delay_s = self.delay_s
        settings = {
            "SWITCHBOARD_EMBEDDINGS": "none",
            "SWITCHBOARD_PUBLIC_URL": ADDRESS,
            "SWITCHBOARD_RELAY_URL": f"{ADDRESS.replace('http', 'ws', 1)}/phone/relay",
            "SWITCHBOARD_SECRETS_KEY": _SECRETS_KEY,
            "SWITCHBOARD_SIGNING_KEY": "k" * 32,
            **self.vendors.environment,
            **self.environment,
        }
        house = self.house = build(read_configuration(settings), self.connection)
        self._houses.append(house)
        house.clock = self.clock  # type: ignore[assignment]
        if self.environment.get("SWITCHBOARD_MODEL"):
            self.connected = house.open_model(())
            self.model.dialect = self.connected.dialect
        house.open_model = lambda tools: self.model  # type: ignore[method-assign]
        house.channel_app.__dict__["conversation_parts"] = self.watch(house.channel_app.conversation_parts)
        await house.channel_app.warm()

    def kill(self) -> None:
        """Let the process die where it is: from now on it does nothing any more."""
        self.connection.is_cut = True

    async def restart(self) -> None:
        """Start another process in place of one that is dead, once what that held is anybody's."""
        await self.open()
        await self.settle()

    async def settle(self) -> None:
        """Let the time go by after which nobody works on a call any more, and make the passes of a process then."""
        self.clock.moment += _LEASES_OVER
        for name, work in self.house.passes.items():
            if name not in _PASSES_LEFT_OUT:
                await work(None)

    async def close(self) -> None:
        """End the run, whatever still goes on in it, and let go of the connections of all its processes."""
        for connection in self._connections:
            connection.end()
        for house in self._houses:
            for name in _WITH_CONNECTIONS:
                if name in house.__dict__:
                    await house.__dict__[name].close()

    async def documents(self, collection: str) -> dict[str, Mapping[str, Any]]:
        """Return the documents of one of the business's collections by their ids."""
        within = PATHS.within(self.premises.business.id)
        documents = await self.store.query(Query(within.collection(collection)))  # type: ignore[arg-type]
        return {document.id: document.data for document in documents}


async def furnish(scenario: Scenario, tools: Sequence[str]) -> Premises:
    """Return the business of a scenario, with what the scenario changes and adds.

    Raises:
        BadScenario: There is no such business, or it cannot be that way; or the scenario names what is not there.
    """
    source = next((folder / scenario.business for folder in FOLDERS if (folder / scenario.business).is_dir()), None)
    if source is None and not scenario.document:
        known = sorted(path.name for folder in FOLDERS if folder.is_dir() for path in folder.iterdir() if path.is_dir())
        raise BadScenario(f"business: there is no {scenario.business!r}; there are {', '.join(known)}")
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place) / scenario.business
        if source is None or scenario.document:
            folder.mkdir()
            (folder / "business.json").write_text(json.dumps(scenario.document), encoding="utf-8")
        else:
            shutil.copytree(source, folder)
        _write(folder, scenario)
        reader = FolderReader(folder)
        read = read_business_folder(reader, folder)
    if reader.problems:
        raise BadScenario(f"change, add: {reader.problems[0]}")
    if unknown := sorted(scenario.add.keys() - set(get_args(BusinessCollection))):
        raise BadScenario(f"add: a business has no collection {unknown[0]!r}")
    tools = [*tools, *scenario.add.get("tools", {})]
    now = scenario.now if scenario.now.tzinfo else _local(scenario.now, read.business.timezone)
    latest = horizon(read.business, now).latest - now
    check_against(scenario, tools, [service.name for service in read.business.services], now, latest)
    store = MemoryStore(StandingClock(now))
    more = [
        (name, id, document)
        for name, by_id in scenario.add.items()
        for id, document in by_id.items()
        if name not in COLLECTIONS
    ]
    seeds = seeding.Seeds(businesses={scenario.business: read})
    await seeding.push(store, PATHS, seeds, now=now, out=lambda line: None, by="scripts/eval")
    await store.commit(
        [Set(PATHS.within(scenario.business).document(name, id), document) for name, id, document in more]
    )
    await create_key(store, PATHS, scenario.business, "evaluation", scopes=SERVICE_SCOPES, text=KEY)
    twilio = read.document.get("integrations", {}).get("twilio", {})
    if twilio:
        secrets = SealedSecrets(store, PATHS, LocalKeyKeeper.from_text(_SECRETS_KEY))
        await secrets.keep(scenario.business, "twilio", "authToken", TWILIO_TOKEN)
    account = Account(token=TWILIO_TOKEN, numbers={str(read.document.get("twilioNumber"))})
    return Premises(read.business, now, store, replace(account, sid=twilio.get("accountSid", account.sid)))


def _local(moment: datetime, zone: ZoneInfo) -> datetime:
    local = moment.replace(tzinfo=zone)
    if local.astimezone(ZoneInfo("UTC")).astimezone(zone).replace(tzinfo=None) != moment:
        raise BadScenario(f"now: in {zone.key} the clocks skip {moment:%Y-%m-%d %H:%M}")
    return local


def _write(folder: Path, scenario: Scenario) -> None:
    """Write into a business's folder what a scenario changes and adds."""
    path = folder / "business.json"
    document = json.loads(path.read_text(encoding="utf-8"))
    for name, value in scenario.change.items():
        place = document
        *above, last = name.split(".")
        for part in above:
            place = place.setdefault(part, {})
        place[last] = value
    path.write_text(json.dumps(document), encoding="utf-8")
    for collection, documents in scenario.add.items():
        if collection not in COLLECTIONS:
            continue
        path = folder / f"{collection}.json"
        known = json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}
        path.write_text(json.dumps({**known, **documents}), encoding="utf-8")
