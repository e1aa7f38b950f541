"""The real tools over a store, a calendar and a phone network in memory, and processes that die at any step."""

import asyncio
import uuid
from contextlib import suppress
from typing import Any

from switchboard.catalog.definitions.definitions import Definitions
from switchboard.catalog.offer.catalog import Catalog
from switchboard.catalog.tenant_tools.sessions import SessionLocks
from switchboard.contract.business.business import Business
from switchboard.contract.caller.strangers import VOUCHED_FOR
from switchboard.contract.context import PhoneContext
from switchboard.contract.response import ToolResponse
from switchboard.contract.store import Query, Set
from switchboard.desk.bookings.booking import Booking, read_booking
from switchboard.desk.bookings.saga import BookingRecovery
from switchboard.desk.messaging.outbox import Outbox
from switchboard.desk.services import open_desk
from switchboard.pipeline.confirmation.approvals import Approvals
from switchboard.pipeline.dispatcher import Dispatcher
from switchboard.pipeline.execution.deadline import outlived
from switchboard.pipeline.ledger.ledger import Ledger
from switchboard.pipeline.ledger.row import CallRow
from switchboard.pipeline.limits.breaker import Breakers
from switchboard.state.memory.store import MemoryStore
from switchboard.state.paths import FirestorePaths
from tests.desk.calendar_house import Dies, Life, MortalCalendar, MortalStore
from tests.desk.front_desk import SALON, StoppedClock
from tests.desk.memory_calendar import MemoryCalendar
from tests.desk.phone_network import CALLER, MemoryMail, MemoryPhoneNetwork, document
from tests.tools.guide_house import REGISTRY

BUSINESS, SESSION, PATHS = "demo-salon", "s1", FirestorePaths()
WITHIN = PATHS.within(BUSINESS)
BUILT_IN = {"builtinCalendar": {"isConnected": True, "minNoticeMinutes": 60, "maxDaysAhead": 60}}
GOOGLE = {"googleCalendar": {"isConnected": True, "minNoticeMinutes": 60, "maxDaysAhead": 60, "calendarId": "chair"}}
LEASE_IS_OVER_S = 31.0


class World:
    """What outlives every process: the store, the calendar, the phone network, the time."""

    def __init__(self) -> None:
        self.store, self.clock, self.calendar = MemoryStore(), StoppedClock(), MemoryCalendar()
        self.network, self.mail = MemoryPhoneNetwork(self.clock), MemoryMail()

    @classmethod
    async def open(cls, calendar: dict[str, Any] | None = None) -> "World":
        """Return a world with one salon in it."""
        world, fields = cls(), document()
        fields["integrations"] = fields["integrations"] | (BUILT_IN if calendar is None else calendar)
        await world.store.commit([Set(WITHIN.business, {**SALON, **fields, "ai": {"trustCallerId": True}})])
        return world

    async def bookings(self) -> list[Booking]:
        """Return every booking."""
        found = await self.store.query(Query(WITHIN.collection("bookings")))
        return [booking for booking in map(read_booking, found) if booking]

    async def outbox(self) -> list[dict[str, Any]]:
        """Return everything in the outbox."""
        return [found.data for found in await self.store.query(Query(WITHIN.collection("outbox")))]

    async def row(self, call_id: str) -> CallRow | None:
        """Return a call's row."""
        found = await self.store.get(WITHIN.call(SESSION, call_id))
        return CallRow(found) if found is not None else None


class _Mortal:
    """An account of the phone network whose user dies just before or just after a step."""

    def __init__(self, inner: MemoryPhoneNetwork, life: Life) -> None:
        self._inner, self._life = inner, life

    async def of(self, business: Business) -> Any:
        """Return the account, where there is one."""
        return self if await self._inner.of(business) else None

    def __getattr__(self, name: str) -> Any:
        return self._life.limiting(getattr(self._inner, name))


class _Calendars:
    def __init__(self, calendar: Any) -> None:
        self._calendar = calendar

    async def of(self, business: Business) -> Any:
        return self._calendar if "googleCalendar" in business.integrations else None


class Process:
    """One process over that world; `life` says when it dies."""

    def __init__(self, world: World, life: Life | None = None) -> None:
        self.world, clock = world, world.clock
        store: Any = MortalStore(world.store, life) if life is not None else world.store
        calendar: Any = MortalCalendar(world.calendar, life) if life is not None else world.calendar
        network: Any = _Mortal(world.network, life) if life is not None else world.network
        self.desk = open_desk(store, clock, _Calendars(calendar), network, world.mail)
        definitions = Definitions(store, PATHS, REGISTRY, clock)
        sessions, breakers = SessionLocks(store, PATHS, definitions, clock), Breakers(clock)
        catalog = Catalog(store, PATHS, definitions, sessions, clock, breakers.circuits_of)
        self.dispatcher = Dispatcher(catalog, Ledger(store, PATHS), self.desk, PATHS, clock, None, breakers)
        self.approvals = Approvals(store, PATHS)
        self.unfinished = BookingRecovery(store, PATHS, self.desk.bookings.saga)
        self.outbox = Outbox(store, PATHS, self.desk.texts, world.mail, clock, self.desk.codes)

    async def call(self, name: str, args: dict[str, Any], turn: int = 1, call_id: str = "") -> ToolResponse:
        """Make a call of a verified caller."""
        facts = PhoneContext(
            business_id=BUSINESS,
            session_id=SESSION,
            turn=turn,
            call_id=call_id or uuid.uuid4().hex,
            caller_phone=CALLER,
            attestation=VOUCHED_FOR,
            caller_verified=True,
        )
        return await self.dispatcher.execute_tool(name, args, BUSINESS, facts)

    async def agree(self, name: str, args: dict[str, Any]) -> None:
        """Have a question asked in turn 1 and answered with yes in turn 2."""
        asked = await self.call(name, args)
        assert asked.failure is not None, asked
        now = self.world.clock.now()
        heard = await self.approvals.hear(BUSINESS, SESSION, 2, "yes", now, question=1)
        assert heard.verdict == "approved", (asked, heard)

    async def passes(self) -> None:
        """Make every pass once, as the reaper does."""
        await self.dispatcher.recover()
        await self.unfinished.recover(self.world.clock.now())
        await self.outbox.drain()


async def killed(world: World, steps: int, name: str, args: dict[str, Any], turn: int) -> Life:
    """Make the call `c1` in a process that dies after so many steps, and let its leases run out."""
    life = Life(steps)
    with suppress(Dies):
        await Process(world, life).call(name, args, turn, "c1")
    with suppress(Dies):
        await outlived()
    await asyncio.sleep(0)
    world.clock.wait(LEASE_IS_OVER_S)
    return life
