"""Where Microsoft is, and what we ask owners for."""

import json
from pathlib import Path
from typing import Any

from switchboard.contract.json import JsonObject
from switchboard.contract.python.dataclass import dataclass
from switchboard.integrations.oauth.server import ServerAddresses

INTEGRATION = "microsoftCalendar"
"""The connection's name in `businesses/{id}.integrations`."""
TOOLKIT = "microsoft_calendar"
"""The toolkit's name, under which its secrets are kept."""
WRITE_SCOPE = "Calendars.ReadWrite"
"""What opens events; an answer may name it with Graph's address before it, or without."""


def toolkit() -> JsonObject:
    """Return the toolkit's metadata: what it is, how it is authorised, and the schema of its settings."""
    document: JsonObject = json.loads(Path(__file__).with_name("toolkit.json").read_text(encoding="utf-8"))
    return document


@dataclass(frozen=True, slots=True)
class MicrosoftEndpoints:
    """Where Graph and Microsoft's accounts are; `graph` is an absolute URL without a slash at its end."""

    graph: str
    server: ServerAddresses

    @classmethod
    def real(cls) -> "MicrosoftEndpoints":
        """Return Microsoft's own, as the toolkit names them."""
        auth: dict[str, Any] = toolkit()["auth"]
        return cls("https://graph.microsoft.com/v1.0", ServerAddresses(auth["authorizationUrl"], auth["tokenUrl"]))

    @classmethod
    def at(cls, base_url: str) -> "MicrosoftEndpoints":
        """Return those of a stand-in that serves all of them."""
        base = base_url.rstrip("/")
        accounts = f"{base}/common/oauth2/v2.0"
        return cls(f"{base}/v1.0", ServerAddresses(f"{accounts}/authorize", f"{accounts}/token"))
