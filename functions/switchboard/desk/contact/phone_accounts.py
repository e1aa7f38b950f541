"""The phone accounts of a house that has none."""

from switchboard.contract.business.business import Business
from switchboard.contract.ports import Telephony


class NoPhoneAccounts:
    """For a desk that is not connected to any phone network: texts are refused, and channels put calls through."""

    async def of(self, business: Business) -> Telephony | None:
        """Return None."""
        return None
