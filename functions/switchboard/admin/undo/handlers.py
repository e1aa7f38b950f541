"""How changes of agents, toolkits and tenant tools are undone: by the same operations that owners have for them."""

from collections.abc import Callable
from dataclasses import dataclass

from switchboard.admin.access.access import Permit
from switchboard.admin.access.refusal import NotFound
from switchboard.admin.agents.agents import Agents
from switchboard.admin.agents.fields import FIELDS
from switchboard.admin.agents.toolkits import AGENT_TOOLKIT, AgentToolkits, OwnToolkit
from switchboard.admin.audit.entry import same
from switchboard.admin.audit.revisions import Saved
from switchboard.admin.calendars.feeds import FEED
from switchboard.admin.callers.portal_visits import PORTAL_VISIT
from switchboard.admin.credentials.operations import API_KEY
from switchboard.admin.credentials.role_entries import PLATFORM_ROLE, ROLE
from switchboard.admin.resources.booking_office import BOOKING
from switchboard.admin.resources.resources import RESOURCE, Resources
from switchboard.admin.tenant_tools.attachments import Attachments
from switchboard.admin.tenant_tools.secrets import SECRET
from switchboard.admin.tenant_tools.store import ATTACHMENT, TOOL, ToolStore
from switchboard.admin.tenant_tools.tenant_tools import TenantTools
from switchboard.admin.toolkits.state import ToolkitChange, ToolkitState
from switchboard.admin.toolkits.toolkits import TOOLKIT, ToolkitSettings
from switchboard.admin.undo.handler import DocumentState, OnlyChanges, UndoHandlers
from switchboard.admin.undo.resources import ResourceWay
from switchboard.admin.undo.tools import AttachmentWay, ToolWay
from switchboard.contract.json import JsonObject

Edit = Callable[[JsonObject], JsonObject]
_ROLE = (
    "Roles belong to people's accounts, which nothing here changes; give it back with scripts/grant, or take it away."
)


class AgentWay:
    """Puts back agents; one that had secrets of its own is not brought back (`Agents.remove`)."""

    def __init__(self, agents: Agents) -> None:
        """Go through `agents`."""
        self._agents, self.kind = agents, agents.kind

    async def standing(self, business_id: str, id: str) -> DocumentState | None:
        """Return an agent's fields; None where there is no such agent."""
        try:
            found = await self._agents.one(business_id, id)
        except NotFound:
            return None
        return DocumentState({name: found[name] for name in FIELDS}, found["revision"])

    async def create(self, permit: Permit, id: str, fields: JsonObject, *, undoes: str) -> Saved:
        """Make an agent again, with the tenant tools that it had; it does not push another one aside."""
        given = {name: fields[name] for name in FIELDS if name in fields} | {"id": id, "isDefault": False}
        attached = fields.get("attachedTools") or ()
        _, saved = await self._agents.create(permit, given, attached=attached, undoes=undoes)
        return saved

    async def change(self, permit: Permit, id: str, based_on: str, edit: Edit, *, undoes: str) -> Saved:
        """Change an agent."""
        _, saved = await self._agents.change(permit, id, based_on, edit, undoes=undoes)
        return saved

    async def delete(self, permit: Permit, id: str, based_on: str, *, undoes: str) -> Saved:
        """Remove an agent."""
        return await self._agents.remove(permit, id, based_on, undoes=undoes)


class ToolkitWay(OnlyChanges):
    """Puts back what a business sets for a toolkit."""

    kind = TOOLKIT

    def __init__(self, settings: ToolkitSettings) -> None:
        """Go through `settings`."""
        self._settings = settings

    async def standing(self, business_id: str, id: str) -> DocumentState | None:
        """Return what is set."""
        state = await self._settings.one(business_id, id)
        return DocumentState(state.owned | _connection(state), state.revision)

    async def change(self, permit: Permit, id: str, based_on: str, edit: Edit, *, undoes: str) -> Saved:
        """Set what was set; where that was nothing, disconnect."""
        state = await self._settings.one(permit.business_id, id)
        wanted = edit(state.owned | _connection(state))
        if not wanted["config"] and not wanted["sensitiveConfig"]:
            return await self._settings.remove(permit, id, based_on, undoes=undoes)
        change = _change(state.owned, wanted)
        _, saved = await self._settings.change(permit, id, based_on, change, undoes=undoes)
        return saved


class AgentToolkitWay(OnlyChanges):
    """Puts back what an agent sets for a toolkit."""

    kind = AGENT_TOOLKIT

    def __init__(self, own: AgentToolkits, settings: ToolkitSettings) -> None:
        """Go through `own`; `settings` know the toolkits."""
        self._own, self._settings = own, settings

    async def standing(self, business_id: str, id: str) -> DocumentState | None:
        """Return what is set; None where there is no such agent."""
        try:
            found = await self._found(business_id, id)
        except NotFound:
            return None
        return DocumentState(found.view, found.revision)

    async def change(self, permit: Permit, id: str, based_on: str, edit: Edit, *, undoes: str) -> Saved:
        """Set what was set."""
        agent_id, _, name = id.partition("~")
        now = (await self._found(permit.business_id, id)).view
        wanted = edit(now)
        change, toolkit = _change(now, wanted), self._settings.toolkit(name)
        _, saved = await self._own.change(permit, agent_id, toolkit, based_on, change, wanted["enabled"], undoes=undoes)
        return saved

    async def _found(self, business_id: str, id: str) -> OwnToolkit:
        agent_id, _, name = id.partition("~")
        return await self._own.own(business_id, agent_id, self._settings.toolkit(name))


@dataclass(frozen=True, slots=True)
class Rooms:
    """Where owners change what is not a document alone."""

    agents: Agents
    own_toolkits: AgentToolkits
    settings: ToolkitSettings
    tool_store: ToolStore
    tools: TenantTools
    attachments: Attachments
    resources: Resources


def open_ways(rooms: Rooms) -> UndoHandlers:
    """Return how changes made in these rooms are undone, and why others are not."""
    return UndoHandlers(
        {
            rooms.agents.kind.name: AgentWay(rooms.agents),
            TOOLKIT.name: ToolkitWay(rooms.settings),
            AGENT_TOOLKIT.name: AgentToolkitWay(rooms.own_toolkits, rooms.settings),
            RESOURCE.name: ResourceWay(rooms.resources),
            TOOL.name: ToolWay(rooms.tool_store, rooms.tools, rooms.attachments),
            ATTACHMENT.name: AttachmentWay(rooms.tool_store, rooms.attachments),
        },
        {
            BOOKING.name: "Give the appointment to somebody else, or back, under Appointments.",
            SECRET.name: "The value of a secret is kept nowhere else; enter it again, or remove it, under Secrets.",
            API_KEY.name: "A key that was made is revoked, and one that was revoked is replaced by a new one.",
            FEED.name: "An address that was made is revoked, and in place of one that was revoked another is made.",
            PORTAL_VISIT.name: "A visit that was ended is not opened again; a new link begins another.",
            ROLE.name: _ROLE,
            PLATFORM_ROLE.name: _ROLE,
        },
    )


def _change(now: JsonObject, wanted: JsonObject) -> ToolkitChange:
    """Return what sets a toolkit as wanted; secrets can be taken away, and none of them put back."""
    gone = {name: None for name in now["sensitiveConfig"] if name not in wanted["sensitiveConfig"]}
    return ToolkitChange(None if same(now["config"], wanted["config"]) else wanted["config"], gone or None)


def _connection(state: ToolkitState) -> JsonObject:
    return {"isConnected": state.is_connected, "needsReauth": state.needs_reauth}
