"""The owners' HTTP API for agents: `/businesses/{id}/agents…`, and what each sets for its toolkits."""

from starlette.requests import Request
from starlette.responses import Response

from switchboard.admin.access.access import Permit
from switchboard.admin.access.roles import Operation
from switchboard.admin.agents.agents import Agents
from switchboard.admin.agents.fields import FIELDS
from switchboard.admin.agents.toolkits import AgentToolkits
from switchboard.admin.api.answer import json_answer, saved_answer
from switchboard.admin.api.endpoint import Endpoint
from switchboard.admin.api.request_body import known_body, known_change, revisioned_body
from switchboard.admin.api.schemas import ANYTHING, FLAG, ROWS, TEXT, record
from switchboard.admin.toolkits.routes import CHANGE, PARTS, REMOVED, read_change
from switchboard.admin.toolkits.toolkits import ToolkitSettings
from switchboard.catalog.tenant_tools.toolkit import Toolkit
from switchboard.contract.business.limits import table
from switchboard.contract.json import JsonObject


class AgentEndpoints:
    """Shows agents, changes them, and sets up their toolkits.

    What an agent sets for a toolkit takes whoever may connect toolkits: another server there would be told the
    business's own password.
    """

    def __init__(self, agents: Agents, own: AgentToolkits, settings: ToolkitSettings) -> None:
        """Answer with what these do."""
        self._agents, self._own, self._settings = agents, own, settings

    @property
    def endpoints(self) -> tuple[Endpoint, ...]:
        """All of them."""
        base = "/businesses/{business_id}/agents"
        one, own = f"{base}/{{agent_id}}", f"{base}/{{agent_id}}/toolkits/{{name}}"
        see, edit, connect = Operation.SEE_SETUP, Operation.EDIT_AGENTS, Operation.CONNECT
        fields: JsonObject = dict.fromkeys(FIELDS, True)
        new = record({"id": TEXT, **fields}, ("id", *FIELDS))
        known = record({**fields, "revision": TEXT}, (*FIELDS, "revision"))
        change = record({"enabled": FLAG, **CHANGE, "revision": TEXT}, ("enabled", *PARTS, "revision"))
        remove, read_own = "Remove an agent, and what is attached to it", "Read an agent's own settings of a toolkit"
        set_own, back = "Change an agent's own settings of a toolkit", "Let an agent use the business's settings again"
        return (
            Endpoint("GET", base, see, "List the agents", self._all, record({"agents": ROWS, "limits": ANYTHING})),
            Endpoint("POST", base, edit, "Enter an agent", self._create, ANYTHING, 201, body=new),
            Endpoint("GET", one, see, "Read an agent", self._one, ANYTHING),
            Endpoint("PUT", one, edit, "Replace an agent", self._replace, ANYTHING, body=known, is_revisioned=True),
            Endpoint("PATCH", one, edit, "Change an agent", self._amend, ANYTHING, body=known, is_revisioned=True),
            Endpoint("DELETE", one, edit, remove, self._remove, REMOVED, is_revisioned=True),
            Endpoint("GET", own, see, read_own, self._toolkit, ANYTHING),
            Endpoint("PUT", own, connect, set_own, self._set_toolkit, ANYTHING, body=change, is_revisioned=True),
            Endpoint("DELETE", own, connect, back, self._remove_toolkit, REMOVED, is_revisioned=True),
        )

    async def _all(self, request: Request, permit: Permit) -> Response:
        return json_answer({"agents": await self._agents.all(permit.business_id), "limits": table()})

    async def _create(self, request: Request, permit: Permit) -> Response:
        found, saved = await self._agents.create(permit, await known_body(request, "id", *FIELDS))
        return saved_answer(found, saved, 201)

    async def _one(self, request: Request, permit: Permit) -> Response:
        found = await self._agents.one(permit.business_id, _agent(request))
        return json_answer(found, revision=found["revision"])

    async def _replace(self, request: Request, permit: Permit) -> Response:
        given, based_on = await known_change(request, *FIELDS)
        return saved_answer(*await self._agents.change(permit, _agent(request), based_on, lambda _: given))

    async def _amend(self, request: Request, permit: Permit) -> Response:
        given, based_on = await known_change(request, *FIELDS)
        return saved_answer(*await self._agents.change(permit, _agent(request), based_on, lambda now: now | given))

    async def _remove(self, request: Request, permit: Permit) -> Response:
        _, based_on = await revisioned_body(request)
        return saved_answer({"removed": True}, await self._agents.remove(permit, _agent(request), based_on))

    async def _toolkit(self, request: Request, permit: Permit) -> Response:
        found = await self._own.one(permit.business_id, _agent(request), self._named(request))
        return json_answer(found, revision=found["revision"])

    async def _set_toolkit(self, request: Request, permit: Permit) -> Response:
        toolkit, agent_id = self._named(request), _agent(request)
        change, rest, based_on = await read_change(request, "enabled")
        return saved_answer(*await self._own.change(permit, agent_id, toolkit, based_on, change, rest.get("enabled")))

    async def _remove_toolkit(self, request: Request, permit: Permit) -> Response:
        _, based_on = await revisioned_body(request)
        saved = await self._own.remove(permit, _agent(request), self._named(request), based_on)
        return saved_answer({"removed": True}, saved)

    def _named(self, request: Request) -> Toolkit:
        return self._settings.toolkit(request.path_params["name"])


def _agent(request: Request) -> str:
    agent_id: str = request.path_params["agent_id"]
    return agent_id
