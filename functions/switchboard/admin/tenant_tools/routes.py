"""The owners' HTTP API for tenant tools, below `/api/{business_id}` (seed 002, the flows): tools and attachments."""

from collections.abc import Callable, Mapping
from dataclasses import replace

import orjson
from starlette.requests import Request
from starlette.responses import Response

from switchboard.admin.access.access import Permit
from switchboard.admin.access.refusal import EntryProblem, NotFound, NotValid, OutOfDate
from switchboard.admin.access.roles import Operation
from switchboard.admin.api.answer import answer_to, json_answer
from switchboard.admin.api.endpoint import Endpoint, Handle
from switchboard.admin.api.request_body import json_body, revisioned_body
from switchboard.admin.api.schemas import ANYTHING, FLAG, MAYBE_TEXT, MAYBE_TIME, TEXT, listed, record
from switchboard.admin.audit.revisions import NO_DOCUMENT
from switchboard.admin.definitions.schemas import FINDING
from switchboard.admin.tenant_tools.advice import Advice
from switchboard.admin.tenant_tools.attachments import Attachments
from switchboard.admin.tenant_tools.collection_tools import CollectionTools
from switchboard.admin.tenant_tools.record import Attachment, StoredTenantTool
from switchboard.admin.tenant_tools.tenant_tools import TenantTools
from switchboard.admin.tenant_tools.trial import FIELDS, ToolTrials
from switchboard.catalog.tenant_tools.config_parameters import MODES
from switchboard.catalog.tenant_tools.definition import OwnTool
from switchboard.contract.definitions.definition import Deed, DefinitionError, Kind, Repeat
from switchboard.contract.definitions.tenant_tool import Template, template_of
from switchboard.contract.error import ToolError
from switchboard.contract.json import JsonObject
from switchboard.contract.policy import OWNERS_ACTION_S
from switchboard.contract.store import StoreError

RESERVED = ("tools", "phone-number")
"""What begins the paths that vendors know; no business can be called so here."""
_LONGEST_WISH = 200

_COUNT: JsonObject = {"type": "integer", "minimum": 1}
_FIELDS: dict[str, JsonObject] = {
    **dict.fromkeys(("id", "name"), TEXT),
    **dict.fromkeys(("label", "description", "type", "externalToolId"), MAYBE_TEXT),
    **dict.fromkeys(("functionSchema", "staticConfig", "configMetadata", "data"), ANYTHING),
    **dict.fromkeys(("async", "executeOnCallStart", "attachToAgent", "enabled"), FLAG),
    **dict.fromkeys(("createdAt", "updatedAt"), MAYBE_TIME),
    "revision": _COUNT,
    **dict.fromkeys(("unfinished", "problem"), MAYBE_TEXT),
}
_TOOL = record(_FIELDS)
_ATTACHMENT = record(
    {
        "agentId": TEXT,
        "toolId": TEXT,
        "isVapiAttached": FLAG,
        "attachedAt": MAYBE_TIME,
        "unfinished": MAYBE_TEXT,
    }
)
_ATTACHED = record({**_FIELDS, "attachment": _ATTACHMENT})


def _part(of: str, told: str) -> JsonObject:
    """Return the schema of what one type of tool needs besides its parameters."""
    return {"type": "object", "description": f"Of {of}: {told}."}


def _removable(part: JsonObject) -> JsonObject:
    """Return the schema of a part that null takes out."""
    return part | {"type": ["object", "null"]} if part.get("type") == "object" else part


_CONFIG: JsonObject = {
    "type": "object",
    "description": "A ToolConfig: `params` by name, each with a mode, and what its type needs besides.",
    "required": ["type", "label"],
    "properties": {
        "type": {"enum": [t.value for t in Template] + ["apiRequest", "transferCall", "externalApp"]},
        **dict.fromkeys(("label", "name", "description"), TEXT),
        **dict.fromkeys(("async", "executeOnCallStart", "attachToAgent", "enabled"), FLAG),
        "callerNumber": {
            "enum": ["proven", "contact"],
            "description": "What {{caller_phone_number}} is: who is calling, or only where they are reached.",
        },
        "deed": {
            "enum": [deed.value for deed in Deed if deed is not Deed.UNNAMED],
            "description": "What its success lets an agent say was done; without it, what its words suggest.",
        },
        "repeat": {
            "enum": [repeat.value for repeat in Repeat],
            "description": "Within what the same call is done once: `turn` within a human turn, `session` within a "
            "conversation, `never` nowhere. Without it `turn`, and `never` for an mcp_tool whose `annotations` have "
            "`idempotentHint: true`.",
        },
        "timeoutMs": {
            "type": "integer",
            "minimum": 100,
            "maximum": int(OWNERS_ACTION_S * 1000),
            "description": "How long a caller waits for it, within the platform's greatest for the channel.",
        },
        "params": {
            "type": "object",
            "description": "By name: {mode: fixed, value}, {mode: ai, prompt, schema, required}, or {mode: "
            "array_extendable, fixedValues, aiExtension: {enabled, prompt, required}}.",
            "additionalProperties": {
                "type": "object",
                "required": ["mode"],
                "properties": {"mode": {"enum": [*MODES]}},
            },
        },
        "request": _part("api_request", "{method, url, headers, body, response}"),
        "from": _part("sms", "{type: called_number | specific_number, phone_number_id}"),
        "text": {"description": "Of sms: the text, or a parameter with its mode."},
        "recipients": {"description": "Of sms: the numbers, or a parameter with its mode."},
        "destination": _part("transfer_call", "{type: number | rule | agent, number, id or agentId, message}"),
        "knowledge": _part("query", "{type: knowledge_base | collection, collection, filters, fields, limit}"),
        "pipedreamMetadata": _part("pipedream_action", "{app, appName, accountId, actionKey, version}"),
    },
}
_REVISION: JsonObject = {"type": ["string", "integer"], "description": "The tool's, as it was read with it."}
_REPLACEMENT: JsonObject = {**_CONFIG, "properties": {**_CONFIG["properties"], "revision": _REVISION}}
_PATCH: JsonObject = {
    "type": "object",
    "description": "Parts of a ToolConfig, each as a whole; null takes one out.",
    "properties": {name: _removable(part) for name, part in _REPLACEMENT["properties"].items()},
}
_ONE = record({"tool": _TOOL, "findings": listed(FINDING), "suggestedDeed": MAYBE_TEXT})
_TRIAL: JsonObject = {"type": "object", "properties": {name: {} for name in FIELDS}, "additionalProperties": False}


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
        chosen = {"type": {**TEXT, "description": "Of this type only."}, "externalToolId": TEXT}
        data = "/{business_id}/agents/{agent_id}/collections"
        which = record({"toolId": TEXT, "revision": _REVISION}, ("revision",))
        named = record({"collection": TEXT})
        both = record({"tool": _TOOL, "attachment": _ATTACHMENT})
        attached, gone = record({"attachment": _ATTACHMENT}), record({"detached": FLAG})
        lists = record({"tools": listed(_ATTACHED), "available": listed(_TOOL)})
        own = [
            Endpoint("GET", every, see, "List the tools", self.all, record({"tools": listed(_TOOL)}), query=chosen),
            _telling(Endpoint("POST", every, edit, "Make a tool", self.create, _ONE, 201, body=_CONFIG)),
            _telling(Endpoint("GET", one, see, "Read a tool", self.one, _ONE)),
            _held(Endpoint("PATCH", one, edit, "Change parts of a tool", self.amend, _ONE, body=_PATCH)),
            _held(Endpoint("PUT", one, edit, "Replace a tool", self.replace, _ONE, body=_REPLACEMENT)),
            _held(Endpoint("DELETE", one, edit, "Delete a tool", self.delete, record({"deleted": FLAG}))),
            Endpoint("POST", f"{one}/test", edit, "Call a tool, really", self.test, ANYTHING, body=_TRIAL),
            Endpoint("GET", of_agent, see, "List an agent's tools", self.of_agent, lists),
            _held(Endpoint("POST", of_agent, attach, "Attach a tool", self.attach, attached, 201, body=which)),
            _held(
                Endpoint("POST", f"{of_agent}/attach", attach, "Attach a tool", self.attach, attached, 201, body=which)
            ),
            _held(Endpoint("POST", f"{of_agent}/detach", attach, "Detach a tool", self.detach, gone, body=which)),
            _held(Endpoint("DELETE", f"{of_agent}/{{tool_id}}", attach, "Detach a tool", self.detach, gone)),
            _telling(
                Endpoint("POST", data, edit, "Attach a collection", self.attach_collection, both, 201, body=named)
            ),
        ]
        return tuple(guarded(endpoint) for endpoint in own)

    async def all(self, request: Request, permit: Permit) -> Response:
        """List: `{tools}`."""
        query = request.query_params
        if query.get("type") and template_of(query["type"]) is None:
            raise NotValid([EntryProblem("type", f"type must be one of {', '.join(t.value for t in Template)}.")])
        found = await self._tools.all(
            permit.business_id, type=query.get("type", ""), external_id=query.get("externalToolId", "")
        )
        return json_answer({"tools": [kept.to_json() for kept in found]})

    async def create(self, request: Request, permit: Permit) -> Response:
        """Make a tool: 201 and `{tool}`; `Idempotency-Key` names the wish."""
        wish = request.headers.get("idempotency-key", "").strip()
        if len(wish) > _LONGEST_WISH:
            raise NotValid(
                [EntryProblem("Idempotency-Key", f"Idempotency-Key has at most {_LONGEST_WISH} characters.")]
            )
        return await self._told(permit, await self._tools.create(permit, await json_body(request), wish), 201)

    async def one(self, request: Request, permit: Permit) -> Response:
        """Read one: `{tool}`."""
        return await self._told(permit, await self._tools.one(permit.business_id, request.path_params["tool_id"]))

    async def amend(self, request: Request, permit: Permit) -> Response:
        """Change the top-level parts that are sent, each as a whole; null takes one out."""

        def amended(current: JsonObject, changes: Mapping[str, object]) -> JsonObject:
            # Each part as a whole: a parameter that is not sent any more is one that was taken out.
            return {name: value for name, value in {**current, **changes}.items() if value is not None}

        return await self._edited(request, permit, amended)

    async def replace(self, request: Request, permit: Permit) -> Response:
        """Replace the whole configuration."""
        return await self._edited(request, permit, lambda current, sent: dict(sent))

    async def delete(self, request: Request, permit: Permit) -> Response:
        """Delete: `{deleted: true}`."""
        _, based_on = await revisioned_body(request, is_counted=True)
        await self._tools.delete(permit, request.path_params["tool_id"], based_on)
        return json_answer({"deleted": True}, revision=NO_DOCUMENT)

    async def test(self, request: Request, permit: Permit) -> Response:
        """Call a tool in a session of its own: `{sessionId, note, response}`."""
        given = await json_body(request)
        return json_answer(await self._trials.run(permit.business_id, request.path_params["tool_id"], given))

    async def of_agent(self, request: Request, permit: Permit) -> Response:
        """List what an agent has, and what it could have: `{tools, available}`."""
        attached, free = await self._attachments.of(permit.business_id, request.path_params["agent_id"])
        rows = [kept.to_json() | {"attachment": row.to_json()} for kept, row in attached]
        return json_answer({"tools": rows, "available": [kept.to_json() for kept in free]})

    async def attach(self, request: Request, permit: Permit) -> Response:
        """Attach `{toolId}`: 201 and `{attachment}`; the revision is the tool's."""
        kept = await self._named(request, permit)
        row: Attachment = await self._attachments.attach(permit, request.path_params["agent_id"], kept.id)
        return json_answer({"attachment": row.to_json()}, 201, str(kept.revision))

    async def attach_collection(self, request: Request, permit: Permit) -> Response:
        """Attach `{collection}` by its query tool, which is made if there is none: 201 and `{tool, attachment}`."""
        given = (await json_body(request)).get("collection")
        if not isinstance(given, str) or not given:
            raise NotValid([EntryProblem("collection", "collection must be the name of one of your collections.")])
        kept, row = await self._collections.attach(permit, request.path_params["agent_id"], given)
        return json_answer({"tool": kept.to_json(), "attachment": row.to_json()}, 201, str(kept.revision))

    async def detach(self, request: Request, permit: Permit) -> Response:
        """Detach: `{detached: true}`; the revision is the tool's."""
        kept = await self._named(request, permit)
        await self._attachments.detach(permit, request.path_params["agent_id"], kept.id)
        return json_answer({"detached": True}, revision=str(kept.revision))

    async def _named(self, request: Request, permit: Permit) -> StoredTenantTool:
        """Return the tool that a request names by its path or body, as whoever sent it has read it."""
        body, based_on = await revisioned_body(request, is_counted=True)
        tool_id = request.path_params.get("tool_id") or body.get("toolId")
        if not isinstance(tool_id, str) or not tool_id:
            raise NotValid([EntryProblem("toolId", "toolId must be the id of one of your tools.")])
        return await self._tools.as_read(permit.business_id, tool_id, based_on)

    async def _edited(
        self, request: Request, permit: Permit, change: Callable[[JsonObject, JsonObject], JsonObject]
    ) -> Response:
        sent, based_on = await revisioned_body(request, is_counted=True)
        id = request.path_params["tool_id"]
        return await self._told(
            permit, await self._tools.edit(permit, id, lambda current: change(current, sent), based_on)
        )

    async def _told(self, permit: Permit, kept: StoredTenantTool, status: int = 200) -> Response:
        advice = [finding.to_json() for finding in await self._advice.about(permit.business_id, kept)]
        told = {"tool": kept.to_json(), "findings": advice, "suggestedDeed": self._deed_of(kept)}
        return json_answer(told, status, str(kept.revision))

    def _deed_of(self, kept: StoredTenantTool) -> str | None:
        """Return what the words of a tool that acts say that it does."""
        try:
            definition = OwnTool(kept.tool).definition if kept.tool is not None else None
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


def guarded(endpoint: Endpoint) -> Endpoint:
    """Return an endpoint that knows no business by a reserved name, and says why a vendor stands in the way."""
    return replace(endpoint, handle=_guarded(endpoint.handle))


def _guarded(handle: Handle) -> Handle:
    async def answered(request: Request, permit: Permit) -> Response:
        try:
            if permit.business_id in RESERVED:
                raise NotFound("There is no such business.")
            return await handle(request, permit)
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
