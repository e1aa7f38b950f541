"""How changes of agents, toolkits and tenant tools are undone: by the same operations that owners have for them."""

import logging
from collections.abc import Callable

from switchboard.admin.access.access import Permit
from switchboard.admin.access.refusal import NotFound
from switchboard.admin.agents.agents import Agents
from switchboard.admin.agents.fields import FIELDS
from switchboard.admin.agents.toolkits import AGENT_TOOLKIT, AgentToolkits, OwnToolkit
from switchboard.admin.agents.trial_state import AGENT_TRIAL, TRIAL_STAYS
from switchboard.admin.audit.document_kind import revision_of
from switchboard.admin.audit.revisions import NO_DOCUMENT, Saved
from switchboard.admin.calendars.feeds import FEED
from switchboard.admin.callers.portal_visits import PORTAL_VISIT
from switchboard.admin.collections.rows import ROWS, Rows, RowsWay
from switchboard.admin.credentials.operations import API_KEY
from switchboard.admin.credentials.role_entries import PLATFORM_ROLE, ROLE
from switchboard.admin.customers.merging import FORGOTTEN, MERGED
from switchboard.admin.customers.records import CUSTOMER, CustomerRecords
from switchboard.admin.documents.difference import same
from switchboard.admin.opening.new_business import OPENED, OPENED_STAYS
from switchboard.admin.pushing.pushing import PUSHED, PUSHED_STAYS
from switchboard.admin.resources.booking_office import BOOKING
from switchboard.admin.resources.resources import RESOURCE, ChangeWish, ResourceChange, Resources
from switchboard.admin.tenant_tools.agents import ATTACHED_TO
from switchboard.admin.tenant_tools.attachments import Attachments
from switchboard.admin.tenant_tools.creation import Again
from switchboard.admin.tenant_tools.record import StoredTenantTool
from switchboard.admin.tenant_tools.secrets import SECRET
from switchboard.admin.tenant_tools.store import ATTACHMENT, TOOL, ToolStore, audited
from switchboard.admin.tenant_tools.tenant_tools import TenantTools
from switchboard.admin.toolkits.state import ToolkitChange, ToolkitState
from switchboard.admin.toolkits.toolkits import TOOLKIT, ToolkitSettings
from switchboard.admin.undo.handler import DocumentState, OnlyChanges, UndoHandlers
from switchboard.contract.error import ErrorType, ToolError
from switchboard.contract.json import JsonObject
from switchboard.contract.python.dataclass import dataclass
from switchboard.contract.store import Filter, Query

Edit = Callable[[JsonObject], JsonObject]

log = logging.getLogger(__name__)


class ToolWay:
    """Puts back tenant tools, at Vapi too."""

    kind = TOOL

    def __init__(self, store: ToolStore, tools: TenantTools, attachments: Attachments) -> None:
        """Go through `tools`, and attach by `attachments` what was attached."""
        self._store, self._tools, self._attachments = store, tools, attachments

    async def standing(self, business_id: str, id: str) -> DocumentState | None:
        """Return what its owner decided; None where there is no such tool."""
        tool = await self._store.find(business_id, id)
        view = audited(tool)
        return DocumentState(view, str(tool.revision)) if tool is not None and view is not None else None

    async def create(self, permit: Permit, id: str, fields: JsonObject, *, undoes: str) -> Saved:
        """Make a tool again, with those of its agents that are still there."""
        tool = await self._tools.bring_back(permit, _document(fields), Again(id, undoes, fields))
        for agent_id in fields.get(ATTACHED_TO) or ():
            await self._attached_again(permit, str(agent_id), id)
        return await self._saved(permit, tool, undoes)

    async def change(self, permit: Permit, id: str, based_on: str, edit: Edit, *, undoes: str) -> Saved:
        """Change a tool."""
        tool = await self._store.tool(permit.business_id, id)
        view = edit(audited(tool) or {})
        document = _document(view if view["name"] != tool.name else {**view, "name": None})
        return await self._saved(
            permit, await self._tools.edit(permit, id, lambda _: document, based_on, undoes), undoes
        )

    async def delete(self, permit: Permit, id: str, based_on: str, *, undoes: str) -> Saved:
        """Delete a tool."""
        await self._tools.delete(permit, id, based_on, undoes)
        return await _gone(self._store, permit, undoes)

    async def _attached_again(self, permit: Permit, agent_id: str, tool_id: str) -> None:
        """Have the agent's assistant at Vapi, if it has one, follow what stands in the store."""
        try:
            await self._attachments.attach(permit, agent_id, tool_id)
        except ToolError as error:
            # It is attached already where nothing is mirrored. What Vapi refuses, the comparison with it shows.
            if error.type is not ErrorType.CONFLICT:
                extra = {"tool": tool_id, "reason": error.type.value, "pii.detail": error.detail or str(error)}
                log.warning("a tool that was brought back is not attached at Vapi", extra=extra)

    async def _saved(self, permit: Permit, tool: StoredTenantTool, undoes: str) -> Saved:
        return Saved(tool.document, str(tool.revision), await _entry_of(self._store, permit, undoes))


class AttachmentWay:
    """Attaches and detaches tenant tools, at Vapi too."""

    kind = ATTACHMENT

    def __init__(self, store: ToolStore, attachments: Attachments) -> None:
        self._store, self._attachments = store, attachments

    async def standing(self, business_id: str, id: str) -> DocumentState | None:
        """Return which tool is attached to which agent; None where it is not."""
        agent_id, _, tool_id = id.partition("~")
        attachment = await self._store.attachment(business_id, agent_id, tool_id)
        view: JsonObject = {"agentId": agent_id, "toolId": tool_id}
        return DocumentState(view, revision_of(view)) if attachment is not None and not attachment.is_leaving else None

    async def create(self, permit: Permit, id: str, fields: JsonObject, *, undoes: str) -> Saved:
        """Attach."""
        agent_id, _, tool_id = id.partition("~")
        await self._attachments.attach(permit, agent_id, tool_id, undoes)
        view: JsonObject = {"agentId": agent_id, "toolId": tool_id}
        return Saved(None, revision_of(view), await _entry_of(self._store, permit, undoes))

    async def change(self, permit: Permit, id: str, based_on: str, edit: Edit, *, undoes: str) -> Saved:
        """Refuse: an attachment is there or not."""
        raise ToolError(ErrorType.CONFLICT, "A tool is attached or not; attach it or detach it.")

    async def delete(self, permit: Permit, id: str, based_on: str, *, undoes: str) -> Saved:
        """Detach."""
        agent_id, _, tool_id = id.partition("~")
        await self._attachments.detach(permit, agent_id, tool_id, undoes)
        return await _gone(self._store, permit, undoes)


def _document(fields: JsonObject) -> JsonObject:
    named = {"name": fields["name"]} if fields.get("name") else {}
    return {**fields["configMetadata"], **named, "enabled": fields["enabled"]}


async def _gone(store: ToolStore, permit: Permit, undoes: str) -> Saved:
    return Saved(None, NO_DOCUMENT, await _entry_of(store, permit, undoes))


async def _entry_of(store: ToolStore, permit: Permit, undoes: str) -> str | None:
    """Return the entry that an undo has left; None where nothing had to be changed."""
    audit = store.within(permit.business_id).collection("audit")
    entries = await store.store.query(Query(audit, (Filter("undoes", "==", undoes),)))
    # Ids begin with the time: what is undone, done again and undone again has several.
    return max((entry.id for entry in entries), default=None)


class ResourceWay:
    """Puts back people, rooms and the like; never so that something breaks unseen."""

    kind = RESOURCE

    def __init__(self, resources: Resources) -> None:
        self._resources = resources

    async def standing(self, business_id: str, id: str) -> DocumentState | None:
        """Return what there is now; None where there is nothing."""
        try:
            row = await self._resources.one(business_id, id)
        except NotFound:
            return None
        return DocumentState(row, revision_of(row))

    async def create(self, permit: Permit, id: str, fields: JsonObject, *, undoes: str) -> Saved:
        """Enter again what was removed."""
        return await self._put(permit, id, NO_DOCUMENT, fields, undoes)

    async def change(
        self, permit: Permit, id: str, based_on: str, edit: Callable[[JsonObject], JsonObject], *, undoes: str
    ) -> Saved:
        """Change it into what it was."""
        return await self._put(permit, id, based_on, edit(await self._resources.one(permit.business_id, id)), undoes)

    async def delete(self, permit: Permit, id: str, based_on: str, *, undoes: str) -> Saved:
        """Remove what was entered."""
        return _saved(await self._resources.delete(permit, id, based_on, ChangeWish(undoes=undoes)))

    async def _put(self, permit: Permit, id: str, based_on: str, fields: JsonObject, undoes: str) -> Saved:
        # Absences that are not named would stay as they are.
        given = {"absences": [], **fields}
        return _saved(await self._resources.put(permit, id, based_on, given, ChangeWish(undoes=undoes)))


def _saved(change: ResourceChange) -> Saved:
    assert change.saved is not None
    return change.saved


_ROLE = (
    "Roles belong to people's accounts, which nothing here changes; give it back with scripts/grant, or take it away."
)


class AgentWay:
    """Puts back agents; one that had secrets of its own is not brought back (`Agents.remove`)."""

    def __init__(self, agents: Agents) -> None:
        self._agents, self.kind = agents, agents.kind

    async def standing(self, business_id: str, id: str) -> DocumentState | None:
        """Return an agent's fields; None where there is no such agent."""
        try:
            agent = await self._agents.one(business_id, id)
        except NotFound:
            return None
        return DocumentState({name: agent[name] for name in FIELDS}, agent["revision"])

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
        self._settings = settings

    async def standing(self, business_id: str, id: str) -> DocumentState | None:
        """Return what is set."""
        state = await self._settings.one(business_id, id)
        return DocumentState(state.owned | _connection(state), state.revision)

    async def change(self, permit: Permit, id: str, based_on: str, edit: Edit, *, undoes: str) -> Saved:
        """Set what was set; where that was nothing, disconnect."""
        state = await self._settings.one(permit.business_id, id)
        settings = edit(state.owned | _connection(state))
        if not settings["config"] and not settings["sensitiveConfig"]:
            return await self._settings.remove(permit, id, based_on, undoes=undoes)
        change = _change(state.owned, settings)
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
            settings = await self._found(business_id, id)
        except NotFound:
            return None
        return DocumentState(settings.view, settings.revision)

    async def change(self, permit: Permit, id: str, based_on: str, edit: Edit, *, undoes: str) -> Saved:
        """Set what was set."""
        agent_id, _, name = id.partition("~")
        now = (await self._found(permit.business_id, id)).view
        settings = edit(now)
        change, toolkit = _change(now, settings), self._settings.toolkit(name)
        _, saved = await self._own.change(
            permit, agent_id, toolkit, based_on, change, settings["enabled"], undoes=undoes
        )
        return saved

    async def _found(self, business_id: str, id: str) -> OwnToolkit:
        agent_id, _, name = id.partition("~")
        return await self._own.own(business_id, agent_id, self._settings.toolkit(name))


class CustomerWay:
    """Puts back customers, with what they are found by."""

    kind = CUSTOMER

    def __init__(self, records: CustomerRecords) -> None:
        self._records = records

    async def standing(self, business_id: str, id: str) -> DocumentState | None:
        """Return what is on file; None where there is no such customer."""
        try:
            document = await self._records.document(business_id, id)
        except NotFound:
            return None
        return DocumentState(CUSTOMER.view(document.data), CUSTOMER.revision(document))

    async def create(self, permit: Permit, id: str, fields: JsonObject, *, undoes: str) -> Saved:
        """Enter a customer again."""
        return await self._records.brought_back(permit, id, fields, undoes)

    async def change(self, permit: Permit, id: str, based_on: str, edit: Edit, *, undoes: str) -> Saved:
        """Correct a customer."""
        business = await self._records.business(permit.business_id)
        _, saved = await self._records.written(permit, id, based_on, edit, business, undoes=undoes)
        return saved

    async def delete(self, permit: Permit, id: str, based_on: str, *, undoes: str) -> Saved:
        """Take away what was entered."""
        return await self._records.taken_away(permit, id, based_on, undoes)


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
    customers: CustomerRecords
    collection_rows: Rows


def open_ways(rooms: Rooms) -> UndoHandlers:
    """Return how changes made in these rooms are undone, and why others are not."""
    return UndoHandlers(
        {
            rooms.agents.kind.name: AgentWay(rooms.agents),
            TOOLKIT.name: ToolkitWay(rooms.settings),
            AGENT_TOOLKIT.name: AgentToolkitWay(rooms.own_toolkits, rooms.settings),
            RESOURCE.name: ResourceWay(rooms.resources),
            CUSTOMER.name: CustomerWay(rooms.customers),
            ROWS.name: RowsWay(rooms.collection_rows),
            TOOL.name: ToolWay(rooms.tool_store, rooms.tools, rooms.attachments),
            ATTACHMENT.name: AttachmentWay(rooms.tool_store, rooms.attachments),
        },
        {
            BOOKING.name: "Its customer may know of it. Cancel, move or give back the appointment under Appointments.",
            SECRET.name: "The value of a secret is kept nowhere else; enter it again, or remove it, under Secrets.",
            API_KEY.name: "A key that was made is revoked, and one that was revoked is replaced by a new one.",
            FEED.name: "An address that was made is revoked, and in place of one that was revoked another is made.",
            OPENED.name: OPENED_STAYS,
            PUSHED.name: PUSHED_STAYS,
            MERGED.name: "Two records that were made one are not taken apart; correct the customer under Customers.",
            FORGOTTEN.name: "What was forgotten is kept nowhere.",
            PORTAL_VISIT.name: "A visit that was ended is not opened again; a new link begins another.",
            AGENT_TRIAL.name: TRIAL_STAYS,
            ROLE.name: _ROLE,
            PLATFORM_ROLE.name: _ROLE,
        },
    )


def _change(now: JsonObject, settings: JsonObject) -> ToolkitChange:
    """Return what sets a toolkit as wanted; secrets can be taken away, and none of them put back."""
    gone = {name: None for name in now["sensitiveConfig"] if name not in settings["sensitiveConfig"]}
    return ToolkitChange(None if same(now["config"], settings["config"]) else settings["config"], gone or None)


def _connection(state: ToolkitState) -> JsonObject:
    return {"isConnected": state.is_connected, "needsReauth": state.needs_reauth}
