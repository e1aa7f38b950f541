"""What owners look at beside the records of conversations: why calls ended so, and what goes on just now."""

from switchboard.admin.access.access import Access
from switchboard.admin.api.endpoint import Endpoint
from switchboard.admin.conversations.live_routes import LiveEndpoints
from switchboard.admin.conversations.routes import ExplanationEndpoints
from switchboard.admin.conversations.what_if import WhatIf
from switchboard.app.core import Core
from switchboard.channels.http.credentials import Rejected


def looking_endpoints(core: Core, access: Access) -> tuple[Endpoint, ...]:
    """Return the endpoints that only look; streams ask `access` anew as they go on."""
    return (
        *ExplanationEndpoints(core.store, core.paths, core.catalog).endpoints,
        *LiveEndpoints(core.store, core.paths, core.clock, access, Rejected).endpoints,
        *WhatIf(core.catalog).endpoints,
    )
