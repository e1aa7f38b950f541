"""The owners' HTTP API for other MCP servers: `/businesses/{id}/mcp…`."""

from starlette.requests import Request
from starlette.responses import Response

from switchboard.admin.access.access import Permit
from switchboard.admin.access.refusal import EntryProblem, NotValid
from switchboard.admin.access.roles import Operation
from switchboard.admin.api.answer import json_answer
from switchboard.admin.api.endpoint import Endpoint
from switchboard.admin.api.request_body import known_body, known_change
from switchboard.admin.api.schemas import ANYTHING, ROWS, TEXT, TEXTS, listed, record
from switchboard.admin.importers.mcp_connections import McpConnections
from switchboard.admin.tenant_tools.attachments import Attachments
from switchboard.contract.error import ToolError
from switchboard.contract.json import JsonObject
from switchboard.contract.store import StoreError

_SERVER = {"server": ANYTHING}
_SEEN = record({"url": TEXT, "tools": ROWS, "added": TEXTS, "revision": TEXT})
MOST_ATTACHED = 100
"""How many tools are given to agents in one request: one after the other, and Vapi is told of each."""


class McpEndpoints:
    """Looks at servers and takes their tools over."""

    def __init__(self, connections: McpConnections, attachments: Attachments) -> None:
        """Answer with what `connections` do; `attachments` give the tools to agents who are named with them."""
        self._connections, self._attachments = connections, attachments

    @property
    def endpoints(self) -> tuple[Endpoint, ...]:
        """All of them."""
        base, connect = "/businesses/{business_id}/mcp", Operation.CONNECT
        chosen = record(
            {**_SERVER, "tools": {"type": "array"}, "params": ANYTHING, "attachTo": TEXTS}, ("params", "attachTo")
        )
        found = record({**_SERVER, "tools": ROWS})
        pair = {"agentId": TEXT, "toolId": TEXT}
        made = record(
            {"tools": ROWS, "attached": listed(record(pair)), "notAttached": listed(record({**pair, "message": TEXT}))}
        )
        return (
            Endpoint(
                "POST",
                f"{base}/discover",
                connect,
                "List the tools of an MCP server",
                self._discover,
                found,
                body=record(_SERVER),
                further=(422,),
            ),
            Endpoint(
                "POST",
                f"{base}/connect",
                connect,
                "Make tools of a server's",
                self._connect,
                made,
                201,
                body=chosen,
                further=(422,),
            ),
            Endpoint(
                "POST",
                f"{base}/review",
                connect,
                "Tell what a server has changed since",
                self._review,
                _SEEN,
                body=record({"url": TEXT}),
                further=(422,),
            ),
            Endpoint(
                "POST",
                f"{base}/resync",
                connect,
                "Take over what a server has changed",
                self._resync,
                _SEEN,
                body=record({"url": TEXT, "accepted": ANYTHING, "revision": TEXT}, ("revision",)),
                is_revisioned=True,
                further=(422,),
            ),
        )

    async def _discover(self, request: Request, permit: Permit) -> Response:
        body = await known_body(request, "server")
        return json_answer(await self._connections.discover(permit.business_id, body.get("server")))

    async def _connect(self, request: Request, permit: Permit) -> Response:
        body = await known_body(request, "server", "tools", "params", "attachTo")
        agents = _agents(body.get("attachTo"), body.get("tools"))
        await self._attachments.require_agents(permit.business_id, agents)
        made = await self._connections.connect(permit, body.get("server"), body.get("tools"), body.get("params"))
        attached: list[JsonObject] = []
        refused: list[JsonObject] = []
        for pair in ({"agentId": agent, "toolId": tool["id"]} for tool in made for agent in agents):
            try:
                await self._attachments.attach(permit, pair["agentId"], pair["toolId"])
                attached.append(pair)
            except (ToolError, StoreError) as error:
                # The tools are made all the same, and can be attached by themselves.
                said = error.message if isinstance(error, ToolError) else "It could not be attached right now."
                refused.append({**pair, "message": said})
        return json_answer({"tools": made, "attached": attached, "notAttached": refused}, 201)

    async def _review(self, request: Request, permit: Permit) -> Response:
        body = await known_body(request, "url")
        found = await self._connections.review(permit.business_id, _url(body.get("url")))
        return json_answer(found, revision=found["revision"])

    async def _resync(self, request: Request, permit: Permit) -> Response:
        body, based_on = await known_change(request, "url", "accepted")
        found = await self._connections.resync(permit, _url(body.get("url")), based_on, body.get("accepted"))
        return json_answer(found, revision=found["revision"])


def _agents(value: object, tools: object) -> list[str]:
    if value is None:
        return []
    if not isinstance(value, list) or not all(isinstance(id, str) and id for id in value):
        raise NotValid([EntryProblem("attachTo", 'attachTo must be a list of ids of agents, such as ["echo"].')])
    agents = list(dict.fromkeys(value))
    wanted = len(agents) * (len(tools) if isinstance(tools, list) else 1)
    if wanted > MOST_ATTACHED:
        told = f"attachTo would attach {wanted:,} times, each tool to each agent; at most {MOST_ATTACHED} at once."
        raise NotValid([EntryProblem("attachTo", f"{told} Name fewer, and attach the others by themselves.")])
    return agents


def _url(value: object) -> str:
    if not isinstance(value, str) or not value:
        raise NotValid([EntryProblem("url", "url must be the address of a connected server.")])
    return value
