"""A business connected to the stand-in of a calendar's vendor, as if its owner had gone through the vendor's pages."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import aiohttp

from switchboard.contract.ports import Paths, Store
from switchboard.contract.store import Update
from switchboard.integrations.google_calendar import endpoints as google
from switchboard.integrations.microsoft_calendar import endpoints as microsoft
from switchboard.integrations.oauth.server import REFRESH_TOKEN
from switchboard.integrations.secrets.kms import LocalKeyKeeper
from switchboard.integrations.secrets.sealed_secrets import SealedSecrets


@dataclass(frozen=True)
class Vendor:
    """Whose calendar it is: the names of the connection and its toolkit, and what owners are asked for."""

    integration: str
    toolkit: str
    scopes: tuple[str, ...]


GOOGLE = Vendor(google.INTEGRATION, google.TOOLKIT, tuple(google.toolkit()["auth"]["scopes"]))
MICROSOFT = Vendor(microsoft.INTEGRATION, microsoft.TOOLKIT, tuple(microsoft.toolkit()["auth"]["scopes"]))


def connected(vendor: Vendor, **settings: Any) -> dict[str, Any]:
    """Return the integration as it stands in the business's document; `settings` are the calendar's own."""
    return {
        "isConnected": True,
        "needsReauth": False,
        "calendarId": "primary",
        "scopes": list(vendor.scopes),
        "connectedAt": datetime.now(UTC),
        **settings,
    }


async def connect(
    store: Store, paths: Paths, business_id: str, secrets_key: str, url: str, vendor: Vendor = GOOGLE, **settings: Any
) -> dict[str, Any]:
    """Connect a business that there is, or connect it once more, with a permission of its own.

    Args:
        store: Holds the business.
        paths: Where things are in it.
        business_id: Whose calendar it is.
        secrets_key: What the server reads its secrets with.
        url: The stand-in's.
        vendor: Whose it is.
        settings: More of the calendar's settings.

    Returns:
        The integration as it stands in the business's document now.
    """
    body = {"scopes": vendor.scopes}
    async with aiohttp.ClientSession() as http, http.post(f"{url}/_stand_in/grants", json=body) as answer:
        token = (await answer.json())["refreshToken"]
    return await connect_by(store, paths, business_id, secrets_key, token, vendor, **settings)


async def connect_by(
    store: Store,
    paths: Paths,
    business_id: str,
    secrets_key: str,
    token: str,
    vendor: Vendor = GOOGLE,
    **settings: Any,
) -> dict[str, Any]:
    """As `connect`, with a refresh token that was given already."""
    secrets = SealedSecrets(store, paths, LocalKeyKeeper.from_text(secrets_key))
    await secrets.keep(business_id, vendor.toolkit, REFRESH_TOKEN, token)
    integration = connected(vendor, **settings)
    await store.commit(
        [Update(paths.within(business_id).business, {f"integrations.{vendor.integration}": integration})]
    )
    return integration
