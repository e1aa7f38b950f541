"""Limits of a month for one business: at how much somebody is warned, and at how much something stops.

They stand in `monthlyLimits` of the business's own document, `{isSet, unit: {warnAt, stopAt}}`, and not beside it:
what counts reads that document anyway, and they come and go with the business itself. No owner's edit reaches the
field: owners' fields are a list that it is not on, and documents of templates and seeds are refused with it. A backup
holds it, and a restoration writes only documents that are missing.
"""

from collections.abc import Iterator, Mapping
from decimal import Decimal
from typing import Any, Final, Literal, TypeAlias

from switchboard.admin.access.refusal import EntryProblem
from switchboard.admin.costs.price_list import PRICE, written
from switchboard.contract.business.month_stop import MONTHLY_UNITS, MonthlyUnit
from switchboard.contract.document import mapping
from switchboard.contract.json import JsonObject
from switchboard.contract.python.dataclass import dataclass

LIMITS_FIELD: Final = "monthlyLimits"
"""The field of a business's document."""
IS_SET: Final = "isSet"
MOST_UNITS: Final = 1_000_000_000_000
Reached: TypeAlias = Literal["nothing", "warning", "limit"]

UNIT_NAMES: Final[dict[MonthlyUnit, str]] = {
    "texts": "text messages, in segments",
    "phoneMinutes": "begun minutes on the phone",
    "modelTokens": "tokens that models read and wrote",
    "cost": "cost of what is known and priced",
}


@dataclass(frozen=True, slots=True)
class MonthlyLimit:
    """How much of one unit a month may have: whole numbers, or money; None where nobody has said."""

    warn_at: Decimal | None = None
    stop_at: Decimal | None = None

    def to_document(self, unit: MonthlyUnit) -> JsonObject:
        """Return it as it is stored and shown: whole numbers, and of a cost decimal text."""
        amounts = {"warnAt": self.warn_at, "stopAt": self.stop_at}
        known = {name: amount for name, amount in amounts.items() if amount is not None}
        return {name: written(amount) if unit == "cost" else int(amount) for name, amount in known.items()}


@dataclass(frozen=True, slots=True)
class LimitStanding:
    """How far a limit is used up in one month.

    Attributes:
        unit: Of what.
        used: How much was counted; None where it cannot be told, as of a cost without a price.
        limit: The limit.
    """

    unit: MonthlyUnit
    used: Decimal | None
    limit: MonthlyLimit

    @property
    def reached(self) -> Reached:
        """What the use has come to."""
        if self.used is None:
            return "nothing"
        if self.limit.stop_at is not None and self.used >= self.limit.stop_at:
            return "limit"
        return "warning" if self.limit.warn_at is not None and self.used >= self.limit.warn_at else "nothing"

    def to_json(self) -> JsonObject:
        """Return it as the admin API answers it; all amounts as decimal text."""
        amounts = {"used": self.used, "warnAt": self.limit.warn_at, "stopAt": self.limit.stop_at}
        texts = {name: None if amount is None else written(amount) for name, amount in amounts.items()}
        return {"unit": self.unit, "means": UNIT_NAMES[self.unit], **texts, "reached": self.reached}


def read_monthly_limits(value: Any) -> Mapping[MonthlyUnit, MonthlyLimit]:
    """Return what a document sets, by unit; what cannot be read of it limits nothing."""
    limits: dict[MonthlyUnit, MonthlyLimit] = {}
    for unit in MONTHLY_UNITS:
        amounts = mapping(mapping(value).get(unit))
        limit = MonthlyLimit(_amount(unit, amounts.get("warnAt")), _amount(unit, amounts.get("stopAt")))
        if limit != MonthlyLimit():
            limits[unit] = limit
    return limits


def stored_limits(limits: Mapping[MonthlyUnit, MonthlyLimit]) -> JsonObject:
    """Return limits as they are stored; a query finds them by one of their fields, which a map alone is not."""
    return {IS_SET: True, **shown_limits(limits)}


def shown_limits(limits: Mapping[MonthlyUnit, MonthlyLimit]) -> JsonObject:
    """Return limits as they are shown, in the order of the units."""
    return {unit: limits[unit].to_document(unit) for unit in MONTHLY_UNITS if unit in limits}


def limit_problems(fields: JsonObject, before: JsonObject) -> list[EntryProblem]:
    """Return what is wrong with limits among each other, each of which is one by itself; all of it."""
    return list(_contradictions(fields.get(LIMITS_FIELD)))


def _contradictions(value: Any) -> Iterator[EntryProblem]:
    for unit, limit in read_monthly_limits(value).items():
        if limit.warn_at is not None and limit.stop_at is not None and limit.warn_at > limit.stop_at:
            sentence = (
                f"{unit}.warnAt is {written(limit.warn_at)}, and it stops at {written(limit.stop_at)} already: nobody "
                "would be warned. Lower warnAt, or raise stopAt."
            )
            yield EntryProblem(f"{unit}.warnAt", sentence)


def _amount(unit: MonthlyUnit, value: Any) -> Decimal | None:
    if unit == "cost":
        return Decimal(value) if isinstance(value, str) and PRICE.fullmatch(value) else None
    is_whole = isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= MOST_UNITS
    return Decimal(value) if is_whole else None
