"""The owners' HTTP API for what stands beside tenant tools: their secrets, and how they stand at Vapi."""

from starlette.requests import Request
from starlette.responses import Response

from switchboard.admin.access.access import Permit
from switchboard.admin.access.roles import Operation
from switchboard.admin.api.answer import json_answer
from switchboard.admin.api.endpoint import Endpoint
from switchboard.admin.api.request_body import json_body
from switchboard.admin.api.schemas import COUNT, FLAG, MAYBE_TEXT, TEXT, TIME, listed, record
from switchboard.admin.tenant_tools.routes import guarded
from switchboard.admin.tenant_tools.secrets import ToolSecrets
from switchboard.admin.vapi.reconciler import VapiReconciler

_FINDING = record(
    {
        "deviation": TEXT,
        "words": TEXT,
        **dict.fromkeys(("toolId", "name", "externalToolId", "agentId", "assistantId", "problem"), MAYBE_TEXT),
    },
    optional=("problem",),
)
_STATUS = record(
    {
        "isConnected": FLAG,
        "tools": COUNT,
        "isInLine": FLAG,
        "findings": listed(_FINDING),
        "repaired": listed(_FINDING),
    }
)


class VapiEndpoints:
    """The endpoints."""

    def __init__(self, secrets: ToolSecrets, reconciler: VapiReconciler) -> None:
        """Serve these operations."""
        self._secrets, self._reconciler = secrets, reconciler

    @property
    def endpoints(self) -> tuple[Endpoint, ...]:
        """Return all of them."""
        see, edit, connect = Operation.SEE_SETUP, Operation.EDIT_TOOLS, Operation.CONNECT
        names = record({"secrets": listed(record({"name": TEXT, "since": TIME}))})
        every, one = "/{business_id}/secrets", "/{business_id}/secrets/{name}"
        value, kept = record({"value": TEXT}), record({"name": TEXT, "isSet": FLAG})
        own = [
            Endpoint("GET", every, see, "List the names of the secrets", self.names, names),
            Endpoint("PUT", one, connect, "Enter a secret", self.keep, kept, body=value),
            Endpoint("DELETE", one, connect, "Remove a secret", self.forget, kept),
            Endpoint("GET", "/{business_id}/vapi", see, "Compare with what Vapi has", self.status, _STATUS),
            Endpoint("POST", "/{business_id}/vapi/repair", edit, "Bring Vapi in line", self.repair, _STATUS),
        ]
        return tuple(guarded(endpoint) for endpoint in own)

    async def names(self, request: Request, permit: Permit) -> Response:
        """List: `{secrets: [{name, since}]}`."""
        found = await self._secrets.names(permit.business_id)
        return json_answer({"secrets": [{"name": name, "since": since} for name, since in found]})

    async def keep(self, request: Request, permit: Permit) -> Response:
        """Enter `{value}`: `{name, isSet: true}`."""
        name = request.path_params["name"]
        await self._secrets.keep(permit, name, (await json_body(request)).get("value"))
        return json_answer({"name": name, "isSet": True})

    async def forget(self, request: Request, permit: Permit) -> Response:
        """Remove: `{name, isSet: false}`."""
        name = request.path_params["name"]
        await self._secrets.forget(permit, name)
        return json_answer({"name": name, "isSet": False})

    async def status(self, request: Request, permit: Permit) -> Response:
        """Show what is not as it should be; nothing is changed."""
        return json_answer((await self._reconciler.status(permit.business_id)).to_json())

    async def repair(self, request: Request, permit: Permit) -> Response:
        """Bring in line what can be, and show what then is left."""
        return json_answer((await self._reconciler.repair(permit)).to_json())
