"""When somebody is there, in local time: a weekly pattern and the days that differ; read tolerantly from a document."""

import re
from collections.abc import Mapping
from dataclasses import field
from datetime import date, time
from typing import Any

from switchboard.contract.document import read_objects
from switchboard.contract.python.dataclass import dataclass

WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_CLOCK = re.compile(r"^([01]\d|2[0-3]):([0-5]\d)$")
_DAY_OF_YEAR = re.compile(r"[0-9]{2}-[0-9]{2}")
# So that February 29 is a day.
_LEAP_YEAR = 2000


@dataclass(frozen=True, slots=True)
class Opening:
    """A stretch of opening time within one local day; `closes` may be 24:00, said as `time.max`."""

    opens: time
    closes: time


@dataclass(frozen=True, slots=True)
class WorkingHours:
    """When the business is open, in its own time zone: a weekly pattern and the days that differ.

    Attributes:
        weekly: By weekday, from Monday, 0, on.
        exceptions: By date, before all others.
        yearly: By month and day, of every year.
    """

    weekly: Mapping[int, tuple[Opening, ...]] = field(default_factory=dict)
    exceptions: Mapping[date, tuple[Opening, ...]] = field(default_factory=dict)
    yearly: Mapping[tuple[int, int], tuple[Opening, ...]] = field(default_factory=dict)

    @property
    def is_known(self) -> bool:
        """Whether the business has said when it is open at all."""
        return any(map(any, (self.weekly.values(), self.exceptions.values(), self.yearly.values())))

    def on(self, day: date) -> tuple[Opening, ...]:
        """Return the openings of one local day, earliest first; empty when closed."""
        if day in self.exceptions:
            return self.exceptions[day]
        return self.yearly.get((day.month, day.day), self.weekly.get(day.weekday(), ()))

    def is_special(self, day: date) -> bool:
        """Tell whether a local day is named itself, alone or every year."""
        return day in self.exceptions or (day.month, day.day) in self.yearly


def read_working_hours(data: Any, where: str, problems: list[str]) -> WorkingHours:
    """Return hours as a document has them; what cannot be used counts as closed and is named in `problems`.

    Args:
        data: Weekdays, and `exceptions` by date or, for every year, by month and day, each with openings; or None.
        where: What it is called in a problem, such as `workingHours`.
        problems: Takes what is wrong.
    """
    if data is not None and not isinstance(data, Mapping):
        problems.append(f"{where}: expected an object, found {type(data).__name__}")
        data = None
    data = data or {}
    weekly = {day: _openings(f"{where}.{name}", data.get(name), problems) for day, name in enumerate(WEEKDAYS)}
    exceptions, yearly = dict[date, tuple[Opening, ...]](), dict[tuple[int, int], tuple[Opening, ...]]()
    special = data.get("exceptions") or {}
    if not isinstance(special, Mapping):
        problems.append(f"{where}.exceptions: expected an object of dates")
        special = {}
    for text, value in special.items():
        openings = _openings(f"{where}.{text}", value, problems)
        try:
            if _DAY_OF_YEAR.fullmatch(text):
                day = date.fromisoformat(f"{_LEAP_YEAR}-{text}")
                yearly[day.month, day.day] = openings
            else:
                exceptions[date.fromisoformat(text)] = openings
        except ValueError:
            problems.append(f"{where}.exceptions: {text!r} is not a date such as 2026-12-24, nor 12-25 for every year")
    return WorkingHours(weekly, exceptions, yearly)


def _openings(where: str, value: Any, problems: list[str]) -> tuple[Opening, ...]:
    if value is None or value in ("closed", []):
        return ()
    openings = []
    for row in read_objects([value] if isinstance(value, Mapping) else value, where, problems):
        opens, closes = _clock(row.get("open")), _clock(row.get("close"))
        if opens is None or closes is None or opens >= closes:
            problems.append(
                f"{where}: needs open before close, as HH:MM (24:00 ends the day; hours past midnight belong to the "
                "next day, from 00:00)"
            )
            continue
        openings.append(Opening(opens, closes))
    return tuple(sorted(openings, key=lambda o: o.opens))


def _clock(text: Any) -> time | None:
    if text == "24:00":
        return time.max
    match = _CLOCK.match(text) if isinstance(text, str) else None
    return time(int(match[1]), int(match[2])) if match else None
