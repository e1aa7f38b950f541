"""Vendors that a tool brings with it: the business's own account, by the integration's name."""

from types import SimpleNamespace
from typing import Any

import pytest

from switchboard.app.container import build
from switchboard.app.settings import read_configuration
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


@pytest.mark.parametrize(("name", "hint"), [("wether", "is 'weather' meant?"), ("pidgeon", "there are sms, weather")])
async def test_what_no_folder_provides_is_our_own_mistake(name: str, hint: str):
    """No owner can connect it, so that the business is not said to have left it out; the log names what is meant."""
    with pytest.raises(ToolError, match="Something went wrong on our side") as caught:
        await Vendors(Weather(), ["weather", "sms"]).client(of(SALON), name)
    assert (caught.value.type, caught.value.retryable) == (ErrorType.INTERNAL, False)
    assert caught.value.detail.endswith(hint) and repr(name) in caught.value.detail


async def test_every_name_of_an_integration_finds_its_vendor():
    """The toolkit's and the one in a business's document."""
    house = build(read_configuration({}))
    assert {"googleCalendar", "google_calendar", "email"} <= {*house.integrations.names}
