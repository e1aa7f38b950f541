"""The world of one run: the product over a store in memory, its clock standing still, its vendors stood in for.

The product is joined as `scripts/run` joins it. What can be broken is what breaks outside it: the connection to the
store, and the process itself.
"""

from __future__ import annotations

import base64
from collections.abc import Callable, Mapping
from dataclasses import field
from datetime import datetime, timedelta
from typing import Any, Protocol

from switchboard.app.container import Container, build
from switchboard.app.evaluation.connection import Connection, StandingClock
from switchboard.app.evaluation.vendors import StandInVendors, VendorsAccount
from switchboard.app.settings import read_configuration
from switchboard.contract.business.business import Business
from switchboard.contract.ports import ChatModel
from switchboard.contract.python.dataclass import dataclass
from switchboard.contract.store import Query
from switchboard.conversation.dependencies import Dependencies
from switchboard.state.memory.store import MemoryStore
from switchboard.state.paths import FirestorePaths

PATHS = FirestorePaths()
KEY = "sb_evaluation"
TWILIO_TOKEN = "0123456789abcdef0123456789abcdef"
ADDRESS = "http://127.0.0.1:8080"
SECRETS_KEY = base64.b64encode(bytes(32)).decode()
_WITH_CONNECTIONS = ("integrations", "egress", "remote_tools", "http")
_LEASES_OVER = timedelta(seconds=35)
_PASSES_LEFT_OUT = ("reindex", "silent", "months")


@dataclass(frozen=True, slots=True)
class FurnishedPremises:
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
    account: VendorsAccount


class SpeakingModel(ChatModel, Protocol):
    """What speaks in all conversations of a process, in a dialect that can be set."""

    dialect: str


@dataclass
class World:
    """What one run happens in.

    Attributes:
        premises: The business as it was before.
        clock: Moved by the conversation.
        store: Everything, past any connection.
        vendors: What stands in for them.
        model: Speaks.
        watch: Is given the parts of each process's conversations, and returns those that it is to work with.
        environment: More settings.
        house: The process that serves now.
        connection: Its connection to the store.
        connected: The model that the settings name; None where they name none.
    """

    premises: FurnishedPremises
    vendors: StandInVendors
    model: SpeakingModel
    watch: Callable[[Dependencies], Dependencies] = lambda parts: parts
    environment: Mapping[str, str] = field(default_factory=dict)
    clock: StandingClock = field(init=False)
    store: MemoryStore = field(init=False)
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
        self.vendors.begin(self.premises.account)

    async def open(self) -> None:
        """Start a process, as it is before it answers anybody."""
        self.connection = Connection(self.store)
        self._connections.append(self.connection)
        self.connection.delay_s = self.delay_s
        settings = {
            "SWITCHBOARD_EMBEDDINGS": "none",
            "SWITCHBOARD_PUBLIC_URL": ADDRESS,
            "SWITCHBOARD_RELAY_URL": f"{ADDRESS.replace('http', 'ws', 1)}/phone/relay",
            "SWITCHBOARD_SECRETS_KEY": SECRETS_KEY,
            "SWITCHBOARD_SIGNING_KEY": "k" * 32,
            **self.vendors.environment,
            **self.environment,
        }
        house = self.house = build(read_configuration(settings), self.connection)
        self._houses.append(house)
        house.clock = self.clock  # type: ignore[assignment]
        self.vendors.join(house)
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
