"""The owners' HTTP API for what stands beside tenant tools: their secrets, and how they stand at Vapi."""

from starlette.responses import Response

from switchboard.admin.access.roles import Operation
from switchboard.admin.api.answer import json_answer
from switchboard.admin.api.endpoint import endpoint
from switchboard.admin.api.serving import BasedOn, Caller
from switchboard.admin.audit.revisions import NO_DOCUMENT
from switchboard.admin.tenant_tools.models import OwnSecretState, SecretBody, SecretNames
from switchboard.admin.tenant_tools.routes import GuardedEndpoints
from switchboard.admin.tenant_tools.secrets import SHORT, ToolSecrets
from switchboard.admin.vapi.models import VapiStatus
from switchboard.admin.vapi.reconciler import VapiReconciler
from switchboard.contract.definitions.redaction import is_short


class VapiEndpoints(GuardedEndpoints):
    """The endpoints."""

    _SEE, _EDIT, _CONNECT = Operation.SEE_SETUP, Operation.EDIT_TOOLS, Operation.CONNECT
    _EVERY, _ONE, _MIRROR = "/{business_id}/secrets", "/{business_id}/secrets/{name}", "/{business_id}/vapi"

    def __init__(self, secrets: ToolSecrets, reconciler: VapiReconciler) -> None:
        self._secrets, self._reconciler = secrets, reconciler

    @endpoint("GET", _EVERY, _SEE, SecretNames)
    async def _names(self, permit: Caller) -> Response:
        """List the names of the secrets."""
        listed = await self._secrets.names(permit.business_id)
        rows = [{"name": one.name, "since": one.since, "revision": one.revision} for one in listed]
        return json_answer({"secrets": rows})

    @endpoint("PUT", _ONE, _CONNECT, OwnSecretState, is_revisioned=True, may_go_without=True)
    async def _keep(self, permit: Caller, name: str, based_on: BasedOn, body: SecretBody) -> Response:
        """Enter a secret."""
        revision = await self._secrets.keep(permit, name, body.value, based_on)
        note = {"note": SHORT} if is_short(body.value) else {}
        return json_answer({"name": name, "isSet": True, **note}, revision=revision)

    @endpoint("DELETE", _ONE, _CONNECT, OwnSecretState, is_revisioned=True, may_go_without=True)
    async def _forget(self, permit: Caller, name: str, based_on: BasedOn) -> Response:
        """Remove a secret."""
        await self._secrets.forget(permit, name, based_on)
        return json_answer({"name": name, "isSet": False}, revision=NO_DOCUMENT)

    @endpoint("GET", _MIRROR, _SEE, VapiStatus)
    async def _status(self, permit: Caller) -> Response:
        """Compare with what Vapi has."""
        return json_answer((await self._reconciler.status(permit.business_id)).to_json())

    @endpoint("POST", f"{_MIRROR}/repair", _EDIT, VapiStatus)
    async def _repair(self, permit: Caller) -> Response:
        """Bring Vapi in line."""
        return json_answer((await self._reconciler.repair(permit)).to_json())
