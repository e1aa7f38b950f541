"""The owners' HTTP API for taking tools in and out: OpenAPI documents, bundles and exports."""

from starlette.requests import Request
from starlette.responses import Response

from switchboard.admin.access.access import Permit
from switchboard.admin.access.refusal import EntryProblem, NotValid
from switchboard.admin.access.roles import Operation
from switchboard.admin.api.answer import json_answer
from switchboard.admin.api.endpoint import Endpoint
from switchboard.admin.api.request_body import json_body
from switchboard.admin.api.schemas import ANYTHING, FLAG, TEXT, TEXTS
from switchboard.admin.importers.bundle_import import BundleImport
from switchboard.admin.importers.exporting import FORMS, Exporting
from switchboard.admin.importers.importing import Importing
from switchboard.contract.json import JsonObject

_IMPORT: JsonObject = {
    "type": "object",
    "required": ["document"],
    "properties": {
        "document": {"type": ["string", "object"], "description": "OpenAPI 3.0 or 3.1: JSON or YAML text, or JSON."},
        "chosen": {**TEXTS, "description": "Operations to make tools of; without it they are only listed."},
        "server": {**TEXT, "description": "Where the API is served, if not where the document says."},
    },
    "additionalProperties": False,
}
_BUNDLE: JsonObject = {
    "type": "object",
    "required": ["bundle"],
    "properties": {
        "bundle": {"type": ["object", "string"], "description": "As it was exported, or its text."},
        "dryRun": {**FLAG, "description": "False does it; otherwise it is only told what would happen."},
        "leaveOut": {**TEXTS, "description": "Names of tools that are not taken along."},
    },
    "additionalProperties": False,
}


class ToolExchangeEndpoints:
    """The endpoints below `/admin/businesses/{business_id}/tools`."""

    def __init__(self, importing: Importing, bundles: BundleImport, exporting: Exporting) -> None:
        """Serve these operations."""
        self._importing, self._bundles, self._exporting = importing, bundles, exporting

    @property
    def endpoints(self) -> tuple[Endpoint, ...]:
        """All of them."""
        base, edit = "/businesses/{business_id}/tools", Operation.EDIT_TOOLS
        form = {"as": {"enum": list(FORMS), "description": "In which form."}}
        return (
            Endpoint(
                *("POST", f"{base}/import", edit, "List an OpenAPI document's operations, or make tools of some"),
                *(self._import, ANYTHING),
                body=_IMPORT,
            ),
            Endpoint(
                *("POST", f"{base}/bundle", edit, "Tell what a bundle would change here, or take it in"),
                *(self._bundle, ANYTHING),
                body=_BUNDLE,
            ),
            Endpoint(
                *("GET", f"{base}/export", Operation.SEE_SETUP, "Export the business's own tools"),
                *(self._export, ANYTHING),
                query=form,
            ),
        )

    async def _import(self, request: Request, permit: Permit) -> Response:
        body = await _known(request, _IMPORT)
        document, server = body.get("document"), body.get("server")
        if "chosen" not in body:
            return json_answer(await self._importing.look(permit.business_id, document, server))
        return json_answer(await self._importing.take(permit, document, body["chosen"], server))

    async def _bundle(self, request: Request, permit: Permit) -> Response:
        body = await _known(request, _BUNDLE)
        is_dry = body.get("dryRun", True)
        if not isinstance(is_dry, bool):
            raise NotValid([EntryProblem("dryRun", "dryRun must be true or false.")])
        return json_answer(await self._bundles.run(permit, body.get("bundle"), body.get("leaveOut"), is_dry=is_dry))

    async def _export(self, request: Request, permit: Permit) -> Response:
        form = request.query_params.get("as", "bundle")
        return json_answer(await self._exporting.export(permit.business_id, form))


async def _known(request: Request, schema: JsonObject) -> JsonObject:
    """Return a body that has no fields but the known ones: a misspelled `dryRun` must not do what it should not."""
    body, known = await json_body(request), schema["properties"]
    wrong = [
        EntryProblem(name[:80], f"{name[:80]!r} is not known here; use {', '.join(known)}.")
        for name in body.keys() - known
    ]
    if wrong:
        raise NotValid(wrong)
    return body
