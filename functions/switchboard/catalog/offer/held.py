"""Offers that calls are held against, kept for as long as what they were made from is current."""

from collections.abc import Callable
from typing import Final, TypeAlias

from switchboard.catalog.definitions.definitions import DefinitionSet
from switchboard.catalog.offer.inclusion import Circuits
from switchboard.catalog.offer.offer import Offer
from switchboard.catalog.tenant_tools.tenant import Tenant
from switchboard.contract.cache import CachedValue
from switchboard.contract.channel import Channel
from switchboard.contract.python.dataclass import dataclass

OFFERS_KEPT: Final = 20_000

ForWhom: TypeAlias = tuple[str, Channel, bool, str | None, bool, bool, bool]
"""Business, channel, whether the caller is verified, who answers, whether before the first word, whether what tools ask
of the channel is done, whether for staff: all that an offer depends on but who calls whom."""


@dataclass(frozen=True, slots=True)
class HeldOffer:
    """An offer and what it was made from.

    Attributes:
        definitions: What was read of the tools.
        tenant: What was read of the business.
        circuits: The business's.
        set: The whole set, which a session that begins now is locked to.
        offer: What sessions on that set are offered.
    """

    definitions: CachedValue[DefinitionSet]
    tenant: CachedValue[Tenant | None]
    circuits: Circuits
    set: DefinitionSet
    offer: Offer


class HeldOffers:
    """The offers by whom they were made for."""

    def __init__(self, monotonic: Callable[[], float], circuits_of: Callable[[str], Circuits]) -> None:
        """Hold none yet."""
        self._monotonic, self._circuits_of = monotonic, circuits_of
        self._held: dict[ForWhom, HeldOffer] = {}

    def current(self, whom: ForWhom) -> HeldOffer | None:
        """Return an offer if it would be made in the same way now."""
        held = self._held.get(whom)
        if held is None or self._circuits_of(whom[0]) is not held.circuits:
            return None
        now = self._monotonic()
        return held if now < held.definitions.expires_at and now < held.tenant.expires_at else None

    def keep(self, whom: ForWhom, held: HeldOffer) -> None:
        """Keep an offer in the place of an earlier one."""
        if len(self._held) >= OFFERS_KEPT:
            self._held.clear()
        self._held[whom] = held
