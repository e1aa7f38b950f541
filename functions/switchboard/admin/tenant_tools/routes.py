"""The owners' HTTP API for tenant tools, below `/api/{business_id}` (seed 002, the flows): tools and attachments."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from functools import wraps
from typing import Annotated, Any

import orjson
from fastapi import Body, Header, Query
from starlette.responses import Response

from switchboard.admin.access.access import Permit
from switchboard.admin.access.refusal import NotFound, OutOfDate
from switchboard.admin.access.roles import Operation
from switchboard.admin.api.answer import answer_to, json_answer
from switchboard.admin.api.endpoint import Endpoint, EndpointGroup, endpoint
from switchboard.admin.api.models import Described
from switchboard.admin.api.serving import BasedOn, Caller
from switchboard.admin.audit.revisions import NO_DOCUMENT
from switchboard.admin.tenant_tools.advice import Advice
from switchboard.admin.tenant_tools.attachments import Attachments
from switchboard.admin.tenant_tools.collection_tools import CollectionTools
from switchboard.admin.tenant_tools.config_models import AnyToolBody, AnyToolReplacement, ToolPatch
from switchboard.admin.tenant_tools.models import (
    AgentTools,
    AttachmentBody,
    CollectionAttached,
    CollectionAttachmentBody,
    ToolAnswer,
    ToolAttached,
    ToolDeleted,
    ToolDetached,
    ToolList,
    ToolQuery,
    TrialAnswer,
    TrialBody,
)
from switchboard.admin.tenant_tools.record import StoredTenantTool
from switchboard.admin.tenant_tools.tenant_tools import TenantTools
from switchboard.admin.tenant_tools.trial import ToolTrials
from switchboard.catalog.tenant_tools.definition import OwnTool
from switchboard.contract.definitions.definition import DefinitionError, Kind
from switchboard.contract.error import ToolError
from switchboard.contract.json import JsonObject
from switchboard.contract.store import StoreError

RESERVED = ("tools", "phone-number")
"""What begins the paths that vendors know; no business can be called so here."""
_LONGEST_WISH = 200
_WISH = "Names what is wished: sent again with the same one, no second tool is made."


class GuardedEndpoints(EndpointGroup):
    """Endpoints that know no business by a reserved name, and say why a vendor stands in the way."""

    @property
    def endpoints(self) -> tuple[Endpoint, ...]:
        """All of them."""
        return tuple(replace(one, handle=_guarded(one.handle)) for one in super().endpoints)


def _guarded(handle: Callable[..., Awaitable[Response]]) -> Callable[..., Awaitable[Response]]:
    # What it takes is what the handler takes, whose parameters are read.
    @wraps(handle)
    async def answered(permit: Permit, **given: Any) -> Response:
        try:
            if permit.business_id in RESERVED:
                raise NotFound("There is no such business.")
            return await handle(permit=permit, **given)
        except (ToolError, StoreError) as error:
            response = answer_to(error)
            if isinstance(error, OutOfDate) or not isinstance(error, ToolError) or "reason" not in error.meta:
                return response
            body = orjson.loads(response.body)
            body["error"] |= {"reason": error.meta["reason"], "pinnedBy": _pinned_by(error)}
            return json_answer(body, response.status_code)

    return answered


def _pinned_by(error: ToolError) -> list[JsonObject]:
    vendor = error.meta.get("vendor")
    sources = vendor.get("pinnedBy") if isinstance(vendor, Mapping) else None
    return [dict(s) for s in sources if isinstance(s, Mapping)] if isinstance(sources, list) else []


# Seed 002 shows its requests without a revision, so that none is asked for.
_HELD = {"is_revisioned": True, "may_go_without": True, "decides_offers": True}


class TenantToolEndpoints(GuardedEndpoints):
    """The endpoints; `{business_id}` is the slug of seed 002."""

    _EVERY, _ONE = "/{business_id}/tools", "/{business_id}/tools/{tool_id}"
    _OF_AGENT, _COLLECTIONS = "/{business_id}/agents/{agent_id}/tools", "/{business_id}/agents/{agent_id}/collections"
    _SEE, _EDIT, _ATTACH = Operation.SEE_SETUP, Operation.EDIT_TOOLS, Operation.EDIT_AGENTS

    def __init__(
        self,
        tools: TenantTools,
        attachments: Attachments,
        collections: CollectionTools,
        trials: ToolTrials,
        advice: Advice,
        suggested: Callable[[str, str], str | None],
    ) -> None:
        """Serve these operations; `suggested` tells what a tool of such a name and description does."""
        self._tools, self._attachments, self._collections, self._trials = tools, attachments, collections, trials
        self._advice, self._suggested = advice, suggested

    @endpoint("GET", _EVERY, _SEE, ToolList)
    async def _all(self, permit: Caller, query: Annotated[ToolQuery, Query()]) -> Response:
        """List the tools."""
        tools = await self._tools.all(
            permit.business_id, type=query.type or "", external_id=query.external_tool_id or ""
        )
        return json_answer({"tools": [tool.to_json() for tool in tools]})

    @endpoint("POST", _EVERY, _EDIT, ToolAnswer, 201, tells_revision=True, decides_offers=True)
    async def _create(
        self,
        permit: Caller,
        config: Annotated[JsonObject, Described(AnyToolBody), Body()],
        wish: Annotated[str, Header(alias="Idempotency-Key", max_length=_LONGEST_WISH, description=_WISH)] = "",
    ) -> Response:
        """Make a tool."""
        return await self._told(permit, await self._tools.create(permit, config, wish.strip()), 201)

    @endpoint("GET", _ONE, _SEE, ToolAnswer, tells_revision=True)
    async def _one(self, permit: Caller, tool_id: str) -> Response:
        """Read a tool."""
        return await self._told(permit, await self._tools.one(permit.business_id, tool_id))

    @endpoint("PATCH", _ONE, _EDIT, ToolAnswer, **_HELD)
    async def _amend(
        self,
        permit: Caller,
        tool_id: str,
        based_on: BasedOn,
        patch: Annotated[JsonObject, Described(ToolPatch), Body(default_factory=dict)],
    ) -> Response:
        """Change parts of a tool."""

        def amended(current: JsonObject) -> JsonObject:
            # Each part as a whole: a parameter that is not sent any more is one that was taken out.
            return {name: value for name, value in {**current, **_parts(patch)}.items() if value is not None}

        return await self._told(permit, await self._tools.edit(permit, tool_id, amended, based_on))

    @endpoint("PUT", _ONE, _EDIT, ToolAnswer, **_HELD)
    async def _replace(
        self,
        permit: Caller,
        tool_id: str,
        based_on: BasedOn,
        config: Annotated[JsonObject, Described(AnyToolReplacement), Body()],
    ) -> Response:
        """Replace a tool."""
        return await self._told(
            permit, await self._tools.edit(permit, tool_id, lambda current: _parts(config), based_on)
        )

    @endpoint("DELETE", _ONE, _EDIT, ToolDeleted, **_HELD)
    async def _delete(self, permit: Caller, tool_id: str, based_on: BasedOn) -> Response:
        """Delete a tool."""
        await self._tools.delete(permit, tool_id, based_on)
        return json_answer({"deleted": True}, revision=NO_DOCUMENT)

    @endpoint("GET", _OF_AGENT, _SEE, AgentTools)
    async def _of_agent(self, permit: Caller, agent_id: str) -> Response:
        """List an agent's tools."""
        attached, free = await self._attachments.of(permit.business_id, agent_id)
        rows = [tool.to_json() | {"attachment": row.to_json()} for tool, row in attached]
        return json_answer({"tools": rows, "available": [tool.to_json() for tool in free]})

    @endpoint("POST", f"{_OF_AGENT}/attach", _ATTACH, ToolAttached, 201, **_HELD)
    @endpoint("POST", _OF_AGENT, _ATTACH, ToolAttached, 201, **_HELD)
    async def _attach(self, permit: Caller, agent_id: str, based_on: BasedOn, body: AttachmentBody) -> Response:
        """Attach a tool."""
        tool = await self._tools.as_read(permit.business_id, body.tool_id, based_on)
        row = await self._attachments.attach(permit, agent_id, tool.id)
        return json_answer({"attachment": row.to_json()}, 201, str(tool.revision))

    @endpoint("POST", f"{_OF_AGENT}/detach", _ATTACH, ToolDetached, **_HELD)
    async def _detach(self, permit: Caller, agent_id: str, based_on: BasedOn, body: AttachmentBody) -> Response:
        """Detach a tool."""
        return await self._detached(permit, agent_id, body.tool_id, based_on)

    @endpoint("DELETE", f"{_OF_AGENT}/{{tool_id}}", _ATTACH, ToolDetached, **_HELD)
    async def _detach_one(self, permit: Caller, agent_id: str, tool_id: str, based_on: BasedOn) -> Response:
        """Detach a tool."""
        return await self._detached(permit, agent_id, tool_id, based_on)

    @endpoint("POST", _COLLECTIONS, _EDIT, CollectionAttached, 201, tells_revision=True, decides_offers=True)
    async def _attach_collection(self, permit: Caller, agent_id: str, body: CollectionAttachmentBody) -> Response:
        """Attach a collection."""
        tool, row = await self._collections.attach(permit, agent_id, body.collection)
        return json_answer({"tool": tool.to_json(), "attachment": row.to_json()}, 201, str(tool.revision))

    @endpoint("POST", f"{_ONE}/test", _EDIT, TrialAnswer)
    async def _test(
        self, permit: Caller, tool_id: str, body: Annotated[TrialBody, Body(default_factory=TrialBody)]
    ) -> Response:
        """Call a tool, really."""
        return json_answer(await self._trials.run(permit.business_id, tool_id, body))

    async def _detached(self, permit: Permit, agent_id: str, tool_id: str, based_on: str | None) -> Response:
        tool = await self._tools.as_read(permit.business_id, tool_id, based_on)
        await self._attachments.detach(permit, agent_id, tool.id)
        return json_answer({"detached": True}, revision=str(tool.revision))

    async def _told(self, permit: Permit, tool: StoredTenantTool, status: int = 200) -> Response:
        advice = [finding.to_json() for finding in await self._advice.about(permit.business_id, tool)]
        body = {"tool": tool.to_json(), "findings": advice, "suggestedDeed": self._deed_of(tool)}
        return json_answer(body, status, str(tool.revision))

    def _deed_of(self, tool: StoredTenantTool) -> str | None:
        """Return what the words of a tool that acts say that it does."""
        try:
            definition = OwnTool(tool.tool).definition if tool.tool is not None else None
        except DefinitionError:
            return None
        if definition is None or definition.kind is not Kind.ACTION:
            return None
        return self._suggested(definition.name, definition.description)


def _parts(body: JsonObject) -> JsonObject:
    """Return what was sent without the revision that it is based on."""
    return {name: value for name, value in body.items() if name != "revision"}
