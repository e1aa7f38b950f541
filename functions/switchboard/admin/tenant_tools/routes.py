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
from switchboard.admin.api.endpoint import Endpoint, deciding
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


class TenantToolEndpoints:
    """The endpoints; `{business_id}` is the slug of seed 002."""

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

    @property
    def endpoints(self) -> tuple[Endpoint, ...]:
        """Return all of them."""
        every, one = "/{business_id}/tools", "/{business_id}/tools/{tool_id}"
        of_agent = "/{business_id}/agents/{agent_id}/tools"
        see, edit, attach = Operation.SEE_SETUP, Operation.EDIT_TOOLS, Operation.EDIT_AGENTS
        data = "/{business_id}/agents/{agent_id}/collections"
        trial = Endpoint("POST", f"{one}/test", edit, "Call a tool, really", self._test, TrialAnswer)
        own = [
            Endpoint("GET", every, see, "List the tools", self._all, ToolList),
            _telling(Endpoint("POST", every, edit, "Make a tool", self._create, ToolAnswer, 201)),
            _telling(Endpoint("GET", one, see, "Read a tool", self._one, ToolAnswer)),
            _held(Endpoint("PATCH", one, edit, "Change parts of a tool", self._amend, ToolAnswer)),
            _held(Endpoint("PUT", one, edit, "Replace a tool", self._replace, ToolAnswer)),
            _held(Endpoint("DELETE", one, edit, "Delete a tool", self._delete, ToolDeleted)),
            Endpoint("GET", of_agent, see, "List an agent's tools", self._of_agent, AgentTools),
            _held(Endpoint("POST", of_agent, attach, "Attach a tool", self._attach, ToolAttached, 201)),
            _held(Endpoint("POST", f"{of_agent}/attach", attach, "Attach a tool", self._attach, ToolAttached, 201)),
            _held(Endpoint("POST", f"{of_agent}/detach", attach, "Detach a tool", self._detach, ToolDetached)),
            _held(
                Endpoint("DELETE", f"{of_agent}/{{tool_id}}", attach, "Detach a tool", self._detach_one, ToolDetached)
            ),
            _telling(
                Endpoint("POST", data, edit, "Attach a collection", self._attach_collection, CollectionAttached, 201)
            ),
        ]
        return tuple(guarded(one) for one in (*deciding(*own), trial))

    async def _all(self, permit: Caller, query: Annotated[ToolQuery, Query()]) -> Response:
        tools = await self._tools.all(
            permit.business_id, type=query.type or "", external_id=query.external_tool_id or ""
        )
        return json_answer({"tools": [tool.to_json() for tool in tools]})

    async def _create(
        self,
        permit: Caller,
        config: Annotated[JsonObject, Described(AnyToolBody), Body()],
        wish: Annotated[str, Header(alias="Idempotency-Key", max_length=_LONGEST_WISH, description=_WISH)] = "",
    ) -> Response:
        return await self._told(permit, await self._tools.create(permit, config, wish.strip()), 201)

    async def _one(self, permit: Caller, tool_id: str) -> Response:
        return await self._told(permit, await self._tools.one(permit.business_id, tool_id))

    async def _amend(
        self,
        permit: Caller,
        tool_id: str,
        based_on: BasedOn,
        patch: Annotated[JsonObject, Described(ToolPatch), Body(default_factory=dict)],
    ) -> Response:
        def amended(current: JsonObject) -> JsonObject:
            # Each part as a whole: a parameter that is not sent any more is one that was taken out.
            return {name: value for name, value in {**current, **_parts(patch)}.items() if value is not None}

        return await self._told(permit, await self._tools.edit(permit, tool_id, amended, based_on))

    async def _replace(
        self,
        permit: Caller,
        tool_id: str,
        based_on: BasedOn,
        config: Annotated[JsonObject, Described(AnyToolReplacement), Body()],
    ) -> Response:
        return await self._told(
            permit, await self._tools.edit(permit, tool_id, lambda current: _parts(config), based_on)
        )

    async def _delete(self, permit: Caller, tool_id: str, based_on: BasedOn) -> Response:
        await self._tools.delete(permit, tool_id, based_on)
        return json_answer({"deleted": True}, revision=NO_DOCUMENT)

    async def _test(
        self, permit: Caller, tool_id: str, body: Annotated[TrialBody, Body(default_factory=TrialBody)]
    ) -> Response:
        return json_answer(await self._trials.run(permit.business_id, tool_id, body))

    async def _of_agent(self, permit: Caller, agent_id: str) -> Response:
        attached, free = await self._attachments.of(permit.business_id, agent_id)
        rows = [tool.to_json() | {"attachment": row.to_json()} for tool, row in attached]
        return json_answer({"tools": rows, "available": [tool.to_json() for tool in free]})

    async def _attach(self, permit: Caller, agent_id: str, based_on: BasedOn, body: AttachmentBody) -> Response:
        tool = await self._tools.as_read(permit.business_id, body.tool_id, based_on)
        row = await self._attachments.attach(permit, agent_id, tool.id)
        return json_answer({"attachment": row.to_json()}, 201, str(tool.revision))

    async def _attach_collection(self, permit: Caller, agent_id: str, body: CollectionAttachmentBody) -> Response:
        tool, row = await self._collections.attach(permit, agent_id, body.collection)
        return json_answer({"tool": tool.to_json(), "attachment": row.to_json()}, 201, str(tool.revision))

    async def _detach(self, permit: Caller, agent_id: str, based_on: BasedOn, body: AttachmentBody) -> Response:
        return await self._detached(permit, agent_id, body.tool_id, based_on)

    async def _detach_one(self, permit: Caller, agent_id: str, tool_id: str, based_on: BasedOn) -> Response:
        return await self._detached(permit, agent_id, tool_id, based_on)

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


def _telling(endpoint: Endpoint) -> Endpoint:
    return replace(endpoint, tells_revision=True)


def _held(endpoint: Endpoint) -> Endpoint:
    # Seed 002 shows its requests without a revision, so that none is asked for.
    return replace(endpoint, is_revisioned=True, may_go_without=True)


def _parts(body: JsonObject) -> JsonObject:
    """Return what was sent without the revision that it is based on."""
    return {name: value for name, value in body.items() if name != "revision"}


def guarded(endpoint: Endpoint) -> Endpoint:
    """Return an endpoint that knows no business by a reserved name, and says why a vendor stands in the way."""
    return replace(endpoint, handle=_guarded(endpoint.handle))


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
