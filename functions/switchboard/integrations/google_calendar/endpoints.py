"""Where Google is, and what we ask owners for."""

import json
from pathlib import Path
from typing import Any

from switchboard.contract.json import JsonObject
from switchboard.contract.python.dataclass import dataclass
from switchboard.integrations.oauth.server import ServerAddresses

INTEGRATION = "googleCalendar"
"""The connection's name in `businesses/{id}.integrations`."""
TOOLKIT = "google_calendar"
"""The toolkit's name, under which its secrets are kept."""

_SCOPE = "https://www.googleapis.com/auth/"
# The discovery document's own lists: `calendar.events` alone does not open free/busy.
FREE_BUSY_SCOPES = frozenset(
    _SCOPE + name for name in ("calendar", "calendar.readonly", "calendar.freebusy", "calendar.events.freebusy")
)
WRITE_SCOPES = frozenset(_SCOPE + name for name in ("calendar", "calendar.events", "calendar.events.owned"))


def toolkit() -> JsonObject:
    """Return the toolkit's metadata: what it is, how it is authorised, and the schema of its settings."""
    document: JsonObject = json.loads(Path(__file__).with_name("toolkit.json").read_text(encoding="utf-8"))
    return document


@dataclass(frozen=True, slots=True)
class GoogleEndpoints:
    """Where Google's calendar and accounts are; `calendar` ends with a slash, as the library wants it."""

    calendar: str
    server: ServerAddresses

    @classmethod
    def real(cls) -> "GoogleEndpoints":
        """Return Google's own, as the toolkit names them."""
        auth: dict[str, Any] = toolkit()["auth"]
        server = ServerAddresses(auth["authorizationUrl"], auth["tokenUrl"], auth["revocationUrl"])
        return cls("https://www.googleapis.com/calendar/v3/", server)

    @classmethod
    def at(cls, base_url: str) -> "GoogleEndpoints":
        """Return those of a stand-in that serves all of them."""
        base = base_url.rstrip("/")
        return cls(
            f"{base}/calendar/v3/", ServerAddresses(f"{base}/o/oauth2/v2/auth", f"{base}/token", f"{base}/revoke")
        )
