"""Where Pipedream is and who we are to it: one project of the deployment, in which each business is a user."""

from dataclasses import field
from typing import Literal, TypeAlias
from urllib.parse import quote

from switchboard.contract.business.business import Business
from switchboard.contract.python.dataclass import dataclass

INTEGRATION = "pipedream"
"""The connection's name in `businesses/{id}.integrations`."""
BASE_URL = "https://api.pipedream.com"

Environment: TypeAlias = Literal["development", "production"]
"""Accounts that were connected in one of them cannot be seen from the other."""


@dataclass(frozen=True, slots=True)
class PipedreamProject:
    """The project that the operator registered.

    Attributes:
        client_id: Of its OAuth client.
        client_secret: Of its OAuth client.
        project_id: `proj_` and what follows.
        environment: Which accounts it sees.
        base_url: Pipedream's own, or that of a stand-in.
    """

    client_id: str
    client_secret: str = field(repr=False)
    project_id: str
    environment: Environment = "production"
    base_url: str = BASE_URL

    @property
    def token_url(self) -> str:
        """Where tokens are given out."""
        return f"{self.base_url.rstrip('/')}/v1/oauth/token"

    def url(self, *parts: str) -> str:
        """Return the address of something in the project; parts may hold any text."""
        path = "/".join(quote(part, safe="") for part in (self.project_id, *parts))
        return f"{self.base_url.rstrip('/')}/v1/connect/{path}"


def user_of(business: Business) -> str:
    """Return a business's name as a user of the project, under which its accounts are connected and used.

    It comes from the business alone, so that no argument leads to somebody else's account.
    """
    return business.id


def component_key(action_key: str) -> str:
    """Return an action's key as Pipedream knows it; `gmail.action.send-email` (seed 002) is `gmail-send-email`."""
    app, is_written_so, name = action_key.strip().partition(".action.")
    return f"{app}-{name}" if is_written_so and app and name else action_key.strip()
