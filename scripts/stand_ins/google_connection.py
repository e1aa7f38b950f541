"""A business connected to the stand-in for Google, as if its owner had gone through Google's pages."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import aiohttp

from switchboard.contract.ports import Paths, Store
from switchboard.contract.store import Update
from switchboard.integrations.google_calendar.endpoints import INTEGRATION, TOOLKIT, toolkit
from switchboard.integrations.key_keepers import LocalKeyKeeper
from switchboard.integrations.oauth.server import REFRESH_TOKEN
from switchboard.integrations.secrets import SealedSecrets

SCOPES: list[str] = toolkit()["auth"]["scopes"]


def connected(**settings: Any) -> dict[str, Any]:
    """Return the integration as it stands in the business's document; `settings` are the calendar's own."""
    return {
        "isConnected": True,
        "needsReauth": False,
        "calendarId": "primary",
        "scopes": SCOPES,
        "connectedAt": datetime.now(UTC),
        **settings,
    }


async def connect(
    store: Store, paths: Paths, business_id: str, secrets_key: str, url: str, **settings: Any
) -> dict[str, Any]:
    """Connect a business that there is, or connect it once more, with a permission of its own.

    Args:
        store: Holds the business.
        paths: Where things are in it.
        business_id: Whose calendar it is.
        secrets_key: What the server reads its secrets with.
        url: The stand-in's.
        settings: More of the calendar's settings.

    Returns:
        The integration as it stands in the business's document now.
    """
    async with aiohttp.ClientSession() as http, http.post(f"{url}/_stand_in/grants", json={"scopes": SCOPES}) as answer:
        token = (await answer.json())["refreshToken"]
    return await connect_by(store, paths, business_id, secrets_key, token, **settings)


async def connect_by(
    store: Store, paths: Paths, business_id: str, secrets_key: str, token: str, **settings: Any
) -> dict[str, Any]:
    """As `connect`, with a refresh token that was given already."""
    secrets = SealedSecrets(store, paths, LocalKeyKeeper.from_text(secrets_key))
    await secrets.keep(business_id, TOOLKIT, REFRESH_TOKEN, token)
    integration = connected(**settings)
    await store.commit([Update(paths.within(business_id).business, {f"integrations.{INTEGRATION}": integration})])
    return integration
