"""The owners' HTTP API for what stands beside tenant tools: their secrets, and how they stand at Vapi."""

from functools import partial

from starlette.responses import Response

from switchboard.admin.access.roles import Operation
from switchboard.admin.api.answer import json_answer
from switchboard.admin.api.endpoint import Endpoint
from switchboard.admin.api.serving import BasedOn, Caller
from switchboard.admin.audit.revisions import NO_DOCUMENT
from switchboard.admin.tenant_tools.models import OwnSecretState, SecretBody, SecretNames
from switchboard.admin.tenant_tools.routes import guarded
from switchboard.admin.tenant_tools.secrets import SHORT, ToolSecrets
from switchboard.admin.vapi.models import VapiStatus
from switchboard.admin.vapi.reconciler import VapiReconciler
from switchboard.contract.definitions.redaction import is_short


class VapiEndpoints:
    """The endpoints."""

    def __init__(self, secrets: ToolSecrets, reconciler: VapiReconciler) -> None:
        self._secrets, self._reconciler = secrets, reconciler

    @property
    def endpoints(self) -> tuple[Endpoint, ...]:
        """Return all of them."""
        holding = partial(Endpoint, is_revisioned=True, may_go_without=True)
        see, edit, connect = Operation.SEE_SETUP, Operation.EDIT_TOOLS, Operation.CONNECT
        every, one = "/{business_id}/secrets", "/{business_id}/secrets/{name}"
        own = [
            Endpoint("GET", every, see, "List the names of the secrets", self._names, SecretNames),
            holding("PUT", one, connect, "Enter a secret", self._keep, OwnSecretState),
            holding("DELETE", one, connect, "Remove a secret", self._forget, OwnSecretState),
            Endpoint("GET", "/{business_id}/vapi", see, "Compare with what Vapi has", self._status, VapiStatus),
            Endpoint("POST", "/{business_id}/vapi/repair", edit, "Bring Vapi in line", self._repair, VapiStatus),
        ]
        return tuple(guarded(endpoint) for endpoint in own)

    async def _names(self, permit: Caller) -> Response:
        listed = await self._secrets.names(permit.business_id)
        rows = [{"name": one.name, "since": one.since, "revision": one.revision} for one in listed]
        return json_answer({"secrets": rows})

    async def _keep(self, permit: Caller, name: str, based_on: BasedOn, body: SecretBody) -> Response:
        revision = await self._secrets.keep(permit, name, body.value, based_on)
        note = {"note": SHORT} if is_short(body.value) else {}
        return json_answer({"name": name, "isSet": True, **note}, revision=revision)

    async def _forget(self, permit: Caller, name: str, based_on: BasedOn) -> Response:
        await self._secrets.forget(permit, name, based_on)
        return json_answer({"name": name, "isSet": False}, revision=NO_DOCUMENT)

    async def _status(self, permit: Caller) -> Response:
        return json_answer((await self._reconciler.status(permit.business_id)).to_json())

    async def _repair(self, permit: Caller) -> Response:
        return json_answer((await self._reconciler.repair(permit)).to_json())
