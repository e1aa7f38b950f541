"""What an integration is given by the deployment, and what its folder gives back.

A folder's `integration.py` has one function, `open_vendor(deployment) -> Vendor`. It is imported when a business first
needs the vendor; a vendor's own SDK is imported later still, by the first request.
"""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import field
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

from switchboard.contract.business.business import Business
from switchboard.contract.error import ErrorType, ToolError
from switchboard.contract.ports import Clock
from switchboard.contract.python.dataclass import dataclass

if TYPE_CHECKING:
    from switchboard.integrations.http_session import HttpSession
    from switchboard.integrations.oauth.consent import OwnerConsent
    from switchboard.integrations.oauth.server import OAuthClient
    from switchboard.integrations.secrets.sealed_secrets import SealedSecrets

Probe: TypeAlias = Callable[[Business], Awaitable[None]]
"""Tries a business's account without changing anything. Raises `ToolError` where it cannot be used; `ToldToOwner` where
it knows what the owner can do about it."""


class VendorAccounts(Protocol):
    """The accounts of businesses with one vendor."""

    async def of(self, business: Business) -> Any:
        """Return the client of a business's account, or None where it has connected none.

        Raises:
            ToolError: AUTH, it must be connected again; PERMANENT, a setting cannot work.
        """


@dataclass(frozen=True, slots=True)
class VendorSettings:
    """What the operator of a deployment has set about a vendor.

    Attributes:
        base_url: `SWITCHBOARD_<VENDOR>_BASE_URL`: what stands in for it on this machine; None for the real one.
        stand_in: `SWITCHBOARD_<VENDOR>_STAND_IN`: likewise host and port, where it is not spoken to over HTTP.
        values: What its `toolkit.json` asks of the operator, by name; empty where nothing of it is set.
    """

    base_url: str | None = None
    stand_in: tuple[str, int] | None = None
    values: Mapping[str, str] = field(default_factory=dict, repr=False)


@dataclass(frozen=True, slots=True)
class Deployment:
    """What a vendor's client is made of.

    Attributes:
        http: Sends requests to addresses that are ours to choose.
        secrets: What businesses keep secret.
        clock: The time.
        settings: What the operator has set about this vendor.
        callback_url: Where an owner's consent comes back to.
        own_urls: Where this deployment is reached, which requests to owners' addresses must not reach.
        stand_ins: `host:port` of servers on this machine that such requests may reach all the same.
    """

    http: "HttpSession"
    secrets: "SealedSecrets"
    clock: Clock
    settings: VendorSettings = VendorSettings()
    callback_url: str = ""
    own_urls: tuple[str, ...] = ()
    stand_ins: tuple[str, ...] = ()

    @property
    def oauth_client(self) -> "OAuthClient | None":
        """What the operator registered with the vendor, as `CLIENT_ID` and `CLIENT_SECRET`; None without."""
        from switchboard.integrations.oauth.server import OAuthClient

        values = self.settings.values
        return OAuthClient(values["CLIENT_ID"], values["CLIENT_SECRET"], self.callback_url) if values else None


async def nothing() -> None:
    """Do nothing, for a vendor that has nothing to load or to let go of."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Vendor:
    """What a vendor's folder gives the house.

    Attributes:
        port: What the house calls: the accounts of businesses (`VendorAccounts`), in the shape of the port that
            `provides` of the `toolkit.json` names. None where this deployment is not registered with the vendor.
        probe: Tries an account, for the owner who has set it up; None where it cannot be tried.
        choices: Lists what owners choose from, in the shape that their pages ask for; None without any.
        consent: Asks owners for their consent; None where secrets are typed in, or nobody registered.
        warm: Loads what is slow to load, before anyone waits for it; asks nobody.
        close: Lets go of connections of its own.
    """

    port: Any
    probe: Probe | None = None
    choices: Any = None
    consent: "OwnerConsent | None" = None
    warm: Callable[[], Awaitable[None]] = nothing
    close: Callable[[], Awaitable[None]] = nothing


def probe_of(accounts: VendorAccounts, attempt: Callable[[Any], Awaitable[object]]) -> Probe:
    """Return a probe that makes an attempt with a business's account, and fails where the business has none."""

    async def probe(business: Business) -> None:
        account = await accounts.of(business)
        if account is None:
            raise ToolError(ErrorType.PERMANENT, "This account is not connected.")
        await attempt(account)

    return probe
