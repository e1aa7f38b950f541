"""Takes a bundle of tools into a business: first what would happen, then all of it, or nothing where something clashes.

What is there already with the same words is left as it is, so that an import that broke off goes on when it is
repeated. Nobody's tool or agent is overwritten.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

from switchboard.admin.access.access import Permit
from switchboard.admin.access.refusal import EntryProblem, Forbidden, NotValid
from switchboard.admin.access.roles import Operation
from switchboard.admin.agents.agents import Agents
from switchboard.admin.audit.revisions import allow
from switchboard.admin.documents.literals import hidden_places
from switchboard.admin.importers.mcp_adoption import tool_id
from switchboard.admin.importers.tool_bundle import WORDS, Bundle, bundle_of, is_portable, read_bundle
from switchboard.admin.tenant_tools.attachments import Attachments
from switchboard.admin.tenant_tools.form import read_form
from switchboard.admin.tenant_tools.handover import FIELD
from switchboard.admin.tenant_tools.record import StoredTenantTool
from switchboard.admin.tenant_tools.store import TOOL
from switchboard.admin.tenant_tools.tenant_tools import TenantTools
from switchboard.catalog.tenant_tools.config_kinds import TransferSettings
from switchboard.contract import policy
from switchboard.contract.definitions.tenant_tool import Template
from switchboard.contract.document import mapping
from switchboard.contract.error import ErrorType, ToolError
from switchboard.contract.json import JsonObject


class BundleImport:
    """The owners' operation. What the store raises passes through."""

    def __init__(
        self,
        tools: TenantTools,
        agents: Agents,
        attachments: Attachments,
        built_in: Callable[[], Collection[str]],
    ) -> None:
        """Make tools, agents and attachments with these; `built_in` names the tools whose names are taken."""
        self._tools, self._agents, self._attachments, self._built_in = tools, agents, attachments, built_in

    async def run(
        self, permit: Permit, given: Any, leave_out: Sequence[str] | None = None, *, is_dry: bool = True
    ) -> JsonObject:
        """Return what becomes of a bundle, `{hash, tools, agents, needs, isDone}`, and unless it is dry do it.

        Each tool is `create`d, `same` (there already, word for word) or a `collision` (its name is somebody else's);
        each agent is `create`d or `there`, with the tools that it is given and what differs.

        Args:
            permit: Who does it, and where.
            given: The bundle.
            leave_out: Names of tools that are not taken along.
            is_dry: Whether nothing is changed.

        Raises:
            NotValid: It is no bundle, or some of its tools could not be used.
            Forbidden: The role may edit tools, but not agents, or not whom one of them reaches.
            NotFound: There is no such business.
            ToolError: CONFLICT, names are taken; nothing was changed.
        """
        bundle = _without(read_bundle(given), leave_out or ())
        _require_usable(bundle)
        known = {stored_tool.name: stored_tool for stored_tool in await self._tools.all(permit.business_id)}
        here = {str(agent["id"]): agent for agent in await self._agents.all(permit.business_id)}
        _require_successors(bundle, here)
        by_id = {stored_tool.id: stored_tool for stored_tool in known.values()}
        tools = [self._tool_row(tool, known.get(tool["name"]) or by_id.get(_id_of(tool))) for tool in bundle.tools]
        agents = [_agent_row(agent, here, known) for agent in bundle.agents]
        plan: JsonObject = {"hash": bundle.hash, "tools": tools, "agents": agents, "needs": bundle.needs()}
        if is_dry:
            return plan | {"isDone": False}
        if bundle.agents and not permit.may(Operation.EDIT_AGENTS):
            raise Forbidden("You may make tools here, but not agents; leave agents out of the bundle.")
        for tool, row in zip(bundle.tools, tools, strict=True):
            if row["state"] == "create":
                allow(permit, TOOL, {}, {"configMetadata": tool["config"]})
        self._require_room(tools, len(known), agents, len(here))
        made = dict(known)
        # Before the tools, of which some hand over to them.
        has_default = any(a["isDefault"] for a in here.values())
        await self._make_agents(permit, bundle, agents, has_default=has_default)
        for tool, row in zip(bundle.tools, tools, strict=True):
            if row["state"] == "create":
                document = tool["config"] | {"name": tool["name"], "enabled": tool["enabled"]}
                made[tool["name"]] = await self._tools.create(permit, document, id=_id_of(tool))
        for agent, row in zip(bundle.agents, agents, strict=True):
            for name in row["attach"]:
                await self._attachments.attach(permit, agent["id"], made[name].id)
        return plan | {"isDone": True}

    async def _make_agents(self, permit: Permit, bundle: Bundle, rows: list[JsonObject], *, has_default: bool) -> None:
        # The default one first: the first agent of a business becomes it anyway.
        paired = sorted(zip(bundle.agents, rows, strict=True), key=lambda pair: pair[0]["isDefault"] is not True)
        for agent, row in paired:
            if row["state"] == "create":
                words = {key: agent[key] for key in WORDS} | {"id": agent["id"]}
                words["isDefault"] = agent["isDefault"] is True and not has_default
                await self._agents.create(permit, words)

    def _tool_row(self, tool: JsonObject, stored_tool: StoredTenantTool | None) -> JsonObject:
        name = tool["name"]
        if name in self._built_in():
            return {"name": name, "state": "collision", "with": "a built-in tool"}
        if stored_tool is None:
            return {"name": name, "state": "create"}
        mine = bundle_of([stored_tool], []).tools
        if is_portable(stored_tool) and mine and mine[0] == tool:
            return {"name": name, "state": "same"}
        return {"name": name, "state": "collision", "with": f"the tool {stored_tool.id}"}

    def _require_room(self, tools: list[JsonObject], known: int, agents: list[JsonObject], here: int) -> None:
        clashing = [row["name"] for row in tools if row["state"] == "collision"]
        if clashing:
            raise ToolError(
                ErrorType.CONFLICT,
                f"These names are taken here: {', '.join(clashing)[:400]}. Nothing was changed; rename the tools that "
                "are here, or name them in leaveOut.",
            )
        new = [sum(row["state"] == "create" for row in rows) for rows in (tools, agents)]
        if known + new[0] > policy.TENANT_TOOLS or here + new[1] > policy.AGENTS:
            raise ToolError(
                ErrorType.CONFLICT, f"A business has at most {policy.TENANT_TOOLS} tools and {policy.AGENTS} agents."
            )


def _id_of(tool: JsonObject) -> str:
    """Return the id that a tool has anywhere: of a connected server's, by which it is connected once."""
    config = tool["config"]
    if config.get("type") != Template.MCP_TOOL.value:
        return ""
    return tool_id(str(mapping(config.get("server")).get("url")), str(config.get("tool")))


def _without(bundle: Bundle, names: Sequence[str]) -> Bundle:
    left = set(names)
    return Bundle(
        tuple(tool for tool in bundle.tools if tool["name"] not in left),
        tuple(
            agent | {"attached": [name for name in agent["attached"] if name not in left]} for agent in bundle.agents
        ),
    )


def _require_usable(bundle: Bundle) -> None:
    problems = []
    for tool in bundle.tools:
        at = f"bundle.{tool['name']}"
        for place in hidden_places(tool["config"], at):
            mend = "write {{secret.name}} there" if ".headers." in place else "keep it in a header, as {{secret.name}}"
            message = f"{place} was taken out when it was exported; {mend}, or leave the tool out (leaveOut)."
            problems.append(EntryProblem(place, message))
        try:
            read_form(tool["config"] | {"name": tool["name"]})
        except NotValid as error:
            problems += [EntryProblem(f"{at}.{p.field}", f"{tool['name']}: {p.message}") for p in error.problems]
    if problems:
        raise NotValid(problems)


def _require_successors(bundle: Bundle, here: Mapping[str, JsonObject]) -> None:
    """Refuse tools that hand over to an agent that will not be there, or whom the bundle gives them to."""
    ids, problems = {*here, *(agent["id"] for agent in bundle.agents)}, []
    for tool in bundle.tools:
        settings = read_form(tool["config"] | {"name": tool["name"]}).settings
        successor = settings.agent_id if isinstance(settings, TransferSettings) else ""
        place, own = f"bundle.{tool['name']}.{FIELD}", f"{tool['name']} hands over to the agent {successor}"
        if successor and (successor not in ids or len(ids) == 1):
            sentence = (
                "who is neither here nor in the bundle" if successor not in ids else "who would be your only agent"
            )
            problems.append(EntryProblem(place, f"{own}, {sentence}; make the agents first, or leave the tool out."))
        elif any(agent["id"] == successor and tool["name"] in agent["attached"] for agent in bundle.agents):
            problems.append(EntryProblem(place, f"{own}, and is attached to it; attach it to another agent."))
    if problems:
        raise NotValid(problems)


def _agent_row(agent: JsonObject, here: Mapping[str, JsonObject], known: Mapping[str, StoredTenantTool]) -> JsonObject:
    agent_here = here.get(agent["id"])
    if agent_here is None:
        return {"id": agent["id"], "state": "create", "attach": agent["attached"], "differs": []}
    ids = set(agent_here.get("attachedTools") or ())
    missing = [name for name in agent["attached"] if name not in known or known[name].id not in ids]
    differs = [key for key in WORDS if agent[key] != agent_here.get(key)]
    return {"id": agent["id"], "state": "there", "attach": missing, "differs": differs}
