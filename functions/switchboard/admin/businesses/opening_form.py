"""Hours as owners enter them, of a business or of one of its people, checked strictly."""

from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import Any

from switchboard.admin.access.refusal import EntryProblem
from switchboard.contract.business.names import nearest
from switchboard.contract.business.working_hours import WEEKDAYS, read_working_hours

_EXCEPTIONS = 400
_OPENING = ("open", "close")


def hours_problems(place: str, value: Any) -> Iterator[EntryProblem]:
    """Yield everything that is wrong with hours; `place` is what they are called, such as `workingHours`."""
    if value is None:
        return
    if not isinstance(value, Mapping):
        yield EntryProblem(place, f"{place} must be an object with a weekday each.")
        return
    for name in value:
        if name not in (*WEEKDAYS, "exceptions"):
            meant = nearest(str(name), WEEKDAYS)
            asked = f" Did you mean {meant}?" if meant else ""
            sentence = f"{str(name)[:60]!r} is no weekday.{asked} Use {', '.join(WEEKDAYS)}."
            at = f"{place}.{meant}" if meant else ""
            yield EntryProblem(f"{place}.{name}", sentence, is_unknown=True, meant=at)
    special = value.get("exceptions")
    if isinstance(special, Mapping) and len(special) > _EXCEPTIONS:
        yield EntryProblem(f"{place}.exceptions", f"{place}.exceptions may name {_EXCEPTIONS} days at most.")
    rows = [*value.items(), *((f"exceptions.{day}", day_rows) for day, day_rows in _mapping(special).items())]
    for day, openings_of_day in rows:
        yield from _unknown_of_day(f"{place}.{day}", openings_of_day)
    problems: list[str] = []
    hours = read_working_hours(value, place, problems)
    for text in problems:
        yield EntryProblem(text.partition(":")[0], f"{text}.")
    days = {WEEKDAYS[day]: openings for day, openings in hours.weekly.items()}
    days |= {f"exceptions.{day}": openings for day, openings in hours.exceptions.items()}
    days |= {f"exceptions.{month:02}-{day:02}": openings for (month, day), openings in hours.yearly.items()}
    for day, openings in days.items():
        if any(one.closes > other.opens for one, other in pairwise(openings)):
            yield EntryProblem(f"{place}.{day}", f"{place}.{day} has times that overlap; join them into one.")


def _unknown_of_day(place: str, value: Any) -> Iterator[EntryProblem]:
    """Yield a problem for each name in a day's openings that nothing reads."""
    rows = value if isinstance(value, list) else [value] if not place.endswith(".exceptions") else []
    for name in sorted({str(name) for row in rows if isinstance(row, Mapping) for name in row} - {*_OPENING}):
        meant = nearest(name, _OPENING)
        asked = f" Did you mean {meant}?" if meant else ""
        sentence = f"{place} has no {name[:60]!r}.{asked} Use {' and '.join(_OPENING)}."
        yield EntryProblem(place, sentence, is_unknown=True)


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}
