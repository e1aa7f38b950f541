"""Hours as owners enter them, of a business or of one of its people, checked strictly."""

from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import Any

from switchboard.admin.access.refusal import EntryProblem
from switchboard.contract.business.names import nearest
from switchboard.contract.business.working_hours import WEEKDAYS, read_working_hours

_EXCEPTIONS = 400


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
