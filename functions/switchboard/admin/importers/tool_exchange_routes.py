"""The owners' HTTP API for taking tools in and out: OpenAPI documents, bundles and exports."""

from typing import Annotated

from fastapi import Query
from starlette.responses import Response

from switchboard.admin.access.roles import Operation
from switchboard.admin.api.answer import json_answer
from switchboard.admin.api.endpoint import Endpoint
from switchboard.admin.api.serving import Caller
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


class ToolExchangeEndpoints:
    """The endpoints below `/admin/businesses/{business_id}/tools`."""

    def __init__(self, importing: Importing, bundles: BundleImport, exporting: Exporting) -> None:
        """Serve these operations."""
        self._importing, self._bundles, self._exporting = importing, bundles, exporting

    @property
    def endpoints(self) -> tuple[Endpoint, ...]:
        """All of them."""
        base, edit = "/businesses/{business_id}/tools", Operation.EDIT_TOOLS
        return (
            Endpoint(
                *("POST", f"{base}/import", edit, "List an OpenAPI document's operations, or make tools of some"),
                *(self._import, ApiListed | ApiTaken),
            ),
            Endpoint(
                *("POST", f"{base}/bundle", edit, "Tell what a bundle would change here, or take it in"),
                *(self._bundle, BundlePlan),
            ),
            Endpoint(
                *("GET", f"{base}/export", Operation.SEE_SETUP, "Export the business's own tools"),
                *(self._export, BundleExport | McpExport | OpenApiExport),
            ),
        )

    async def _import(self, permit: Caller, body: ApiImportBody) -> Response:
        if not body.chosen:
            return json_answer(await self._importing.look(permit.business_id, body.document, body.server))
        return json_answer(await self._importing.take(permit, body.document, body.chosen, body.server))

    async def _bundle(self, permit: Caller, body: BundleBody) -> Response:
        return json_answer(await self._bundles.run(permit, body.bundle, body.leave_out, is_dry=body.dry_run))

    async def _export(self, permit: Caller, query: Annotated[ExportQuery, Query()]) -> Response:
        return json_answer(await self._exporting.export(permit.business_id, query.form or "bundle"))
