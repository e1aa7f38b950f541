"""What connects businesses to calendars elsewhere by their owners' consent."""

from functools import cached_property
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from starlette.requests import Request

    from switchboard.admin.access.access import Access, Permit
    from switchboard.admin.api.endpoint import Endpoint
    from switchboard.admin.audit.trail import AuditTrail
    from switchboard.admin.calendars.connection import CalendarConnection, ConnectedVendor
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
        from switchboard.admin.calendars.connection import CalendarConnection
        from switchboard.admin.calendars.connection_trail import ConnectionTrail

        core, connections = self._core, {}
        for vendor in connected_vendors(self._toolkits):
            toolkit, provided = self._toolkits.named(vendor.integration), core.integrations.vendor(vendor.integration)
            consent = provided.consent if provided is not None else None
            if toolkit is not None and consent is not None:
                trail = ConnectionTrail(core.store, core.paths, self._trail, toolkit, core.secrets.kept_since)
                connections[vendor.name] = CalendarConnection(vendor, trail, consent, core.clock, core.catalog.forget)
        return connections

    def endpoints(self, access: "Access") -> "Iterator[Endpoint]":
        """Yield the endpoints by which owners connect, for whom `access` lets in."""
        from switchboard.admin.access.roles import Operation
        from switchboard.admin.calendars.connection_routes import ConnectionEndpoints
        from switchboard.channels.http.credentials import Rejected

        async def permits(request: "Request", business_id: str | None) -> "Permit":
            return await access.permit(request, business_id, Operation.CONNECT)

        for vendor in connected_vendors(self._toolkits):
            yield from ConnectionEndpoints(vendor, self.connections.get(vendor.name), permits, Rejected).endpoints


def connected_vendors(toolkits: "Toolkits") -> "Iterator[ConnectedVendor]":
    """Yield who keeps calendars that owners connect by their consent, as the vendors' folders say it."""
    from switchboard.admin.calendars.connection import ConnectedVendor
    from switchboard.integrations.registry import vendor_folders

    for folder in vendor_folders():
        toolkit = toolkits.named(folder.name) if folder.asks_owners and folder.provides == "calendar" else None
        if toolkit is not None:
            longest_id = toolkit.config_schema["properties"]["calendarId"]["maxLength"]
            own = (folder.integration, longest_id, folder.registered_by[0])
            yield ConnectedVendor(folder.vendor, folder.company, toolkit.display_name, *own)
