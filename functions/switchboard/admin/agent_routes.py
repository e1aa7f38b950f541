"""The owners' HTTP API for agents: `/businesses/{id}/agents…`, and what each sets for its toolkits."""

from collections.abc import Mapping
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from switchboard.admin.agent_fields import FIELDS
from switchboard.admin.agent_toolkits import AgentToolkits
from switchboard.admin.agents import Agents
from switchboard.admin.http import Authorise, Refuse
from switchboard.admin.owner_request import answering, json_answer, json_body
from switchboard.admin.toolkit_routes import read_change
from switchboard.admin.toolkits import ToolkitSettings
from switchboard.contract.json import JsonObject


def routes(
    agents: Agents,
    own: AgentToolkits,
    settings: ToolkitSettings,
    authorise: Authorise,
    connect: Authorise,
    refuse: Refuse,
) -> list[Route]:
    """Return the routes below `/businesses/{business_id}/agents`.

    `connect` lets in whoever may connect toolkits. It is asked for what an agent sets for one, too: another server
    there would be told the business's own password.
    """
    endpoints = _Endpoints(agents, own, settings, authorise, connect)
    base = "/businesses/{business_id}/agents"
    one, toolkit = base + "/{agent_id}", base + "/{agent_id}/toolkits/{name}"
    return [
        Route(path, answering(endpoint, refuse), methods=[method])
        for method, path, endpoint in (
            ("GET", base, endpoints.all),
            ("POST", base, endpoints.create),
            ("GET", one, endpoints.one),
            ("PUT", one, endpoints.replace),
            ("PATCH", one, endpoints.amend),
            ("DELETE", one, endpoints.remove),
            ("GET", toolkit, endpoints.toolkit),
            ("PUT", toolkit, endpoints.set_toolkit),
            ("DELETE", toolkit, endpoints.remove_toolkit),
        )
    ]


class _Endpoints:
    def __init__(
        self,
        agents: Agents,
        own: AgentToolkits,
        settings: ToolkitSettings,
        authorise: Authorise,
        connect: Authorise,
    ) -> None:
        self._agents, self._own, self._settings = agents, own, settings
        self._authorise, self._connect = authorise, connect

    async def all(self, request: Request) -> Response:
        """List: `{agents: [...]}`."""
        return json_answer({"agents": await self._agents.all(await self._business(request))})

    async def create(self, request: Request) -> Response:
        """Make an agent: 201 and the agent."""
        business_id = await self._business(request)
        given = await self._given(request, ("id", *FIELDS))
        return json_answer(await self._agents.create(business_id, given), 201)

    async def one(self, request: Request) -> Response:
        """Return one agent."""
        business_id = await self._business(request)
        return json_answer(await self._agents.one(business_id, request.path_params["agent_id"]))

    async def replace(self, request: Request) -> Response:
        """Replace an agent's fields, and return it; what is left out falls to its default."""
        business_id = await self._business(request)
        given = await self._given(request, FIELDS)
        return json_answer(await self._agents.change(business_id, request.path_params["agent_id"], lambda _: given))

    async def amend(self, request: Request) -> Response:
        """Change the given fields of an agent, and return it."""
        business_id = await self._business(request)
        given = await self._given(request, FIELDS)
        agent_id = request.path_params["agent_id"]
        return json_answer(await self._agents.change(business_id, agent_id, lambda fields: fields | given))

    async def remove(self, request: Request) -> Response:
        """Remove an agent with its attachments and secrets: `{removed: true}`."""
        await self._agents.remove(await self._business(request), request.path_params["agent_id"])
        return json_answer({"removed": True})

    async def toolkit(self, request: Request) -> Response:
        """Return what an agent sets for a toolkit."""
        business_id = await self._connect(request, request.path_params["business_id"])
        toolkit = self._settings.toolkit(request.path_params["name"])
        return json_answer(await self._own.one(business_id, request.path_params["agent_id"], toolkit))

    async def set_toolkit(self, request: Request) -> Response:
        """Change what an agent sets for a toolkit: `{enabled?, config?, sensitiveConfig?}`."""
        business_id = await self._connect(request, request.path_params["business_id"])
        toolkit = self._settings.toolkit(request.path_params["name"])
        change, rest = await read_change(request, "enabled")
        agent_id = request.path_params["agent_id"]
        return json_answer(await self._own.change(business_id, agent_id, toolkit, change, rest.get("enabled")))

    async def remove_toolkit(self, request: Request) -> Response:
        """Let an agent use a toolkit as the business has set it up: `{removed: true}`."""
        business_id = await self._connect(request, request.path_params["business_id"])
        toolkit = self._settings.toolkit(request.path_params["name"])
        await self._own.remove(business_id, request.path_params["agent_id"], toolkit)
        return json_answer({"removed": True})

    async def _given(self, request: Request, known: tuple[str, ...]) -> JsonObject:
        given = await json_body(request, known)
        if any(_sets_something(given.get(key)) for key in ("tools", "toolkits")):
            await self._connect(request, request.path_params["business_id"])
        return given

    async def _business(self, request: Request) -> str:
        return await self._authorise(request, request.path_params["business_id"])


def _sets_something(rows: Any) -> bool:
    """Tell whether a setting stands in what may be an agent's `tools` or `toolkits`, well-formed or not."""
    return isinstance(rows, Mapping) and any(isinstance(row, Mapping) and row.get("config") for row in rows.values())
