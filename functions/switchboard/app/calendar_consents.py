"""What connects businesses to calendars elsewhere by their owners' consent."""

from functools import cached_property
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from starlette.requests import Request
    from starlette.routing import Route

    from switchboard.admin.access.access import Access, Permit
    from switchboard.admin.audit.trail import AuditTrail
    from switchboard.admin.calendars.connection import CalendarConnection
    from switchboard.app.core import Core
    from switchboard.catalog.tenant_tools.toolkits import Toolkits


class CalendarConsents:
    """Builds it out of the core, when it is first needed."""

    def __init__(self, core: "Core", toolkits: "Toolkits", trail: "AuditTrail") -> None:
        """Build nothing yet."""
        self._core, self._toolkits, self._trail = core, toolkits, trail

    @cached_property
    def connections(self) -> "Mapping[str, CalendarConnection]":
        """What an owner's consent connects, by the vendor's name, where this deployment is registered with it."""
        from switchboard.admin.calendars.connection import VENDORS, CalendarConnection
        from switchboard.admin.calendars.connection_trail import ConnectionTrail

        core, connections = self._core, {}
        for vendor in VENDORS:
            toolkit, provided = self._toolkits.named(vendor.integration), core.integrations.vendor(vendor.integration)
            consent = provided.consent if provided is not None else None
            if toolkit is not None and consent is not None:
                trail = ConnectionTrail(core.store, core.paths, self._trail, toolkit, core.secrets.kept_since)
                connections[vendor.name] = CalendarConnection(vendor, trail, consent, core.clock, core.catalog.forget)
        return connections

    def routes(self, access: "Access") -> "list[Route]":
        """Return the routes by which owners connect, for whom `access` lets in."""
        from switchboard.admin.access.roles import Operation
        from switchboard.admin.calendars import connection_routes
        from switchboard.admin.calendars.connection import VENDORS
        from switchboard.channels.http.answer import refusal
        from switchboard.channels.http.credentials import Rejected

        async def permits(request: "Request", business_id: str | None) -> "Permit":
            return await access.permit(request, business_id, Operation.CONNECT)

        own_routes: list[Route] = []
        for vendor in VENDORS:
            connection = self.connections.get(vendor.name)
            own_routes += connection_routes.routes(vendor, connection, permits, refusal, Rejected)
        return own_routes
