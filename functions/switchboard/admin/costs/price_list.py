"""What units cost: entered once, in one currency, as decimal text. What is not entered has no price."""

import re
from collections.abc import Mapping
from decimal import Decimal
from typing import Any, Final

from switchboard.admin.access.refusal import EntryProblem
from switchboard.admin.costs.items import UNITS, ItemName
from switchboard.contract.document import objects_of, text
from switchboard.contract.json import JsonObject
from switchboard.contract.python.dataclass import dataclass

MOST_PRICES: Final = 300
PRICE: Final = re.compile(r"[0-9]{1,9}(\.[0-9]{1,12})?")
CURRENCY: Final = re.compile(r"[A-Z]{3}")


@dataclass(frozen=True, slots=True)
class PriceList:
    """The prices of a deployment.

    Attributes:
        currency: Of all of them, ISO 4217; empty where none are entered.
        prices: By item and what it is for alone, or for all others where that is empty.
    """

    currency: str
    prices: Mapping[tuple[str, str], Decimal]

    def price_of(self, item: ItemName, of: str) -> Decimal | None:
        """Return what `UNITS[item].per` of an item cost; None where no price is entered."""
        own = self.prices.get((item, of))
        return own if own is not None else self.prices.get((item, ""))

    def to_json(self) -> JsonObject:
        """Return it as it is stored and shown: in the order of the items."""
        order: list[str] = list(UNITS)
        rows = sorted(self.prices, key=lambda key: (order.index(key[0]), key[1]))
        return {
            "currency": self.currency,
            "prices": [{"item": item, "of": of, "price": written(self.prices[item, of])} for item, of in rows],
        }


def price_list(document: Mapping[str, Any]) -> PriceList:
    """Return what a document says; what cannot be read in it has no price."""
    prices: dict[tuple[str, str], Decimal] = {}
    for row in objects_of(document.get("prices")):
        item, price = text(row.get("item")), text(row.get("price"))
        if item in UNITS and PRICE.fullmatch(price):
            prices[item, text(row.get("of"))] = Decimal(price)
    return PriceList(text(document.get("currency")), prices)


def problems_of(rows: list[JsonObject]) -> list[EntryProblem]:
    """Return what is wrong with prices among each other, each of which is one by itself; all of it."""
    problems = []
    met: set[tuple[str, str]] = set()
    for number, row in enumerate(rows):
        item, of = text(row.get("item")), text(row.get("of"))
        where, key = f"prices[{number}]", (item, of)
        if of and item in UNITS and not UNITS[item].of:
            problems.append(EntryProblem(f"{where}.of", f"There is one price of {item}: leave out what it is of."))
        if key in met:
            whose = f"{item} of {of}" if of else item
            problems.append(EntryProblem(where, f"There are two prices of {whose}: leave one."))
        met.add(key)
    return problems


def written(amount: Decimal) -> str:
    """Return an amount as decimal text, without an exponent and without zeros at its end."""
    spelt = f"{amount:f}"
    return spelt.rstrip("0").rstrip(".") if "." in spelt else spelt
