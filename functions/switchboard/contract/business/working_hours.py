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


@dataclass(frozen=True, slots=True)
class Opening:
    """A stretch of opening time within one local day; `closes` may be 24:00, said as `time.max`."""

    opens: time
    closes: time


@dataclass(frozen=True, slots=True)
class WorkingHours:
    """When the business is open, in its own time zone: a weekly pattern and the days that differ."""

    weekly: Mapping[int, tuple[Opening, ...]] = field(default_factory=dict)
    exceptions: Mapping[date, tuple[Opening, ...]] = field(default_factory=dict)

    @property
    def is_known(self) -> bool:
        """Whether the business has said when it is open at all."""
        return any(self.weekly.values()) or any(self.exceptions.values())

    def on(self, day: date) -> tuple[Opening, ...]:
        """Return the openings of one local day, earliest first; empty when closed."""
        if day in self.exceptions:
            return self.exceptions[day]
        return self.weekly.get(day.weekday(), ())


def read_working_hours(data: Any, where: str, problems: list[str]) -> WorkingHours:
    """Return hours as a document has them; what cannot be used counts as closed and is named in `problems`.

    Args:
        data: Weekdays, and `exceptions` by date, each with openings, or None.
        where: What it is called in a problem, such as `workingHours`.
        problems: Takes what is wrong.
    """
    if data is not None and not isinstance(data, Mapping):
        problems.append(f"{where}: expected an object, found {type(data).__name__}")
        data = None
    data = data or {}
    weekly = {day: _openings(f"{where}.{name}", data.get(name), problems) for day, name in enumerate(WEEKDAYS)}
    exceptions: dict[date, tuple[Opening, ...]] = {}
    special = data.get("exceptions") or {}
    if not isinstance(special, Mapping):
        problems.append(f"{where}.exceptions: expected an object of dates")
        special = {}
    for text, value in special.items():
        try:
            exceptions[date.fromisoformat(text)] = _openings(f"{where}.{text}", value, problems)
        except ValueError:
            problems.append(f"{where}.exceptions: {text!r} is not a date such as 2026-12-24")
    return WorkingHours(weekly, exceptions)


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
