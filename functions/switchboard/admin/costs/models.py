"""What is asked and answered about months and prices."""

from typing import Annotated, Literal, TypeAlias

from pydantic import Field

from switchboard.admin.api.models import (
    AnswerBody,
    Count,
    Moment,
    NextCursor,
    OneLine,
    Paging,
    QueryParameters,
    RequestBody,
    Revisioned,
    Whole,
    Wording,
)
from switchboard.admin.audit.models import Doer
from switchboard.admin.costs.items import ItemName
from switchboard.admin.costs.monthly_limits import MOST_UNITS, Reached
from switchboard.admin.costs.months import MONTH
from switchboard.admin.costs.price_list import CURRENCY, MOST_PRICES, PRICE
from switchboard.contract.business.month_stop import MonthlyUnit

Month: TypeAlias = Annotated[str, OneLine(7, form=MONTH), Wording("must be a year and a month, such as 2026-11.")]
Format: TypeAlias = Literal["json", "csv"]
_OF_NOW, _TABLE = "Now's where there is none.", "csv answers a row for each line as text/csv."
Amount: TypeAlias = Annotated[str, Field(description='Decimal text, such as "0.0079".')]


_PRICE = Wording('must be decimal text, such as "0.0079": all prices are in the one currency that is entered once.')
_CURRENCY = Wording("must be three capital letters, such as USD or EUR.")


class MonthQuery(QueryParameters):
    """Which month of a business, and how."""

    month: Month | None = Field(default=None, description=_OF_NOW)
    format: Format | None = Field(default=None, description=_TABLE)


class MonthsQuery(Paging):
    """Which month of all businesses, and how; as CSV, the next page's cursor is the header `Next-Cursor`."""

    month: Month | None = Field(default=None, description=_OF_NOW)
    format: Format | None = Field(default=None, description=_TABLE)


class CostLineShown(AnswerBody):
    """One thing that was used in a month."""

    item: ItemName
    of: str = Field(description="Which of them, such as a tool or a model; empty where there is one.")
    unit: str
    count: Count | None = Field(description="How many units; null where none is known.")
    unknown: Count = Field(description="Of how many things nobody knows how many units they were.")
    is_estimated: bool
    per: Count = Field(description="For so many units the price is.")
    price: Amount | None = Field(description="Null where none is entered.")
    cost: Amount | None


class LimitStandingShown(AnswerBody):
    """How far a limit of the month of now is used up."""

    unit: MonthlyUnit
    means: str = Field(description="What is counted, in words.")
    used: Amount | None = Field(description="Null where it cannot be told: a cost without any price.")
    warn_at: Amount | None
    stop_at: Amount | None
    reached: Reached = Field(description="What the use has come to: nothing, the warning, or the limit.")


class MonthStatement(AnswerBody):
    """What a business used in a month, and what that costs by the prices of now."""

    business_id: str
    name: str
    month: str
    timezone: str
    lines: list[CostLineShown]
    currency: str
    cost: Amount | None = Field(description="Of the lines that have one.")
    is_whole: bool = Field(description="Whether the cost is that of everything: counted whole, known and priced.")
    is_over: bool = Field(description="Whether the month has ended and all of it is counted.")
    counted_since: Moment | None
    counted_until: Moment | None
    is_counted_whole: bool = Field(description="Whether the month began after counting did.")
    limits: list[LimitStandingShown] = Field(description="Of the month of now; of any other none are told.")


class MonthStatementList(AnswerBody):
    """A month of a page of businesses, by id."""

    statements: list[MonthStatement]
    next_cursor: NextCursor


class PriceEntry(AnswerBody):
    """What a number of units cost: so many as the line's `per`."""

    item: ItemName
    of: str = Field(description="For this tool or model alone; empty: for all that have none of their own.")
    price: Amount


class PricesShown(AnswerBody):
    """All prices, in one currency."""

    currency: str
    prices: list[PriceEntry]
    revision: str
    updated_at: Moment | None
    updated_by: str


class EnteredPrice(RequestBody):
    """A price that is entered."""

    item: ItemName
    of: Annotated[str, OneLine(200)] = Field(default="", description="For this tool or model alone.")
    price: Annotated[str, OneLine(22, form=PRICE), _PRICE] = Field(description='Decimal text, such as "0.0079".')


class PricesBody(Revisioned):
    """All prices; they replace those that there are."""

    currency: Annotated[str, OneLine(3, form=CURRENCY), _CURRENCY] = Field(description="Of all of them, such as USD.")
    prices: list[EnteredPrice] = Field(max_length=MOST_PRICES)


class PriceSide(AnswerBody):
    """The prices before or after a change."""

    currency: str
    prices: list[PriceEntry]


class PriceChangeShown(AnswerBody):
    """A change of the prices."""

    id: str
    at: Moment
    who: Doer
    before: PriceSide
    after: PriceSide
    changes: list[str]


class PriceChangeList(AnswerBody):
    """A page of changes of the prices, the newest first."""

    changes: list[PriceChangeShown]
    next_cursor: NextCursor


Units: TypeAlias = Annotated[int, Whole(0, MOST_UNITS), Whole(0, MOST_UNITS).wording]
Money: TypeAlias = Annotated[
    str,
    OneLine(22, form=PRICE),
    Wording('must be decimal text, such as "40.00", in the currency of the prices.'),
]


class UnitLimit(RequestBody):
    """How many units a month may have."""

    warn_at: Units | None = Field(default=None, description="At so many, Health warns.")
    stop_at: Units | None = Field(default=None, description="At so many, it stops.")


class CostLimit(RequestBody):
    """How much a month may cost, of what is known and priced."""

    warn_at: Money | None = Field(default=None, description="At so much, Health warns.")
    stop_at: Money | None = Field(default=None, description="At so much, it stops.")


class LimitsOfMonth(RequestBody):
    """The limits of a business's month; a unit that is left out has none."""

    texts: UnitLimit | None = Field(default=None, description="Segments of texts; at the limit callers get none.")
    phone_minutes: UnitLimit | None = Field(default=None, description="At the limit no call is answered any more.")
    model_tokens: UnitLimit | None = Field(default=None, description="At the limit no conversation begins any more.")
    cost: CostLimit | None = Field(default=None, description="At the limit no conversation begins any more.")


class LimitsBody(Revisioned):
    """All limits of a business's month; they replace those that there are."""

    limits: LimitsOfMonth


class UnitLimitShown(AnswerBody):
    """How many units a month may have; what is not set is left out."""

    warn_at: Count | None = None
    stop_at: Count | None = None


class CostLimitShown(AnswerBody):
    """How much a month may cost; what is not set is left out."""

    warn_at: Amount | None = None
    stop_at: Amount | None = None


class LimitsOfMonthShown(AnswerBody):
    """The limits that are set."""

    texts: UnitLimitShown | None = None
    phone_minutes: UnitLimitShown | None = None
    model_tokens: UnitLimitShown | None = None
    cost: CostLimitShown | None = None


class LimitsShown(AnswerBody):
    """The limits of a business's month, how far they are used up, and what is stopped."""

    business_id: str
    month: str = Field(description="The month of now, by the business's calendar.")
    limits: LimitsOfMonthShown
    standings: list[LimitStandingShown]
    stopped: dict[MonthlyUnit, Moment] = Field(description="Since when what is stopped now, by unit.")
    revision: str
    may_edit: bool
