"""A house in which guides are tried out: the real catalog and dispatcher over the demo businesses, fakes at the ports.

What a tool requires is arranged from its own definition, so that a new tool needs no line here; what its examples take
for granted beyond that (who is calling, what was said before) stands in the table `SITUATIONS`.
"""

import copy
import inspect
import uuid
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import setting_up
from operations import seeding
from switchboard.catalog.definitions.builder import build
from switchboard.catalog.definitions.definitions import Definitions
from switchboard.catalog.definitions.registry import BuiltTool, Registry
from switchboard.catalog.definitions.variables import is_business_variable
from switchboard.catalog.offer.catalog import Catalog
from switchboard.catalog.offer.inclusion import Circuits, conditions, is_condition
from switchboard.catalog.tenant_tools.sessions import SessionLocks
from switchboard.contract.business.business import Business
from switchboard.contract.context import CONTEXTS
from switchboard.contract.definitions.definition import Definition
from switchboard.contract.ports import Store
from switchboard.contract.response import ToolResponse
from switchboard.contract.store import Set
from switchboard.desk.services import open_desk
from switchboard.desk.vendors import Vendors
from switchboard.pipeline.confirmation.approvals import Approvals
from switchboard.pipeline.confirmation.consent import understood
from switchboard.pipeline.dispatcher import Dispatcher
from switchboard.pipeline.ledger.ledger import Ledger
from switchboard.state.memory.store import MemoryStore
from switchboard.state.paths import FirestorePaths
from tests.desk.front_desk import NOW, StoppedClock
from tests.desk.messaging.test_email import MemoryMailer
from tests.desk.phone_network import MemoryPhoneNetwork
from tests.tools.bookings import booking
from tests.tools.folder import TOOLS

SEEDS = setting_up.ROOT / "seeds"
PATHS = FirestorePaths()
# Somebody the demo salon has on file.
ANNA = {"caller_phone": "+15185550161", "caller_id": "clr_anna_whitfield"}

Preparation = Callable[["GuideHouse"], Awaitable[None]]


async def nothing(house: "GuideHouse") -> None:
    """Prepare nothing."""


@dataclass(frozen=True)
class Situation:
    """What an example takes for granted.

    Attributes:
        facts: Of the call, beyond channel and ids.
        before: What has happened in the conversation, or in the business, by then.
    """

    facts: Mapping[str, Any] = field(default_factory=lambda: ANNA)
    before: Preparation = nothing


async def a_booking_of_anna(house: "GuideHouse") -> None:
    """Write down the booking that the example of `get_booking_by_id` asks for."""
    id = "bk_271hdeppdube8t6od8bg"
    made = booking(customerPhone=ANNA["caller_phone"], callerPhone=ANNA["caller_phone"])
    await house.store.commit([Set(PATHS.within(house.business_id).document("bookings", id), made)])


SITUATIONS: dict[str, Situation] = {"get_booking_by_id": Situation(before=a_booking_of_anna)}


def built_registry() -> Registry:
    """Return the registry of all tool folders as they are now, built and held in memory."""
    built = build(TOOLS, is_condition, is_business_variable)
    assert built.errors == ()
    return Registry(built.version, {tool.name: tool for tool in built.tools})


REGISTRY = built_registry()


class AskedVendors:
    """Has an account with nobody, and notes whose was asked for."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    async def account(self, name: str, business: Business) -> Any:
        self.asked.append(name)


class GuideHouse:
    """One tool's conversation with demo-salon."""

    business_id = "demo-salon"

    def __init__(self, tool: BuiltTool, store: Store) -> None:
        self.tool, self.store, self.clock = tool, store, StoppedClock()
        self.situation = SITUATIONS.get(tool.name, Situation())
        self.mailer, self.network, self.vendors = MemoryMailer(), MemoryPhoneNetwork(self.clock), AskedVendors()
        self.session_id = f"s_{uuid.uuid4().hex}"
        definitions = Definitions(store, PATHS, REGISTRY, self.clock)
        sessions = SessionLocks(store, PATHS, definitions, self.clock)
        self.catalog = Catalog(store, PATHS, definitions, sessions, self.clock, self._circuits_of)
        ledger = Ledger(store, PATHS)
        self.dispatcher = Dispatcher(self.catalog, ledger, self._desk(), PATHS, self.clock)
        self.approvals = Approvals(store, PATHS)

    @classmethod
    async def open(cls, tool: BuiltTool) -> "GuideHouse":
        """Return a house of its own, with the demo businesses in it and everything arranged."""
        store = MemoryStore()
        await seeding.seed(store, PATHS, SEEDS, now=NOW, only=("businesses", "prompts"), out=lambda _: None)
        house = cls(tool, store)
        path = PATHS.within(cls.business_id).business
        document = await store.get(path)
        assert document is not None
        await store.commit([Set(path, with_what_it_requires(tool.definition, document.data))])
        await house.situation.before(house)
        return house

    def _desk(self) -> Any:
        # By the names of the ports, each given where the desk asks for it.
        ports = {"mailers": self.mailer, "phone_accounts": self.network}
        asked = inspect.signature(open_desk).parameters
        desk = open_desk(self.store, self.clock, **{name: port for name, port in ports.items() if name in asked})
        return replace(desk, vendors=Vendors(self.vendors))

    def _circuits_of(self, business_id: str) -> Circuits:
        is_needed = "circuit:open" in conditions(self.tool.definition)
        return Circuits(open=frozenset({"somethingElse"})) if is_needed else Circuits()

    async def call(self, arguments: str, turn: int = 1, name: str = "") -> ToolResponse:
        """Execute a call as the first channel would that the tool is offered on."""
        definition = self.tool.definition
        known = {"business_id": self.business_id, "session_id": self.session_id, "call_id": uuid.uuid4().hex}
        verified = {"caller_verified": definition.verified or "session:verified" in conditions(definition)}
        facts = CONTEXTS[definition.channels[0]](**known | verified | {"turn": turn} | dict(self.situation.facts))
        return await self.dispatcher.execute_tool(name or self.tool.name, arguments, self.business_id, facts)

    async def say(self, words: str, turn: int) -> str:
        """Let the caller say something, as `POST /tools/heard` does; return what it did."""
        reply = understood(words, "en")
        session, now = self.session_id, self.clock.now()
        heard = await self.approvals.hear(self.business_id, session, turn, reply, now, question=turn - 1)
        return heard.verdict


def with_what_it_requires(definition: Definition, document: Mapping[str, Any]) -> dict[str, Any]:
    """Return a business's document with everything connected and switched on that a tool's conditions ask for."""
    changed = copy.deepcopy(dict(document))
    for condition in conditions(definition):
        group, _, name = condition.partition(":")
        # Any calendar does for `calendar`, and the demo salon has one.
        if group == "integration" and name != "calendar":
            changed.setdefault("integrations", {}).setdefault(name, {})["isConnected"] = True
        elif group == "feature":
            changed.setdefault("features", {})[name] = True
    if definition.name in ("kb_search", "get_availability"):
        # It is never offered beside the other name of the same search.
        changed["enabledTools"] = [definition.name]
    return changed
