"""How an account is tried without changing anything, by toolkit: what owners press after they have set one up."""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Protocol

from switchboard.admin.toolkits.toolkits import Probe
from switchboard.contract.business.business import Business
from switchboard.contract.definitions.voice_platform import VoicePlatforms
from switchboard.contract.error import ErrorType, ToolError
from switchboard.contract.ports import PhoneAccounts


class MailAccount(Protocol):
    """A mail account that can be logged in to."""

    async def log_in(self) -> None:
        """Log in, and send nothing.

        Raises:
            ToolError: It cannot be done.
        """


class MailAccounts(Protocol):
    """The mail accounts of businesses."""

    async def of(self, business: Business) -> MailAccount | None:
        """Return a business's mail account, or None where it has none."""


class CheckedCalendars(Protocol):
    """The calendars of businesses at one vendor."""

    async def check(self, business: Business) -> None:
        """Try a business's account.

        Raises:
            ToolError: It cannot be used; best in words for its owner (`ToldToOwner`).
        """


def probes(
    phones: PhoneAccounts,
    mailers: MailAccounts,
    platforms: VoicePlatforms | None = None,
    calendars: Mapping[str, CheckedCalendars] | None = None,
) -> Mapping[str, Probe]:
    """Return by the toolkit's name what tries it; `calendars` are named so too."""

    async def twilio(business: Business) -> None:
        account = await phones.of(business)
        if account is None:
            raise _not_set_up()
        # Reads a list that is empty: nobody has a number whose country code is zero.
        await account.texts_to("+0", datetime.now(UTC))

    async def email(business: Business) -> None:
        account = await mailers.of(business)
        if account is None:
            raise _not_set_up()
        await account.log_in()

    async def vapi(business: Business) -> None:
        account = await platforms.of(business) if platforms else None
        if account is None:
            raise _not_set_up()
        await account.list_assistants()

    checked = {name: vendor.check for name, vendor in (calendars or {}).items()}
    return {"twilio": twilio, "email": email, **checked} | ({"vapi": vapi} if platforms else {})


def _not_set_up() -> ToolError:
    return ToolError(ErrorType.PERMANENT, "This account is not connected.")
