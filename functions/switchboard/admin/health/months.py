"""What of a business's month is nearly used up, or used up, as findings."""

from collections.abc import Mapping
from decimal import Decimal
from typing import Any, Final

from switchboard.admin.costs.month_stops import LimitStandings
from switchboard.admin.costs.monthly_limits import LimitStanding, Reached
from switchboard.admin.costs.price_list import written
from switchboard.admin.health.findings import HealthFinding
from switchboard.contract.business.month_stop import MonthlyUnit

_WHAT: Final[dict[Reached, str]] = {"warning": "month_nearly_used", "limit": "month_used_up"}
_UNITS: Final[dict[MonthlyUnit, str]] = {
    "texts": "segments of text messages",
    "phoneMinutes": "begun minutes on the phone",
    "modelTokens": "tokens of models",
    "cost": "the cost of what is known and priced",
}
_STOPPED: Final[dict[MonthlyUnit, str]] = {
    "texts": "callers are sent no text messages but codes",
    "phoneMinutes": "new phone calls are told how else the business is reached, or put through",
    "modelTokens": "new conversations are told how else the business is reached, or put through",
    "cost": "new conversations are told how else the business is reached, or put through",
}


async def about_month(months: LimitStandings, business_id: str, document: Mapping[str, Any]) -> list[HealthFinding]:
    """Return a finding for each limit of a business that is reached, or near enough for a warning."""
    month, standings = await months.of(business_id, document)
    return [
        HealthFinding(_WHAT[standing.reached], _told(standing, month))
        for standing in standings
        if standing.reached in _WHAT and standing.used is not None
    ]


def _told(standing: LimitStanding, month: str) -> str:
    unit, limit = standing.unit, standing.limit
    figures = (standing.used, limit.stop_at if limit.stop_at is not None else limit.warn_at)
    used, most = ("" if figure is None else _figure(unit, figure) for figure in figures)
    until = "an hour and a quarter" if unit == "texts" else "a quarter of an hour"
    stopped = f"; {_STOPPED[unit]}" if standing.reached == "limit" else ""
    return f"{_UNITS[unit]}: {used} of {most} in {month}, as counted up to {until} ago{stopped}"


def _figure(unit: MonthlyUnit, figure: Decimal) -> str:
    return written(figure) if unit == "cost" else f"{int(figure):,}"
