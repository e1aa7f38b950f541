"""Whichever outside calendar a business has: the vendor that it is with is asked, and those expected are ready."""

from typing import Any

import pytest

from switchboard.contract.business.business import Business, read_business
from switchboard.integrations.calendars import CalendarsByVendor


class Vendor:
    """A vendor that notes what it is asked."""

    def __init__(self, made: list[str], name: str) -> None:
        made.append(name)
        self.name, self.warmed, self.asked = name, 0, list[str]()

    async def warm(self) -> None:
        self.warmed += 1

    async def of(self, business: Business) -> Any:
        self.asked.append(business.id)
        return self.name


def business(calendar: str) -> Business:
    return read_business("salon", {"timezone": "UTC", "integrations": {calendar: {"isConnected": True}}})


@pytest.fixture
def made() -> list[str]:
    """Which vendors were loaded."""
    return []


def calendars(made: list[str], *expected: str) -> CalendarsByVendor:
    names = ("googleCalendar", "microsoftCalendar")
    return CalendarsByVendor({name: lambda name=name: Vendor(made, name) for name in names}, expected)  # type: ignore[misc]


async def test_a_vendor_is_loaded_when_the_first_business_needs_it(made):
    """And once."""
    found = calendars(made)
    await found.warm()
    assert made == []
    for _ in range(2):
        assert await found.of(business("microsoftCalendar")) == "microsoftCalendar"
    assert await found.of(business("builtinCalendar")) is None
    assert made == ["microsoftCalendar"]


@pytest.mark.parametrize("expected", [("microsoftCalendar",), ("googleCalendar", "microsoftCalendar")])
async def test_those_that_a_deployment_is_registered_with_are_ready_before_anybody_waits(made, expected):
    """The first caller of a business with Microsoft waits for no import, whether Google is registered or not."""
    await calendars(made, *expected).warm()
    assert made == list(expected)
