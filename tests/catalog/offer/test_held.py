"""An offer that calls are held against is kept for as long as it would be made in the same way."""

from dataclasses import replace
from typing import Any

import pytest

from switchboard.catalog.offer import held as module
from switchboard.catalog.offer.held import ForWhom, HeldOffer, HeldOffers
from switchboard.catalog.offer.inclusion import ALL_CLOSED
from switchboard.contract.cache import CachedValue
from switchboard.contract.channel import Channel

WHOM: ForWhom = ("demo-salon", Channel.PHONE, False, None, False, True, False)


class Surroundings:
    """What an offer's being current depends on."""

    def __init__(self) -> None:
        self.now, self.circuits = 100.0, ALL_CLOSED
        self.offers = HeldOffers(lambda: self.now, lambda business_id: self.circuits)

    def keep(self, whom: ForWhom = WHOM, *, definitions_until: float = 160, tenant_until: float = 160) -> HeldOffer:
        """Keep an offer for somebody; what it is matters to nobody here."""
        definitions: Any = CachedValue(None, 1, 100, definitions_until)
        nothing: Any = None
        made = HeldOffer(definitions, CachedValue(None, 1, 100, tenant_until), self.circuits, nothing, nothing)
        self.offers.keep(whom, made)
        return made


@pytest.fixture
def around() -> Surroundings:
    return Surroundings()


def test_it_is_there_for_whom_it_was_made_and_for_nobody_else(around: Surroundings) -> None:
    made = around.keep()
    assert around.offers.current(WHOM) is made
    others = ("other", Channel.PORTAL, True, "agent", True, False, True)
    for place, other in enumerate(others):
        assert around.offers.current((*WHOM[:place], other, *WHOM[place + 1 :])) is None  # type: ignore[arg-type]


@pytest.mark.parametrize("until", [{"definitions_until": 130.0}, {"tenant_until": 130.0}])
def test_it_is_over_when_any_of_what_it_was_made_from_is(around: Surroundings, until: dict[str, float]) -> None:
    made = around.keep(**until)
    around.now = 129.9
    assert around.offers.current(WHOM) is made
    around.now = 130.0
    assert around.offers.current(WHOM) is None


def test_it_is_over_when_an_integration_breaks_down_or_comes_back(around: Surroundings) -> None:
    around.keep()
    around.circuits = replace(ALL_CLOSED, open=frozenset({"google"}))
    assert around.offers.current(WHOM) is None
    made = around.keep()
    assert around.offers.current(WHOM) is made
    around.circuits = ALL_CLOSED
    assert around.offers.current(WHOM) is None


def test_no_more_are_held_than_there_is_room_for(around: Surroundings, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "OFFERS_KEPT", 3)
    for number in range(10):
        around.keep((f"business-{number}", *WHOM[1:]))
    there = [around.offers.current((f"business-{number}", *WHOM[1:])) for number in range(10)]
    assert 0 < sum(offer is not None for offer in there) <= 3
