"""Which outside system a tool of a business depends on: what a circuit, or an outage, takes away."""

from dataclasses import dataclass
from typing import Final

from switchboard.contract.business.business import Business
from switchboard.contract.definitions.definition import Definition

# They are our own store, whose outages the catalog knows by other means.
_BUILT_IN = frozenset({"builtinCalendar"})
# One name, and another server for each business.
_EACH_ITS_OWN: Final = frozenset({"email", "caldavCalendar"})
# Verification compares a caller with the appointments in the calendar (seed 004: it always travels with it).
_ON_THE_CALENDAR = frozenset({"calendar", "verification"})


@dataclass(frozen=True, slots=True)
class Circuits:
    """Which integrations of a business are in trouble.

    Attributes:
        open: They keep failing, and must not be called now.
        recovering: They may be tried again, but have not worked since.
        shared: Those of both that fail for several businesses, and so for all of them.
    """

    open: frozenset[str] = frozenset()
    recovering: frozenset[str] = frozenset()
    shared: frozenset[str] = frozenset()


ALL_CLOSED = Circuits()


def no_circuits(business_id: str) -> Circuits:
    """Return that nothing is in trouble, for a catalog that nobody tells about circuits."""
    return ALL_CLOSED


def integration_of(definition: Definition, business: Business | None) -> str | None:
    """Return what a tool of a business calls: an integration, or the host of an owner's service.

    None for a tool that stays inside the house.
    """
    name = definition.toolkit or definition.service
    if name is None and definition.category in _ON_THE_CALENDAR and business is not None:
        name = business.usable_calendar
    return None if not name or name in _BUILT_IN else name


def is_one_vendor(integration: str) -> bool:
    """Tell whether all businesses reach the same server, for the same purpose, under an integration's name.

    Under one host many owners have services of their own: a path that is broken says nothing about the others.
    """
    return integration not in _EACH_ITS_OWN and not is_owners_service(integration)


def is_owners_service(integration: str) -> bool:
    """Tell whether it is the host of a service that an owner's tool calls, rather than an integration of ours."""
    return "." in integration or ":" in integration
