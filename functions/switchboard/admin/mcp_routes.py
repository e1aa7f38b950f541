"""The owners' HTTP API for connected MCP servers: `/businesses/{id}/mcp…`. Keys go by the names of secrets only."""

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from switchboard.admin.http import Authorise, Refuse
from switchboard.admin.mcp_connections import McpConnections
from switchboard.admin.owner_request import answering, json_answer, json_body
from switchboard.admin.refusal import NotValid, Problem


def routes(connections: McpConnections, authorise: Authorise, refuse: Refuse) -> list[Route]:
    """Return the routes below `/businesses/{business_id}/mcp`, without the prefix of the function `admin`."""
    endpoints = _Endpoints(connections, authorise)
    base = "/businesses/{business_id}/mcp"
    return [
        Route(base + path, answering(endpoint, refuse), methods=["POST"])
        for path, endpoint in (
            ("/discover", endpoints.discover),
            ("/connect", endpoints.connect),
            ("/review", endpoints.review),
            ("/resync", endpoints.resync),
        )
    ]


class _Endpoints:
    def __init__(self, connections: McpConnections, authorise: Authorise) -> None:
        self._connections, self._authorise = connections, authorise

    async def discover(self, request: Request) -> Response:
        """Look at a server, `{server}`: `{server: {name, url}, tools: [...]}`."""
        business_id = await self._business(request)
        body = await json_body(request, ("server",))
        return json_answer(await self._connections.discover(business_id, body.get("server")))

    async def connect(self, request: Request) -> Response:
        """Take tools over, `{server, tools, params?}`: `{tools: [...]}` with their documents, 201."""
        business_id = await self._business(request)
        body = await json_body(request, ("server", "tools", "params"))
        made = await self._connections.connect(business_id, body.get("server"), body.get("tools"), body.get("params"))
        return json_answer({"tools": made}, 201)

    async def review(self, request: Request) -> Response:
        """Look at a connected server again, `{url}`: `{url, tools: [...], added: [...]}`."""
        business_id = await self._business(request)
        body = await json_body(request, ("url",))
        return json_answer(await self._connections.review(business_id, _url(body.get("url"))))

    async def resync(self, request: Request) -> Response:
        """Take over what was seen, `{url, accepted: {id: digest}}`: as `review` then."""
        business_id = await self._business(request)
        body = await json_body(request, ("url", "accepted"))
        return json_answer(await self._connections.resync(business_id, _url(body.get("url")), body.get("accepted")))

    async def _business(self, request: Request) -> str:
        return await self._authorise(request, request.path_params["business_id"])


def _url(value: object) -> str:
    if not isinstance(value, str) or not value:
        raise NotValid([Problem("url", "url must be the address of a connected server.")])
    return value
