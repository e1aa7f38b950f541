"""Whichever outside calendar a business keeps its appointments in: one port over all the vendors."""

import asyncio
from collections.abc import Callable, Collection, Mapping
from typing import Protocol

from switchboard.contract.business.business import Business
from switchboard.contract.ports import Calendar


class VendorCalendars(Protocol):
    """The calendars of businesses at one vendor; failures are as the port `Calendars` has them."""

    async def warm(self) -> None:
        """Load what it needs before anyone waits for it; asks nobody."""

    async def of(self, business: Business) -> Calendar | None:
        """Return a business's calendar there, or None where it has none."""


class CalendarsByVendor:
    """Asks the vendor that the business's calendar is with; a vendor is loaded when the first business needs it."""

    def __init__(self, vendors: Mapping[str, Callable[[], VendorCalendars]], expected: Collection[str] = ()) -> None:
        """Make each of the vendors, by the name of its integration, once.

        `expected` are those that are loaded beforehand: with which this deployment is registered.
        """
        self._vendors, self._expected = vendors, expected
        self._made: dict[str, VendorCalendars] = {}

    async def warm(self) -> None:
        """Load what the expected vendors need; nothing is asked over the network."""
        await asyncio.gather(*(self._vendor(name).warm() for name in self._expected))

    async def of(self, business: Business) -> Calendar | None:
        """Return a business's outside calendar, or None where its bookings are its calendar.

        Raises:
            ToolError: As the vendor's: AUTH, it must be connected again; PERMANENT, it is set up wrongly.
        """
        name = business.calendar
        return await self._vendor(name).of(business) if name in self._vendors else None

    def _vendor(self, name: str) -> VendorCalendars:
        if name not in self._made:
            self._made[name] = self._vendors[name]()
        return self._made[name]
