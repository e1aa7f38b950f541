"""Vendors that a tool brings with it: the business's own account, by the integration's name."""

from types import SimpleNamespace
from typing import Any

import pytest

from switchboard.contract.business.business import Business, read_business
from switchboard.contract.error import ErrorType, ToolError
from switchboard.desk.vendors import NoVendors, Vendors

SALON = read_business("salon", {"name": "Salon"})


class Weather:
    """A vendor that the salon alone has an account with."""

    async def account(self, name: str, business: Business) -> Any:
        return f"{name} of {business.id}" if business.id == "salon" else None


def of(business: Business) -> Any:
    """Return what a handler is called with, as far as it is looked at here."""
    return SimpleNamespace(business=business)


async def test_a_handler_gets_the_businesss_own_client():
    """By the call's business alone: no argument leads to somebody else's account."""
    assert await Vendors(Weather()).client(of(SALON), "weather") == "weather of salon"


@pytest.mark.parametrize("clients", [Weather(), NoVendors()])
async def test_what_is_not_connected_is_a_plain_no(clients: Any):
    """The model is told that it cannot be done, the log what is missing."""
    with pytest.raises(ToolError, match="has not connected what this needs") as caught:
        await Vendors(clients).client(of(read_business("dentist", {"name": "Dentist"})), "weather")
    assert caught.value.type is ErrorType.PERMANENT
    assert caught.value.detail == "integrations.weather is not connected"
