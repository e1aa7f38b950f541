"""The owners' HTTP API for tools that come from elsewhere and go there: MCP servers, OpenAPI documents, bundles."""

from collections.abc import Sequence
from typing import Annotated

from fastapi import Query
from starlette.responses import Response

from switchboard.admin.access.refusal import EntryProblem, NotValid
from switchboard.admin.access.roles import Operation
from switchboard.admin.api.answer import json_answer, revised_answer
from switchboard.admin.api.endpoint import EndpointGroup, endpoint
from switchboard.admin.api.serving import BasedOn, Caller
from switchboard.admin.importers.bundle_import import BundleImport
from switchboard.admin.importers.exchange_models import (
    ApiImportBody,
    ApiListed,
    ApiTaken,
    BundleBody,
    BundleExport,
    BundlePlan,
    ExportQuery,
    McpExport,
    OpenApiExport,
)
from switchboard.admin.importers.exporting import Exporting
from switchboard.admin.importers.importing import Importing
from switchboard.admin.importers.mcp_connections import McpConnections
from switchboard.admin.importers.mcp_models import (
    McpLookBody,
    McpResyncBody,
    McpReviewBody,
    McpServerSeen,
    McpTakeBody,
    McpToolsMade,
    McpToolsOffered,
)
from switchboard.admin.tenant_tools.attachments import Attachments
from switchboard.contract.error import ToolError
from switchboard.contract.json import JsonObject
from switchboard.contract.store import StoreError

MOST_ATTACHED = 100
"""How many tools are given to agents in one request: one after the other, and Vapi is told of each."""


class McpEndpoints(EndpointGroup):
    """Looks at servers and takes their tools over."""

    _BASE, _CONNECT, _NO_SERVER = "/businesses/{business_id}/mcp", Operation.CONNECT, (422,)

    def __init__(self, connections: McpConnections, attachments: Attachments) -> None:
        """Answer with what `connections` do; `attachments` give the tools to agents who are named with them."""
        self._connections, self._attachments = connections, attachments

    @endpoint("POST", f"{_BASE}/discover", _CONNECT, McpToolsOffered, further=_NO_SERVER)
    async def _discover(self, permit: Caller, body: McpLookBody) -> Response:
        """List the tools of an MCP server."""
        return json_answer(await self._connections.discover(permit.business_id, body.server.sent()))

    @endpoint("POST", f"{_BASE}/connect", _CONNECT, McpToolsMade, 201, decides_offers=True, further=_NO_SERVER)
    async def _connect(self, permit: Caller, body: McpTakeBody) -> Response:
        """Make tools of a server's."""
        agents = _agents(body.attach_to or (), body.tools)
        await self._attachments.require_agents(permit.business_id, agents)
        made = await self._connections.connect(permit, body.server.sent(), body.tools, body.sent().get("params"))
        attached: list[JsonObject] = []
        refused: list[JsonObject] = []
        for pair in ({"agentId": agent, "toolId": tool["id"]} for tool in made for agent in agents):
            try:
                await self._attachments.attach(permit, pair["agentId"], pair["toolId"])
                attached.append(pair)
            except (ToolError, StoreError) as error:
                # The tools are made all the same, and can be attached by themselves.
                reason = error.message if isinstance(error, ToolError) else "It could not be attached right now."
                refused.append({**pair, "message": reason})
        return json_answer({"tools": made, "attached": attached, "notAttached": refused}, 201)

    @endpoint("POST", f"{_BASE}/review", _CONNECT, McpServerSeen, tells_revision=True, further=_NO_SERVER)
    async def _review(self, permit: Caller, body: McpReviewBody) -> Response:
        """Tell what a server has changed since."""
        return revised_answer(await self._connections.review(permit.business_id, body.url))

    @endpoint(
        "POST", f"{_BASE}/resync", _CONNECT, McpServerSeen, is_revisioned=True, decides_offers=True, further=_NO_SERVER
    )
    async def _resync(self, permit: Caller, based_on: BasedOn, body: McpResyncBody) -> Response:
        """Take over what a server has changed."""
        return revised_answer(await self._connections.resync(permit, body.url, based_on, body.accepted))


def _agents(ids: Sequence[str], tools: Sequence[str]) -> list[str]:
    agents = list(dict.fromkeys(ids))
    attachments = len(agents) * len(tools)
    if attachments > MOST_ATTACHED:
        message = (
            f"attachTo would attach {attachments:,} times, each tool to each agent; at most {MOST_ATTACHED} at once."
        )
        raise NotValid([EntryProblem("attachTo", f"{message} Name fewer, and attach the others by themselves.")])
    return agents


class ToolExchangeEndpoints(EndpointGroup):
    """The endpoints below `/admin/businesses/{business_id}/tools`."""

    _BASE, _EDIT = "/businesses/{business_id}/tools", Operation.EDIT_TOOLS

    def __init__(self, importing: Importing, bundles: BundleImport, exporting: Exporting) -> None:
        self._importing, self._bundles, self._exporting = importing, bundles, exporting

    @endpoint("POST", f"{_BASE}/import", _EDIT, ApiListed | ApiTaken, decides_offers=True)
    async def _import(self, permit: Caller, body: ApiImportBody) -> Response:
        """List an OpenAPI document's operations, or make tools of some."""
        if not body.chosen:
            return json_answer(await self._importing.look(permit.business_id, body.document, body.server))
        return json_answer(await self._importing.take(permit, body.document, body.chosen, body.server))

    @endpoint("POST", f"{_BASE}/bundle", _EDIT, BundlePlan, decides_offers=True)
    async def _bundle(self, permit: Caller, body: BundleBody) -> Response:
        """Tell what a bundle would change here, or take it in."""
        return json_answer(await self._bundles.run(permit, body.bundle, body.leave_out, is_dry=body.dry_run))

    @endpoint("GET", f"{_BASE}/export", Operation.SEE_SETUP, BundleExport | McpExport | OpenApiExport)
    async def _export(self, permit: Caller, query: Annotated[ExportQuery, Query()]) -> Response:
        """Export the business's own tools."""
        return json_answer(await self._exporting.export(permit.business_id, query.form or "bundle"))
