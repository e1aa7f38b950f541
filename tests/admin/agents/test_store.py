"""Writes of agents take turns within a business, and no business waits for another's."""

import asyncio
import gc
from collections.abc import Sequence

from switchboard.admin.access.access import OwnerIdentity, Permit
from switchboard.admin.access.roles import Operation, Role
from switchboard.admin.agents.store import AgentsSnapshot, AgentStore, Plan
from switchboard.admin.audit.document_kind import DocumentKind
from switchboard.admin.audit.trail import AuditTrail
from switchboard.contract.ports import BusinessPaths
from switchboard.contract.store import Create, Set, Write, WriteResult
from switchboard.state.memory.store import MemoryStore
from switchboard.state.paths import FirestorePaths
from tests.desk.front_desk import StoppedClock

PATHS = FirestorePaths()
SLOW, QUICK = "slow-salon", "quick-salon"
AGENT = DocumentKind(
    "agent", Operation.EDIT_AGENTS, lambda paths, id: paths.document("agents", id), lambda after, before: ()
)


class Waiting(MemoryStore):
    """A store that keeps whoever writes to one business waiting until it is let go."""

    def __init__(self) -> None:
        super().__init__(StoppedClock())
        self.arrived, self.let_go = asyncio.Event(), asyncio.Event()

    async def commit(self, writes: Sequence[Write]) -> list[WriteResult]:
        if any(f"/{SLOW}/agents/" in write.path for write in writes):
            self.arrived.set()
            await self.let_go.wait()
        return await super().commit(writes)


async def opened(*ids: str) -> tuple[Waiting, AgentStore]:
    store = Waiting()
    await store.commit([Set(PATHS.within(id).business, {"name": id}) for id in ids])
    return store, AgentStore(store, PATHS, AuditTrail(store, PATHS, StoppedClock()), lambda _: None)


async def make(agents: AgentStore, business_id: str, agent_id: str, seen: list[str] | None = None) -> None:
    """Make an agent, noting which there were when it was planned."""
    permit = Permit(OwnerIdentity("user:owner", "owner@example.com"), business_id, Role.OWNER)

    async def plan(moment: AgentsSnapshot, within: BusinessPaths) -> Plan:
        if seen is not None:
            seen.append(f"{agent_id} after {sorted(moment.agents)}")
        entry = agents.trail.entry(permit, AGENT, agent_id, None, {"name": agent_id})
        return Plan(entry, [Create(within.document("agents", agent_id), {"name": agent_id})])

    await agents.commit(business_id, plan)


async def test_a_slow_write_of_one_business_does_not_hold_up_anothers():
    """Which is done while the first still waits."""
    store, agents = await opened(SLOW, QUICK)
    slow = asyncio.create_task(make(agents, SLOW, "ada"))
    await store.arrived.wait()
    await asyncio.wait_for(make(agents, QUICK, "bob"), 60)
    assert not slow.done()
    store.let_go.set()
    await slow
    assert list((await agents.moment(SLOW)).agents) == ["ada"]


async def test_writes_in_one_business_are_planned_one_behind_the_other():
    """The second sees what the first has written, and need not be planned twice."""
    store, agents = await opened(SLOW)
    seen: list[str] = []
    first = asyncio.create_task(make(agents, SLOW, "ada", seen))
    await store.arrived.wait()
    second = asyncio.create_task(make(agents, SLOW, "bob", seen))
    # Long enough for a read and a plan, were it not its turn.
    for _ in range(50):
        await asyncio.sleep(0)
    store.let_go.set()
    await asyncio.gather(first, second)
    assert seen == ["ada after []", "bob after ['ada']"]


async def test_nothing_is_held_for_businesses_in_which_nobody_writes():
    """However many there were."""
    ids = [f"salon-{n}" for n in range(100)]
    _, agents = await opened(*ids)

    def locks() -> int:
        gc.collect()
        return sum(type(thing) is asyncio.Lock for thing in gc.get_objects())

    before = locks()
    for id in ids:
        await make(agents, id, "ada")
    assert locks() == before
