"""A salon whose owner connects outside MCP servers: its store, its house, and a server that says what a test wants."""

from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

from switchboard.admin.access.access import OwnerIdentity, Permit
from switchboard.admin.access.roles import Role
from switchboard.admin.audit.trail import AuditTrail
from switchboard.admin.importers.mcp_connections import McpConnections
from switchboard.app.container import build
from switchboard.app.settings import read_configuration
from switchboard.contract.context import PortalContext
from switchboard.contract.definitions.remote_tools import RemoteAnswer, RemoteServer, RemoteTool
from switchboard.contract.error import ToolError
from switchboard.contract.store import Create
from switchboard.desk.tenant_tools.mcp_tools import McpTools
from switchboard.state.paths import FirestorePaths
from tests.desk.front_desk import all_places
from tests.desk.tenant_tools.test_api_requests import NoSecrets

PATHS = FirestorePaths()
OWNER = Permit(OwnerIdentity("user:owner", "owner@example.com"), "demo-salon", Role.OWNER)
URL = "https://mcp.crm.example.com/mcp"
SERVER: dict[str, Any] = {"name": "crm", "url": URL}
SCHEMA: dict[str, Any] = {"type": "object", "properties": {"q": {"type": "string"}}, "required": ["q"]}


def tool(name: str = "find", **changes: Any) -> RemoteTool:
    """Return one tool as a server describes it."""
    parts = {"title": "", "description": "Find something.", "input_schema": SCHEMA} | changes
    return RemoteTool(name=name, **parts)


@dataclass
class Remote:
    """Servers that offer these tools and answer every call alike."""

    tools: list[RemoteTool] = field(default_factory=lambda: [tool()])
    answer: RemoteAnswer = field(default_factory=lambda: RemoteAnswer("done"))
    error: ToolError | None = None
    asked: list[RemoteServer] = field(default_factory=list)
    calls: list[tuple[RemoteServer, str, Any]] = field(default_factory=list)
    is_prepared: bool = False

    def prepare(self) -> None:
        self.is_prepared = True

    async def offered(self, server: RemoteServer) -> list[RemoteTool]:
        self.asked.append(server)
        if self.error is not None:
            raise self.error
        return self.tools

    async def call(self, server: RemoteServer, tool: str, arguments: Any, *, wish: str, is_reading: bool) -> Any:
        self.calls.append((server, tool, arguments))
        return self.answer


class Keys(NoSecrets):
    """One key of the salon's."""

    async def reveal(self, business_id: str, toolkit: str, field: str) -> str | None:
        return "canary" if (business_id, toolkit, field) == ("demo-salon", "tools", "crm_key") else None


@dataclass
class Salon:
    """The salon's house and its owner's connections."""

    store: Any
    remote: Remote = field(default_factory=Remote)

    def __post_init__(self) -> None:
        self.house = build(read_configuration({}), self.store)
        self.house.__dict__["desk"] = SimpleNamespace(mcp_tools=McpTools(self.remote, Keys(), all_places()))
        self.connections = McpConnections(
            self.store,
            PATHS,
            AuditTrail(self.store, PATHS, self.house.clock),
            self.remote,
            Keys(),
            lambda: self.house.catalog.definitions.registry.tools.keys(),
            self.house.catalog.forget,
        )

    async def connect(self, *names: str, **changes: Any) -> list[dict[str, Any]]:
        return await self.connections.connect(OWNER, SERVER | changes, list(names) or ["find"])

    async def attach(self, *tools: dict[str, Any], business: str = "demo-salon") -> None:
        """Give tools to the agent that answers everywhere."""
        within = PATHS.within(business)
        agent = {"name": "Anna", "isDefault": True, "channels": ["phone", "portal", "browser_voice"]}
        links = [
            Create(within.document("agentTools", f"anna~{t['id']}"), {"agentId": "anna", "toolId": t["id"]})
            for t in tools
        ]
        await self.store.commit([Create(within.document("agents", "anna"), agent), *links])
        self.house.catalog.forget(business)

    async def call(self, name: str, arguments: Any, business: str = "demo-salon", call_id: str = "c1") -> Any:
        context = PortalContext(business_id=business, session_id="s1", call_id=call_id, caller_phone="+12015550123")
        return await self.house.dispatcher.execute_tool(name, arguments, business, context)

    async def document(self, id: str) -> Any:
        found = await self.store.get(PATHS.within("demo-salon").document("tools", id))
        return found.data
