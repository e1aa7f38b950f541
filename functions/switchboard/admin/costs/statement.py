"""A month's statement: a line for each thing that was used, with what it cost where a price is entered.

A month is priced by the prices of now, whenever it was: who enters a price once sees all months by it. Money is
decimal throughout. What nobody can know is told as unknown, beside what is known, and never as none.
"""

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from decimal import Decimal
from typing import Any

from switchboard.admin.costs.estimate import estimated_documents
from switchboard.admin.costs.items import UNITS, ItemName
from switchboard.admin.costs.monthly_limits import LimitStanding
from switchboard.admin.costs.price_list import PriceList, written
from switchboard.admin.costs.used import CONVERSATIONS, EMAILS, MODELS, TEXTS, TOOL_CALLS
from switchboard.contract.channel import Channel
from switchboard.contract.document import integer, mapping
from switchboard.contract.json import JsonObject, as_json
from switchboard.contract.python.dataclass import dataclass


@dataclass(frozen=True, slots=True)
class CostLine:
    """One thing that was used in a month.

    Attributes:
        item: What.
        of: Which of them, such as a tool or a model; empty where there is one.
        count: How many units; None where none is known.
        unknown: Of how many things (texts, calls, answers) nobody knows how many units they were.
        price: For `UNITS[item].per` units; None where none is entered.
    """

    item: ItemName
    of: str
    count: int | None
    unknown: int = 0
    price: Decimal | None = None

    @property
    def cost(self) -> Decimal | None:
        """What is known of it cost; None without a price, or without a count."""
        if self.price is None or self.count is None:
            return None
        return self.price * self.count / UNITS[self.item].per

    def to_json(self) -> JsonObject:
        """Return it as the admin API answers it; money as decimal text."""
        unit = UNITS[self.item]
        price, cost = (None if amount is None else written(amount) for amount in (self.price, self.cost))
        return as_json(self, unit=unit.unit, is_estimated=unit.is_estimated, per=unit.per, price=price, cost=cost)


@dataclass(frozen=True, slots=True)
class Statement:
    """A business's month.

    Attributes:
        business_id: Whose.
        name: The business's.
        month: `yyyy-mm`, by the business's calendar.
        timezone: Of that calendar, where it is known.
        lines: Of what was used, in the order of the items.
        currency: Of all prices; empty where none are entered.
        counted_since: Since when everything is counted (aware); None where nothing has been counted yet.
        counted_until: Up to when everything is counted by now; None there, too.
        is_counted_whole: Whether the month began after that.
        is_over: Whether the month has ended, and the last of it is counted.
        limits: How far the business's limits are used up, of the month of now.
    """

    business_id: str
    name: str
    month: str
    timezone: str
    lines: tuple[CostLine, ...]
    currency: str
    counted_since: datetime | None
    counted_until: datetime | None
    is_counted_whole: bool
    is_over: bool
    limits: tuple[LimitStanding, ...] = ()

    @property
    def cost(self) -> Decimal | None:
        """What the lines with a cost come to; None where there is none."""
        costs = [line.cost for line in self.lines if line.cost is not None]
        return sum(costs, Decimal()) if costs else None

    @property
    def is_whole(self) -> bool:
        """Whether the cost is that of everything: counted from the month's beginning, known, and priced."""
        return self.is_counted_whole and all(line.cost is not None and not line.unknown for line in self.lines)

    def to_json(self) -> JsonObject:
        """Return it as the admin API answers it."""
        cost = None if self.cost is None else written(self.cost)
        return as_json(self, cost=cost, is_whole=self.is_whole)


def lines_of(sums: Mapping[str, Any], prices: PriceList) -> tuple[CostLine, ...]:
    """Return the lines of a month's sums, each with its price."""
    return tuple(
        CostLine(line.item, line.of, line.count, line.unknown, prices.price_of(line.item, line.of))
        for line in _lines(sums)
    )


def _lines(sums: Mapping[str, Any]) -> Iterator[CostLine]:
    tools = mapping(sums.get(TOOL_CALLS))
    for name in sorted(tools, key=lambda name: (-integer(tools[name]), name)):
        yield CostLine("toolCalls", name, integer(tools[name]))
    texts, emails = mapping(sums.get(TEXTS)), mapping(sums.get(EMAILS))
    if texts:
        yield _partly_known("texts", integer(texts.get("segments")), texts)
    if emails:
        yield _partly_known("emails", integer(emails.get("count")), emails)
    conversations = mapping(sums.get(CONVERSATIONS))
    minutes: Sequence[tuple[ItemName, Channel]] = (
        ("phoneMinutes", Channel.PHONE),
        ("voiceMinutes", Channel.BROWSER_VOICE),
    )
    for item, channel in minutes:
        spoken = mapping(conversations.get(channel.value))
        if spoken:
            yield _partly_known(item, integer(spoken.get("minutes")), spoken)
    models = mapping(sums.get(MODELS))
    for model in sorted(models):
        used = mapping(models[model])
        yield _partly_known("modelInput", integer(used.get("input")), used, model, "answers")
        yield _partly_known("modelOutput", integer(used.get("output")), used, model, "answers")
    documents = estimated_documents(sums)
    if documents.reads or documents.writes or documents.deletes:
        yield CostLine("firestoreReads", "", documents.reads)
        yield CostLine("firestoreWrites", "", documents.writes)
        yield CostLine("firestoreDeletes", "", documents.deletes)


def _partly_known(item: ItemName, units: int, sums: Mapping[str, Any], of: str = "", things: str = "count") -> CostLine:
    """Return a line of what may be unknown in part; where all of it is, the count is no number."""
    unknown = max(0, integer(sums.get("unknown")))
    is_all_unknown = unknown > 0 and units == 0 and integer(sums.get(things)) in (0, unknown)
    return CostLine(item, of, None if is_all_unknown else units, unknown)
