"""Which outside system a tool of a business depends on: what a circuit, or an outage, takes away."""

from dataclasses import dataclass

from switchboard.contract.business import Business
from switchboard.contract.definition import Definition

# They are our own store, whose outages the catalog knows by other means.
_BUILT_IN = frozenset({"builtinCalendar"})
# Verification compares a caller with the appointments in the calendar (seed 004: it always travels with it).
_ON_THE_CALENDAR = frozenset({"calendar", "verification"})


@dataclass(frozen=True, slots=True)
class Circuits:
    """Which integrations of a business are in trouble.

    Attributes:
        open: They keep failing, and must not be called now.
        recovering: They may be tried again, but have not worked since.
    """

    open: frozenset[str] = frozenset()
    recovering: frozenset[str] = frozenset()


ALL_CLOSED = Circuits()


def no_circuits(business_id: str) -> Circuits:
    """Return that nothing is in trouble, for a catalog that nobody tells about circuits."""
    return ALL_CLOSED


def integration_of(definition: Definition, business: Business | None) -> str | None:
    """Return the integration that a tool of a business calls; None for a tool that stays inside the house."""
    name = definition.toolkit
    if name is None and definition.category in _ON_THE_CALENDAR and business is not None:
        name = business.usable_calendar
    return None if not name or name in _BUILT_IN else name
