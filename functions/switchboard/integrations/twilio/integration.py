"""Twilio as an integration: the businesses' accounts with the phone network."""

from datetime import UTC, datetime

from switchboard.contract.ports import Telephony
from switchboard.integrations.twilio.accounts import TwilioAccounts
from switchboard.integrations.vendor import Deployment, Vendor, probe_of


def open_vendor(deployment: Deployment) -> Vendor:
    """Return the accounts, and what tries one."""
    accounts = TwilioAccounts(deployment.secrets, deployment.settings.base_url, deployment.http)
    return Vendor(port=accounts, probe=probe_of(accounts, attempt), warm=accounts.warm, close=accounts.close)


async def attempt(account: Telephony) -> None:
    """Read a list that is empty: nobody has a number whose country code is zero."""
    await account.texts_to("+0", datetime.now(UTC))
