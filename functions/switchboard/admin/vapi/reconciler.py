"""Desired against actual at Vapi: shown first, and brought in line when an owner says so.

What should be there is ours to say. Whatever the operations left behind when they broke off, and whatever
somebody changed at Vapi by hand, comes to the same here: it is shown, and repaired step by step, each on its own.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import field

from switchboard.admin.access.access import Permit
from switchboard.admin.access.refusal import NotFound
from switchboard.admin.tenant_tools.attachments import Attachments
from switchboard.admin.tenant_tools.record import Unfinished
from switchboard.admin.tenant_tools.store import ToolStore
from switchboard.admin.tenant_tools.tenant_tools import TenantTools
from switchboard.admin.vapi.client import Mirror
from switchboard.admin.vapi.comparison import Actual, Desired, Deviation, MirrorFinding, compare
from switchboard.admin.vapi.sync import MirrorChange, VapiSync
from switchboard.contract.error import ToolError
from switchboard.contract.json import JsonObject
from switchboard.contract.python.dataclass import dataclass
from switchboard.contract.store import Missing, StoreError, Update

_FAILED = "The store did not answer."


@dataclass(frozen=True, slots=True)
class Status:
    """How a business stands at Vapi.

    Attributes:
        is_connected: Whether it has an account there.
        tools: How many of its tools Vapi should have.
        findings: What is not as it should be.
        repaired: What was brought in line just now.
        problems: Why something was not, by its place in `findings`.
    """

    is_connected: bool
    tools: int = 0
    findings: tuple[MirrorFinding, ...] = ()
    repaired: tuple[MirrorFinding, ...] = ()
    problems: Mapping[MirrorFinding, str] = field(default_factory=dict)

    def to_json(self) -> JsonObject:
        """Return it as the owners' API answers it."""
        return {
            "isConnected": self.is_connected,
            "tools": self.tools,
            "isInLine": not self.findings,
            "findings": [f.to_json() | {"problem": self.problems.get(f)} for f in self.findings],
            "repaired": [f.to_json() for f in self.repaired],
        }


class VapiReconciler:
    """Shows and repairs. What the store raises while looking passes through."""

    def __init__(self, store: ToolStore, mirroring: VapiSync, tools: TenantTools, attachments: Attachments) -> None:
        self._store, self._mirroring, self._tools, self._attachments = store, mirroring, tools, attachments

    async def status(self, business_id: str) -> Status:
        """Return how a business stands at Vapi; nothing is changed.

        Raises:
            NotFound: There is no such business.
            ToolError: Vapi cannot be asked.
        """
        owner = await self._store.owner(business_id)
        mirror = await self._mirroring.open(owner.business)
        return Status(False) if mirror is None else await self._looked(mirror)

    async def repair(self, permit: Permit) -> Status:
        """Bring everything in line that can be, and return what then holds.

        Raises:
            NotFound: There is no such business.
            ToolError: Vapi cannot be asked.
        """
        owner = await self._store.owner(permit.business_id)
        mirror = await self._mirroring.open(owner.business)
        if mirror is None:
            return Status(False)
        done: list[MirrorFinding] = []
        problems: dict[MirrorFinding, str] = {}
        before = await self._looked(mirror)
        # Attachments follow the tools: what was made anew has another id.
        for are_tools in (True, False):
            looked = before if are_tools else await self._looked(mirror)
            for finding in looked.findings:
                if (finding.deviation in _ABOUT_TOOLS) is are_tools:
                    problem = await self._repaired(permit, mirror, finding)
                    if problem:
                        problems[finding] = problem
                    else:
                        done.append(finding)
        after = await self._looked(mirror)
        left = set(after.findings)
        return Status(True, after.tools, after.findings, tuple(f for f in done if f not in left), problems)

    async def _looked(self, mirror: Mirror) -> Status:
        business_id = mirror.business.id
        tools, agents, attachments = await asyncio.gather(
            self._store.tools(business_id), self._store.agents(business_id), self._store.attachments(business_id)
        )
        theirs = await mirror.platform.list_tools()
        assistants = await mirror.platform.list_assistants()
        findings = compare(mirror, Desired(tools, agents, attachments), Actual(theirs, assistants))
        return Status(True, sum(own_tool.is_wanted_there for own_tool in tools), tuple(findings))

    async def _repaired(self, permit: Permit, mirror: Mirror, finding: MirrorFinding) -> str:
        """Repair one thing and return an empty text, or why it is not repaired."""
        step = self._step(permit, mirror, finding)
        if step is None:
            return "Only you can put this right."
        try:
            await step()
        except NotFound:
            return ""
        except ToolError as error:
            return error.message
        except StoreError:
            return _FAILED
        return ""

    def _step(self, permit: Permit, mirror: Mirror, finding: MirrorFinding) -> Callable[[], Awaitable[object]] | None:
        match finding.deviation:
            case Deviation.UNFINISHED if finding.agent_id:
                return lambda: self._attachments.detach(permit, finding.agent_id, finding.tool_id)
            case Deviation.UNFINISHED:
                return lambda: self._brought_to_its_end(permit, finding.tool_id)
            case Deviation.MISSING | Deviation.DRIFTED | Deviation.SURPLUS:
                return lambda: self._tools.restore(permit.business_id, finding.tool_id)
            case Deviation.DUPLICATE | Deviation.ORPHAN:
                return lambda: self._mirroring.withdraw(mirror, finding.external_id)
            case Deviation.NOT_ATTACHED:
                return lambda: self._settled(mirror, finding)
            case Deviation.WRONGLY_ATTACHED:
                change = MirrorChange(absent=frozenset({finding.external_id}))
                return lambda: self._mirroring.settle_all(mirror, [finding.assistant_id], change)
            case Deviation.WRONGLY_NOTED:
                return lambda: self._noted(mirror, finding)
            case Deviation.UNUSABLE | Deviation.NO_ASSISTANT:
                return None

    async def _brought_to_its_end(self, permit: Permit, tool_id: str) -> None:
        stored_tool = await self._store.tool(permit.business_id, tool_id)
        if stored_tool.unfinished is Unfinished.DELETION:
            await self._tools.delete(permit, tool_id)
        else:
            await self._tools.restore(permit.business_id, tool_id)

    async def _settled(self, mirror: Mirror, finding: MirrorFinding) -> None:
        await self._mirroring.settle_all(mirror, [finding.assistant_id])
        await self._note(mirror, finding, True)

    async def _noted(self, mirror: Mirror, finding: MirrorFinding) -> None:
        row = await self._store.attachment(mirror.business.id, finding.agent_id, finding.tool_id)
        if row is not None:
            await self._note(mirror, finding, not row.is_mirrored)

    async def _note(self, mirror: Mirror, finding: MirrorFinding, is_there: bool) -> None:
        path = self._store.attachment_path(mirror.business.id, finding.agent_id, finding.tool_id)
        try:
            await self._store.commit(Update(path, {"isVapiAttached": is_there}))
        except Missing:
            # It was detached a moment ago.
            return


_ABOUT_TOOLS = frozenset(
    {
        Deviation.UNFINISHED,
        Deviation.MISSING,
        Deviation.DRIFTED,
        Deviation.SURPLUS,
        Deviation.DUPLICATE,
        Deviation.ORPHAN,
        Deviation.UNUSABLE,
    }
)
