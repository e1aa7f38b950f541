"""Every situation that the seeds' conditions tell apart, as businesses in a store, and what is offered in it."""

import itertools
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from switchboard.catalog.definitions.builder import build
from switchboard.catalog.definitions.definitions import Definitions
from switchboard.catalog.definitions.registry import BuiltTool, Registry
from switchboard.catalog.definitions.signature import HandlerSignature
from switchboard.catalog.definitions.variables import is_business_variable
from switchboard.catalog.offer.catalog import Catalog, Options
from switchboard.catalog.offer.inclusion import is_condition
from switchboard.catalog.offer.offer import Offer
from switchboard.catalog.tenant_tools.sessions import SessionLocks
from switchboard.contract.channel import Channel
from switchboard.contract.definitions.definition import read_definition
from switchboard.contract.store import Set
from switchboard.state.memory.store import MemoryStore
from switchboard.state.paths import FirestorePaths
from tests.desk.front_desk import StoppedClock
from tests.tools.folder import TOOLS

PATHS = FirestorePaths()
CALENDARS: Mapping[str, dict[str, Any]] = {
    "none": {},
    "builtin": {"builtinCalendar": {"isConnected": True}},
    "google": {"googleCalendar": {"isConnected": True}},
    "google must be connected again": {"googleCalendar": {"isConnected": True, "needsReauth": True}},
}
RULES: Mapping[str, tuple[str, ...]] = {
    "no rule": (),
    "transfer": ("transfer",),
    "message": ("message",),
    "both": ("transfer", "message"),
}
LEVELS = ("none", "match", "code")
# What seed 004 files its tools under ("Conditional Inclusion"); a stored document may say no more than that.
CATEGORIES = {
    "check_availability": "calendar",
    "book_appointment": "calendar",
    "lookup_appointment": "calendar",
    "cancel_appointment": "calendar",
    "verify_caller": "verification",
    "send_verification_code": "verification",
    "check_verification_code": "verification",
    "transfer_call": "phone",
    "send_sms": "phone",
    "end_call": "phone",
    "flag_caller": "phone",
    "send_portal_link": "phone",
    "close_portal_page": "phone",
    "search_knowledge": "knowledge",
}


@dataclass(frozen=True)
class Setting:
    """One situation.

    Attributes:
        calendar: A key of `CALENDARS`.
        rules: A key of `RULES`.
        records: Whether the business has switched the feature on.
        mail: Whether a mail account is connected.
        level: The business's `ai.callerVerification`.
        channel: Where the conversation happens.
        verified: Whether this caller's identity is established.
    """

    calendar: str
    rules: str
    records: bool
    mail: bool
    level: str
    channel: Channel
    verified: bool

    @property
    def has_calendar(self) -> bool:
        """Whether a calendar can be used."""
        return self.calendar in ("builtin", "google")

    @property
    def is_spoken(self) -> bool:
        """Whether caller and model talk."""
        return self.channel is not Channel.PORTAL

    @property
    def business_id(self) -> str:
        """The business that is in this situation."""
        return f"{self.calendar}|{self.rules}|{self.records}|{self.mail}|{self.level}"

    def document(self) -> dict[str, Any]:
        """Return that business's document."""
        email = {"email": {"isConnected": True}} if self.mail else {}
        return {
            "name": "Salon",
            "timezone": "UTC",
            "ai": {"callerVerification": self.level},
            # What the texting tools need besides what their seed says has tests beside those tools.
            "integrations": CALENDARS[self.calendar] | email | {"twilio": {"isConnected": True}},
            "escalation": {"rules": [{"action": action} for action in RULES[self.rules]]},
            "features": {"records": self.records},
        }


def every_setting() -> Iterator[Setting]:
    """Yield the whole matrix."""
    switches = (False, True)
    for row in itertools.product(CALENDARS, RULES, switches, switches, LEVELS, Channel, switches):
        yield Setting(*row)


SETTINGS = tuple(every_setting())


def built() -> Registry:
    """Return the tools as their folders define them."""
    found = build(TOOLS, is_condition, is_business_variable)
    assert found.errors == ()
    return Registry(found.version, {tool.name: tool for tool in found.tools})


def by_category() -> Registry:
    """Return seed 004's tools as documents that have nothing but a category to be judged by."""
    words = {"kind": "utility", "description": "d", "parameters": {"type": "object"}}
    tools = {
        name: BuiltTool(
            read_definition(name, words | {"category": category}), "", "", {}, HandlerSignature({}), "nobody:nothing"
        )
        for name, category in CATEGORIES.items()
    }
    return Registry("1.0.00000000", tools)


class Matrix:
    """The catalog over all those businesses."""

    def __init__(self, registry: Registry) -> None:
        self.store, self.clock, self.registry = MemoryStore(), StoppedClock(), registry
        definitions = Definitions(self.store, PATHS, registry, self.clock)
        sessions = SessionLocks(self.store, PATHS, definitions, self.clock)
        self.catalog = Catalog(self.store, PATHS, definitions, sessions, self.clock)
        self.offers: dict[Setting, Offer] = {}

    @classmethod
    async def open(cls, registry: Registry) -> "Matrix":
        """Return the matrix with every offer asked for once, as a channel asks."""
        matrix = cls(registry)
        documents = {setting.business_id: setting.document() for setting in SETTINGS}
        await matrix.store.commit([Set(PATHS.within(id).business, data) for id, data in documents.items()])
        for setting in SETTINGS:
            options = Options(setting.channel, is_verified=setting.verified)
            matrix.offers[setting] = await matrix.catalog.get_tool_definitions(setting.business_id, options)
        return matrix

    def where_offered(self, name: str) -> set[Setting]:
        """Return the situations in which a tool is offered."""
        return {setting for setting, offer in self.offers.items() if offer.named(name) is not None}
