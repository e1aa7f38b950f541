"""Which of a business's limits of a month are reached, as whoever counts has noted it in the business's document.

`monthStop` is `{month, since: {unit: time}}`, and stands there only where limits are set. It is read with the document
that every call reads anyway, and names its month: as soon as that is over by the business's clock it holds no more,
whether or not anybody has counted since.
"""

from collections.abc import Mapping
from dataclasses import field
from datetime import datetime
from typing import Any, Final, Literal, TypeAlias, get_args
from zoneinfo import ZoneInfo

from switchboard.contract.channel import Channel
from switchboard.contract.document import mapping, moment, text
from switchboard.contract.json import JsonObject
from switchboard.contract.python.dataclass import dataclass

MonthlyUnit: TypeAlias = Literal["texts", "phoneMinutes", "modelTokens", "cost"]
MONTHLY_UNITS: Final[tuple[MonthlyUnit, ...]] = get_args(MonthlyUnit)
STOP_FIELD: Final = "monthStop"
"""The field of a business's document."""

_FOR_EVERYBODY: Final[frozenset[MonthlyUnit]] = frozenset({"modelTokens", "cost"})
_ON_THE_PHONE: Final[frozenset[MonthlyUnit]] = frozenset({"phoneMinutes"})


@dataclass(frozen=True, slots=True)
class MonthStop:
    """What is stopped in one month.

    Attributes:
        month: `yyyy-mm`, by the business's calendar; empty where nothing is noted.
        since: By unit, since when (aware).
    """

    month: str = ""
    since: Mapping[MonthlyUnit, datetime] = field(default_factory=dict)

    def units(self, now: datetime, zone: ZoneInfo) -> frozenset[MonthlyUnit]:
        """Return the units whose limit is reached; none in any other month than the one that is named."""
        if not self.since or month_of(now, zone) != self.month:
            return frozenset()
        return frozenset(self.since)

    def to_document(self) -> JsonObject:
        """Return it as the business's document keeps it."""
        return {"month": self.month, "since": dict(self.since)}


NO_STOP: Final = MonthStop()


def read_month_stop(value: Any) -> MonthStop:
    """Return what a document says; what cannot be read of it stops nothing."""
    if not isinstance(value, Mapping):
        return NO_STOP
    moments = {unit: moment(mapping(value.get("since")).get(unit)) for unit in MONTHLY_UNITS}
    return MonthStop(text(value.get("month")), {unit: at for unit, at in moments.items() if at is not None})


def month_of(now: datetime, zone: ZoneInfo) -> str:
    """Return the month of a moment by a calendar, `yyyy-mm`."""
    return f"{now.astimezone(zone):%Y-%m}"


def stop_conversations_on(channel: Channel) -> frozenset[MonthlyUnit]:
    """Return the units of which any that is used up lets no conversation begin on a channel."""
    return _FOR_EVERYBODY | _ON_THE_PHONE if channel is Channel.PHONE else _FOR_EVERYBODY
